/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * test-kill.c - rig killed, and interrupted from the keyboard, at random points of up and run.
 *
 * The points are spread over all phases: each command is timed undisturbed, and cut at random
 * fractions of that time. Most of it is the guest's boot, so two of three points are drawn from the
 * part before it, or from that after the workload.
 *
 * RIG_FAULT_SEED: the seed that a run printed, to repeat it. RIG_FAULT_POINTS: how many points.
 */
#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/file.h"
#include "cli-fixture.h"
#include "leftovers.h"
#include "tally.h"

#define POINTS 20
/* Every so many points the next command is not cut, and has to work. */
#define WHOLE_EVERY 10
/* How much of a command its beginning and its end are. */
#define PART 0.3
#define TRIES 6
#define STEP_S 0.02
/* What was killed may need a moment until the last of its processes is gone: libguestfs looks for
 * its master every few seconds. */
#define GRACE_S 15

/* One command to be cut. */
typedef struct {
	const char *name;
	gboolean diskless, run;
	double seconds; /* undisturbed */
} Kind;

/* The tests run in their order. */
typedef struct {
	CliFixture cli;
	GRand *random;
	guint32 seed;
	char *workload; /* that ends at once */
	char *err;
	Kind kinds[3];
} World;

static guint32 number_from(const char *variable, guint32 fallback)
{
	const char *text = g_getenv(variable);

	return text && *text ? (guint32)strtoul(text, NULL, 0) : fallback;
}

static void set_up(World *world)
{
	g_autofree char *text = g_strdup_printf(
		"{\"version\": 1, \"name\": \"cut\", \"suite\": \"fault\", \"text\": \"t\",\n"
		" \"program\": {\"file\": \"%s\", \"args\": []},\n"
		" \"parameters\": {\"mode\": {\"default\": \"good\", \"text\": \"t\"}},\n"
		" \"timeout_s\": 60, \"sample_ms\": 1000,\n"
		" \"metrics\": [{\"name\": \"cut.score\", \"from\": \"stdout\",\n"
		"   \"pattern\": \"score: ([0-9.]+)\", \"reduce\": \"sum\", \"unit\": \"points\",\n"
		"   \"direction\": \"higher\", \"kind\": \"ratio\", \"primary\": true,\n"
		"   \"text\": \"t\"}]}\n",
		g_getenv("RIG_FAULT"));

	cli_setup_real(&world->cli);
	world->seed = number_from("RIG_FAULT_SEED", g_random_int());
	world->random = g_rand_new_with_seed(world->seed);
	world->workload = cli_write(&world->cli, "cut.json", text);
	world->err = g_build_filename(world->cli.root, "cut.err", NULL);
	world->cli.start_err = world->err;
	g_test_message("RIG_FAULT_SEED=%u", world->seed);
}

static void tear_down(World *world)
{
	g_rand_free(world->random);
	g_free(world->workload);
	g_free(world->err);
	cli_teardown(&world->cli);
}

/* Boot sets without a disk go, so that the next diskless guest has one made: that takes no launch
 * of libguestfs. */
static void forget_diskless(World *world)
{
	g_autofree char *parent = g_build_filename(world->cli.root, "cache", "bootset", NULL);
	g_autoptr(GDir) dir = g_dir_open(parent, 0, NULL);
	const char *name;

	while (dir && (name = g_dir_read_name(dir))) {
		g_autofree char *path = g_build_filename(parent, name, NULL);
		g_autofree char *disk = g_build_filename(path, "disk.qcow2", NULL);

		if (!g_file_test(disk, G_FILE_TEST_EXISTS))
			g_assert_true(rig_file_remove_tree(path, NULL));
	}
}

static GPid start(World *world, const Kind *kind)
{
	if (kind->diskless)
		forget_diskless(world);
	if (kind->run)
		return cli_start(&world->cli, "run", world->workload, "-k", "linux-6.12", NULL);
	return cli_start(&world->cli, "up", "2sp-icl", "-k", "linux-6.12", "--name", "cut",
			 kind->diskless ? "--diskless" : NULL, NULL);
}

static void expect_ok(World *world, const char *verb, const char *option)
{
	cli_rig(&world->cli, verb, option, NULL);
	cli_expect(&world->cli, 0, NULL);
}

/* From start to end; what it has made is taken down again. */
static double time_whole(World *world, const Kind *kind)
{
	gint64 begin = g_get_monotonic_time();
	int code = cli_wait(start(world, kind));
	double seconds = (double)(g_get_monotonic_time() - begin) / G_USEC_PER_SEC;

	if (code) {
		g_autofree char *err = rig_file_read(world->err, 1 << 20, NULL, NULL);

		g_error("%s ended with %d: %s", kind->name, code, err ? err : "");
	}
	expect_ok(world, "down", "--all");
	leftovers_expect_none(world->cli.root, 0, "after a whole one was taken down");
	return seconds;
}

/* All records that the index knows are there; leftovers.c has seen that all that are there are
 * whole. */
static void check_store(World *world)
{
	g_autoptr(RigJson) root = NULL;

	cli_rig(&world->cli, "results", "list", "--json", NULL);
	cli_expect(&world->cli, 0, NULL);
	root = cli_json(&world->cli);
	g_assert_nonnull(root);
}

/* A killed rig cannot clean up. Its guest is taken down by rig down, what it was just making in the
 * cache or the store by rig gc. */
static void after_kill(World *world, const char *when)
{
	g_autofree char *left = leftovers_find(world->cli.root);

	g_test_message("%s, left behind:\n%s", when, left);
	expect_ok(world, "ps", NULL);
	expect_ok(world, "down", "--all");
	expect_ok(world, "gc", NULL);
	leftovers_expect_none(world->cli.root, GRACE_S, when);
	check_store(world);
}

/* An interrupted one has cleaned up when it ends. Returns FALSE if it was over before the signal
 * came. */
static gboolean after_interrupt(World *world, int code, const char *when)
{
	g_autofree char *err = rig_file_read(world->err, 1 << 20, NULL, NULL);

	if (code == 0) {
		g_test_message("%s: it was over", when);
		expect_ok(world, "down", "--all");
		return FALSE;
	}
	if (code != 130)
		g_error("%s: exit %d instead of 130: %s", when, code, err ? err : "");
	leftovers_expect_none(world->cli.root, 0, when);
	check_store(world);
	return TRUE;
}

static gboolean is_over(GPid rig)
{
	siginfo_t info = {0};

	return waitid(P_PID, (id_t)rig, &info, WEXITED | WNOHANG | WNOWAIT) == 0 &&
	       info.si_pid == rig;
}

/* Sleep for SECONDS, or until it is over; how long that took. */
static double sleep_beside(GPid rig, double seconds)
{
	gint64 begin = g_get_monotonic_time();
	double slept = 0;

	while (slept < seconds && !is_over(rig)) {
		g_usleep((gulong)(MIN(seconds - slept, STEP_S) * G_USEC_PER_SEC));
		slept = (double)(g_get_monotonic_time() - begin) / G_USEC_PER_SEC;
	}
	return slept;
}

/* Cut KIND at FRACTION of its time. FALSE if it was over by then. */
static gboolean cut(World *world, Kind *kind, double fraction, int signo)
{
	g_autofree char *when =
		g_strdup_printf("signal %d at %.2f of %.1f s of %s (RIG_FAULT_SEED=%u)", signo,
				fraction, kind->seconds, kind->name, world->seed);
	GPid rig = start(world, kind);
	double slept = sleep_beside(rig, fraction * kind->seconds);
	gboolean in_time;
	int code;

	/* From the keyboard every process of the group gets it. */
	if (kill(signo == SIGINT ? -rig : rig, signo) < 0)
		g_assert_cmpint(errno, ==, ESRCH);
	code = cli_wait(rig);
	in_time = code != 0;
	if (in_time)
		tally_injected();
	else /* it takes less time than it did */
		kind->seconds = slept;
	if (signo == SIGINT)
		in_time = after_interrupt(world, code, when);
	else
		after_kill(world, when);
	if (in_time)
		tally_survived();
	return in_time;
}

/* The TURNth point of KIND: of all of it, of its beginning, of its end. */
static double draw(World *world, const Kind *kind, guint turn)
{
	double random = g_rand_double(world->random);

	switch (turn % 3) {
	case 0:
		return random;
	case 1:
		return random * PART;
	default:
		return kind->run ? 1 - random * PART : random * PART;
	}
}

/* Under a load that has gone down since the command was timed it may be over too early. */
static void cut_for_sure(World *world, Kind *kind, double fraction, int signo)
{
	for (guint tries = 0; !cut(world, kind, fraction, signo); tries++)
		if (tries == TRIES)
			g_error("%s is always over before its signal comes", kind->name);
}

static void test_timing(gconstpointer data)
{
	World *world = (World *)data;

	set_up(world);
	for (guint i = 0; i < G_N_ELEMENTS(world->kinds); i++) {
		Kind *kind = &world->kinds[i];

		/* The first may have to make a boot set for all. */
		if (!kind->diskless)
			time_whole(world, kind);
		kind->seconds = time_whole(world, kind);
		g_test_message("%s takes %.1f s", kind->name, kind->seconds);
	}
}

static void check_points(World *world, int signo)
{
	guint points = number_from("RIG_FAULT_POINTS", POINTS);
	const guint n = G_N_ELEMENTS(world->kinds);

	for (guint i = 0; i < points; i++) {
		Kind *kind = &world->kinds[i % n];

		cut_for_sure(world, kind, draw(world, kind, i / n), signo);
		if ((i + 1) % WHOLE_EVERY == 0)
			time_whole(world, &world->kinds[i / WHOLE_EVERY % n]);
	}
	expect_ok(world, "gc", "--check");
	g_assert_null(strstr(world->cli.last.err, "digest"));
}

static void test_sigkill(gconstpointer data)
{
	check_points((World *)data, SIGKILL);
}

static void test_ctrl_c(gconstpointer data)
{
	check_points((World *)data, SIGINT);
}

int main(int argc, char **argv)
{
	World world = {
		.kinds = {{.name = "up"},
			  {.name = "up --diskless, boot set and all", .diskless = TRUE},
			  {.name = "run", .run = TRUE}},
	};
	int status;

	g_test_init(&argc, &argv, NULL);
	g_test_add_data_func("/kill/timing", &world, test_timing);
	g_test_add_data_func("/kill/sigkill", &world, test_sigkill);
	g_test_add_data_func("/kill/ctrl-c", &world, test_ctrl_c);
	status = g_test_run();
	tally_tell();
	tear_down(&world);
	return status;
}
