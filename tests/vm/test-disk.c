/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * test-disk.c - full disks under rig's state and cache, with real guests.
 *
 * The disks are small tmpfs, mounted where only this process and its children see them. How a
 * record fares on a disk that fills up at each write in turn is in tests/unit/test-store.c.
 */
#include <sched.h>
#include <string.h>
#include <sys/mount.h>
#include <unistd.h>

#include "base/file.h"
#include "cli-fixture.h"
#include "fault-workload.h"
#include "leftovers.h"
#include "tally.h"

#define NO_ROOM "No space left on device"
#define PROBE "state/kvm-probe.json"

/* CLI has folders of its own; what takes long to make is borrowed from REAL. */
typedef struct {
	CliFixture real, cli;
	char *workload;
} World;

static char *at(const CliFixture *f, const char *path)
{
	return g_build_filename(f->root, path, NULL);
}

static void put_disk(World *world, const char *path, const char *size)
{
	g_autofree char *target = at(&world->cli, path);
	g_autofree char *options = g_strdup_printf("mode=755,size=%s", size);

	g_assert_true(rig_file_make_dirs(target, 0755, NULL));
	g_assert_no_errno(mount("rig-test", target, "tmpfs", 0, options));
}

static void make_room(World *world, const char *path)
{
	g_autofree char *target = at(&world->cli, path);

	g_assert_no_errno(mount("rig-test", target, "tmpfs", MS_REMOUNT, "size=400m"));
}

static void borrow(World *world, const char *path)
{
	g_autofree char *from = at(&world->real, path);
	g_autofree char *to = at(&world->cli, path);

	g_assert_true(rig_file_make_dirs(to, 0755, NULL));
	g_assert_no_errno(mount(from, to, NULL, MS_BIND, NULL));
}

/* Whether KVM is usable is asked once a boot of the host, and was. */
static void borrow_probe(World *world)
{
	g_autofree char *from = at(&world->real, PROBE);
	g_autofree char *to = at(&world->cli, PROBE);

	if (g_file_test(from, G_FILE_TEST_EXISTS))
		g_assert_true(rig_file_copy(from, to, 0644, NULL));
}

/* libvirt asks each QEMU for what it can do, for seconds, unless it has asked before. */
static void borrow_answers(World *world)
{
	borrow_probe(world);
	borrow(world, "state/libvirt/cache");
}

/* FALSE where nothing can be mounted. */
static gboolean set_up(World *world)
{
	memset(world, 0, sizeof(*world));
	if (unshare(CLONE_NEWNS) < 0 || mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) < 0) {
		g_test_skip("a small tmpfs can be mounted by root only");
		return FALSE;
	}
	cli_setup_real(&world->real);
	world->workload = fault_workload(&world->real, "good", "60", "CONFIG_NUMA");
	world->cli.stays = TRUE;		 /* takes its time, as with real guests */
	world->cli.root = at(&world->real, "s"); /* short: a socket lies deep below it */
	put_disk(world, "", "400m");
	return TRUE;
}

static void tear_down(World *world)
{
	g_assert_no_errno(umount2(world->cli.root, MNT_DETACH));
	g_assert_no_errno(rmdir(world->cli.root));
	rig_process_result_clear(&world->cli.last);
	g_free(world->cli.root);
	g_free(world->workload);
	cli_teardown(&world->real);
}

/* What was just run has failed for want of room on the host, and has left nothing. */
static void expect_no_room(World *world, const char *text)
{
	tally_injected();
	cli_expect(&world->cli, 3, text);
	cli_expect(&world->cli, 3, "free some space there");
	tally_expect_nothing_left(&world->cli, "after the disk was full");
	tally_survived();
}

static void run(World *world)
{
	cli_rig(&world->cli, "run", world->workload, "-k", "linux-6.12", NULL);
}

static guint count_records(World *world)
{
	g_autoptr(RigJson) root = NULL;

	cli_rig(&world->cli, "results", "list", "--json", NULL);
	cli_expect(&world->cli, 0, NULL);
	root = cli_json(&world->cli);
	return rig_json_length(rig_json_array(root, "runs", RIG_JSON_REQUIRED));
}

/* The guest runs, and then its record finds no room. */
static void test_results(void)
{
	World world;

	if (!set_up(&world))
		return;
	borrow(&world, "cache");
	borrow(&world, "state/kernels");
	borrow_answers(&world);
	put_disk(&world, "state/results", "100k");
	run(&world);
	expect_no_room(&world, "the run is not stored");
	g_assert_nonnull(strstr(world.cli.last.err, NO_ROOM));
	g_assert_cmpuint(count_records(&world), ==, 0);
	make_room(&world, "state/results");
	run(&world);
	cli_expect(&world.cli, 0, NULL);
	g_assert_cmpuint(count_records(&world), ==, 1);
	leftovers_expect_none(world.cli.root, 0, "after a run with room");
	tear_down(&world);
}

/* Too little for the overlay; too little for libvirt, which says something else. */
static void test_state(void)
{
	static const char *const sizes[] = {"100k", "300k"};
	World world;

	if (!set_up(&world))
		return;
	borrow(&world, "cache");
	for (guint i = 0; i < G_N_ELEMENTS(sizes); i++) {
		put_disk(&world, "state", sizes[i]);
		borrow(&world, "state/kernels");
		borrow_probe(&world);
		run(&world);
		expect_no_room(&world, NULL);
	}
	make_room(&world, "state");
	run(&world);
	cli_expect(&world.cli, 0, NULL);
	leftovers_expect_none(world.cli.root, 0, "after a run with room");
	tear_down(&world);
}

/* libguestfs' QEMU waits for room without a word; rig does not. */
static void test_image(void)
{
	World world;

	if (!set_up(&world))
		return;
	borrow(&world, "state/kernels");
	borrow_probe(&world);
	put_disk(&world, "cache", "4m");
	borrow(&world, "cache/appliance");
	cli_rig(&world.cli, "image", "build", "tiny", NULL);
	expect_no_room(&world, NO_ROOM);
	make_room(&world, "cache");
	cli_rig(&world.cli, "image", "build", "tiny", NULL);
	cli_expect(&world.cli, 0, NULL);
	leftovers_expect_none(world.cli.root, 0, "after an image was built");
	tear_down(&world);
}

/* An initramfs with the whole root. */
static void test_boot_set(void)
{
	World world;

	if (!set_up(&world))
		return;
	borrow(&world, "state/kernels");
	borrow_answers(&world);
	put_disk(&world, "cache", "2m");
	cli_rig(&world.cli, "up", "2sp-icl", "-k", "linux-6.12", "--diskless", NULL);
	expect_no_room(&world, NO_ROOM);
	make_room(&world, "cache");
	cli_rig(&world.cli, "up", "2sp-icl", "-k", "linux-6.12", "--diskless", NULL);
	cli_expect(&world.cli, 0, NULL);
	cli_rig(&world.cli, "down", "--all", NULL);
	cli_expect(&world.cli, 0, NULL);
	tear_down(&world);
}

static void test_kernel(void)
{
	static const char *const sizes[] = {"16k", "20m"};
	World world;
	g_autofree char *boot = NULL;

	if (!set_up(&world))
		return;
	boot = at(&world.real, "state/kernels/linux-6.12/boot");
	for (guint i = 0; i < G_N_ELEMENTS(sizes); i++) {
		put_disk(&world, "state/kernels", sizes[i]);
		cli_rig(&world.cli, "kernel", "add", boot, "--name", "k", NULL);
		expect_no_room(&world, NO_ROOM);
		cli_rig(&world.cli, "kernel", "show", "k", NULL);
		cli_expect(&world.cli, 2, "not in the store");
	}
	make_room(&world, "state/kernels");
	cli_rig(&world.cli, "kernel", "add", boot, "--name", "k", NULL);
	cli_expect(&world.cli, 0, NULL);
	leftovers_expect_none(world.cli.root, 0, "after a kernel was added");
	tear_down(&world);
}

int main(int argc, char **argv)
{
	int status;

	g_test_init(&argc, &argv, NULL);
	g_test_add_func("/disk/kernel", test_kernel);
	g_test_add_func("/disk/boot-set", test_boot_set);
	g_test_add_func("/disk/image", test_image);
	g_test_add_func("/disk/state", test_state);
	g_test_add_func("/disk/results", test_results);
	status = g_test_run();
	tally_tell();
	return status;
}
