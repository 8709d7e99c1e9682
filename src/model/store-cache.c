/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * store-cache.c - brief records, by way of record.cache beside record.json.
 *
 * A comparison wants a few thousand numbers of each of a thousand records; as JSON they take
 * seconds. So what it wants is kept in a second form beside the record. That file is only a copy:
 * it says which record.json it was made of, and one that does not fit, is damaged or is not there
 * is made again from the record, in silence.
 */
#include "model/store-private.h"

#include "base/error.h"
#include "base/file.h"
#include "model/record-pack.h"

#include <stddef.h>
#include <string.h>
#include <sys/stat.h>

#define CACHE_MAX (64 * 1024 * 1024)
/* Another layout, another number; another byte order does not match either. */
#define CACHE_VERSION 0x72696701

/* Which record.json: whoever changes it changes one of these, even if he puts its date back. */
typedef struct {
	gint64 size, inode, mtime_s, mtime_ns, ctime_s, ctime_ns;
} Identity;

typedef struct {
	guint64 version;
	guint64 sum; /* of all that follows */
	Identity of;
} Header;

static gboolean identify(const char *path, Identity *identity)
{
	struct stat st;

	if (stat(path, &st) < 0)
		return FALSE;
	*identity = (Identity){
		.size = st.st_size,
		.inode = (gint64)st.st_ino,
		.mtime_s = st.st_mtim.tv_sec,
		.mtime_ns = st.st_mtim.tv_nsec,
		.ctime_s = st.st_ctim.tv_sec,
		.ctime_ns = st.st_ctim.tv_nsec,
	};
	return TRUE;
}

/* FNV-1a, eight bytes at a time: each step can be undone, so a change of one of them always shows.
 * Against decay of a disk, not against people: who may write here may write the record as well. */
static guint64 sum_of(const guint8 *data, gsize length)
{
	guint64 sum = 0xcbf29ce484222325, word;

	for (; length; data += MIN(length, sizeof(word)), length -= MIN(length, sizeof(word))) {
		word = 0;
		memcpy(&word, data, MIN(length, sizeof(word)));
		sum = (sum ^ word) * 0x100000001b3;
	}
	return sum ^ sum >> 32;
}

static guint64 sum_of_file(const guint8 *file, gsize length)
{
	gsize behind = offsetof(Header, of);

	return sum_of(file + behind, length - behind) ^ length;
}

static char *cache_path(const char *dir)
{
	return g_build_filename(dir, RIG_STORE_CACHE, NULL);
}

static RigRecord *read_cache(const char *dir, const Identity *identity, GPtrArray **names)
{
	g_autofree char *path = cache_path(dir);
	gsize length;
	g_autofree char *file = rig_file_read(path, CACHE_MAX, &length, NULL);
	Header header;

	if (!file || length < sizeof(header))
		return NULL;
	memcpy(&header, file, sizeof(header));
	if (header.version != CACHE_VERSION ||
	    memcmp(&header.of, identity, sizeof(*identity)) != 0 ||
	    header.sum != sum_of_file((const guint8 *)file, length))
		return NULL;
	return rig_record_unpack((const guint8 *)file + sizeof(header), length - sizeof(header),
				 names);
}

/* TRUE unless DIR, a record or the scratch folder of one, lies behind a symbolic link in its store.
 */
static gboolean is_inside(const char *dir)
{
	g_autofree char *base = g_path_get_basename(dir);
	g_autofree char *root = g_strdup(dir);

	if (*base == '.')
		return TRUE;
	for (guint i = 0; i < RIG_STORE_DEPTH; i++) {
		char *above = g_path_get_dirname(root);

		g_free(root);
		root = above;
	}
	return rig_store_check_links(root, dir, NULL);
}

/* Not everybody who may read a store may write there; he does without. */
static void write_cache(const char *dir, const Identity *identity, GByteArray *file)
{
	g_autofree char *path = cache_path(dir);
	Header *header = (Header *)file->data;

	header->version = CACHE_VERSION;
	header->of = *identity;
	header->sum = sum_of_file(file->data, file->len);
	if (!rig_file_write_cache(path, (const char *)file->data, file->len, 0644, NULL))
		g_debug("%s: not written", path);
}

/* The record in its brief form, by way of the bytes that are cached: so it is the same with a cache
 * and without. */
static RigRecord *make_brief(const char *dir, const char *path, const Identity *identity,
			     GPtrArray **names, GError **error)
{
	g_autofree char *text = rig_file_read(path, RIG_STORE_RECORD_MAX, NULL, error);
	g_autoptr(RigRecord) record = text ? rig_record_parse(path, text, error) : NULL;
	g_autoptr(GByteArray) file = g_byte_array_new();
	Identity now;

	if (!record)
		return NULL;
	g_byte_array_set_size(file, sizeof(Header));
	if (!rig_record_pack(record, file))
		return g_steal_pointer(&record);
	/* A record that is being changed is not cached as what it was; nothing is written where a
	 * link leads. */
	if (identify(path, &now) && memcmp(&now, identity, sizeof(now)) == 0 && is_inside(dir))
		write_cache(dir, identity, file);
	return rig_record_unpack(file->data + sizeof(Header), file->len - sizeof(Header), names);
}

RigRecord *rig_store_load_brief(const char *dir, GPtrArray **names, GError **error)
{
	g_autofree char *path = g_build_filename(dir, "record.json", NULL);
	Identity identity = {0};
	RigRecord *record = identify(path, &identity) ? read_cache(dir, &identity, names) : NULL;

	if (!record)
		record = make_brief(dir, path, &identity, names, error);
	if (record)
		record->dir = g_strdup(dir);
	return record;
}
