/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * leftovers.c - looks for what a rig has left, with its own eyes: in /proc and in the folders,
 * never by asking rig.
 */
#include "leftovers.h"

#include <fcntl.h>
#include <glob.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file.h"
#include "base/json.h"

#define WORDS_MAX (1024 * 1024)
#define LOOK_AGAIN_US 20000

static void add(GString *found, const char *what, const char *path)
{
	g_string_append_printf(found, "%s: %s\n", what, path);
}

/* Processes. */

/* TRUE if /proc/PID/FILE holds TEXT. */
static gboolean proc_has(const char *pid, const char *file, const char *text)
{
	g_autofree char *path = g_build_filename("/proc", pid, file, NULL);
	gsize length = 0;
	g_autofree char *words = rig_file_read(path, WORDS_MAX, &length, NULL);

	return words && memmem(words, length, text, strlen(text));
}

/* An ended process that nobody has waited for yet has no words left and does not count. */
static char *command_of(const char *pid)
{
	g_autofree char *path = g_build_filename("/proc", pid, "cmdline", NULL);
	gsize length = 0;
	char *words = rig_file_read(path, WORDS_MAX, &length, NULL);

	for (gsize i = 0; words && i + 1 < length; i++)
		if (!words[i])
			words[i] = ' ';
	if (words && strlen(words) > 200)
		words[200] = '\0';
	return words;
}

/* QEMU gets an environment of its own from libvirt, so it is told by its command line; everything
 * else that rig starts is told by the environment. */
static void find_processes(const char *root, GString *found)
{
	g_autofree char *state = g_strdup_printf("RIG_STATE_DIR=%s/state", root);
	g_autofree char *below = g_strdup_printf("%s/", root);
	g_autoptr(GDir) proc = g_dir_open("/proc", 0, NULL);
	const char *pid;

	while ((pid = g_dir_read_name(proc))) {
		g_autofree char *command = NULL;
		gboolean ours;

		if (!g_ascii_isdigit(*pid) || atoi(pid) == getpid())
			continue;
		command = command_of(pid);
		ours = command && strstr(command, "qemu-system") && proc_has(pid, "cmdline", below);
		if (ours || (command && *command && proc_has(pid, "environ", state))) {
			g_autofree char *text = g_strdup_printf("%s %s", pid, command);

			add(found, "process", text);
		}
	}
}

/* Folders. */

/* Call LOOK for each entry of FOLDER; a folder that is not there has none. */
static void each_entry(const char *folder, void (*look)(const char *, const char *, GString *),
		       GString *found)
{
	g_autoptr(GDir) dir = g_dir_open(folder, 0, NULL);
	const char *name;

	while (dir && (name = g_dir_read_name(dir))) {
		g_autofree char *path = g_build_filename(folder, name, NULL);

		look(path, name, found);
	}
}

static void look_guest(const char *path, const char *name, GString *found)
{
	add(found, "guest", path);
}

/* What the embedded driver keeps of a domain. */
static void look_domain(const char *path, const char *name, GString *found)
{
	if (g_str_has_suffix(name, ".xml") || g_str_has_prefix(name, "domain-") ||
	    (g_str_has_suffix(name, ".pid") && strcmp(name, "driver.pid") != 0))
		add(found, "domain", path);
}

static void look_lock(const char *path, const char *name, GString *found)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW);

	if (fd < 0)
		return;
	if (flock(fd, LOCK_SH | LOCK_NB) < 0)
		add(found, "held lock", path);
	close(fd);
}

/* rig works in names that begin with a dot; these are the only ones that stay. */
static void look_scratch(const char *path, const char *name, GString *found)
{
	if (*name == '.' && strcmp(name, ".default") != 0 && strcmp(name, ".lock") != 0)
		add(found, "scratch", path);
}

/* The control groups of domains of the driver below ROOT, whose name has a digest of that. */
static void find_groups(const char *root, GString *found)
{
	g_autofree char *driver = g_build_filename(root, "state", "libvirt", NULL);
	g_autofree char *digest = g_compute_checksum_for_string(G_CHECKSUM_SHA256, driver, -1);
	g_autofree char *pattern =
		g_strdup_printf("/sys/fs/cgroup/{,*/}machine/qemu-embed-%.8s-*", digest);
	glob_t groups = {0};

	if (glob(pattern, GLOB_NOSORT | GLOB_BRACE, NULL, &groups) == 0)
		for (gsize i = 0; i < groups.gl_pathc; i++)
			add(found, "control group", groups.gl_pathv[i]);
	globfree(&groups);
}

/* A whole record can be read, an entry of the cache has its list of files. */
static void look_whole(const char *path, const char *file, const char *what, GString *found)
{
	g_autofree char *json = g_build_filename(path, file, NULL);
	g_autoptr(RigJson) root = rig_json_load(json, 64 * 1024 * 1024, NULL);

	if (!root)
		add(found, what, path);
}

static void look_entry(const char *path, const char *name, GString *found)
{
	if (*name != '.')
		look_whole(path, "complete.json", "half an entry of the cache", found);
}

static void look_kernel(const char *path, const char *name, GString *found)
{
	look_scratch(path, name, found);
	if (*name != '.')
		look_whole(path, "kernel.json", "half a kernel", found);
}

static gboolean is_number(const char *name)
{
	return strspn(name, "0123456789") == strlen(name);
}

/* Records lie eight folders deep, and only those are called by a number. */
static void look_result(const char *path, const char *name, GString *found)
{
	struct stat info;
	g_autoptr(GDir) dir = NULL;

	look_scratch(path, name, found);
	if (*name == '.' || lstat(path, &info) < 0 || !S_ISDIR(info.st_mode))
		return;
	if (is_number(name)) {
		look_whole(path, "record.json", "half a record", found);
		return;
	}
	dir = g_dir_open(path, 0, NULL);
	if (dir && !g_dir_read_name(dir))
		add(found, "empty folder of results", path);
	each_entry(path, look_result, found);
}

char *leftovers_find(const char *root)
{
	static const struct {
		const char *folder;
		void (*look)(const char *, const char *, GString *);
	} places[] = {
		{"state", look_scratch},
		{"state/guests", look_guest},
		{"state/plans", look_scratch},
		{"state/last-failure", look_scratch},
		{"state/kernels", look_kernel},
		{"state/results", look_result},
		{"state/libvirt", look_scratch},
		{"state/libvirt/etc", look_scratch},
		{"state/libvirt/run/qemu", look_domain},
		{"state/libvirt/lib/qemu", look_domain},
		{"cache", look_scratch},
		{"cache/locks", look_lock},
		{"cache/image", look_entry},
		{"cache/bootset", look_entry},
	};
	static const char *const locks[] = {"state/measure.lock", "state/results/.lock",
					    "state/libvirt/rig.lock"};
	GString *found = g_string_new(NULL);

	find_processes(root, found);
	find_groups(root, found);
	for (gsize i = 0; i < G_N_ELEMENTS(places); i++) {
		g_autofree char *folder = g_build_filename(root, places[i].folder, NULL);

		each_entry(folder, places[i].look, found);
	}
	for (gsize i = 0; i < G_N_ELEMENTS(locks); i++) {
		g_autofree char *path = g_build_filename(root, locks[i], NULL);

		look_lock(path, locks[i], found);
	}
	return g_string_free(found, FALSE);
}

void leftovers_expect_none(const char *root, double seconds, const char *when)
{
	gint64 deadline = g_get_monotonic_time() + (gint64)(seconds * G_USEC_PER_SEC);

	for (;;) {
		g_autofree char *found = leftovers_find(root);

		if (!*found)
			return;
		if (g_get_monotonic_time() >= deadline)
			g_error("%s, this is left:\n%s", when, found);
		g_usleep(LOOK_AGAIN_US);
	}
}
