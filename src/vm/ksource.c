/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * ksource.c - finds out what a kernel's source is, and puts a tree of it into the cache.
 *
 * Nothing of the user's is written to: from git comes what "git archive" gives, a folder is copied.
 */
#include "vm/ksource.h"

#include "base/error.h"
#include "base/file.h"
#include "base/process.h"
#include "base/text.h"
#include "vm/cache.h"
#include "vm/ksource-private.h"

#include <errno.h>
#include <glib/gstdio.h>
#include <string.h>

#define ASK_TIMEOUT_MS (60 * 1000)
#define UNPACK_TIMEOUT_MS (30 * 60 * 1000)

void rig_ksource_clear(RigKsource *source)
{
	g_free(source->path);
	g_free(source->spec);
	g_free(source->revision);
	g_free(source->text);
	g_free(source->key);
	g_free(source->tree);
	rig_kpatch_free(source->dirty);
	*source = (RigKsource){0};
}

/* The standard output of git in the source's repository. g_free. */
static char *git(const RigKernelStore *store, const char *path, const char *const *words,
		 GError **error)
{
	g_autoptr(GStrvBuilder) builder = g_strv_builder_new();
	const char *first[] = {"git", "-C", path, "--no-optional-locks", NULL};
	g_auto(GStrv) argv = NULL;
	RigProcess process = {.timeout_ms = ASK_TIMEOUT_MS};
	g_auto(RigProcessResult) result = {0};

	g_strv_builder_addv(builder, first);
	g_strv_builder_addv(builder, (const char **)words);
	argv = g_strv_builder_end(builder);
	process.argv = (const char *const *)argv;
	if (!rig_process_check(&process, &result, RIG_ERROR_USAGE, store->cancellable, error))
		return NULL;
	return g_steal_pointer(&result.out);
}

static char *git_line(const RigKernelStore *store, const char *path, const char *const *words,
		      GError **error)
{
	char *out = git(store, path, words, error);

	return out ? g_strchomp(out) : NULL;
}

static char *commit_of(const RigKernelStore *store, const char *path, const char *rev,
		       GError **error)
{
	g_autofree char *name = g_strconcat(rev, "^{commit}", NULL);
	const char *words[] = {"rev-parse", "--verify", "--end-of-options", name, NULL};
	char *hash = git_line(store, path, words, error);

	if (!hash)
		g_prefix_error(error, "%s has no commit \"%s\": ", path, rev);
	return hash;
}

/* Files that git does not know are not taken: there may be anything among them. */
static gboolean find_dirty(const RigKernelStore *store, RigKsource *source, GError **error)
{
	const char *words[] = {"diff", "--binary", "--full-index", "--no-color", "--no-ext-diff",
			       "HEAD", NULL};
	g_autofree char *text = git(store, source->path, words, error);

	if (!text)
		return FALSE;
	if (*text)
		source->dirty = rig_kpatch_new("uncommitted changes", text);
	return TRUE;
}

static gboolean find_git(const RigKernelStore *store, const char *rev, RigKsource *source,
			 GError **error)
{
	g_autofree char *identity = NULL;

	source->kind = RIG_KSOURCE_GIT;
	source->revision = commit_of(store, source->path, rev ? rev : "HEAD", error);
	if (!source->revision || (!rev && !find_dirty(store, source, error)))
		return FALSE;
	source->text = g_strdup_printf("git %s %s", source->path, rev ? rev : "HEAD");
	identity = g_strdup_printf("git %s", source->revision);
	source->key = rig_text_sha256(identity);
	return TRUE;
}

static gboolean find_dir(RigKsource *source, GError **error)
{
	g_autofree char *config = g_build_filename(source->path, ".config", NULL);
	g_autofree char *makefile = g_build_filename(source->path, "Makefile", NULL);
	g_autofree char *digest = NULL, *identity = NULL;

	source->kind = RIG_KSOURCE_DIR;
	if (!g_file_test(makefile, G_FILE_TEST_EXISTS)) {
		rig_error_set(error, RIG_ERROR_USAGE, "%s: no Makefile, so no kernel's source",
			      source->path);
		return FALSE;
	}
	if (g_file_test(config, G_FILE_TEST_EXISTS)) {
		rig_error_set_hint(error, RIG_ERROR_USAGE,
				   "rig run --kernel takes a built tree as it is; else make "
				   "mrproper in a copy of it",
				   "%s: a kernel was built in this tree, so it is not only source",
				   source->path);
		return FALSE;
	}
	digest = rig_ksource_fingerprint(source->path, error);
	if (!digest)
		return FALSE;
	source->text = g_strdup_printf("folder %s", source->path);
	identity = g_strdup_printf("folder %s %s", source->path, digest);
	source->key = rig_text_sha256(identity);
	return TRUE;
}

static gboolean find_tarball(const RigKernelStore *store, RigKsource *source, GError **error)
{
	g_autoptr(RigDigests) digests = rig_digests_open(store->cache_dir);
	const char *digest = rig_digests_get(digests, source->path, error);
	g_autofree char *identity = digest ? g_strdup_printf("file %s", digest) : NULL;

	source->kind = RIG_KSOURCE_TARBALL;
	source->text = g_strdup_printf("file %s", source->path);
	source->key = identity ? rig_text_sha256(identity) : NULL;
	return source->key != NULL;
}

/* A package that was unpacked once stays what its name means until "rig gc" takes it away: both
 * sides of a comparison must have the same base, and asking apt takes longer than all else. */
static gboolean find_package(const RigKernelStore *store, RigKsource *source, GError **error)
{
	g_auto(RigPackageName) name = {0};
	g_autofree char *identity = g_strdup_printf("package %s", source->spec);
	g_autofree char *dir = NULL;

	source->kind = RIG_KSOURCE_PACKAGE;
	source->key = rig_text_sha256(identity);
	dir = rig_cache_path(store->cache_dir, RIG_CACHE_KTREE, source->key);
	source->text = rig_ksource_read_text(dir);
	if (source->text)
		return TRUE;
	rig_log_status(store->log, "looking for package %s", source->spec);
	if (!rig_package_resolve(source->spec, store->cancellable, &name, error))
		return FALSE;
	source->text = g_strdup_printf("package %s", name.text);
	return TRUE;
}

static gboolean is_git(const char *path)
{
	g_autofree char *git_dir = g_build_filename(path, ".git", NULL);
	g_autofree char *bare = g_build_filename(path, "objects", NULL);

	return g_file_test(git_dir, G_FILE_TEST_EXISTS) || g_file_test(bare, G_FILE_TEST_IS_DIR);
}

static gboolean find_kind(const RigKernelStore *store, const char *rev, RigKsource *source,
			  GError **error)
{
	const char *spec = source->spec;
	gboolean is_dir = g_file_test(spec, G_FILE_TEST_IS_DIR);

	if (is_dir && is_git(spec))
		return find_git(store, rev, source, error);
	if (rev) {
		rig_error_set(error, RIG_ERROR_USAGE, "%s: not a git tree, so there is no --rev %s",
			      spec, rev);
		return FALSE;
	}
	if (is_dir)
		return find_dir(source, error);
	if (g_file_test(spec, G_FILE_TEST_EXISTS))
		return find_tarball(store, source, error);
	if (strchr(spec, '/') && !g_str_has_prefix(spec, "linux-source")) {
		rig_error_set(error, RIG_ERROR_USAGE, "%s: no such folder or file", spec);
		return FALSE;
	}
	return find_package(store, source, error);
}

gboolean rig_ksource_find(const RigKernelStore *store, const char *spec, const char *rev,
			  RigKsource *source, GError **error)
{
	source->spec = g_strdup(spec);
	source->path =
		g_file_test(spec, G_FILE_TEST_EXISTS) ? g_canonicalize_filename(spec, NULL) : NULL;
	if (!find_kind(store, rev, source, error))
		return FALSE;
	source->tree =
		g_build_filename(store->cache_dir, RIG_CACHE_KTREE, source->key, "tree", NULL);
	return TRUE;
}

RigKpatch *rig_ksource_revert(const RigKernelStore *store, const RigKsource *source,
			      const char *commit, GError **error)
{
	g_autofree char *hash = NULL, *parent = NULL, *text = NULL, *name = NULL;
	const char *words[] = {"diff",		"--binary", "--full-index", "--no-color",
			       "--no-ext-diff", NULL,	    NULL,	    NULL};

	if (source->kind != RIG_KSOURCE_GIT) {
		rig_error_set_hint(error, RIG_ERROR_USAGE, "give the change as --patch FILE",
				   "--revert wants a git source, %s is none", source->spec);
		return NULL;
	}
	hash = commit_of(store, source->path, commit, error);
	if (!hash)
		return NULL;
	parent = g_strconcat(hash, "^", NULL);
	words[5] = hash;
	words[6] = parent;
	text = git(store, source->path, words, error);
	name = g_strdup_printf("revert of %.12s", hash);
	return text ? rig_kpatch_new(name, text) : NULL;
}

static gboolean run(const RigKernelStore *store, const char *const *argv, const char *cwd,
		    GError **error)
{
	const RigProcess process = {
		.argv = argv, .cwd = cwd, .timeout_ms = UNPACK_TIMEOUT_MS, .own_group = TRUE};
	g_auto(RigProcessResult) result = {0};

	return rig_process_check(&process, &result, RIG_ERROR_HOST, store->cancellable, error);
}

static gboolean unpack_git(const RigKernelStore *store, const RigKsource *source, const char *dir,
			   GError **error)
{
	g_autofree char *tar = g_build_filename(dir, "tar", NULL);
	g_autofree char *tree = g_build_filename(dir, "tree", NULL);
	const char *archive[] = {"git", "-C", source->path,	"archive", "--format=tar",
				 "-o",	tar,  source->revision, NULL};
	const char *untar[] = {"tar", "-xf", tar, "-C", tree, NULL};

	return run(store, archive, NULL, error) && rig_file_make_dirs(tree, 0755, error) &&
	       run(store, untar, NULL, error) && g_unlink(tar) == 0;
}

static gboolean unpack_dir(const RigKernelStore *store, const RigKsource *source, const char *dir,
			   GError **error)
{
	g_autofree char *tree = g_build_filename(dir, "tree", NULL);
	const char *argv[] = {"cp", "-a", "--reflink=auto", source->path, tree, NULL};

	return run(store, argv, NULL, error);
}

/* A tarball has one folder, whatever its name is. */
static gboolean unpack_tar(const RigKernelStore *store, const char *file, const char *dir,
			   GError **error)
{
	g_autofree char *tree = g_build_filename(dir, "tree", NULL);
	const char *argv[] = {
		"tar", "--strip-components=1", "--no-same-owner", "-xf", file, "-C", tree, NULL};

	return rig_file_make_dirs(tree, 0755, error) && run(store, argv, NULL, error);
}

static gboolean unpack_package(const RigKernelStore *store, const RigKsource *source,
			       const char *dir, GError **error)
{
	g_auto(RigPackageName) name = {0};
	g_autofree char *downloads = g_build_filename(dir, "download", NULL);
	g_autofree char *tarball = NULL;
	g_autoptr(GPtrArray) files = NULL;

	if (!rig_package_resolve(source->spec, store->cancellable, &name, error) ||
	    !rig_file_make_dirs(downloads, 0755, error))
		return FALSE;
	files = rig_package_download(&name, downloads, store->log, store->cancellable, error);
	for (guint i = 0; files && i < files->len && !tarball; i++) {
		rig_log_status(store->log, "unpacking %s", name.text);
		tarball = rig_package_extract_source(files->pdata[i], downloads, store->cancellable,
						     error);
	}
	return tarball && unpack_tar(store, tarball, dir, error) &&
	       rig_file_remove_tree(downloads, error);
}

static gboolean fill(const RigKernelStore *store, const RigKsource *source, const char *dir,
		     GError **error)
{
	g_autofree char *makefile = g_build_filename(dir, "tree", "Makefile", NULL);
	gboolean good = FALSE;

	switch (source->kind) {
	case RIG_KSOURCE_GIT:
		good = unpack_git(store, source, dir, error);
		break;
	case RIG_KSOURCE_DIR:
		good = unpack_dir(store, source, dir, error);
		break;
	case RIG_KSOURCE_TARBALL:
		good = unpack_tar(store, source->path, dir, error);
		break;
	case RIG_KSOURCE_PACKAGE:
		good = unpack_package(store, source, dir, error);
		break;
	}
	if (!good || g_file_test(makefile, G_FILE_TEST_EXISTS))
		return good;
	rig_error_set(error, RIG_ERROR_USAGE, "%s: no Makefile in it, so no kernel's source",
		      source->spec);
	return FALSE;
}

gboolean rig_ksource_unpack(const RigKernelStore *store, const RigKsource *source, GError **error)
{
	g_autofree char *dir = g_path_get_dirname(source->tree);
	g_autofree char *parent = g_path_get_dirname(dir);
	g_autofree char *new_dir = NULL;
	g_autoptr(RigScratch) scratch = NULL;

	if (g_file_test(source->tree, G_FILE_TEST_IS_DIR))
		return TRUE;
	rig_log_info(store->log, "unpacking %s (once)", source->text);
	scratch = rig_scratch_new(store->cache_dir, "ktree", error);
	if (!scratch)
		return FALSE;
	new_dir = g_build_filename(scratch->path, "new", NULL);
	if (!rig_file_make_dirs(new_dir, 0755, error) || !fill(store, source, new_dir, error) ||
	    !rig_ksource_write_text(new_dir, source, error) ||
	    !rig_file_make_dirs(parent, 0755, error))
		return FALSE;
	if (g_rename(new_dir, dir) == 0)
		return TRUE;
	rig_error_set_errno(error, RIG_ERROR_FAILED, errno, "cannot be put into the cache", dir);
	return FALSE;
}
