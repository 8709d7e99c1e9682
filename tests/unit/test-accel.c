/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * test-accel.c - words, the kept answer, and the choice; the canary itself is a matter of tests/vm.
 */
#include <unistd.h>

#include "expect.h"
#include "vm/accel.h"

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
	g_autofree char *boot = rig_file_read("/proc/sys/kernel/random/boot_id", 256, NULL, NULL);
	g_autofree char *release = rig_file_read("/proc/sys/kernel/osrelease", 256, NULL, NULL);
	g_autofree char *qemu = rig_accel_qemu_version();

	g_assert_nonnull(qemu);
	return g_strdup_printf("%s %s qemu %s", g_strstrip(boot), g_strstrip(release), qemu);
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
	return access("/dev/kvm", R_OK | W_OK) == 0;
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

#define ADD(name, function) g_test_add("/accel/" name, Fixture, NULL, setup, function, teardown)

int main(int argc, char **argv)
{
	g_test_init(&argc, &argv, NULL);
	g_test_add_func("/accel/words", test_words);
	ADD("kept", test_kept);
	ADD("not-kept", test_not_kept);
	ADD("choose", test_choose);
	ADD("choose-kvm", test_choose_kvm);
	return g_test_run();
}
