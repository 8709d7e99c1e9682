/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * test-security.c - what a hostile guest could reach (docs/security.md), read from a real guest's
 * QEMU; and what it cannot do by the files that it gives out.
 */
#include <archive.h>
#include <archive_entry.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "base/file.h"
#include "cli-fixture.h"
#include "leftovers.h"

#define GUEST "hostile"
#define FILE_MAX (4 * 1024 * 1024)

static char *read_file(const char *path)
{
	g_autoptr(GError) error = NULL;
	char *text = rig_file_read(path, FILE_MAX, NULL, &error);

	if (!text)
		g_error("%s", error->message);
	return text;
}

/* What stands behind KEY in /proc/PID/status, of a process or of one of its threads. g_free. */
static char *status_of(const char *dir, const char *key)
{
	g_autofree char *path = g_build_filename(dir, "status", NULL);
	g_autofree char *text = read_file(path);
	g_autofree char *want = g_strdup_printf("\n%s:\t", key);
	const char *at = strstr(text, want);

	g_assert_nonnull(at);
	at += strlen(want);
	return g_strndup(at, strcspn(at, "\n"));
}

static char *proc_of_qemu(CliFixture *f)
{
	g_autofree char *pattern = g_strdup_printf("qemu-system.*guest=" GUEST ",.*%s", f->root);
	const char *argv[] = {"pgrep", "-f", pattern, NULL};
	RigProcess process = {.argv = argv};
	g_auto(RigProcessResult) found = {0};

	g_assert_true(rig_process_run(&process, &found, NULL, NULL));
	g_assert_cmpint(found.status, ==, 0);
	return g_strdup_printf("/proc/%d", atoi(found.out));
}

static void expect_status(const char *dir, const char *key, const char *expected)
{
	g_autofree char *value = status_of(dir, key);

	if (g_strcmp0(value, expected) != 0)
		g_error("%s: %s is %s, not %s", dir, key, value, expected);
}

/* No thread may be less shut in than the others. */
static void check_threads(const char *proc)
{
	g_autofree char *tasks = g_build_filename(proc, "task", NULL);
	g_autoptr(GDir) dir = g_dir_open(tasks, 0, NULL);
	const char *task;
	guint n = 0;

	while ((task = g_dir_read_name(dir))) {
		g_autofree char *path = g_build_filename(tasks, task, NULL);

		expect_status(path, "Seccomp", "2");
		expect_status(path, "NoNewPrivs", "1");
		expect_status(path, "CapEff", "0000000000000000");
		expect_status(path, "CapPrm", "0000000000000000");
		n++;
	}
	g_assert_cmpuint(n, >=, 2);
}

static uid_t qemu_user(const char *proc)
{
	struct stat info;

	g_assert_cmpint(stat(proc, &info), ==, 0);
	return info.st_uid;
}

/* Inodes of all sockets that speak to a network. */
static char *network_sockets(void)
{
	static const char *const tables[] = {"tcp", "tcp6", "udp", "udp6", "raw", "raw6", "packet"};
	g_autoptr(GString) all = g_string_new("\n");

	for (gsize i = 0; i < G_N_ELEMENTS(tables); i++) {
		g_autofree char *path = g_build_filename("/proc/net", tables[i], NULL);
		g_autofree char *text = rig_file_read(path, FILE_MAX, NULL, NULL);

		if (text)
			g_string_append(all, text);
	}
	return g_string_free(g_steal_pointer(&all), FALSE);
}

/* What QEMU has open: nothing of a network, and no file to write but its own few. */
static void check_open_files(CliFixture *f, const char *proc)
{
	g_autofree char *fds = g_build_filename(proc, "fd", NULL);
	g_autofree char *network = network_sockets();
	g_autoptr(GDir) dir = g_dir_open(fds, 0, NULL);
	const char *name;
	guint sockets = 0;

	while ((name = g_dir_read_name(dir))) {
		g_autofree char *path = g_build_filename(fds, name, NULL);
		g_autofree char *target = g_file_read_link(path, NULL);
		struct stat info;

		if (!target)
			continue;
		if (g_str_has_prefix(target, "socket:[")) {
			g_autofree char *inode =
				g_strdup_printf(" %.*s ", (int)strlen(target) - 9, target + 8);

			g_assert_null(strstr(network, inode));
			sockets++;
			continue;
		}
		g_assert_null(strstr(target, "/net/tun"));
		if (target[0] == '/' && !g_str_has_prefix(target, f->root) &&
		    !g_str_equal(target, "/dev/null") && !g_str_equal(target, "/dev/kvm") &&
		    lstat(path, &info) == 0 && (info.st_mode & S_IWUSR))
			g_error("QEMU has %s open to write", target);
	}
	/* The monitor's and the agent's: the look at sockets looks at something. */
	g_assert_cmpuint(sockets, >=, 2);
}

static void check_domain(CliFixture *f)
{
	static const char *const devices[] = {"<interface", "<filesystem", "<hostdev", "<graphics",
					      "<redirdev",  "<vsock",	   "<shmem",   "<tpm"};
	g_autofree char *path =
		g_build_filename(f->root, "state", "guests", GUEST, "domain.xml", NULL);
	g_autofree char *xml = read_file(path);

	g_assert_nonnull(strstr(xml, "<channel"));
	for (gsize i = 0; i < G_N_ELEMENTS(devices); i++)
		if (strstr(xml, devices[i]))
			g_error("the domain has %s", devices[i]);
	/* And the guest sees no other network than its own loopback. */
	cli_rig(f, "exec", GUEST, "--", "ls", "/sys/class/net", NULL);
	cli_expect(f, 0, NULL);
	g_assert_cmpstr(f->last.out, ==, "lo\n");
}

static void expect_mode(CliFixture *f, const char *name, mode_t mode)
{
	g_autofree char *path = g_build_filename(f->root, "state", "guests", GUEST, name, NULL);
	struct stat info;

	g_assert_cmpint(lstat(path, &info), ==, 0);
	if ((info.st_mode & 07777) != mode)
		g_error("%s: mode %o, not %o", path, info.st_mode & 07777, mode);
}

static void check_modes(CliFixture *f, gboolean other)
{
	expect_mode(f, ".", other ? 0710 : 0700);
	expect_mode(f, "agent.sock", 0700);
	expect_mode(f, "overlay.qcow2", 0600);
	expect_mode(f, "console.log", 0600);
	expect_mode(f, "domain.xml", 0600);
}

/* What libvirt's driver keeps of a domain, and the disk. */
static gboolean is_of_qemu(const char *path)
{
	return strstr(path, "/libvirt/lib/qemu") || strstr(path, "/libvirt/run/qemu/") ||
	       g_str_has_suffix(path, "/guests/" GUEST "/overlay.qcow2");
}

/* All in FOLDER that is USER's or that everybody may write. */
static void find_writable(const char *folder, uid_t user, GString *found)
{
	g_autoptr(GDir) dir = g_dir_open(folder, 0, NULL);
	const char *name;

	g_assert_nonnull(dir);
	while ((name = g_dir_read_name(dir))) {
		g_autofree char *path = g_build_filename(folder, name, NULL);
		struct stat info;

		if (is_of_qemu(path) || lstat(path, &info) < 0)
			continue;
		if (info.st_uid == user || (!S_ISLNK(info.st_mode) && (info.st_mode & S_IWOTH)))
			g_string_append_printf(found, "%s\n", path);
		if (S_ISDIR(info.st_mode))
			find_writable(path, user, found);
	}
}

/* Who breaks out of a guest is QEMU's user: nothing else in rig's folders is his to change. */
static void check_writable(CliFixture *f, uid_t user)
{
	g_autofree char *state = g_build_filename(f->root, "state", NULL);
	g_autofree char *cache = g_build_filename(f->root, "cache", NULL);
	g_autoptr(GString) found = g_string_new(NULL);

	find_writable(state, user, found);
	find_writable(cache, user, found);
	g_assert_cmpstr(found->str, ==, "");
}

static void test_qemu(gconstpointer data)
{
	CliFixture *f = (CliFixture *)data;
	g_autofree char *proc = proc_of_qemu(f);
	uid_t user = qemu_user(proc);

	check_threads(proc);
	check_open_files(f, proc);
	check_domain(f);
	check_modes(f, user != geteuid());
	if (geteuid() == 0) {
		g_assert_cmpint(user, !=, 0);
		check_writable(f, user);
	} else {
		g_assert_cmpint(user, ==, geteuid());
	}
}

/* Hostile files. */

static void add(struct archive *archive, const char *path, mode_t mode, const char *target)
{
	static const char text[] = "evil\n";
	struct archive_entry *entry = archive_entry_new();
	gsize length = S_ISREG(mode) ? strlen(text) : 0;

	archive_entry_set_pathname(entry, path);
	archive_entry_set_mode(entry, mode);
	archive_entry_set_size(entry, (gint64)length);
	archive_entry_set_rdev(entry, makedev(1, 3));
	if (target)
		archive_entry_set_symlink(entry, target);
	g_assert_cmpint(archive_write_header(archive, entry), ==, ARCHIVE_OK);
	g_assert_cmpint(archive_write_data(archive, text, length), ==, length);
	archive_entry_free(entry);
}

/* The archive that the guest's tar will give out, whatever it is asked for. LAST: its last file. */
static void plant_archive(CliFixture *f, const char *last)
{
	g_autofree char *path = g_build_filename(f->root, "evil.tar", NULL);
	struct archive *archive = archive_write_new();

	archive_write_set_format_ustar(archive);
	g_assert_cmpint(archive_write_open_filename(archive, path), ==, ARCHIVE_OK);
	add(archive, "tree/", S_IFDIR | 0755, NULL);
	add(archive, "tree/suid", S_IFREG | 06755, NULL);
	add(archive, "tree/device", S_IFCHR | 0666, NULL);
	add(archive, "tree/link", S_IFLNK | 0777, "../../beside");
	add(archive, last, S_IFREG | 0644, NULL);
	g_assert_cmpint(archive_write_free(archive), ==, ARCHIVE_OK);
	cli_rig(f, "cp", path, GUEST ":/tmp/evil.tar", NULL);
	cli_expect(f, 0, NULL);
}

static void plant_tar(CliFixture *f)
{
	g_autofree char *script = cli_write(
		f, "tar.sh", "#!/bin/sh\nprintf '\\033]0;owned\\007' >&2\ncat /tmp/evil.tar\n");

	cli_rig(f, "cp", script, GUEST ":/tmp/tar.sh", NULL);
	cli_expect(f, 0, NULL);
	cli_rig(f, "exec", GUEST, "--", "sh", "-c",
		"chmod 755 /tmp/tar.sh && ln -sf /tmp/tar.sh $(which tar)", NULL);
	cli_expect(f, 0, NULL);
}

static void check_received(const char *out)
{
	g_autofree char *suid = g_build_filename(out, "tree", "suid", NULL);
	g_autofree char *device = g_build_filename(out, "tree", "device", NULL);
	g_autofree char *link = g_build_filename(out, "tree", "link", NULL);
	struct stat info;

	g_assert_cmpint(stat(suid, &info), ==, 0);
	g_assert_cmpint(info.st_mode & 07000, ==, 0);
	g_assert_cmpint(info.st_uid, ==, geteuid());
	g_assert_cmpint(lstat(device, &info), <, 0);
	g_assert_cmpint(lstat(link, &info), <, 0);
}

static void test_copy_out(gconstpointer data)
{
	CliFixture *f = (CliFixture *)data;
	static const char *const outside[] = {".bashrc", "tree/../.bashrc", "tree/link/x"};
	g_autofree char *out = g_build_filename(f->root, "received", NULL);
	g_autofree char *beside = g_build_filename(f->root, "beside", NULL);
	g_autofree char *precious = NULL;

	g_assert_true(rig_file_remove_tree(out, NULL));
	g_assert_true(rig_file_make_dirs(out, 0755, NULL));
	precious = cli_write(f, "received/.bashrc", "mine\n");
	plant_tar(f);
	plant_archive(f, "tree/last");
	cli_rig(f, "cp", "-r", GUEST ":/tmp/tree", out, NULL);
	cli_expect(f, 0, "left out tree/link");
	g_assert_nonnull(strstr(f->last.err, "left out tree/device"));
	g_assert_null(strchr(f->last.err, '\x1b'));
	check_received(out);
	for (gsize i = 0; i < G_N_ELEMENTS(outside); i++) {
		g_autofree char *text = NULL;

		plant_archive(f, outside[i]);
		cli_rig(f, "cp", "-r", GUEST ":/tmp/tree", out, NULL);
		/* Through what would have been a link there is a real folder now. */
		g_assert_cmpint(f->last.status, ==, strstr(outside[i], "link") ? 0 : 13);
		text = read_file(precious);
		g_assert_cmpstr(text, ==, "mine\n");
		g_assert_false(g_file_test(beside, G_FILE_TEST_EXISTS));
	}
	g_assert_true(rig_file_remove_tree(out, NULL));
}

int main(int argc, char **argv)
{
	CliFixture f;
	int code;

	g_test_init(&argc, &argv, NULL);
	cli_setup_real(&f);
	cli_rig(&f, "up", "2sp-icl", "-k", "linux-6.12", "--name", GUEST, NULL);
	cli_expect(&f, 0, NULL);
	g_test_add_data_func("/security/qemu", &f, test_qemu);
	g_test_add_data_func("/security/copy-out", &f, test_copy_out);
	code = g_test_run();
	cli_rig(&f, "down", GUEST, NULL);
	cli_expect(&f, 0, NULL);
	leftovers_expect_none(f.root, 0, "after rig down");
	cli_teardown(&f);
	return code;
}
