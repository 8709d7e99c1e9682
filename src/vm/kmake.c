/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * kmake.c - runs a kernel's make.
 *
 * The build directory lies right in the source tree: then kbuild names sources by relative paths,
 * so objects fit into a copy of both. User, host and time in the banner are fixed, so the same
 * sources give the same kernel.
 */
#include "vm/kmake.h"

#include "base/error.h"
#include "base/process.h"
#include "base/text.h"
#include "vm/kmakelog.h"

#include <errno.h>
#include <fcntl.h>
#include <glib/gstdio.h>
#include <string.h>
#include <unistd.h>

#define VERSION_TIMEOUT_MS 10000
#define LAST_LINES 4

static const struct {
	const char *program, *package;
} tools[] = {
	{"make", "make"},   {"gcc", "gcc"},	{"ld", "binutils"}, {"objcopy", "binutils"},
	{"flex", "flex"},   {"bison", "bison"}, {"bc", "bc"},	    {"perl", "perl"},
	{"xz", "xz-utils"}, {"patch", "patch"}, {"tar", "tar"},
};

static void want(GString *programs, GPtrArray *packages, const char *what, const char *package)
{
	g_string_append_printf(programs, "%s%s", programs->len ? ", " : "", what);
	if (!g_ptr_array_find_with_equal_func(packages, package, g_str_equal, NULL))
		g_ptr_array_add(packages, (gpointer)package);
}

/* objtool reads ELF files by a library; only its header tells that it can be linked. */
static gboolean lacks_libelf(const char *tree)
{
	g_autofree char *objtool = tree ? g_build_filename(tree, "tools", "objtool", NULL) : NULL;

	return objtool && g_file_test(objtool, G_FILE_TEST_IS_DIR) &&
	       !g_file_test("/usr/include/gelf.h", G_FILE_TEST_EXISTS);
}

gboolean rig_kmake_check_tools(const char *tree, GError **error)
{
	g_autoptr(GString) programs = g_string_new(NULL);
	g_autoptr(GPtrArray) packages = g_ptr_array_new();
	g_autofree char *list = NULL, *hint = NULL;

	for (guint i = 0; i < G_N_ELEMENTS(tools); i++) {
		g_autofree char *path = g_find_program_in_path(tools[i].program);

		if (!path)
			want(programs, packages, tools[i].program, tools[i].package);
	}
	if (lacks_libelf(tree))
		want(programs, packages, "gelf.h", "libelf-dev");
	if (!packages->len)
		return TRUE;
	g_ptr_array_add(packages, NULL);
	list = g_strjoinv(" ", (char **)packages->pdata);
	hint = g_strdup_printf("apt-get install %s", list);
	rig_error_set_hint(error, RIG_ERROR_HOST, hint, "a kernel cannot be built without %s",
			   programs->str);
	return FALSE;
}

char *rig_kmake_cc(void)
{
	const char *cc = g_getenv("CC");
	g_autofree char *ccache = g_find_program_in_path("ccache");

	if (!cc || !*cc)
		cc = "gcc";
	return ccache && !strstr(cc, "ccache") ? g_strdup_printf("ccache %s", cc) : g_strdup(cc);
}

static char *first_line(const char *const *argv, GCancellable *cancellable, GError **error)
{
	const RigProcess process = {.argv = argv, .timeout_ms = VERSION_TIMEOUT_MS};
	g_auto(RigProcessResult) result = {0};

	if (!rig_process_check(&process, &result, RIG_ERROR_HOST, cancellable, error))
		return NULL;
	return g_strndup(result.out, strcspn(result.out, "\n"));
}

char *rig_kmake_tool_versions(const char *cc, GCancellable *cancellable, GError **error)
{
	g_autofree char *command = g_strconcat(cc, " --version", NULL);
	g_auto(GStrv) words = g_strsplit(command, " ", -1);
	const char *ld[] = {"ld", "--version", NULL};
	g_autofree char *first = first_line((const char *const *)words, cancellable, error);
	g_autofree char *second = first ? first_line(ld, cancellable, error) : NULL;

	return second ? g_strdup_printf("%s\n%s", first, second) : NULL;
}

/* One run of make. */
typedef struct {
	RigKmake *make;
	RigKmakeLog log;
	int fd; /* of the log file */
	gint64 shown;
} Watch;

/* The build's own programs are announced with their whole path. */
static const char *short_name(const RigKmake *make, const char *file)
{
	gsize length = strlen(make->build);

	return !strncmp(file, make->build, length) && file[length] == '/' ? file + length + 1
									  : file;
}

static void show(Watch *watch)
{
	const char *file = short_name(watch->make, watch->log.file);
	gint64 now = g_get_monotonic_time();

	if (now - watch->shown < G_USEC_PER_SEC / 5)
		return;
	watch->shown = now;
	if (watch->log.expected)
		rig_log_status(watch->make->log, "kernel %s: %s, %u %% (%s)", watch->make->name,
			       watch->log.phase, rig_kmakelog_percent(&watch->log), file);
	else
		rig_log_status(watch->make->log, "kernel %s: %s, step %u (%s)", watch->make->name,
			       watch->log.phase, watch->log.steps, file);
}

static void see(gpointer data, const char *text, gsize length)
{
	Watch *watch = data;

	/* A full disk fails make as well, which then tells. */
	if (watch->fd >= 0 && write(watch->fd, text, length) < 0)
		g_debug("the log of make is cut: %s", g_strerror(errno));
	if (rig_kmakelog_feed(&watch->log, text, length))
		show(watch);
}

static char **arguments(const RigKmake *make, const char *const *targets)
{
	g_autoptr(GStrvBuilder) builder = g_strv_builder_new();
	g_autofree char *jobs = g_strdup_printf("-j%u", g_get_num_processors());
	g_autofree char *out = g_strconcat("O=", make->build, NULL);
	g_autofree char *cc = g_strconcat("CC=", make->cc, NULL);
	const char *first[] = {"make", "-C", make->tree, jobs, out, cc, "LOCALVERSION=", NULL};

	g_strv_builder_addv(builder, first);
	g_strv_builder_addv(builder, (const char **)targets);
	return g_strv_builder_end(builder);
}

static char **environment(const char *const *env)
{
	static const char *const fixed[] = {
		"KBUILD_BUILD_USER=rig",
		"KBUILD_BUILD_HOST=rig",
		"KBUILD_BUILD_VERSION=1",
		"KBUILD_BUILD_TIMESTAMP=Thu Jan  1 00:00:00 UTC 1970",
		"LC_ALL=C",
		/* Ours may carry flags of a make that rig was started from. */
		"MAKEFLAGS=",
		NULL,
	};
	g_autoptr(GStrvBuilder) builder = g_strv_builder_new();

	g_strv_builder_addv(builder, (const char **)fixed);
	if (env)
		g_strv_builder_addv(builder, (const char **)env);
	return g_strv_builder_end(builder);
}

static void set_failed(const Watch *watch, const RigProcessResult *result, GError **error)
{
	g_autofree char *hint = g_strdup_printf("the whole log is %s", watch->make->log_path);
	g_autofree char *last = NULL;

	if (!watch->log.error) {
		last = rig_text_safe(rig_text_last_lines(result->err, LAST_LINES), -1);
		g_strchomp(last);
	}
	rig_error_set_hint(error, RIG_ERROR_HOST, hint, "make failed with status %d: %s",
			   result->status, watch->log.error ? watch->log.error : last);
}

static gboolean run(RigKmake *make, Watch *watch, const RigProcess *process, GError **error)
{
	g_auto(RigProcessResult) result = {0};

	if (!rig_process_run(process, &result, make->cancellable, error))
		return FALSE;
	make->steps = watch->log.steps;
	if (result.status == 0)
		return TRUE;
	set_failed(watch, &result, error);
	return FALSE;
}

gboolean rig_kmake_run(RigKmake *make, const char *const *targets, const char *const *env,
		       GError **error)
{
	g_auto(GStrv) argv = arguments(make, targets);
	g_auto(GStrv) added = environment(env);
	Watch watch = {.make = make, .fd = -1};
	RigProcess process = {.argv = (const char *const *)argv,
			      .env = (const char *const *)added,
			      .own_group = TRUE,
			      .watch = see,
			      .watch_data = &watch};
	gint64 start = g_get_monotonic_time();
	gboolean good;

	watch.fd = g_open(make->log_path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0644);
	rig_kmakelog_init(&watch.log, make->expected);
	good = run(make, &watch, &process, error);
	rig_log_verbose(make->log, "kernel %s: make %s took %.1f s", make->name, targets[0],
			(g_get_monotonic_time() - start) / (double)G_USEC_PER_SEC);
	rig_kmakelog_clear(&watch.log);
	if (watch.fd >= 0)
		close(watch.fd);
	return good;
}
