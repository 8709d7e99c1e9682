/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * test-planfile.c - plans as files: what is read is what was written, what is wrong is refused, and
 * a plan that was begun does not grow.
 */
#include <glib/gstdio.h>
#include <string.h>

#include "base/error.h"
#include "base/file.h"
#include "model/planstore.h"
#include "recordfix.h"

#define DIGEST_A "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"
#define DIGEST_B "bbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb"

static RigPlanInput input(const char *name)
{
	return (RigPlanInput){g_strdup(name), g_strdup(name), g_strdup(DIGEST_A)};
}

/* Two sides, so many blocks, two values if SWEEP. */
static RigPlanFile *make(guint blocks, gboolean sweep, guint looks)
{
	RigPlanFile *file = rig_planfile_new();

	file->workload = input("anon-cow-rand-hugetlb");
	file->topology = input("2sp-icl");
	file->image = input("tiny");
	rig_planfile_add_side(file, &(RigPlanSide){(char *)"base", (char *)"v6.1", (char *)DIGEST_A,
						   (char *)DIGEST_B, NULL});
	rig_planfile_add_side(file, &(RigPlanSide){(char *)"head", (char *)"v6.12",
						   (char *)DIGEST_B, NULL, NULL});
	g_strfreev(file->settings);
	file->settings = g_strsplit("runtime=1 /proc/sys/vm/swappiness=1", " ", -1);
	file->shape.accel = g_strdup("tcg");
	file->shape.cell_cpus = 2;
	file->looks = looks;
	file->paired = TRUE;
	if (sweep) {
		file->sweep = g_strdup("tasks");
		file->values = g_strsplit("1,50%", ",", -1);
	}
	file->plan = rig_plan_make_sweep(2, blocks, sweep ? 2 : 1, 7);
	return file;
}

static void test_round_trip(void)
{
	for (guint sweep = 0; sweep < 2; sweep++) {
		g_autoptr(RigPlanFile) file = make(3, sweep, 2);
		g_autofree char *text = rig_planfile_to_json(file);
		g_autoptr(GError) error = NULL;
		g_autoptr(RigPlanFile) again = rig_planfile_parse("plan.json", text, &error);
		g_autofree char *second = NULL;

		g_assert_no_error(error);
		second = rig_planfile_to_json(again);
		g_assert_cmpstr(text, ==, second);
		g_assert_cmpuint(strlen(again->id), ==, 16);
		g_assert_cmpuint(again->plan->n_steps, ==, sweep ? 12 : 6);
		for (guint i = 0; i < again->plan->n_steps; i++) {
			const RigPlanStep *a = &file->plan->steps[i], *b = &again->plan->steps[i];

			g_assert_cmpuint(a->side, ==, b->side);
			g_assert_cmpuint(a->block, ==, b->block);
			g_assert_cmpuint(a->value, ==, b->value);
			g_assert_cmpuint(b->order, ==, i);
		}
		g_assert_cmpstr(rig_planfile_method(again), ==, "paired");
		g_assert_cmpuint(again->looks, ==, 2);
	}
}

static void test_ids_differ(void)
{
	g_autoptr(RigPlanFile) a = make(1, FALSE, 0);
	g_autoptr(RigPlanFile) b = make(1, FALSE, 0);

	g_assert_cmpstr(a->id, !=, b->id);
}

/* One replacement in a good file must be refused, and say WHY. */
static void refuse(const char *from, const char *to, const char *why)
{
	g_autoptr(RigPlanFile) file = make(2, TRUE, 0);
	g_autofree char *text = rig_planfile_to_json(file);
	g_auto(GStrv) parts = g_strsplit(text, from, 2);
	g_autofree char *bad = NULL;
	g_autoptr(GError) error = NULL;

	if (!parts[1])
		g_error("\"%s\" is not in the plan", from);
	bad = g_strconcat(parts[0], to, parts[1], NULL);
	g_assert_null(rig_planfile_parse("plan.json", bad, &error));
	g_assert_error(error, RIG_ERROR, RIG_ERROR_USAGE);
	g_assert_true(g_str_has_prefix(error->message, "plan.json"));
	if (!strstr(error->message, why))
		g_error("\"%s\" is not in: %s", why, error->message);
}

static void test_bad_files(void)
{
	refuse("\"version\": 1", "\"version\": 2", "version");
	refuse("\"rig-plan\"", "\"rig-run\"", "format");
	refuse("\"looks\": 0", "\"look\": 0", "look");
	refuse("\"looks\": 0", "\"looks\": -1", "looks");
	refuse("\"method\": \"paired\"", "\"method\": \"best\"", "method");
	refuse("\"blocks\": 2", "\"blocks\": 3", "8 steps");
	refuse("\"blocks\": 2", "\"blocks\": 100000", "blocks");
	refuse("\"seed\": 7", "\"seed\": -7", "seed");
	refuse("\"side\": \"base\"", "\"side\": \"head\"", "twice");
	refuse("\"side\": \"base\"", "\"side\": \"hat\"", "hat");
	refuse("\"value\": \"50%\"", "\"value\": \"51%\"", "51%");
	refuse("\"50%\"", "\"1\"", "twice");
	refuse("\"50%\"", "\"5,0\"", "comma");
	refuse("\"name\": \"head\"", "\"name\": \"base\"", "two sides");
	refuse(DIGEST_A, "abc", "SHA-256");
	refuse("\"aa\": false", "\"aa\": 1", "aa");
	refuse("\"cell_cpus\": 2", "\"cell_cpus\": 0", "cell_cpus");
	refuse("\"id\": \"", "\"id\": \"../", "id");
}

static void test_sweep_order(void)
{
	g_autoptr(RigPlan) plan = rig_plan_make_sweep(2, 4, 3, 11);
	g_autoptr(RigPlan) second = rig_plan_make(2, 4, 12);

	g_assert_cmpuint(plan->n_steps, ==, 24);
	for (guint i = 0; i < plan->n_steps; i++) {
		const RigPlanStep *step = &plan->steps[i];

		g_assert_cmpuint(step->order, ==, i);
		g_assert_cmpuint(step->block, ==, i / 6);
		g_assert_cmpuint(step->value, ==, i / 2 % 3);
		if (step->value == 1)
			g_assert_cmpuint(step->side, ==,
					 second->steps[step->block * 2 + step->slot].side);
	}
}

static void test_extend(void)
{
	g_autoptr(RigPlan) plan = rig_plan_make_sweep(2, 4, 2, 5);
	g_autoptr(RigPlan) before = rig_plan_make_sweep(2, 4, 2, 5);
	guint first = 0;

	rig_plan_extend(plan, 10);
	g_assert_cmpuint(plan->n_blocks, ==, 10);
	g_assert_cmpuint(plan->n_steps, ==, 40);
	g_assert_cmpint(memcmp(plan->steps, before->steps, 16 * sizeof(RigPlanStep)), ==, 0);
	for (guint i = 16; i < 40; i++) {
		g_assert_cmpuint(plan->steps[i].order, ==, i);
		g_assert_cmpuint(plan->steps[i].block, ==, i / 4);
		first += plan->steps[i].slot == 0 && plan->steps[i].side == 0;
	}
	g_assert_cmpuint(first, ==, 6); /* of 12 new blocks, as balanced as the old ones */
}

/* The store of plans. */

static void test_begun_plan_stays(void)
{
	g_autoptr(GError) error = NULL;
	g_autofree char *state = g_dir_make_tmp("rig-plans-XXXXXX", NULL);
	g_autoptr(RigPlanFile) file = make(2, FALSE, 0);
	g_autoptr(RigPlanFile) loaded = NULL;

	g_assert_true(rig_planstore_begin(state, file, &error));
	g_assert_true(rig_planstore_begin(state, file, &error)); /* again is no change */
	g_assert_no_error(error);
	loaded = rig_planstore_load(state, file->id, &error);
	g_assert_no_error(error);

	g_assert_false(rig_planstore_extend(loaded, 4, &error));
	g_assert_error(error, RIG_ERROR, RIG_ERROR_USAGE);
	g_assert_nonnull(strstr(error->message, "no looks"));
	g_clear_error(&error);
	g_assert_false(rig_planstore_extend(loaded, 1, &error));
	g_clear_error(&error);

	/* By an editor instead. */
	rig_plan_extend(loaded->plan, 4);
	g_assert_false(rig_planstore_begin(state, loaded, &error));
	g_assert_nonnull(strstr(error->message, "no looks"));
	g_clear_error(&error);
	rig_plan_free(loaded->plan);
	loaded->plan = rig_plan_make_sweep(2, 2, 1, 8);
	g_assert_false(rig_planstore_begin(state, loaded, &error));
	g_assert_nonnull(strstr(error->message, "differs"));
	g_assert_true(rig_file_remove_tree(state, NULL));
}

static void test_plan_with_looks_grows(void)
{
	g_autoptr(GError) error = NULL;
	g_autofree char *state = g_dir_make_tmp("rig-plans-XXXXXX", NULL);
	g_autoptr(RigPlanFile) file = make(2, FALSE, 1);
	g_autoptr(RigPlanFile) loaded = NULL;

	g_assert_true(rig_planstore_begin(state, file, &error));
	g_assert_true(rig_planstore_extend(file, 5, &error));
	g_assert_true(rig_planstore_begin(state, file, &error));
	g_assert_no_error(error);
	loaded = rig_planstore_load(state, file->id, &error);
	g_assert_cmpuint(loaded->plan->n_blocks, ==, 5);
	/* More blocks are all that may change. */
	g_assert_true(rig_planstore_extend(file, 6, &error));
	g_free(file->settings[0]);
	file->settings[0] = g_strdup("runtime=2");
	g_assert_false(rig_planstore_begin(state, file, &error));
	g_assert_error(error, RIG_ERROR, RIG_ERROR_USAGE);
	g_assert_true(rig_file_remove_tree(state, NULL));
}

static void write_step(const char *results, const RigPlanFile *file, const char *id, guint step,
		       RigOutcome outcome)
{
	g_autoptr(RigRecord) record = recordfix_new("v6.1", 100);
	g_autofree char *number = g_strdup_printf("%u", step);
	g_autoptr(GError) error = NULL;

	record->outcome = outcome;
	record->started = file->created;
	rig_record_manifest(record, "plan.id", id);
	rig_record_manifest(record, "plan.step", number);
	g_assert_true(rig_store_write(results, record, NULL, &error));
	g_assert_no_error(error);
}

static void test_done(void)
{
	g_autoptr(GError) error = NULL;
	g_autofree char *state = g_dir_make_tmp("rig-plans-XXXXXX", NULL);
	g_autofree char *results = g_build_filename(state, "results", NULL);
	g_autoptr(RigPlanFile) file = make(2, FALSE, 0);
	g_autoptr(RigPlanFile) found = NULL;
	g_autofree gboolean *done = NULL;
	g_autoptr(GPtrArray) records = NULL;
	guint n;

	done = rig_planstore_done(results, file, &n, &error);
	g_assert_no_error(error);
	g_assert_cmpuint(n, ==, 0);
	g_assert_true(rig_planstore_begin(state, file, &error));
	write_step(results, file, file->id, 2, RIG_OUTCOME_OK);
	write_step(results, file, file->id, 0, RIG_OUTCOME_PANIC); /* done, though it failed */
	write_step(results, file, file->id, 99, RIG_OUTCOME_OK);   /* no such step */
	write_step(results, file, "0123456789abcdef", 1, RIG_OUTCOME_OK);
	g_free(done);
	done = rig_planstore_done(results, file, &n, &error);
	g_assert_no_error(error);
	g_assert_cmpuint(n, ==, 2);
	g_assert_true(done[0] && !done[1] && done[2] && !done[3]);
	records = rig_planstore_records(results, file, &error);
	g_assert_cmpuint(records->len, ==, 2);
	g_assert_cmpint(((RigRecord *)records->pdata[0])->outcome, ==, RIG_OUTCOME_PANIC);

	found = rig_planstore_unfinished(state, results, FALSE, &error);
	g_assert_no_error(error);
	g_assert_cmpstr(found->id, ==, file->id);
	g_assert_null(rig_planstore_unfinished(state, results, TRUE, &error));
	g_assert_error(error, RIG_ERROR, RIG_ERROR_USAGE);
	g_clear_error(&error);
	write_step(results, file, file->id, 1, RIG_OUTCOME_OK);
	write_step(results, file, file->id, 3, RIG_OUTCOME_OK);
	g_assert_null(rig_planstore_unfinished(state, results, FALSE, &error));
	g_assert_error(error, RIG_ERROR, RIG_ERROR_USAGE);
	g_assert_true(rig_file_remove_tree(state, NULL));
}

static void test_unknown(void)
{
	g_autoptr(GError) error = NULL;
	g_autofree char *state = g_dir_make_tmp("rig-plans-XXXXXX", NULL);
	g_autoptr(RigPlanFile) file = make(1, FALSE, 0);

	g_assert_true(rig_planstore_save(state, file, &error));
	g_assert_null(rig_planstore_load(state, "../plans/x", &error));
	g_assert_error(error, RIG_ERROR, RIG_ERROR_USAGE);
	g_clear_error(&error);
	g_assert_null(rig_planstore_load(state, "0000000000000000", &error));
	g_assert_error(error, RIG_ERROR, RIG_ERROR_USAGE);
	g_assert_nonnull(strstr(error->message, file->id));
	g_assert_true(rig_file_remove_tree(state, NULL));
}

static void test_digest(void)
{
	g_autoptr(RigPlanFile) file = make(1, FALSE, 0);
	g_autoptr(GError) error = NULL;

	g_assert_true(rig_planfile_check_digest(file, "kernel", "k", DIGEST_A, DIGEST_A, &error));
	g_assert_true(rig_planfile_check_digest(file, "modules", "k", NULL, NULL, &error));
	g_assert_false(rig_planfile_check_digest(file, "kernel", "k", DIGEST_A, DIGEST_B, &error));
	g_assert_nonnull(strstr(error->message, "kernel k is not what it was"));
	g_clear_error(&error);
	g_assert_false(rig_planfile_check_digest(file, "kernel", "k", DIGEST_A, NULL, &error));
}

int main(int argc, char **argv)
{
	g_test_init(&argc, &argv, NULL);
	g_test_add_func("/planfile/round-trip", test_round_trip);
	g_test_add_func("/planfile/ids-differ", test_ids_differ);
	g_test_add_func("/planfile/bad-files", test_bad_files);
	g_test_add_func("/planfile/sweep-order", test_sweep_order);
	g_test_add_func("/planfile/extend", test_extend);
	g_test_add_func("/planfile/begun-stays", test_begun_plan_stays);
	g_test_add_func("/planfile/looks-grow", test_plan_with_looks_grows);
	g_test_add_func("/planfile/done", test_done);
	g_test_add_func("/planfile/unknown", test_unknown);
	g_test_add_func("/planfile/digest", test_digest);
	return g_test_run();
}
