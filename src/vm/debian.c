/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * debian.c - runs mmdebstrap and keeps what it made.
 *
 * The archive is to be the same wherever and whenever the same versions are found: time stamps are
 * 0, what is only this host's (its name, its mirror, its way there) is taken out again, and so is
 * what is to be a guest's own (the keys of its sshd).
 */
#include "vm/debian.h"

#include "base/error.h"
#include "base/file.h"
#include "base/process.h"
#include "base/text.h"
#include "vm/cache.h"
#include "vm/debian-apt.h"

#include <errno.h>
#include <glib/gstdio.h>
#include <string.h>
#include <unistd.h>

#define FORMAT "rig debian 2"
#define PACKAGES_FILE "packages"
#define PACKAGES_MAX (1024 * 1024)
#define MMDEBSTRAP_TIMEOUT_MS (60 * 60 * 1000)
#define SWEEP_TIMEOUT_MS (2 * 60 * 1000)
#define LAST_LINES 6
#define LINE_MAX_BYTES 200
#define FAILED_HINT "are the packages' names right, and does \"apt-get update\" work?"
#define FAILED_HINT_USER " without root: install uidmap, have a line in /etc/subuid and /etc/subgid"
#define PACKAGE_MARK "rig-package "

/* Run in the finished root: tell what is in it, then take out what does not belong to it. */
#define HOOK                                                                                \
	"dpkg-query --admindir=\"$1/var/lib/dpkg\" -W"                                      \
	" -f '" PACKAGE_MARK "${Package} ${Version}\\n' >&2 && cd \"$1\" &&"                \
	" rm -f etc/resolv.conf etc/hostname etc/apt/sources.list etc/apt/sources.list.d/*" \
	" etc/apt/apt.conf.d/99mmdebstrap etc/dpkg/dpkg.cfg.d/99mmdebstrap etc/ssh/ssh_host_*"

static const char *const left_out[] = {"doc", "info", "locale", "man"};

/* What goes in, for complete.json, and what the entry is keyed by. g_free. */
static char *inputs_of(const RigImageDebian *debian)
{
	g_autofree char *packages = g_strjoinv("\n", debian->packages);

	return g_strdup_printf(FORMAT "\nsuite %s\n%s\n", debian->suite, packages);
}

static char *key_of(const RigImageDebian *debian)
{
	g_autofree char *inputs = inputs_of(debian);

	return rig_text_sha256(inputs);
}

/* One run of mmdebstrap. */
typedef struct {
	const RigBootsetContext *context;
	const RigImageDebian *debian;
	char *dir; /* that becomes the entry */
	char *tar, *options_path;
	GString *line; /* what came of the line that is not over */
} Run;

static void run_clear(Run *run)
{
	g_free(run->dir);
	g_free(run->tar);
	g_free(run->options_path);
	if (run->line)
		g_string_free(run->line, TRUE);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(Run, run_clear)

/* mmdebstrap tells what it does in lines "I: ...". */
static void see(gpointer data, const char *text, gsize length)
{
	Run *run = data;
	const char *end;

	g_string_append_len(run->line, text, (gssize)length);
	while ((end = strchr(run->line->str, '\n'))) {
		gsize n = (gsize)(end - run->line->str);

		run->line->str[n] = '\0';
		if (g_str_has_prefix(run->line->str, "I: ") && n < 100)
			rig_log_status(run->context->log, "Debian %s: %s", run->debian->suite,
				       run->line->str + 3);
		g_string_erase(run->line, 0, (gssize)n + 1);
	}
}

static char **arguments(const Run *run)
{
	g_autoptr(GStrvBuilder) argv = g_strv_builder_new();
	g_autofree char *packages = g_strjoinv(",", run->debian->packages);
	g_autofree char *include = g_strconcat("--include=", packages, NULL);
	g_autofree char *options = g_strconcat("--aptopt=", run->options_path, NULL);

	g_strv_builder_add_many(argv, "mmdebstrap", "--variant=minbase", "--format=tar",
				"--architectures=amd64", "--dpkgopt=force-unsafe-io",
				"--customize-hook=" HOOK, options, NULL);
	for (guint i = 0; i < G_N_ELEMENTS(left_out); i++) {
		g_autofree char *option =
			g_strdup_printf("--dpkgopt=path-exclude=/usr/share/%s/*", left_out[i]);

		g_strv_builder_add(argv, option);
	}
	if (packages[0])
		g_strv_builder_add(argv, include);
	/* "-": the sources come from stdin. */
	g_strv_builder_add_many(argv, run->debian->suite, run->tar, "-", NULL);
	return g_strv_builder_end(argv);
}

/* Its errors, or the last that it said if there are none. g_free. */
static char *last_words(const char *text)
{
	g_auto(GStrv) lines = g_strsplit(text, "\n", -1);
	g_autoptr(GString) errors = g_string_new(NULL);
	g_autofree char *safe = NULL;

	for (guint i = 0; lines[i]; i++)
		if (g_str_has_prefix(lines[i], "E: "))
			g_string_append_printf(errors, "%.*s\n", LINE_MAX_BYTES, lines[i]);
	safe = rig_text_safe(errors->len ? errors->str : text, -1);
	g_strchomp(safe);
	return g_strdup(rig_text_last_lines(safe, LAST_LINES));
}

static gboolean check_status(const RigProcessResult *result, GError **error)
{
	g_autofree char *words = NULL;

	if (result->status == 0)
		return TRUE;
	words = last_words(result->err);
	rig_error_set_hint(error, RIG_ERROR_HOST,
			   geteuid() == 0 ? FAILED_HINT : FAILED_HINT FAILED_HINT_USER,
			   "mmdebstrap failed with status %d:\n%s", result->status, words);
	return FALSE;
}

/* Write the file of packages from the lines of the hook. */
static gboolean write_packages(const Run *run, const char *text, GError **error)
{
	g_autofree char *path = g_build_filename(run->dir, PACKAGES_FILE, NULL);
	g_auto(GStrv) lines = g_strsplit(text, "\n", -1);
	g_autoptr(GString) packages = g_string_new(NULL);

	for (guint i = 0; lines[i]; i++)
		if (g_str_has_prefix(lines[i], PACKAGE_MARK))
			g_string_append_printf(packages, "%s\n", lines[i] + strlen(PACKAGE_MARK));
	return rig_file_write(path, packages->str, -1, 0644, error);
}

/* Where the root is put together: as root beside the archive; others' belongs to the root of a user
 * name space, who may not enter our cache. */
static RigScratch *new_place(const RigBootsetContext *context, GError **error)
{
	const char *parent = geteuid() == 0 ? context->paths->cache : g_get_tmp_dir();
	g_autoptr(RigScratch) place = rig_scratch_new(parent, "mmdebstrap", error);

	/* That other root has to get in, and apt, which downloads as a user of its own. */
	if (!place || g_chmod(place->path, 0755) == 0)
		return g_steal_pointer(&place);
	rig_error_set_errno(error, RIG_ERROR_HOST, errno, "cannot be opened", place->path);
	return NULL;
}

/* What an interrupted mmdebstrap left belongs to that other root, who alone can take it away. */
static void sweep(const RigScratch *place)
{
	const char *argv[] = {"mmdebstrap", "--unshare-helper",		  "sh",
			      "-c",	    "rm -rf \"$0\"/mmdebstrap.*", place->path,
			      NULL};
	const RigProcess process = {.argv = argv, .timeout_ms = SWEEP_TIMEOUT_MS};
	g_auto(RigProcessResult) result = {0};
	g_autoptr(GError) error = NULL;

	/* The empty folder stays, for its parent is ours: so its status says nothing. */
	if (geteuid() != 0 && !rig_process_run(&process, &result, NULL, &error))
		g_debug("%s stays: %s", place->path, error->message);
}

static gboolean run_in(Run *run, const RigScratch *place, const char *sources, GError **error)
{
	g_auto(GStrv) argv = arguments(run);
	g_autofree char *tmp = g_strconcat("TMPDIR=", place->path, NULL);
	const char *env[] = {"SOURCE_DATE_EPOCH=0", "LC_ALL=C", tmp, NULL};
	const RigProcess process = {.argv = (const char *const *)argv,
				    .env = env,
				    .input = sources,
				    .timeout_ms = MMDEBSTRAP_TIMEOUT_MS,
				    .own_group = TRUE,
				    .watch = see,
				    .watch_data = run};
	g_auto(RigProcessResult) result = {0};

	if (rig_process_run(&process, &result, run->context->cancellable, error) &&
	    check_status(&result, error))
		return write_packages(run, result.err, error);
	sweep(place);
	return FALSE;
}

static gboolean run_mmdebstrap(Run *run, GError **error)
{
	g_autofree char *sources =
		rig_debian_apt_sources(run->debian->suite, run->context->cancellable, error);
	g_autoptr(RigScratch) place = sources ? new_place(run->context, error) : NULL;

	return place && run_in(run, place, sources, error);
}

static gboolean check_tool(GError **error)
{
	g_autofree char *path = g_find_program_in_path("mmdebstrap");

	if (path)
		return TRUE;
	rig_error_set_hint(error, RIG_ERROR_HOST,
			   "apt-get install mmdebstrap (Debian and Ubuntu have it)",
			   "mmdebstrap, which makes a Debian root, is not there");
	return FALSE;
}

static gboolean make(const RigBootsetContext *context, const RigImageDebian *debian,
		     const char *dir, GError **error)
{
	g_autoptr(RigScratch) scratch = rig_scratch_new(context->paths->cache, "debian", error);
	g_autofree char *options = NULL;
	g_autofree char *inputs = inputs_of(debian);
	g_auto(Run) run = {.context = context, .debian = debian};

	if (!scratch)
		return FALSE;
	run.dir = g_build_filename(scratch->path, "entry", NULL);
	run.tar = g_build_filename(run.dir, RIG_DEBIAN_TAR, NULL);
	run.options_path = g_build_filename(scratch->path, "apt.conf", NULL);
	run.line = g_string_new(NULL);
	options = rig_debian_apt_options(context->cancellable, error);
	rig_log_info(context->log, "making a root of Debian %s with mmdebstrap (once)",
		     debian->suite);
	return options && rig_file_write(run.options_path, options, -1, 0644, error) &&
	       rig_file_make_dirs(run.dir, 0755, error) && run_mmdebstrap(&run, error) &&
	       rig_cache_publish(run.dir, dir, inputs, NULL, NULL, error);
}

char *rig_debian_get(const RigBootsetContext *context, const RigImageDebian *debian, GError **error)
{
	g_autofree char *key = key_of(debian);
	g_autofree char *dir = rig_cache_path(context->paths->cache, RIG_CACHE_DEBIAN, key);
	g_autoptr(RigLock) lock = NULL;

	if (rig_cache_hit(dir, context->log))
		return g_steal_pointer(&dir);
	if (!check_tool(error))
		return NULL;
	lock = rig_cache_lock(context->paths->cache, RIG_CACHE_DEBIAN, key, context->log,
			      context->cancellable, error);
	/* Another rig may have made it while we waited. */
	if (lock && (rig_cache_hit(dir, NULL) || make(context, debian, dir, error)))
		return g_steal_pointer(&dir);
	return NULL;
}

char *rig_debian_packages(const RigPaths *paths, const RigImageDebian *debian)
{
	g_autofree char *key = key_of(debian);
	g_autofree char *dir = rig_cache_path(paths->cache, RIG_CACHE_DEBIAN, key);
	g_autofree char *path = g_build_filename(dir, PACKAGES_FILE, NULL);

	return rig_file_read(path, PACKAGES_MAX, NULL, NULL);
}
