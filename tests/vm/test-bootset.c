/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * test-bootset.c - real boot sets: two kernels from packages, image and overlays by libguestfs,
 * booted with QEMU alone until the agent answers.
 *
 * RIG_TEST_KERNELS: two sources as for "rig kernel add", with a blank between them. Without it they
 * are downloaded: Debian's cloud kernel and the newer one of backports.
 */
#include "base/error.h"
#include "base/file.h"
#include "proto.h"
#include "vm/agent.h"
#include "vm/bootset.h"
#include "vm/cache.h"
#include "vm/kernelstore.h"

#include <fcntl.h>
#include <glib/gstdio.h>
#include <signal.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#define DEFAULT_KERNELS "linux-image-cloud-amd64 linux-image-cloud-amd64/bookworm-backports"
#define BOOT_TIMEOUT_S 120
#define HIT_US_MAX 50000
#define SIDES 2

/* Made once, as it costs most of a minute; the tests run in their order. */
typedef struct {
	char *dir, *kernels_dir;
	RigPaths *paths;
	RigLog *log;
	RigImage *image;
	RigKernel *kernels[SIDES];
	GPtrArray *bootsets;
} World;

static World *world_new(void)
{
	World *world = g_new0(World, 1);
	g_autoptr(GError) error = NULL;
	g_autofree char *recipe = NULL, *state = NULL, *cache = NULL;

	world->dir = rig_file_temp_dir(g_get_tmp_dir(), "rig-test-bootset", &error);
	g_assert_no_error(error);
	state = g_build_filename(world->dir, "state", NULL);
	cache = g_build_filename(world->dir, "cache", NULL);
	g_setenv("RIG_STATE_DIR", state, TRUE);
	g_setenv("RIG_CACHE_DIR", cache, TRUE);
	world->paths = rig_paths_new();
	world->log = rig_log_new(stderr, RIG_LOG_NORMAL);
	world->kernels_dir = g_build_filename(state, "kernels", NULL);
	recipe = g_build_filename(g_getenv("RIG_SOURCE_ROOT"), "images", "tiny.json", NULL);
	world->image = rig_image_load(recipe, &error);
	g_assert_no_error(error);
	return world;
}

static void world_free(World *world)
{
	g_autoptr(GError) error = NULL;

	for (guint i = 0; i < SIDES; i++)
		rig_kernel_free(world->kernels[i]);
	g_clear_pointer(&world->bootsets, g_ptr_array_unref);
	rig_image_free(world->image);
	rig_log_free(world->log);
	rig_paths_free(world->paths);
	if (!rig_file_remove_tree(world->dir, &error))
		g_error("%s", error->message);
	g_free(world->kernels_dir);
	g_free(world->dir);
	g_free(world);
}

static RigBootsetContext context_of(World *world)
{
	return (RigBootsetContext){.paths = world->paths, .log = world->log};
}

static void test_add(gconstpointer data)
{
	World *world = (World *)data;
	static const char *const names[SIDES] = {"base", "head"};
	const char *text = g_getenv("RIG_TEST_KERNELS");
	g_auto(GStrv) sources = g_strsplit(text ? text : DEFAULT_KERNELS, " ", -1);
	const RigKernelStore store = {.kernels_dir = world->kernels_dir,
				      .cache_dir = world->paths->cache,
				      .log = world->log};

	g_assert_cmpuint(g_strv_length(sources), ==, SIDES);
	for (guint i = 0; i < SIDES; i++) {
		const RigKernelSource source = {.name = names[i], .source = sources[i]};
		g_autoptr(GError) error = NULL;
		g_autofree char *modules = NULL;
		g_autofree char *config = NULL;

		world->kernels[i] = rig_kernelstore_add(&store, &source, &error);
		g_assert_no_error(error);
		modules = rig_kernel_modules_dir(world->kernels[i]);
		config = rig_kernel_config(world->kernels[i]);
		g_assert_cmpstr(world->kernels[i]->format, ==, "elf-pvh");
		g_assert_true(g_file_test(modules, G_FILE_TEST_IS_DIR));
		g_assert_nonnull(strstr(config, "CONFIG_NUMA_BALANCING=y"));
	}
	g_assert_cmpstr(world->kernels[0]->release, !=, world->kernels[1]->release);
}

/* A small host program that the guest can run: rig-mem under another name. */
static char *make_program(World *world)
{
	g_autofree char *from = g_build_filename(world->paths->libexec, "rig-mem", NULL);
	char *to = g_build_filename(world->dir, "injected", NULL);
	g_autoptr(GError) error = NULL;

	if (!g_file_test(to, G_FILE_TEST_EXISTS) && !rig_file_copy(from, to, 0755, &error))
		g_error("%s", error->message);
	return to;
}

static GPtrArray *get_both(World *world, gint64 *us)
{
	const RigBootsetContext context = context_of(world);
	g_autofree char *program = make_program(world);
	const char *programs[] = {program, NULL};
	g_autoptr(GError) error = NULL;
	RigBootsetSpec specs[SIDES];
	GPtrArray *bootsets;
	gint64 start;

	for (guint i = 0; i < SIDES; i++)
		specs[i] = (RigBootsetSpec){
			.kernel = world->kernels[i], .image = world->image, .programs = programs};
	start = g_get_monotonic_time();
	bootsets = rig_bootset_get(&context, specs, SIDES, &error);
	*us = g_get_monotonic_time() - start;
	g_assert_no_error(error);
	g_assert_cmpuint(bootsets->len, ==, SIDES);
	return bootsets;
}

static void test_build(gconstpointer data)
{
	World *world = (World *)data;
	gint64 us;

	world->bootsets = get_both(world, &us);
	g_test_message("image and two boot sets: %.1f s", us / 1e6);
	for (guint i = 0; i < SIDES; i++) {
		const RigBootset *bootset = world->bootsets->pdata[i];

		g_assert_false(bootset->hit);
		g_assert_true(g_file_test(bootset->disk, G_FILE_TEST_EXISTS));
		g_assert_true(g_file_test(bootset->initrd, G_FILE_TEST_EXISTS));
		g_assert_cmpstr(bootset->cmdline, ==, "rig.root=/dev/vda");
	}
}

static void test_hit(gconstpointer data)
{
	World *world = (World *)data;
	g_autoptr(GPtrArray) settle = NULL, bootsets = NULL;
	gint64 us;

	/* The programs may have been built less than two seconds ago: then their digests are not
	 * kept yet. */
	g_usleep(2100 * 1000);
	settle = get_both(world, &us);
	bootsets = get_both(world, &us);
	g_test_message("hit: %.1f ms", us / 1e3);
	g_assert_cmpint(us, <, HIT_US_MAX);
	for (guint i = 0; i < SIDES; i++) {
		const RigBootset *now = bootsets->pdata[i], *before = world->bootsets->pdata[i];

		g_assert_true(now->hit);
		g_assert_cmpstr(now->key, ==, before->key);
		g_assert_cmpstr(now->disk, ==, before->disk);
	}
}

/* One QEMU of our own. */
typedef struct {
	char *dir, *socket, *console;
	GPid pid;
} Qemu;

static void qemu_start(Qemu *qemu, const RigBootset *bootset)
{
	g_autoptr(GError) error = NULL;
	g_autofree char *drive = NULL, *append = NULL, *serial = NULL, *chardev = NULL;

	qemu->dir = rig_file_temp_dir(g_get_tmp_dir(), "rig-test-qemu", &error);
	g_assert_no_error(error);
	qemu->socket = g_build_filename(qemu->dir, "agent.sock", NULL);
	qemu->console = g_build_filename(qemu->dir, "console.log", NULL);
	drive = g_strdup_printf("file=%s,format=qcow2,if=virtio,snapshot=on,cache=unsafe",
				bootset->disk);
	append = g_strdup_printf("console=ttyS0 panic=-1 %s", bootset->cmdline);
	serial = g_strdup_printf("file:%s", qemu->console);
	chardev = g_strdup_printf("socket,id=agent,path=%s,server=on,wait=off", qemu->socket);
	{
		const char *argv[] = {"qemu-system-x86_64",
				      "-accel",
				      "tcg",
				      "-m",
				      "512M",
				      "-smp",
				      "2",
				      "-display",
				      "none",
				      "-no-reboot",
				      "-nodefaults",
				      "-kernel",
				      bootset->boot,
				      "-initrd",
				      bootset->initrd,
				      "-append",
				      append,
				      "-drive",
				      drive,
				      "-serial",
				      serial,
				      "-chardev",
				      chardev,
				      "-device",
				      "virtio-serial-pci",
				      "-device",
				      "virtserialport,chardev=agent,name=" RIG_PORT_NAME,
				      NULL};

		g_spawn_async(NULL, (char **)argv, NULL,
			      G_SPAWN_SEARCH_PATH | G_SPAWN_DO_NOT_REAP_CHILD, NULL, NULL,
			      &qemu->pid, &error);
	}
	g_assert_no_error(error);
}

static void qemu_stop(Qemu *qemu)
{
	g_autoptr(GError) error = NULL;

	kill(qemu->pid, SIGKILL);
	waitpid(qemu->pid, NULL, 0);
	if (!rig_file_remove_tree(qemu->dir, &error))
		g_error("%s", error->message);
	g_free(qemu->dir);
	g_free(qemu->socket);
	g_free(qemu->console);
}

static RigAgent *connect_agent(const Qemu *qemu)
{
	gint64 deadline = g_get_monotonic_time() + BOOT_TIMEOUT_S * G_TIME_SPAN_SECOND;
	RigChannel *channel = NULL;
	RigAgent *agent;
	g_autoptr(GError) error = NULL;

	while (!(channel = rig_channel_connect(qemu->socket, NULL)) &&
	       g_get_monotonic_time() < deadline)
		g_usleep(50 * 1000);
	g_assert_nonnull(channel);
	agent = rig_agent_new(channel, BOOT_TIMEOUT_S * 1000, NULL);
	if (!rig_agent_hello(agent, deadline, &error)) {
		g_autofree char *log = rig_file_read(qemu->console, 1024 * 1024, NULL, NULL);

		g_error("%s\n%s", error->message, log ? log : "");
	}
	return agent;
}

/* The command's output; it must end with 0. g_free. */
static char *guest_output(RigAgent *agent, const Qemu *qemu, const char *command)
{
	const char *argv[] = {"/bin/sh", "-c", command, NULL};
	g_autofree char *path = g_build_filename(qemu->dir, "out", NULL);
	int fd = g_open(path, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
	g_autoptr(GError) error = NULL;
	char *text;
	int code;

	if (!rig_agent_exec(agent, argv, -1, fd, fd, &code, &error))
		g_error("%s: %s", command, error->message);
	close(fd);
	text = rig_file_read(path, 1024 * 1024, NULL, &error);
	g_assert_no_error(error);
	if (code)
		g_error("%s: exit code %d: %s", command, code, text);
	return g_strchomp(text);
}

static void check_guest(RigAgent *agent, const Qemu *qemu, const RigKernel *kernel)
{
	static const char *const commands[] = {
		"test -x /rig/bin/rig-mem && cmp /rig/bin/rig-mem /rig/bin/injected",
		"modprobe null_blk && grep -q null_blk /proc/modules && test -b /dev/nullb0",
		"test -f /lib/modules/$(uname -r)/modules.dep",
		"test $(stat -c %a /tmp) = 1777",
		"echo kept > /root/file && grep -q kept /root/file",
		"grep -q ' / ext4 rw' /proc/mounts",
	};
	g_autofree char *release = guest_output(agent, qemu, "uname -r");

	g_assert_cmpstr(release, ==, kernel->release);
	g_assert_cmpstr(rig_agent_release(agent), ==, kernel->release);
	for (guint i = 0; i < G_N_ELEMENTS(commands); i++) {
		g_autofree char *text = guest_output(agent, qemu, commands[i]);

		g_assert_cmpstr(text, ==, "");
	}
}

static void boot_one(World *world, guint side)
{
	const RigBootset *bootset = world->bootsets->pdata[side];
	gint64 start = g_get_monotonic_time();
	g_autoptr(RigAgent) agent = NULL;
	Qemu qemu = {0};

	qemu_start(&qemu, bootset);
	agent = connect_agent(&qemu);
	g_test_message("%s: agent after %.1f s", world->kernels[side]->release,
		       (g_get_monotonic_time() - start) / 1e6);
	check_guest(agent, &qemu, world->kernels[side]);
	qemu_stop(&qemu);
}

static void test_boot(gconstpointer data)
{
	for (guint i = 0; i < SIDES; i++)
		boot_one((World *)data, i);
}

/* A job that a diskless guest takes with it; it goes off by itself. */
static void test_diskless(gconstpointer data)
{
	World *world = (World *)data;
	const RigBootsetContext context = context_of(world);
	const RigBootsetSpec spec = {
		.kernel = world->kernels[1], .image = world->image, .diskless = TRUE};
	g_autoptr(GError) error = NULL;
	g_autoptr(GPtrArray) bootsets = rig_bootset_get(&context, &spec, 1, &error);
	const RigBootset *bootset = bootsets ? bootsets->pdata[0] : NULL;
	g_autofree char *initrd = g_build_filename(world->dir, "initrd-with-job", NULL);
	g_autofree char *out = g_build_filename(world->dir, "debugcon", NULL);
	g_autofree char *debugcon = g_strdup_printf("file:%s", out);
	g_autofree char *text = NULL;
	g_autofree char *append = NULL;
	const char *argv[] = {"timeout",    "120",	   "qemu-system-x86_64",
			      "-accel",	    "tcg",	   "-m",
			      "512M",	    "-display",	   "none",
			      "-no-reboot", "-nodefaults", "-kernel",
			      NULL,	    "-initrd",	   initrd,
			      "-append",    NULL,	   "-debugcon",
			      debugcon,	    NULL};
	int status;

	g_assert_no_error(error);
	g_assert_null(bootset->disk);
	g_assert_cmpstr(bootset->cmdline, ==, RIG_CMDLINE_CHANNEL "debugcon");
	if (!rig_bootset_write_job(bootset,
				   "{\"argv\": [\"/bin/busybox\", \"uname\", \"-r\"], "
				   "\"timeout_ms\": 60000, \"sample_ms\": 0}",
				   initrd, &error))
		g_error("%s", error->message);
	append = g_strconcat("console=ttyS0 panic=-1 ", bootset->cmdline, NULL);
	argv[12] = bootset->boot;
	argv[16] = append;
	g_spawn_sync(NULL, (char **)argv, NULL, G_SPAWN_SEARCH_PATH, NULL, NULL, NULL, NULL,
		     &status, &error);
	g_assert_no_error(error);
	g_assert_cmpint(status, ==, 0);
	text = rig_file_read(out, 16 * 1024 * 1024, NULL, &error);
	g_assert_no_error(error);
	g_assert_nonnull(strstr(text, world->kernels[1]->release));
	if (!strstr(text, "\"done\""))
		g_error("no end of the job in: %s", text);
}

/* A disk that was cut off is found out and made again. */
static void test_damaged(gconstpointer data)
{
	World *world = (World *)data;
	const RigBootset *before = world->bootsets->pdata[0];
	g_autofree char *entry = g_path_get_dirname(before->disk);
	g_autoptr(GPtrArray) bootsets = NULL;
	g_autoptr(GError) error = NULL;
	gint64 us;

	g_assert_cmpint(truncate(before->disk, 1000), ==, 0);
	g_assert_false(rig_cache_verify(entry, NULL));
	bootsets = get_both(world, &us);
	g_test_message("one boot set made again: %.1f s", us / 1e6);
	g_assert_false(((RigBootset *)bootsets->pdata[0])->hit);
	g_assert_true(((RigBootset *)bootsets->pdata[1])->hit);
	if (!rig_cache_verify(entry, &error))
		g_error("%s", error->message);
}

static gpointer cancel_soon(gpointer data)
{
	g_usleep(3 * G_USEC_PER_SEC);
	g_cancellable_cancel(data);
	return NULL;
}

static guint count_entries(World *world)
{
	g_autoptr(GPtrArray) entries = rig_bootset_cache_list(world->paths, NULL);

	return entries->len;
}

static void test_cancel(gconstpointer data)
{
	World *world = (World *)data;
	g_autoptr(GCancellable) cancellable = g_cancellable_new();
	RigBootsetContext context = context_of(world);
	const char *programs[] = {"/bin/busybox", NULL};
	const RigBootsetSpec spec = {
		.kernel = world->kernels[0], .image = world->image, .programs = programs};
	g_autoptr(GPtrArray) bootsets = NULL;
	g_autoptr(GError) error = NULL;
	guint before = count_entries(world);
	gint64 start = g_get_monotonic_time();
	GThread *thread;

	context.cancellable = cancellable;
	thread = g_thread_new("cancel", cancel_soon, cancellable);
	bootsets = rig_bootset_get(&context, &spec, 1, &error);
	g_thread_join(thread);
	g_assert_null(bootsets);
	g_assert_error(error, RIG_ERROR, RIG_ERROR_INTERRUPTED);
	g_test_message("given up after %.1f s", (g_get_monotonic_time() - start) / 1e6);
	/* libguestfs has a timeout of its own, of minutes. */
	g_assert_cmpint(g_get_monotonic_time() - start, <, 60 * G_USEC_PER_SEC);
	g_assert_cmpuint(count_entries(world), ==, before);
	/* No process is left to be waited for: libguestfs' QEMU is gone. */
	g_assert_cmpint(waitpid(-1, NULL, WNOHANG), ==, -1);
}

int main(int argc, char **argv)
{
	World *world;
	int status;

	g_test_init(&argc, &argv, NULL);
	world = world_new();
	g_test_add_data_func("/bootset/add", world, test_add);
	g_test_add_data_func("/bootset/build", world, test_build);
	g_test_add_data_func("/bootset/hit", world, test_hit);
	g_test_add_data_func("/bootset/boot", world, test_boot);
	g_test_add_data_func("/bootset/diskless", world, test_diskless);
	g_test_add_data_func("/bootset/damaged", world, test_damaged);
	g_test_add_data_func("/bootset/cancel", world, test_cancel);
	status = g_test_run();
	world_free(world);
	return status;
}
