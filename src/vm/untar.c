/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * untar.c - unpacks an archive that a guest has written, by hand.
 *
 * tar(1) would let such an archive replace other files of the target folder, make devices, and
 * write through a link that an archive before it has put there. Here every folder is opened from
 * the one above it without following links.
 */
#include "vm/untar.h"

#include <archive.h>
#include <archive_entry.h>
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/error.h"
#include "base/text.h"

#define BLOCK (256 * 1024)
#define OPEN_DIR (O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)

typedef struct archive Reader;
static void reader_free(Reader *reader)
{
	archive_read_free(reader);
}
G_DEFINE_AUTOPTR_CLEANUP_FUNC(Reader, reader_free)

typedef struct {
	Reader *reader;
	int root; /* the target folder */
	const char *only;
	RigUntarLeft left;
	gpointer data;
} Untar;

/* A member under way. */
typedef struct {
	struct archive_entry *entry;
	const char *name; /* as it came */
	char **parts;	  /* of its path below the target folder, at least one */
	guint n_parts;
} Member;

static void set_broken(GError **error, const char *name, const char *why)
{
	g_autofree char *safe = rig_text_safe_line(name, -1);

	rig_error_set(error, RIG_ERROR_LOST, "the guest's archive is not taken: %s: %s", safe, why);
}

static gboolean set_failed(GError **error, const char *what, const char *name)
{
	int errnum = errno;
	g_autofree char *safe = rig_text_safe_line(name, -1);

	rig_error_set_errno(error, RIG_ERROR_FAILED, errnum, what, safe);
	return FALSE;
}

/* The parts of the relative path NAME, NULL if it is none, or leads upward, or not below ONLY. */
static char **split(const char *name, const char *only)
{
	g_auto(GStrv) words = g_strsplit(name, "/", -1);
	g_autoptr(GStrvBuilder) parts = g_strv_builder_new();
	guint n = 0;

	if (name[0] == '/')
		return NULL;
	for (char **word = words; *word; word++) {
		if (!**word || strcmp(*word, ".") == 0)
			continue;
		if (strcmp(*word, "..") == 0 || (n == 0 && only && strcmp(*word, only) != 0))
			return NULL;
		g_strv_builder_add(parts, *word);
		n++;
	}
	return n > 0 ? g_strv_builder_end(parts) : NULL;
}

/* Folder NAME in AT, made if it is missing; -1 with errno. */
static int enter(int at, const char *name)
{
	int fd = openat(at, name, OPEN_DIR);

	if (fd < 0 && errno == ENOENT && mkdirat(at, name, 0755) == 0)
		fd = openat(at, name, OPEN_DIR);
	return fd;
}

/* The folder that PARTS lead to, the first N of them; -1 with errno. */
static int open_folder(const Untar *untar, char *const *parts, guint n)
{
	int fd = fcntl(untar->root, F_DUPFD_CLOEXEC, 0);

	for (guint i = 0; i < n && fd >= 0; i++) {
		int next = enter(fd, parts[i]);
		int errnum = errno;

		close(fd);
		errno = errnum;
		fd = next;
	}
	return fd;
}

/* Where MEMBER goes: the folder, opened, with the name free in it. -1 with ERROR. */
static int make_place(const Untar *untar, const Member *member, GError **error)
{
	const char *last = member->parts[member->n_parts - 1];
	int fd = open_folder(untar, member->parts, member->n_parts - 1);

	if (fd < 0) {
		set_failed(error, "cannot go there (links are not followed)", member->name);
		return -1;
	}
	if (unlinkat(fd, last, 0) == 0 || errno == ENOENT)
		return fd;
	set_failed(error, "cannot replace", member->name);
	close(fd);
	return -1;
}

static gboolean make_folder(const Untar *untar, const Member *member, GError **error)
{
	int fd = open_folder(untar, member->parts, member->n_parts);

	if (fd < 0)
		return set_failed(error, "cannot make the folder (links are not followed)",
				  member->name);
	close(fd);
	return TRUE;
}

static gboolean write_at(int fd, const char *data, gsize length, off_t offset)
{
	while (length > 0) {
		ssize_t n = pwrite(fd, data, length, offset);

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return FALSE;
		data += n;
		length -= (gsize)n;
		offset += n;
	}
	return TRUE;
}

/* Holes stay holes. */
static gboolean fill(const Untar *untar, int fd, const Member *member, GError **error)
{
	const void *block;
	size_t length;
	la_int64_t offset;
	int status;

	while ((status = archive_read_data_block(untar->reader, &block, &length, &offset)) ==
	       ARCHIVE_OK)
		if (!write_at(fd, block, length, offset))
			return set_failed(error, "cannot write", member->name);
	if (status != ARCHIVE_EOF) {
		set_broken(error, member->name, archive_error_string(untar->reader));
		return FALSE;
	}
	return ftruncate(fd, archive_entry_size(member->entry)) == 0 ||
	       set_failed(error, "cannot write", member->name);
}

static gboolean make_file(const Untar *untar, const Member *member, GError **error)
{
	const struct timespec times[2] = {
		{.tv_nsec = UTIME_OMIT},
		{.tv_sec = archive_entry_mtime(member->entry)},
	};
	int at = make_place(untar, member, error);
	gboolean ok;
	int fd;

	if (at < 0)
		return FALSE;
	/* Bits that lend rights are a guest's to set only in the guest. */
	fd = openat(at, member->parts[member->n_parts - 1],
		    O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC,
		    archive_entry_perm(member->entry) & 0777);
	close(at);
	if (fd < 0)
		return set_failed(error, "cannot create", member->name);
	ok = fill(untar, fd, member, error);
	(void)futimens(fd, times);
	close(fd);
	return ok;
}

/* TRUE if the link TARGET, in a folder DEPTH below the topmost one, stays below that. Upward only
 * at its beginning: the folders above a link are real ones, while one that it goes through may
 * itself be a link. */
static gboolean stays_inside(const char *target, guint depth)
{
	g_auto(GStrv) parts = g_strsplit(target, "/", -1);
	guint up = 0, down = 0;

	if (target[0] == '/')
		return FALSE;
	for (char **part = parts; *part; part++) {
		if (strcmp(*part, "..") == 0) {
			if (down > 0)
				return FALSE;
			up++;
		} else if (**part && strcmp(*part, ".") != 0) {
			down++;
		}
	}
	return up <= depth;
}

static void leave(const Untar *untar, const Member *member, const char *why)
{
	if (untar->left)
		untar->left(member->name, why, untar->data);
}

static gboolean make_link(const Untar *untar, const Member *member, GError **error)
{
	const char *target = archive_entry_symlink(member->entry);
	/* The topmost folder is ONLY, which has to stay whole when it is moved. */
	guint depth = member->n_parts - (untar->only ? 2 : 1);
	gboolean ok;
	int at;

	if (!target || (untar->only && member->n_parts < 2) || !stays_inside(target, depth)) {
		leave(untar, member, "a link that leads out of the folder");
		return TRUE;
	}
	at = make_place(untar, member, error);
	if (at < 0)
		return FALSE;
	ok = symlinkat(target, at, member->parts[member->n_parts - 1]) == 0 ||
	     set_failed(error, "cannot link", member->name);
	close(at);
	return ok;
}

/* A second name of a file that came before. */
static gboolean make_hard_link(const Untar *untar, const Member *member, GError **error)
{
	g_auto(GStrv) parts = split(archive_entry_hardlink(member->entry), untar->only);
	guint n = parts ? g_strv_length(parts) : 0;
	gboolean ok = FALSE;
	int from, at;

	if (!parts) {
		leave(untar, member, "a link that leads out of the folder");
		return TRUE;
	}
	at = make_place(untar, member, error);
	if (at < 0)
		return FALSE;
	from = open_folder(untar, parts, n - 1);
	if (from >= 0) {
		ok = linkat(from, parts[n - 1], at, member->parts[member->n_parts - 1], 0) == 0;
		close(from);
	}
	if (!ok)
		set_failed(error, "cannot link", member->name);
	close(at);
	return ok;
}

static gboolean make(const Untar *untar, const Member *member, GError **error)
{
	if (archive_entry_hardlink(member->entry))
		return make_hard_link(untar, member, error);
	switch (archive_entry_filetype(member->entry)) {
	case AE_IFREG:
		return make_file(untar, member, error);
	case AE_IFDIR:
		return make_folder(untar, member, error);
	case AE_IFLNK:
		return make_link(untar, member, error);
	default:
		leave(untar, member, "neither file nor folder nor link");
		return TRUE;
	}
}

static gboolean take(const Untar *untar, struct archive_entry *entry, GError **error)
{
	const char *name = archive_entry_pathname(entry);
	g_auto(GStrv) parts = name ? split(name, untar->only) : NULL;
	Member member = {.entry = entry, .name = name, .parts = parts};

	/* The target folder itself, which is there. */
	if (name && !untar->only && strspn(name, "./") == strlen(name) && !strstr(name, ".."))
		return TRUE;
	if (!parts) {
		set_broken(error, name ? name : "(no name)", "it leads out of the folder");
		return FALSE;
	}
	member.n_parts = g_strv_length(parts);
	return make(untar, &member, error);
}

static gboolean take_all(const Untar *untar, GCancellable *cancellable, GError **error)
{
	struct archive_entry *entry;
	int status;

	while ((status = archive_read_next_header(untar->reader, &entry)) == ARCHIVE_OK ||
	       status == ARCHIVE_WARN) {
		if (g_cancellable_is_cancelled(cancellable)) {
			rig_error_set(error, RIG_ERROR_INTERRUPTED, "interrupted");
			return FALSE;
		}
		if (!take(untar, entry, error))
			return FALSE;
	}
	if (status == ARCHIVE_EOF)
		return TRUE;
	set_broken(error, "tar", archive_error_string(untar->reader));
	return FALSE;
}

gboolean rig_untar(int fd, const char *dir, const char *only, RigUntarLeft left, gpointer data,
		   GCancellable *cancellable, GError **error)
{
	g_autoptr(Reader) reader = archive_read_new();
	Untar untar = {.reader = reader, .only = only, .left = left, .data = data};
	gboolean ok;

	archive_read_support_format_tar(reader);
	if (archive_read_open_fd(reader, fd, BLOCK) != ARCHIVE_OK) {
		set_broken(error, "tar", archive_error_string(reader));
		return FALSE;
	}
	untar.root = open(dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (untar.root < 0)
		return set_failed(error, "cannot open", dir);
	ok = take_all(&untar, cancellable, error);
	close(untar.root);
	return ok;
}
