/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * cache-digests.c - remembers the SHA-256 of files that have not changed since.
 *
 * One line a file: digest, size, inode, time of change in ns, path.
 */
#include "vm/cache.h"

#include "base/error.h"
#include "base/file.h"

#include <errno.h>
#include <glib/gstdio.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>

#define FILE_MAX (1024 * 1024)
#define ENTRIES_MAX 2000
/* A file that was changed just now may change again within the same tick of its time stamp. */
#define SETTLED_NS (2 * G_GINT64_CONSTANT(1000000000))

typedef struct {
	char digest[65];
	guint64 size, inode, time_ns;
} Known;

struct RigDigests {
	char *path;
	GHashTable *known; /* char* -> Known* */
	gboolean changed;
};

static gboolean parse_line(const char *line, Known *known, char **path)
{
	int at = 0;

	if (sscanf(line,
		   "%64[0-9a-f] %" G_GUINT64_FORMAT " %" G_GUINT64_FORMAT " %" G_GUINT64_FORMAT
		   " %n",
		   known->digest, &known->size, &known->inode, &known->time_ns, &at) != 4 ||
	    !at || strlen(known->digest) != 64 || line[at] != '/')
		return FALSE;
	*path = g_strdup(line + at);
	return TRUE;
}

RigDigests *rig_digests_open(const char *cache_dir)
{
	RigDigests *digests = g_new0(RigDigests, 1);
	g_autofree char *text = NULL;
	g_auto(GStrv) lines = NULL;

	digests->path = g_build_filename(cache_dir, "digests", NULL);
	digests->known = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, g_free);
	text = rig_file_read(digests->path, FILE_MAX, NULL, NULL);
	lines = text ? g_strsplit(text, "\n", ENTRIES_MAX) : NULL;
	for (guint i = 0; lines && lines[i]; i++) {
		g_autofree Known *known = g_new0(Known, 1);
		char *path;

		if (parse_line(lines[i], known, &path))
			g_hash_table_replace(digests->known, path, g_steal_pointer(&known));
	}
	return digests;
}

static void save(RigDigests *digests)
{
	g_autoptr(GString) text = g_string_new(NULL);
	g_autofree char *parent = g_path_get_dirname(digests->path);
	GHashTableIter iter;
	gpointer path, value;

	g_hash_table_iter_init(&iter, digests->known);
	while (g_hash_table_iter_next(&iter, &path, &value)) {
		const Known *known = value;

		if (g_file_test(path, G_FILE_TEST_EXISTS))
			g_string_append_printf(text,
					       "%s %" G_GUINT64_FORMAT " %" G_GUINT64_FORMAT
					       " %" G_GUINT64_FORMAT " %s\n",
					       known->digest, known->size, known->inode,
					       known->time_ns, (char *)path);
	}
	if (!rig_file_make_dirs(parent, 0755, NULL) ||
	    !rig_file_write(digests->path, text->str, text->len, 0644, NULL))
		g_debug("%s could not be written", digests->path);
}

void rig_digests_close(RigDigests *digests)
{
	if (!digests)
		return;
	if (digests->changed)
		save(digests);
	g_hash_table_unref(digests->known);
	g_free(digests->path);
	g_free(digests);
}

static guint64 time_ns(const struct timespec *t)
{
	return (guint64)t->tv_sec * 1000000000 + t->tv_nsec;
}

static gboolean is_settled(guint64 changed_ns)
{
	return g_get_real_time() * 1000 - (gint64)changed_ns > SETTLED_NS;
}

const char *rig_digests_get(RigDigests *digests, const char *path, GError **error)
{
	g_autofree char *full = g_canonicalize_filename(path, NULL);
	Known *known = g_hash_table_lookup(digests->known, full);
	g_autofree char *digest = NULL;
	struct stat st;

	if (stat(full, &st) < 0) {
		rig_error_set_errno(error, RIG_ERROR_HOST, errno, "cannot be read", path);
		return NULL;
	}
	if (known && known->size == (guint64)st.st_size && known->inode == st.st_ino &&
	    known->time_ns == time_ns(&st.st_ctim))
		return known->digest;
	digest = rig_file_sha256(full, error);
	if (!digest)
		return NULL;
	known = g_new0(Known, 1);
	g_strlcpy(known->digest, digest, sizeof(known->digest));
	known->size = st.st_size;
	known->inode = st.st_ino;
	known->time_ns = is_settled(time_ns(&st.st_ctim)) ? time_ns(&st.st_ctim) : 0;
	digests->changed |= known->time_ns != 0 && !strchr(full, '\n');
	g_hash_table_replace(digests->known, g_steal_pointer(&full), known);
	return known->digest;
}
