/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * test-share.c - two rigs on one cache: one builds what both need, and may die of it.
 */
#include <signal.h>
#include <string.h>
#include <unistd.h>

#include "base/file.h"
#include "cli-fixture.h"
#include "leftovers.h"
#include "tally.h"

#define BUILDING "building 1 boot set"

/* One of the two. */
typedef struct {
	const char *name; /* of its guest */
	char *err;
	GPid pid;
} Rig;

static char *read_err(const Rig *rig)
{
	char *text = rig_file_read(rig->err, 1 << 20, NULL, NULL);

	return text ? text : g_strdup("");
}

static Rig start(CliFixture *f, const char *name)
{
	g_autofree char *file = g_strdup_printf("%s.err", name);
	Rig rig = {.name = name, .err = g_build_filename(f->root, file, NULL)};

	unlink(rig.err);
	f->start_err = rig.err;
	rig.pid = cli_start(f, "up", "2sp-icl", "-k", "linux-6.12", "--name", name, NULL);
	return rig;
}

static void wait_for(const Rig *rig, const char *text)
{
	for (guint i = 0; i < 3000; i++) {
		g_autofree char *err = read_err(rig);

		if (strstr(err, text))
			return;
		g_usleep(20 * 1000);
	}
	g_error("%s never says \"%s\"", rig->name, text);
}

static void expect_end(Rig *rig, int code, const char *text, gboolean said)
{
	int status = cli_wait(rig->pid);
	g_autofree char *err = read_err(rig);

	if (status != code || (strstr(err, text) != NULL) != said)
		g_error("%s ends with %d: %s", rig->name, status, err);
	g_clear_pointer(&rig->err, g_free);
}

/* The disk of linux-6.12 has to be made again. */
static void forget(CliFixture *f)
{
	g_autofree char *parent = g_build_filename(f->root, "cache", "bootset", NULL);
	g_autoptr(GDir) dir = g_dir_open(parent, 0, NULL);
	const char *name;

	while (dir && (name = g_dir_read_name(dir))) {
		g_autofree char *path = g_build_filename(parent, name, NULL);
		g_autofree char *manifest = g_build_filename(path, "complete.json", NULL);
		g_autofree char *text = rig_file_read(manifest, 1 << 20, NULL, NULL);

		if (text && strstr(text, "\"release 6.12"))
			g_assert_true(rig_file_remove_tree(path, NULL));
	}
}

static gboolean appliance_runs(CliFixture *f)
{
	g_autofree char *pattern = g_strdup_printf("qemu-system.*%s/cache/.rig-build", f->root);
	const char *argv[] = {"pgrep", "-f", pattern, NULL};
	RigProcess process = {.argv = argv};
	g_auto(RigProcessResult) found = {0};

	g_assert_true(rig_process_run(&process, &found, NULL, NULL));
	return found.status == 0;
}

static void wait_for_appliance(CliFixture *f)
{
	for (guint i = 0; i < 3000 && !appliance_runs(f); i++)
		g_usleep(20 * 1000);
	g_assert_true(appliance_runs(f));
}

static void clean(CliFixture *f, double seconds, const char *when)
{
	cli_rig(f, "down", "--all", NULL);
	cli_expect(f, 0, NULL);
	cli_rig(f, "gc", NULL);
	cli_expect(f, 0, NULL);
	leftovers_expect_none(f->root, seconds, when);
	cli_teardown(f);
}

static void expect_waits(const Rig *rig, const Rig *builder)
{
	g_autofree char *text = g_strdup_printf("waiting for process %d", (int)builder->pid);

	wait_for(rig, text);
}

static void test_two_builders(void)
{
	CliFixture f;
	Rig first, second;

	cli_setup_real(&f);
	forget(&f);
	first = start(&f, "first");
	wait_for(&first, BUILDING);
	second = start(&f, "second");
	expect_waits(&second, &first);
	expect_end(&first, 0, BUILDING, TRUE);
	expect_end(&second, 0, BUILDING, FALSE);
	clean(&f, 0, "after two that needed the same");
}

/* The one that waits takes over. */
static void test_builder_killed(void)
{
	CliFixture f;
	Rig first, second;

	cli_setup_real(&f);
	forget(&f);
	first = start(&f, "first");
	wait_for(&first, BUILDING);
	second = start(&f, "second");
	expect_waits(&second, &first);
	wait_for_appliance(&f);
	tally_injected();
	g_assert_no_errno(kill(first.pid, SIGKILL));
	expect_end(&first, 128 + SIGKILL, BUILDING, TRUE);
	expect_end(&second, 0, BUILDING, TRUE);
	/* libguestfs looks for its master every few seconds. */
	clean(&f, 15, "after a builder was killed");
	tally_survived();
}

/* From the keyboard, in the middle of libguestfs' work. */
static void test_builder_interrupted(void)
{
	CliFixture f;
	Rig first;

	cli_setup_real(&f);
	forget(&f);
	first = start(&f, "first");
	wait_for(&first, BUILDING);
	wait_for_appliance(&f);
	tally_injected();
	g_assert_no_errno(kill(-first.pid, SIGINT));
	expect_end(&first, 130, "interrupted", TRUE);
	tally_expect_nothing_left(&f, "after a builder was interrupted");
	tally_survived();
	cli_teardown(&f);
}

int main(int argc, char **argv)
{
	int status;

	g_test_init(&argc, &argv, NULL);
	g_test_add_func("/share/builder-interrupted", test_builder_interrupted);
	g_test_add_func("/share/builder-killed", test_builder_killed);
	g_test_add_func("/share/two-builders", test_two_builders);
	status = g_test_run();
	tally_tell();
	return status;
}
