/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * test-accel.c - words, the kept answer, and the choice; the canary itself is a matter of tests/vm.
 */
#include <signal.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "expect.h"
#include "vm/accel.h"
#include "vm/virtroot.h"

typedef struct {
	char *dir;
	RigPaths paths;
} Fixture;

static void setup(Fixture *f, gconstpointer data)
{
	f->dir = expect_temp_dir();
	f->paths.state = g_build_filename(f->dir, "state", NULL);
	f->paths.cache = g_build_filename(f->dir, "cache", NULL);
	f->paths.libexec = g_build_filename(f->dir, "libexec", NULL);
}

static void teardown(Fixture *f, gconstpointer data)
{
	g_free(f->paths.state);
	g_free(f->paths.cache);
	g_free(f->paths.libexec);
	expect_remove(f->dir);
}

static void test_words(void)
{
	g_autoptr(GError) error = NULL;
	RigAccelWant want;

	g_assert_true(rig_accel_want_parse("auto", &want, NULL));
	g_assert_cmpint(want, ==, RIG_ACCEL_WANT_AUTO);
	g_assert_true(rig_accel_want_parse("kvm", &want, NULL));
	g_assert_cmpint(want, ==, RIG_ACCEL_WANT_KVM);
	g_assert_true(rig_accel_want_parse("tcg", &want, NULL));
	g_assert_cmpint(want, ==, RIG_ACCEL_WANT_TCG);
	g_assert_false(rig_accel_want_parse("KVM", &want, &error));
	expect_error(&error, RIG_ERROR_USAGE, "\"KVM\"");
	g_assert_false(rig_accel_want_parse("", &want, &error));
	expect_error(&error, RIG_ERROR_USAGE, "none of");
}

/* As accel.c makes it: what was found out on this boot with this QEMU. */
static char *present_key(void)
{
	struct stat device = {0};
	g_autofree char *boot = rig_file_read("/proc/sys/kernel/random/boot_id", 256, NULL, NULL);
	g_autofree char *release = rig_file_read("/proc/sys/kernel/osrelease", 256, NULL, NULL);
	g_autofree char *qemu = rig_accel_qemu_version();

	g_assert_nonnull(qemu);
	(void)!stat("/dev/kvm", &device);
	return g_strdup_printf("%s %s qemu %s device %" G_GINT64_FORMAT, g_strstrip(boot),
			       g_strstrip(release), qemu, (gint64)device.st_ctime);
}

static void keep(Fixture *f, const char *key, const char *usable)
{
	g_autofree char *path = g_build_filename(f->paths.state, "kvm-probe.json", NULL);
	g_autofree char *text = g_strdup_printf(
		"{\"version\": 1, \"key\": \"%s\", \"usable\": %s, \"reason\": \"kept\"}", key,
		usable);
	g_autoptr(GError) error = NULL;

	g_assert_true(rig_file_make_dirs(f->paths.state, 0755, &error));
	g_assert_true(rig_file_write(path, text, -1, 0644, &error));
}

/* What this host says without a boot; the kept answer counts only where it says nothing. */
static gboolean device_opens(void)
{
	RigQemuUser user;

	g_assert_true(rig_virtroot_user(&user, NULL));
	return rig_virtroot_try_open("/dev/kvm", &user) == 0;
}

static void probe(Fixture *f, RigKvmProbe *result)
{
	rig_accel_probe(&f->paths, NULL, NULL, TRUE, NULL, result);
	g_assert_nonnull(result->reason);
}

static void test_kept(Fixture *f, gconstpointer data)
{
	g_autofree char *key = present_key();
	g_auto(RigKvmProbe) result = {0};

	keep(f, key, "true");
	probe(f, &result);
	g_assert_true(result.known);
	g_assert_cmpint(result.usable, ==, device_opens());
	if (device_opens())
		g_assert_cmpstr(result.reason, ==, "kept");
	keep(f, key, "false");
	probe(f, &result);
	g_assert_true(result.known);
	g_assert_false(result.usable);
}

/* An answer of another boot, a broken file: as if nothing was kept. Never taken for a yes. */
static void test_not_kept(Fixture *f, gconstpointer data)
{
	g_autofree char *key = present_key();
	g_auto(RigKvmProbe) result = {0};

	probe(f, &result);
	g_assert_false(result.usable);
	g_assert_cmpint(result.known, ==, !device_opens());
	keep(f, "another boot", "true");
	probe(f, &result);
	g_assert_false(result.usable);
	keep(f, key, "\"yes\"");
	probe(f, &result);
	g_assert_false(result.usable);
}

/* Only a no is forgotten. */
static void test_forget(Fixture *f, gconstpointer data)
{
	g_autofree char *key = present_key();
	g_autofree char *path = g_build_filename(f->paths.state, "kvm-probe.json", NULL);

	rig_accel_forget_no(&f->paths);
	keep(f, key, "true");
	rig_accel_forget_no(&f->paths);
	g_assert_true(g_file_test(path, G_FILE_TEST_EXISTS));
	keep(f, key, "false");
	rig_accel_forget_no(&f->paths);
	g_assert_cmpint(g_file_test(path, G_FILE_TEST_EXISTS), ==, access("/dev/kvm", F_OK) < 0);
}

static void test_choose(Fixture *f, gconstpointer data)
{
	g_autofree char *key = present_key();
	g_autofree char *reason = NULL;
	g_autoptr(GError) error = NULL;
	RigAccel accel;

	keep(f, key, "false");
	g_assert_true(rig_accel_choose(&f->paths, NULL, RIG_ACCEL_WANT_TCG, NULL, NULL, &accel,
				       &reason, &error));
	g_assert_cmpint(accel, ==, RIG_ACCEL_TCG);
	g_clear_pointer(&reason, g_free);
	g_assert_true(rig_accel_choose(&f->paths, NULL, RIG_ACCEL_WANT_AUTO, NULL, NULL, &accel,
				       &reason, &error));
	g_assert_cmpint(accel, ==, RIG_ACCEL_TCG);
	g_assert_nonnull(reason);
	g_clear_pointer(&reason, g_free);
	g_assert_false(rig_accel_choose(&f->paths, NULL, RIG_ACCEL_WANT_KVM, NULL, NULL, &accel,
					&reason, &error));
	expect_error(&error, RIG_ERROR_HOST, "KVM cannot be used");
}

static void test_choose_kvm(Fixture *f, gconstpointer data)
{
	g_autofree char *key = present_key();
	g_autofree char *reason = NULL;
	RigAccel accel;

	if (!device_opens()) {
		g_test_skip("/dev/kvm does not open here");
		return;
	}
	keep(f, key, "true");
	g_assert_true(rig_accel_choose(&f->paths, NULL, RIG_ACCEL_WANT_AUTO, NULL, NULL, &accel,
				       &reason, NULL));
	g_assert_cmpint(accel, ==, RIG_ACCEL_KVM);
	g_assert_cmpstr(reason, ==, "kept");
}

/* A qemu-system-x86_64 of our own, found before the real one. */
static char *fake_qemu(Fixture *f, const char *body)
{
	g_autofree char *bin = g_build_filename(f->dir, "bin", NULL);
	g_autofree char *path = g_build_filename(bin, "qemu-system-x86_64", NULL);
	g_autofree char *script = g_strdup_printf("#!/bin/sh\n[ \"$1\" = --version ] && { echo "
						  "'QEMU emulator version 99.1.2 (Fake)'; "
						  "exit; }\n%s\n",
						  body);
	g_autofree char *search = g_strdup_printf("%s:%s", bin, g_getenv("PATH"));
	char *before = g_strdup(g_getenv("PATH"));

	g_assert_true(rig_file_make_dirs(bin, 0755, NULL));
	g_assert_true(rig_file_write(path, script, -1, 0755, NULL));
	g_setenv("PATH", search, TRUE);
	return before;
}

/* Probe with a canary whose QEMU is BODY; what comes of it, and what is kept of it. */
static void probe_with(Fixture *f, const char *body, RigKvmProbe *result)
{
	g_autofree char *before = fake_qemu(f, body);
	g_autofree char *init = g_build_filename(f->paths.libexec, "rig-init", NULL);
	RigKernel kernel = {.name = (char *)"k", .dir = f->dir};
	g_auto(RigKvmProbe) kept = {0};

	g_assert_true(rig_file_make_dirs(f->paths.libexec, 0755, NULL));
	g_assert_true(rig_file_write(init, "#!/bin/sh\n", -1, 0755, NULL));
	rig_accel_probe(&f->paths, NULL, &kernel, FALSE, NULL, result);
	rig_accel_probe(&f->paths, NULL, NULL, TRUE, NULL, &kept);
	g_setenv("PATH", before, TRUE);
	g_assert_true(kept.known);
	g_assert_cmpint(kept.usable, ==, result->usable);
	g_assert_cmpstr(kept.reason, ==, result->reason);
}

static gboolean skip_without_device(void)
{
	if (device_opens())
		return FALSE;
	g_test_skip("/dev/kvm does not open here, so no canary is sent");
	return TRUE;
}

static void test_canary_lives(Fixture *f, gconstpointer data)
{
	g_auto(RigKvmProbe) result = {0};

	if (skip_without_device())
		return;
	probe_with(f, "echo 'rig-canary: alive'", &result);
	g_assert_true(result.usable);
	g_assert_nonnull(strstr(result.reason, "booted in"));
}

static void test_canary_dies(Fixture *f, gconstpointer data)
{
	g_auto(RigKvmProbe) result = {0};

	if (skip_without_device())
		return;
	probe_with(f, "echo 'no \033[2Jvmx' >&2; echo more >&2; exit 1", &result);
	g_assert_false(result.usable);
	g_assert_nonnull(strstr(result.reason, "no \\x1b[2Jvmx"));
	g_assert_null(strstr(result.reason, "more"));
}

/* It opens, and nothing ever comes: given up after its time, and its QEMU is gone. */
static void test_canary_hangs(Fixture *f, gconstpointer data)
{
	g_auto(RigKvmProbe) result = {0};
	g_autofree char *pid_path = g_build_filename(f->dir, "pid", NULL);
	g_autofree char *body = g_strdup_printf("echo $$ > %s; exec sleep 300", pid_path);
	g_autofree char *pid = NULL;

	if (skip_without_device())
		return;
	probe_with(f, body, &result);
	g_assert_false(result.usable);
	g_assert_nonnull(strstr(result.reason, "did not come up: given up after 3"));
	pid = rig_file_read(pid_path, 64, NULL, NULL);
	g_assert_cmpint(kill(atoi(pid), 0), ==, -1);
}

#define ADD(name, function) g_test_add("/accel/" name, Fixture, NULL, setup, function, teardown)

int main(int argc, char **argv)
{
	g_test_init(&argc, &argv, NULL);
	g_test_add_func("/accel/words", test_words);
	ADD("kept", test_kept);
	ADD("not-kept", test_not_kept);
	ADD("forget", test_forget);
	ADD("choose", test_choose);
	ADD("choose-kvm", test_choose_kvm);
	ADD("canary-lives", test_canary_lives);
	ADD("canary-dies", test_canary_dies);
	ADD("canary-hangs", test_canary_hangs);
	return g_test_run();
}
