/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * kpatch.c - reads patches and applies them by patch(1), by git where they hold binary files.
 */
#include "vm/kpatch.h"

#include "base/error.h"
#include "base/file.h"
#include "base/process.h"
#include "base/text.h"

#include <glib/gstdio.h>
#include <string.h>

#define PATCH_MAX (64 * 1024 * 1024)
#define APPLY_TIMEOUT_MS (120 * 1000)
#define HUNK_LINES 40

RigKpatch *rig_kpatch_new(const char *name, const char *text)
{
	RigKpatch *patch = g_new0(RigKpatch, 1);

	patch->name = g_strdup(name);
	patch->text = g_strdup(text);
	patch->sha256 = rig_text_sha256(text);
	return patch;
}

void rig_kpatch_free(RigKpatch *patch)
{
	if (!patch)
		return;
	g_free(patch->name);
	g_free(patch->text);
	g_free(patch->sha256);
	g_free(patch);
}

/* Mail programs fold and escape diffs; what undoes that is git. */
static gboolean is_encoded(const char *text)
{
	return g_regex_match_simple("^Content-Transfer-Encoding: (base64|quoted-printable)", text,
				    G_REGEX_MULTILINE | G_REGEX_CASELESS | G_REGEX_RAW, 0);
}

RigKpatch *rig_kpatch_load(const char *path, GError **error)
{
	gsize length = 0;
	g_autofree char *text = rig_file_read(path, PATCH_MAX, &length, error);
	g_autofree char *base = g_path_get_basename(path);
	g_autoptr(RigKpatch) patch = NULL;
	g_autoptr(GPtrArray) files = NULL;

	if (!text)
		return NULL;
	if (strlen(text) != length) {
		rig_error_set(error, RIG_ERROR_USAGE, "%s: no text, so no patch", path);
		return NULL;
	}
	if (is_encoded(text)) {
		rig_error_set_hint(error, RIG_ERROR_USAGE,
				   "git am takes it apart; then name the git tree as --source",
				   "%s: a mail in quoted-printable or base64", path);
		return NULL;
	}
	patch = rig_kpatch_new(base, text);
	files = rig_kpatch_files(patch, error);
	if (!files)
		g_prefix_error(error, "%s: ", path);
	return files ? g_steal_pointer(&patch) : NULL;
}

/* "a/mm/x.c\t2024-..." -> "mm/x.c"; NULL for /dev/null. g_free. */
static char *strip_name(const char *name, gboolean has_prefix)
{
	g_autofree char *path = g_strndup(name, strcspn(name, "\t\r"));
	const char *slash = strchr(path, '/');

	g_strchomp(path);
	if (!strcmp(path, "/dev/null"))
		return NULL;
	return g_strdup(has_prefix && slash ? slash + 1 : path);
}

static gboolean stays_inside(const char *path)
{
	g_auto(GStrv) parts = g_strsplit(path, "/", -1);

	for (guint i = 0; parts[i]; i++)
		if (!*parts[i] || !strcmp(parts[i], "..") || !strcmp(parts[i], "."))
			return FALSE;
	return *path && path[0] != '"';
}

/* The path that LINE names, NULL for none; HUNK_LINES... lines of a hunk start with ' ', '+', '-',
 * so only a "--- " that a "+++ " follows is a header. g_free. */
static char *named_by(const char *line, const char *next)
{
	static const char *const words[] = {"rename from ", "rename to ", "copy to "};

	if (g_str_has_prefix(line, "--- ") && next && g_str_has_prefix(next, "+++ "))
		return strip_name(line + 4, TRUE);
	if (g_str_has_prefix(line, "diff --git ") && strstr(line, " b/"))
		return strip_name(strstr(line, " b/") + 1, TRUE);
	for (guint i = 0; i < G_N_ELEMENTS(words); i++)
		if (g_str_has_prefix(line, words[i]))
			return strip_name(line + strlen(words[i]), FALSE);
	return NULL;
}

static gboolean add_file(GPtrArray *files, char *path, GError **error)
{
	g_autofree char *safe = NULL;

	if (!path)
		return TRUE;
	if (stays_inside(path)) {
		if (g_ptr_array_find_with_equal_func(files, path, g_str_equal, NULL))
			g_free(path);
		else
			g_ptr_array_add(files, path);
		return TRUE;
	}
	safe = rig_text_safe_line(path, -1);
	rig_error_set(error, RIG_ERROR_USAGE, "\"%s\" is no path in a kernel's source", safe);
	g_free(path);
	return FALSE;
}

GPtrArray *rig_kpatch_files(const RigKpatch *patch, GError **error)
{
	g_autoptr(GPtrArray) files = g_ptr_array_new_with_free_func(g_free);
	g_auto(GStrv) lines = g_strsplit(patch->text, "\n", -1);

	for (guint i = 0; lines[i]; i++) {
		const char *before = i ? lines[i - 1] : "";
		gboolean to =
			g_str_has_prefix(lines[i], "+++ ") && g_str_has_prefix(before, "--- ");

		if (!add_file(files,
			      to ? strip_name(lines[i] + 4, TRUE)
				 : named_by(lines[i], lines[i + 1]),
			      error))
			return NULL;
	}
	if (files->len)
		return g_steal_pointer(&files);
	rig_error_set_hint(error, RIG_ERROR_USAGE,
			   "git format-patch and git diff make patches that rig takes",
			   "%s: no diff in it", patch->name);
	return NULL;
}

/* The first rejected hunk, cut to what a screen holds. g_free. */
static char *rejected(const char *path)
{
	g_autofree char *text = rig_file_read(path, PATCH_MAX, NULL, NULL);
	g_auto(GStrv) lines = text ? g_strsplit(text, "\n", HUNK_LINES + 1) : NULL;
	g_autofree char *some = NULL;

	if (!lines)
		return g_strdup("");
	if (g_strv_length(lines) > HUNK_LINES)
		g_clear_pointer(&lines[HUNK_LINES], g_free);
	some = g_strjoinv("\n", lines);
	return rig_text_safe(g_strchomp(some), -1);
}

/* What patch said of files and hunks that did not fit. g_free. */
static char *complaints(const char *out)
{
	g_auto(GStrv) lines = g_strsplit(out, "\n", -1);
	GString *text = g_string_new(NULL);
	const char *file = "";
	g_autofree char *safe = NULL;

	for (guint i = 0; lines[i]; i++) {
		if (g_str_has_prefix(lines[i], "patching file ") ||
		    g_str_has_prefix(lines[i], "checking file "))
			file = lines[i] + strlen("patching file ");
		if (g_str_has_prefix(lines[i], "Hunk #") && strstr(lines[i], "FAILED"))
			g_string_append_printf(text, "%s%s: %s", text->len ? "; " : "", file,
					       lines[i]);
		else if (strstr(lines[i], "can't find file") || strstr(lines[i], "malformed") ||
			 strstr(lines[i], "Reversed (or previously applied)") ||
			 strstr(lines[i], "already exists"))
			g_string_append_printf(text, "%s%s", text->len ? "; " : "", lines[i]);
	}
	safe = rig_text_safe_line(text->str, -1);
	g_string_assign(text, safe);
	return g_string_free(text, FALSE);
}

static void warn_of_fuzz(const RigKpatch *patch, const char *out, RigLog *log)
{
	if (strstr(out, " with fuzz "))
		rig_log_warn(log, "%s applies only with fuzz: look whether it is where it belongs",
			     patch->name);
}

static gboolean run_patch(const RigKpatch *patch, const char *tree, const char *file,
			  const char *rejects, RigLog *log, GCancellable *cancellable,
			  GError **error)
{
	const char *argv[] = {"patch", "-p1",	"--batch", "--forward", "--no-backup-if-mismatch",
			      "-r",    rejects, "-i",	   file,	NULL};
	const char *env[] = {"LC_ALL=C", NULL};
	const RigProcess process = {
		.argv = argv, .cwd = tree, .env = env, .timeout_ms = APPLY_TIMEOUT_MS};
	g_auto(RigProcessResult) result = {0};
	g_autofree char *hunk = NULL, *why = NULL;

	if (!rig_process_run(&process, &result, cancellable, error))
		return FALSE;
	warn_of_fuzz(patch, result.out, log);
	if (result.status == 0)
		return TRUE;
	hunk = rejected(rejects);
	why = complaints(result.out);
	rig_error_set_hint(error, RIG_ERROR_USAGE,
			   "make it anew against this source; nothing was changed",
			   "patch %s does not apply: %s%s%s", patch->name, *why ? why : result.err,
			   *hunk ? "\n" : "", hunk);
	return FALSE;
}

/* Outside of any repository git apply takes the current folder as the root of the paths. */
static gboolean run_git(const RigKpatch *patch, const char *tree, const char *file,
			GCancellable *cancellable, GError **error)
{
	const char *argv[] = {"git", "apply", "--whitespace=nowarn", file, NULL};
	g_autofree char *parent = g_path_get_dirname(tree);
	g_autofree char *ceiling = g_strconcat("GIT_CEILING_DIRECTORIES=", parent, NULL);
	const char *env[] = {"LC_ALL=C", ceiling, NULL};
	const RigProcess process = {
		.argv = argv, .cwd = tree, .env = env, .timeout_ms = APPLY_TIMEOUT_MS};
	g_auto(RigProcessResult) result = {0};

	if (rig_process_check(&process, &result, RIG_ERROR_USAGE, cancellable, error))
		return TRUE;
	g_prefix_error(error, "patch %s does not apply: ", patch->name);
	return FALSE;
}

gboolean rig_kpatch_apply(const RigKpatch *patch, const char *tree, const char *scratch,
			  RigLog *log, GCancellable *cancellable, GError **error)
{
	g_autofree char *file = g_build_filename(scratch, "patch", NULL);
	g_autofree char *rejects = g_build_filename(scratch, "rejects", NULL);

	if (!rig_file_write(file, patch->text, -1, 0644, error))
		return FALSE;
	g_unlink(rejects);
	if (strstr(patch->text, "\nGIT binary patch\n"))
		return run_git(patch, tree, file, cancellable, error);
	return run_patch(patch, tree, file, rejects, log, cancellable, error);
}
