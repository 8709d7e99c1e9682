/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * cgroup.c - removes the control groups that libvirt's embedded driver made for a domain.
 *
 * The driver removes them itself when it ends a domain. A guest that is ended without libvirt, or
 * whose QEMU ended while no process held the driver, leaves them.
 */
#include "vm/cgroup.h"

#include <errno.h>
#include <glib.h>
#include <string.h>
#include <unistd.h>

#define ENDING ".libvirt-qemu"
/* Of the whole name that libvirt gives a machine. */
#define NAME_MAX_LIBVIRT 64
#define BUSY_US (1 * G_USEC_PER_SEC)
#define AGAIN_US 5000

/* The driver is told by its root: "qemu-embed-", the beginning of a digest, and a dash. */
static char *driver_prefix(const char *root)
{
	g_autofree char *digest = g_compute_checksum_for_string(G_CHECKSUM_SHA256, root, -1);

	return g_strdup_printf("qemu-embed-%.8s-", digest);
}

/* As libvirt writes it behind PREFIX, which counts for the length: letters, digits, and single dots
 * and dashes between them. */
static char *machine_name(const char *prefix, const char *name)
{
	GString *text = g_string_new(prefix);
	gboolean skip = TRUE;

	for (; *name && text->len < NAME_MAX_LIBVIRT; name++) {
		gboolean divides = *name == '.' || *name == '-';

		if (divides ? skip : !g_ascii_isalnum(*name))
			continue;
		g_string_append_c(text, *name);
		skip = divides;
	}
	while (text->len > strlen(prefix) && strchr(".-", text->str[text->len - 1]))
		g_string_truncate(text, text->len - 1);
	return g_string_free(text, FALSE);
}

/* ENTRY is DRIVER, the domain's number, a dash, the guest's name, and the ending. */
static gboolean is_of(const char *entry, const char *driver, const char *name)
{
	g_autofree char *prefix = NULL;
	g_autofree char *machine = NULL;
	gsize digits;

	if (!g_str_has_prefix(entry, driver) || !g_str_has_suffix(entry, ENDING))
		return FALSE;
	digits = strspn(entry + strlen(driver), "0123456789");
	prefix = g_strdup_printf("%.*s-", (int)(strlen(driver) + digits), entry);
	machine = machine_name(prefix, name);
	return digits > 0 && strlen(entry) == strlen(machine) + strlen(ENDING) &&
	       g_str_has_prefix(entry, machine);
}

/* A process that is ending is counted for a moment. */
static void remove_group(const char *path, gint64 deadline)
{
	g_autoptr(GDir) dir = g_dir_open(path, 0, NULL);
	const char *name;

	while (dir && (name = g_dir_read_name(dir))) {
		g_autofree char *child = g_build_filename(path, name, NULL);

		if (g_file_test(child, G_FILE_TEST_IS_DIR) &&
		    !g_file_test(child, G_FILE_TEST_IS_SYMLINK))
			remove_group(child, deadline);
	}
	while (rmdir(path) < 0 && errno == EBUSY && g_get_monotonic_time() < deadline)
		g_usleep(AGAIN_US);
}

static void forget_below(const char *hierarchy, const char *driver, const char *name)
{
	g_autofree char *machines = g_build_filename(hierarchy, "machine", NULL);
	g_autoptr(GDir) dir = g_dir_open(machines, 0, NULL);
	const char *entry;

	while (dir && (entry = g_dir_read_name(dir))) {
		g_autofree char *path = g_build_filename(machines, entry, NULL);

		if (is_of(entry, driver, name))
			remove_group(path, g_get_monotonic_time() + BUSY_US);
	}
}

void rig_cgroup_forget(const char *sysfs, const char *root, const char *name)
{
	g_autofree char *driver = driver_prefix(root);
	g_autoptr(GDir) dir = g_dir_open(sysfs, 0, NULL);
	const char *entry;

	/* One hierarchy for all, or one for each controller. */
	forget_below(sysfs, driver, name);
	while (dir && (entry = g_dir_read_name(dir))) {
		g_autofree char *hierarchy = g_build_filename(sysfs, entry, NULL);

		forget_below(hierarchy, driver, name);
	}
}
