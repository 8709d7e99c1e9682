/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * test-sweep.c - a comparison over the values of a parameter: which records, which order, one
 * table.
 */
#include <math.h>
#include <string.h>

#include "base/error.h"
#include "base/file.h"
#include "report-records.h"
#include "report/sweep.h"

static const char *const names[] = {"base", "head"};

typedef struct {
	const char *plan; /* NULL: of none */
	const char *tasks, *unit;
	double change; /* head's throughput against base's, percent */
	guint blocks;
} Value;

static RigRecord *make(const Value *value, guint block, gboolean head, gint64 started)
{
	RecordSpec spec = {
		head ? "v6.12" : "v6.1",
		names[head],
		head ? "6.12" : "6.1",
		'A',
		RIG_OUTCOME_OK,
		(500000 + 100 * (block * 7 % 5)) * (head ? 1 + value->change / 100 : 1),
		1000,
		started,
	};
	RigRecord *record = record_make(&spec);
	g_autofree char *number = g_strdup_printf("%u", block);
	g_autofree char *blocks = g_strdup_printf("%u", value->blocks);

	g_free(record->params);
	record->params = g_strdup_printf("20-%s-%s", value->tasks, value->unit);
	rig_record_manifest(record, "param.tasks", value->tasks);
	rig_record_manifest(record, "param.unit", value->unit);
	rig_record_manifest(record, "plan.block", number);
	rig_record_manifest(record, "plan.blocks", blocks);
	if (value->plan) {
		rig_record_manifest(record, "plan.id", value->plan);
		rig_record_manifest(record, "plan.sweep", "tasks");
		rig_record_manifest(record, "plan.value", value->tasks);
	}
	return record;
}

static void store(const char *root, const Value *value, gint64 *clock)
{
	for (guint i = 0; i < 2 * value->blocks; i++) {
		g_autoptr(RigRecord) record = make(value, i / 2, i & 1, (*clock)++);
		g_autoptr(GError) error = NULL;

		g_assert_true(rig_store_write(root, record, NULL, &error));
		g_assert_no_error(error);
	}
}

static RigSides *latest(const char *root)
{
	RigSelection selection = {0};
	g_autoptr(GError) error = NULL;
	RigSides *sides = rig_select_sides(root, names, 2, &selection, NULL, &error);

	g_assert_no_error(error);
	return sides;
}

static const char *value_at(const RigSweep *sweep, guint i)
{
	return ((RigSweepPoint *)g_ptr_array_index(sweep->points, i))->value;
}

static const RigStatMetric *primary_at(const RigSweep *sweep, guint i)
{
	const RigSweepPoint *point = g_ptr_array_index(sweep->points, i);

	return g_ptr_array_index(point->stats[0]->metrics, 0);
}

static void test_planned(void)
{
	static const Value values[] = {
		{"aaaa", "100%", "50%", -5, 6},	 {"aaaa", "16", "50%", 0, 6},
		{"aaaa", "2", "50%", 3, 6},	 {"bbbb", "4", "50%", 9, 6},
		{"aaaa", "50%", "50%", 0.01, 6},
	};
	g_autofree char *root = g_dir_make_tmp("rig-sweep-XXXXXX", NULL);
	g_autoptr(GError) error = NULL;
	g_autoptr(RigSides) sides = NULL;
	g_autoptr(RigSweep) sweep = NULL;
	g_autofree char *text = NULL;
	g_auto(GStrv) lines = NULL;
	gboolean regression;
	gint64 clock = 1000;

	for (guint i = 0; i < G_N_ELEMENTS(values); i++)
		store(root, &values[i], &clock);
	sides = latest(root);
	sweep = rig_sweep_find(root, names, 2, sides, NULL, &error);
	g_assert_no_error(error);
	g_assert_nonnull(sweep);
	g_assert_cmpuint(sweep->points->len, ==, 4); /* not that of the other plan */
	g_assert_cmpstr(value_at(sweep, 0), ==, "2");
	g_assert_cmpstr(value_at(sweep, 1), ==, "16");
	g_assert_cmpstr(value_at(sweep, 2), ==, "50%");
	g_assert_cmpstr(value_at(sweep, 3), ==, "100%");
	g_assert_cmpfloat_with_epsilon(primary_at(sweep, 0)->change, 3, 1e-9);
	g_assert_cmpfloat_with_epsilon(primary_at(sweep, 3)->change, -5, 1e-9);
	g_assert_cmpint(primary_at(sweep, 3)->verdict.kind, ==, RIG_VERDICT_CHANGED);
	g_assert_cmpint(primary_at(sweep, 1)->verdict.kind, ==, RIG_VERDICT_EQUIVALENT);
	g_assert_cmpint(rig_sweep_overall(sweep, &regression), ==, RIG_VERDICT_CHANGED);
	g_assert_true(regression);

	text = rig_sweep_render(sweep, 0);
	g_assert_nonnull(strstr(text, "vm-scalability.throughput (KB/s)"));
	g_assert_nonnull(strstr(text, "-5.0%"));
	g_assert_nonnull(strstr(text, "+3.0%"));
	g_assert_nonnull(strstr(text, "worse"));
	g_assert_nonnull(strstr(text, "equivalent"));
	g_assert_null(strstr(text, "rig.copy_time")); /* no primary */
	lines = g_strsplit(text, "\n", -1);
	for (char **line = lines; *line; line++)
		g_assert_cmpint(g_utf8_strlen(*line, -1), <=, 80);
	g_assert_true(rig_file_remove_tree(root, NULL));
}

/* Without a plan: by name, other parameters alike. */
static void test_by_name(void)
{
	static const Value values[] = {
		{NULL, "1", "50%", 1, 3},
		{NULL, "2", "25%", 2, 3}, /* another unit */
		{NULL, "4", "50%", 4, 3},
	};
	g_autofree char *root = g_dir_make_tmp("rig-sweep-XXXXXX", NULL);
	g_autoptr(GError) error = NULL;
	g_autoptr(RigSides) sides = NULL;
	g_autoptr(RigSweep) sweep = NULL;
	gint64 clock = 1000;

	for (guint i = 0; i < G_N_ELEMENTS(values); i++)
		store(root, &values[i], &clock);
	sides = latest(root);
	g_assert_null(rig_sweep_find(root, names, 2, sides, NULL, &error));
	g_assert_no_error(error);
	sweep = rig_sweep_find(root, names, 2, sides, "tasks", &error);
	g_assert_no_error(error);
	g_assert_cmpuint(sweep->points->len, ==, 2);
	g_assert_cmpstr(value_at(sweep, 1), ==, "4");

	g_assert_null(rig_sweep_find(root, names, 2, sides, "unit", &error));
	g_assert_error(error, RIG_ERROR, RIG_ERROR_USAGE);
	g_clear_error(&error);
	g_assert_null(rig_sweep_find(root, names, 2, sides, "no-such", &error));
	g_assert_error(error, RIG_ERROR, RIG_ERROR_USAGE);
	g_assert_nonnull(strstr(error->message, "no-such"));
	g_assert_true(rig_file_remove_tree(root, NULL));
}

/* A plan that was interrupted before head ran at one of the values. */
static void test_half_a_value(void)
{
	static const Value whole[] = {{"aaaa", "1", "50%", 1, 3}, {"aaaa", "2", "50%", 2, 3}};
	static const Value half = {"aaaa", "8", "50%", 0, 3};
	g_autofree char *root = g_dir_make_tmp("rig-sweep-XXXXXX", NULL);
	g_autoptr(GError) error = NULL;
	g_autoptr(RigRecord) alone = make(&half, 0, FALSE, 900);
	g_autoptr(RigSides) sides = NULL;
	g_autoptr(RigSweep) sweep = NULL;
	g_autoptr(RigJsonWriter) writer = NULL;
	g_autofree char *json = NULL;
	gint64 clock = 1000;

	store(root, &whole[0], &clock);
	store(root, &whole[1], &clock);
	g_assert_true(rig_store_write(root, alone, NULL, &error));
	sides = latest(root);
	sweep = rig_sweep_find(root, names, 2, sides, NULL, &error);
	g_assert_no_error(error);
	g_assert_cmpuint(sweep->points->len, ==, 2);
	writer = rig_sweep_json(sweep);
	json = rig_json_writer_text(writer, FALSE);
	g_assert_nonnull(strstr(json, "\"rig-sweep\""));
	g_assert_nonnull(strstr(json, "\"value\":\"2\""));
	g_assert_true(rig_file_remove_tree(root, NULL));
}

int main(int argc, char **argv)
{
	g_test_init(&argc, &argv, NULL);
	g_test_add_func("/sweep/planned", test_planned);
	g_test_add_func("/sweep/by-name", test_by_name);
	g_test_add_func("/sweep/half-a-value", test_half_a_value);
	return g_test_run();
}
