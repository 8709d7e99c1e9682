/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * cmd-up.c - rig up TOPOLOGY: boot a guest that stays.
 */
#include <stdio.h>
#include <string.h>

#include "base/file.h"
#include "base/size.h"
#include "base/text.h"
#include "cli/choose.h"
#include "cli/commands.h"
#include "cli/guests.h"
#include "cli/shape.h"

typedef struct {
	char *kernel, *image, *name, *cmdline;
	gboolean diskless, keep, dump;
	RigShapeOptions shape;
	RigLimitOptions limits;
} UpOptions;

#define OPT(field) G_STRUCT_OFFSET(UpOptions, field)

static const RigOption up_options[] = {
	{"kernel", 'k', RIG_OPTION_STRING, OPT(kernel), "KERNEL",
	 "kernel to boot (default: rig kernel default, else the host's own)"},
	{"image", 0, RIG_OPTION_STRING, OPT(image), "IMAGE", "root file system (default: tiny)"},
	{"name", 0, RIG_OPTION_STRING, OPT(name), "NAME",
	 "name of the guest (default: the topology's)"},
	{"diskless", 0, RIG_OPTION_FLAG, OPT(diskless), NULL, "the root as an initramfs, no disk"},
	{"cmdline", 0, RIG_OPTION_STRING, OPT(cmdline), "WORDS", "more words for the kernel"},
	{"keep-on-failure", 0, RIG_OPTION_FLAG, OPT(keep), NULL,
	 "leave a guest that failed to boot, to look into it"},
	{"dump", 0, RIG_OPTION_FLAG, OPT(dump), NULL,
	 "stay where the kernel panics, and keep a memory dump when it panics or hangs"},
	RIG_SHAPE_OPTIONS(UpOptions, shape),
	RIG_LIMIT_OPTIONS(UpOptions, limits),
	{NULL},
};

/* All that is chosen before the first thing is done. */
typedef struct {
	RigCli *cli;
	const UpOptions *options;
	const char *name;
	RigTopology *topology;
	RigKernel *kernel;
	RigImage *image;
	RigAccelWant want;
	RigPlacementRequest placement;
	RigAccel accel;
	char *accel_reason;
} Up;

static void clear_up(Up *up)
{
	rig_topology_free(up->topology);
	rig_kernel_free(up->kernel);
	rig_image_free(up->image);
	g_free(up->accel_reason);
}

static gboolean choose(Up *up, const char *topology, GError **error)
{
	up->topology = rig_choose_topology(up->cli, topology, error);
	if (!up->topology ||
	    !rig_shape_parse(&up->options->shape, &up->want, &up->placement, error))
		return FALSE;
	up->name = up->options->name ? up->options->name : up->topology->name;
	if (!rig_file_check_name("guest name", up->name, error) ||
	    !rig_guest_check_cmdline(up->options->cmdline, error))
		return FALSE;
	up->image = rig_choose_image(up->cli, up->options->image, error);
	if (!up->image)
		return FALSE;
	up->kernel = rig_choose_kernel(up->cli, up->options->kernel, error);
	return up->kernel != NULL;
}

static gboolean is_same(const Up *up, const RigGuestInfo *info)
{
	return g_strcmp0(info->topology, up->topology->name) == 0 &&
	       g_strcmp0(info->kernel, up->kernel->name) == 0 &&
	       g_strcmp0(info->image, up->image->name) == 0;
}

/* It stays for its memory to be looked at, which only its user can say is not wanted. */
static gboolean refuse_panicked(const Up *up, GError **error)
{
	g_autofree char *hint = g_strdup_printf(
		"rig down --dump %s keeps its memory, rig down %s does not", up->name, up->name);

	rig_error_set_hint(error, RIG_ERROR_USAGE, hint, "guest \"%s\" has panicked", up->name);
	return FALSE;
}

/* A guest of that name: fine if it is the one that is asked for. *DONE: nothing is left to do. */
static gboolean check_existing(Up *up, RigGuestContext *context, gboolean *done, GError **error)
{
	g_autoptr(GPtrArray) guests = rig_guest_list(context, error);
	const RigGuestInfo *info = guests ? rig_cli_find_guest(guests, up->name) : NULL;
	g_autofree char *hint = g_strdup_printf("rig down %s; or rig up %s --name OTHER", up->name,
						up->topology->name);

	*done = FALSE;
	if (!info)
		return guests != NULL;
	if (strcmp(info->state, "running") == 0 || (info->owner && info->pid)) {
		*done = is_same(up, info);
		if (!*done)
			rig_error_set_hint(
				error, RIG_ERROR_USAGE, hint,
				"guest \"%s\" is up with topology %s, kernel %s, image %s",
				up->name, info->topology, info->kernel, info->image);
		return *done;
	}
	if (info->owner) {
		rig_error_set(error, RIG_ERROR_HOST, "guest \"%s\" is in use by %s", up->name,
			      info->owner);
		return FALSE;
	}
	if (strcmp(info->state, "panicked") == 0)
		return refuse_panicked(up, error);
	if (up->cli->dry_run)
		return TRUE;
	rig_log_info(up->cli->log, "guest %s is %s: removing what is left of it", up->name,
		     info->state);
	return rig_guest_down(context, up->name, FALSE, error);
}

static RigBootset *get_bootset(Up *up, GPtrArray **keep, GError **error)
{
	RigBootsetContext context = {
		.paths = up->cli->paths,
		.log = up->cli->log,
		.cancellable = up->cli->cancellable,
	};
	RigBootsetSpec spec = {
		.kernel = up->kernel,
		.image = up->image,
		.diskless = up->options->diskless,
	};

	*keep = rig_bootset_get(&context, &spec, 1, error);
	return *keep ? (*keep)->pdata[0] : NULL;
}

static RigGuest *boot(Up *up, RigGuestContext *context, GError **error)
{
	g_autoptr(GPtrArray) keep = NULL;
	RigBootset *bootset;
	RigGuestSpec spec;

	if (!rig_accel_choose(up->cli->paths, up->cli->log, up->want, up->kernel,
			      up->cli->cancellable, &up->accel, &up->accel_reason, error))
		return NULL;
	bootset = get_bootset(up, &keep, error);
	if (!bootset)
		return NULL;
	spec = (RigGuestSpec){
		.name = up->name,
		.topology = up->topology,
		.kernel = up->kernel,
		.image = up->image,
		.bootset = bootset,
		.accel = up->accel,
		.accel_reason = up->accel_reason,
		.placement = up->placement,
		.cmdline = up->options->cmdline,
		.keep_on_failure = up->options->keep,
		.dump = up->options->dump,
	};
	rig_log_status(up->cli->log, "booting %s with kernel %s", up->name, up->kernel->name);
	return rig_guest_up(context, &spec, error);
}

static void print_json(const Up *up, const RigGuest *guest, double seconds)
{
	RigJsonWriter *writer = rig_json_writer_new();
	const RigReadback *readback = rig_guest_readback(guest);
	g_autoptr(GHashTable) manifest = rig_guest_manifest(guest);
	char class[] = {rig_guest_class(guest), '\0'};

	rig_json_open_object(writer, NULL);
	rig_json_add_int(writer, "version", 1);
	rig_json_add_string(writer, "name", up->name);
	rig_json_add_bool(writer, "already_up", seconds < 0);
	rig_json_add_string(writer, "topology", up->topology->name);
	rig_json_add_string(writer, "fit", g_hash_table_lookup(manifest, "topology.fit"));
	rig_json_add_string(writer, "kernel", up->kernel->name);
	rig_json_add_string(writer, "release", readback->release);
	rig_json_add_string(writer, "image", up->image->name);
	rig_json_add_string(writer, "accel", g_hash_table_lookup(manifest, "accel"));
	rig_json_add_string(writer, "class", class);
	rig_json_add_int(writer, "cpus", readback->cpus);
	rig_json_add_int(writer, "nodes", readback->nodes);
	rig_json_add_int(writer, "memory", (gint64)readback->mem_total);
	if (seconds >= 0)
		rig_json_add_double(writer, "seconds", seconds);
	rig_json_close_object(writer);
	rig_cli_print_json(writer);
}

static void print_text(const Up *up, const RigGuest *guest, double seconds)
{
	const RigReadback *readback = rig_guest_readback(guest);
	g_autoptr(GHashTable) manifest = rig_guest_manifest(guest);
	const char *fit = g_hash_table_lookup(manifest, "topology.fit");
	g_autofree char *release = rig_text_safe(readback->release ? readback->release : "?", -1);

	printf("%s: up, %u CPUs on %u node%s, %.1f GiB, Linux %s, class %c", up->name,
	       readback->cpus, readback->nodes, readback->nodes == 1 ? "" : "s",
	       (double)readback->mem_total / (1 << 30), release, rig_guest_class(guest));
	if (seconds >= 0)
		printf(", %.1f s", seconds);
	printf("\n");
	if (fit)
		rig_log_info(up->cli->log, "%s", fit);
	rig_log_info(up->cli->log,
		     "next: rig exec %s -- cat /proc/cmdline; rig run "
		     "anon-cow-rand-hugetlb; rig down %s",
		     up->name, up->name);
}

static gboolean refuse_other(const Up *up, const char *option, const char *asked, const char *is,
			     GError **error)
{
	g_autofree char *hint = g_strdup_printf("rig down %s; or rig up %s --name OTHER", up->name,
						up->topology->name);

	if (g_strcmp0(asked, is) == 0)
		return TRUE;
	rig_error_set_hint(error, RIG_ERROR_USAGE, hint,
			   "guest \"%s\" is up with %s, --%s asks for %s", up->name,
			   is ? is : "something else", option, asked);
	return FALSE;
}

/* The size of the pages that the guest is backed by, 0 for ordinary ones. */
static guint64 hugepage_of(GHashTable *facts)
{
	const char *text = g_hash_table_lookup(facts, "placement");
	g_autoptr(RigJson) placement = text ? rig_json_parse("placement", text, -1, NULL) : NULL;

	return (guint64)rig_json_int(placement, "hugepage", RIG_JSON_OPTIONAL, 0, G_MAXINT64, 0);
}

static gboolean check_hugepages(const Up *up, GHashTable *facts, GError **error)
{
	g_autofree char *asked = rig_size_format(up->placement.hugepage);
	guint64 page = hugepage_of(facts);
	g_autofree char *is = page ? rig_size_format(page) : g_strdup("ordinary pages");

	return !up->placement.hugepage || refuse_other(up, "hugepages", asked, is, error);
}

static gboolean check_size(const Up *up, GHashTable *facts, GError **error)
{
	g_autofree char *asked = rig_placement_filed_as(up->topology, &up->placement);
	const char *option = up->placement.cell_cpus ? "cell-cpus" : "cell-memory";

	if (!up->placement.cell_cpus && !up->placement.cell_memory)
		return TRUE;
	return refuse_other(up, option, asked, g_hash_table_lookup(facts, "topology.filed_as"),
			    error);
}

static gboolean check_cmdline(const Up *up, GHashTable *facts, GError **error)
{
	const char *words = up->options->cmdline;
	const char *is = g_hash_table_lookup(facts, "boot.cmdline");

	if (!words || !*words || g_strcmp0(words, is) == 0)
		return TRUE;
	return refuse_other(up, "cmdline", words, is ? is : "no more words for the kernel", error);
}

/* What was asked for has to be what is up: one that is up is not made another. */
static gboolean check_given(const Up *up, const RigGuest *guest, GError **error)
{
	g_autoptr(GHashTable) facts = rig_guest_manifest(guest);
	const char *diskless = g_hash_table_lookup(facts, "boot.diskless");
	const char *accel = up->want == RIG_ACCEL_WANT_AUTO ? NULL : up->options->shape.accel;

	if (accel && !refuse_other(up, "accel", accel, g_hash_table_lookup(facts, "accel"), error))
		return FALSE;
	if (up->options->diskless && g_strcmp0(diskless, "yes") != 0)
		return refuse_other(up, "diskless", "none", "a disk", error);
	return check_size(up, facts, error) && check_hugepages(up, facts, error) &&
	       check_cmdline(up, facts, error);
}

/* It is up already: what is known of it is in its folder; its lock may be held by a run. */
static int say_already(Up *up, RigGuestContext *context, GError **error)
{
	g_autoptr(RigGuest) guest = NULL;

	guest = rig_guest_open(context, up->name, error);
	if (!guest || !check_given(up, guest, error))
		return -1;
	rig_log_info(up->cli->log, "guest %s is up already", up->name);
	if (up->cli->json)
		print_json(up, guest, -1);
	else
		print_text(up, guest, -1);
	return 0;
}

/* What is certain without a boot; asking a canary would be doing something. */
static char *foretell_accel(const Up *up)
{
	g_auto(RigKvmProbe) probe = {0};

	if (up->want == RIG_ACCEL_WANT_TCG)
		return g_strdup("emulated (asked for)");
	rig_accel_probe(up->cli->paths, up->cli->log, NULL, TRUE, up->cli->cancellable, &probe);
	if (probe.usable)
		return g_strdup("under KVM");
	if (!probe.known)
		return g_strdup("under KVM if a canary guest boots under it");
	return g_strdup_printf("%s: no KVM (%s)",
			       up->want == RIG_ACCEL_WANT_KVM ? "refused" : "emulated",
			       probe.reason);
}

static int say_plan(const Up *up)
{
	g_autofree char *accel = foretell_accel(up);
	g_autofree char *shape = rig_topology_describe(up->topology);

	printf("would boot guest %s: topology %s (%s, fitted to this host), kernel %s, image "
	       "%s%s, %s\n",
	       up->name, up->topology->name, shape, up->kernel->name, up->image->name,
	       up->options->diskless ? ", diskless" : "", accel);
	return 0;
}

static int up_guest(Up *up, const char *topology, GError **error)
{
	RigGuestContext context = rig_cli_guest_context(up->cli);
	g_autoptr(RigGuest) guest = NULL;
	gint64 begin = g_get_monotonic_time();
	gboolean done;
	double seconds;

	if (!rig_cli_limit_guest(&context, &up->options->limits, error) ||
	    !choose(up, topology, error) || !check_existing(up, &context, &done, error))
		return -1;
	if (done)
		return say_already(up, &context, error);
	if (up->cli->dry_run)
		return say_plan(up);
	guest = boot(up, &context, error);
	rig_log_status_clear(up->cli->log);
	if (!guest)
		return -1;
	seconds = (double)(g_get_monotonic_time() - begin) / G_USEC_PER_SEC;
	if (up->cli->json)
		print_json(up, guest, seconds);
	else
		print_text(up, guest, seconds);
	return 0;
}

static int run(RigCli *cli, void *options, int argc, char **argv, GError **error)
{
	Up up = {.cli = cli, .options = options};
	int code;

	if (argc != 1)
		return rig_cli_usage(&rig_cmd_up, error,
				     argc ? "one TOPOLOGY at a time" : "TOPOLOGY is missing");
	code = up_guest(&up, argv[0], error);
	clear_up(&up);
	return code;
}

const RigCommand rig_cmd_up = {
	.name = "up",
	.args = "TOPOLOGY",
	.summary = "boot a guest shaped like the machine of a report",
	.description =
		"The topology is fitted to this host: sockets, cells and distances stay, cores "
		"and\n"
		"memory shrink; what was shrunk is said. The image is built when it is first "
		"needed.\n"
		"Waits for the guest's agent, reads the guest's topology back, and refuses a "
		"guest\n"
		"that is not what was asked for. A guest that is up already is left as it is.\n\n"
		"  rig up 2sp-icl\n"
		"  rig up 2sp-icl --kernel head --name head --cell-memory 2G",
	.completes = "topology",
	.state_size = sizeof(UpOptions),
	.options = up_options,
	.run = run,
};
