/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * test-statcompare.c - from records to verdicts: the plan, failed runs, classes, counters.
 */
#include "report/statcompare.h"

#include <math.h>
#include <string.h>

#include "report-records.h"

typedef struct {
	RigSides *sides;
	RigStatCompare *stats;
} Result;

static void result_clear(Result *result)
{
	rig_statcompare_free(result->stats);
	rig_sides_free(result->sides);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(Result, result_clear)

static void manifest_number(RigRecord *record, const char *key, guint value)
{
	g_autofree char *text = g_strdup_printf("%u", value);

	rig_record_manifest(record, key, text);
}

/* N runs, one a block of a plan of BLOCKS (0: no plan). In each block the machine is another one:
 * a tenth faster with each, which both sides share. */
static GPtrArray *side_make(char class, double level, guint n, guint blocks)
{
	GPtrArray *records = g_ptr_array_new_with_free_func((GDestroyNotify)rig_record_free);

	for (guint i = 0; i < n; i++) {
		double wobble = 1 + 0.002 * ((2 * i + (level < 500000 ? 2 * i + 1 : 0)) % 5);
		RecordSpec spec = {
			"k",
			"side",
			"6.1",
			class,
			RIG_OUTCOME_OK,
			level * (1 + 0.1 * i) * wobble,
			level * 10 * wobble,
			1000 + i,
		};
		RigRecord *record = record_make(&spec);

		if (blocks) {
			manifest_number(record, "plan.blocks", blocks);
			manifest_number(record, "plan.block", i);
		}
		g_ptr_array_add(records, record);
	}
	return records;
}

static void fail_run(const GPtrArray *records, guint i)
{
	RigRecord *record = records->pdata[i];

	record->outcome = RIG_OUTCOME_PANIC;
	rig_metrics_free(record->metrics);
	record->metrics = rig_metrics_new();
}

static Result compare(GPtrArray *base, GPtrArray *head)
{
	Result result = {.sides = rig_sides_new()};

	rig_sides_add_records(result.sides, "base", base);
	rig_sides_add_records(result.sides, "head", head);
	rig_sides_add_outcomes(result.sides);
	result.stats = rig_statcompare_new(result.sides, 1, NULL);
	g_ptr_array_unref(base);
	g_ptr_array_unref(head);
	return result;
}

static const RigStatMetric *throughput(const Result *result)
{
	const RigStatMetric *m = g_ptr_array_index(result->stats->metrics, 0);

	g_assert_cmpstr(m->info->name, ==, "vm-scalability.throughput");
	return m;
}

/* Pairs see through what blocks have in common. */
static void test_paired(void)
{
	g_auto(Result) r = compare(side_make('A', 500000, 6, 6), side_make('A', 450000, 6, 6));
	const RigStatMetric *m = throughput(&r);
	gboolean regression;

	g_assert_cmpint(r.stats->plan->method, ==, RIG_STAT_PAIRED);
	g_assert_cmpstr(r.stats->plan->why, ==, "paired over 6 of 6 blocks");
	g_assert_cmpuint(m->test.n_base, ==, 6);
	g_assert_cmpfloat(m->test.df, ==, 5);
	g_assert_cmpfloat_with_epsilon(m->change, -10, 0.5);
	g_assert_cmpfloat_with_epsilon(m->ratio, 0.9, 0.005);
	g_assert_true(m->ratio95.lo < m->ratio && m->ratio < m->ratio95.hi);
	g_assert_cmpfloat_with_epsilon(m->rank.p, 2 / 64.0, 1e-12);
	g_assert_cmpfloat_with_epsilon(m->shift, -10, 0.5);
	g_assert_cmpfloat(m->p_holm, ==, m->test.p);
	g_assert_cmpint(m->verdict.kind, ==, RIG_VERDICT_CHANGED);
	g_assert_cmpstr(m->verdict.word, ==, "worse");
	g_assert_cmpfloat(m->detectable, >, 0);
	g_assert_cmpfloat(m->detectable, <, 5);
	g_assert_cmpint(rig_statcompare_overall(r.stats, &regression), ==, RIG_VERDICT_CHANGED);
	g_assert_true(regression);
}

/* Without a plan the spread over blocks hides the same change. */
static void test_welch_without_plan(void)
{
	g_auto(Result) r = compare(side_make('A', 500000, 6, 0), side_make('A', 450000, 6, 0));
	const RigStatMetric *m = throughput(&r);
	gboolean regression;

	g_assert_cmpint(r.stats->plan->method, ==, RIG_STAT_WELCH);
	g_assert_nonnull(strstr(r.stats->plan->why, "no plan"));
	g_assert_cmpint(m->verdict.kind, ==, RIG_VERDICT_INCONCLUSIVE);
	g_assert_cmpuint(m->n_needed, >, 6);
	g_assert_false(r.stats->plan->early);
	g_assert_cmpint(rig_statcompare_overall(r.stats, &regression), ==,
			RIG_VERDICT_INCONCLUSIVE);
	g_assert_false(regression);
}

static void test_few_blocks(void)
{
	g_auto(Result) r = compare(side_make('A', 500000, 5, 5), side_make('A', 450000, 5, 5));

	g_assert_cmpint(r.stats->plan->method, ==, RIG_STAT_WELCH);
	g_assert_nonnull(strstr(r.stats->plan->why, "5 blocks"));
}

/* A failed run takes its block out of the pairs, and is counted. */
static void test_failed_run(void)
{
	GPtrArray *base = side_make('A', 500000, 7, 7), *head = side_make('A', 450000, 7, 7);
	g_auto(Result) r = {0};

	fail_run(head, 2);
	r = compare(base, head);
	g_assert_cmpint(r.stats->plan->method, ==, RIG_STAT_PAIRED);
	g_assert_cmpuint(throughput(&r)->test.n_base, ==, 6);
	g_assert_cmpuint(r.stats->plan->n_dropped, ==, 1);
	g_assert_cmpuint(r.stats->plan->notes->len, ==, 1);
	g_assert_cmpuint(r.stats->failures.head_fails, ==, 1);
	g_assert_cmpuint(r.stats->failures.head_runs, ==, 7);
	g_assert_cmpfloat_with_epsilon(r.stats->failures.p, 1, 1e-12);
	g_assert_false(r.stats->plan->early);
	/* Failures have Fisher's test; they are no counters. */
	for (guint i = 0; i < r.stats->counters->len; i++) {
		const RigStatCounter *c = g_ptr_array_index(r.stats->counters, i);

		g_assert_false(g_str_has_prefix(c->info->name, "last_state."));
	}
}

static void test_too_many_failed(void)
{
	GPtrArray *base = side_make('A', 500000, 6, 6), *head = side_make('A', 450000, 6, 6);
	g_auto(Result) r = {0};

	fail_run(base, 0);
	r = compare(base, head);
	g_assert_cmpint(r.stats->plan->method, ==, RIG_STAT_WELCH);
	g_assert_nonnull(strstr(r.stats->plan->why, "only 5 of 6 blocks"));
	g_assert_cmpuint(throughput(&r)->test.n_base, ==, 5);
	g_assert_cmpuint(throughput(&r)->test.n_head, ==, 6);
}

static void test_all_failed(void)
{
	GPtrArray *base = side_make('A', 500000, 5, 5), *head = side_make('A', 450000, 5, 5);
	g_auto(Result) r = {0};
	gboolean regression;

	for (guint i = 0; i < 5; i++)
		fail_run(head, i);
	r = compare(base, head);
	g_assert_cmpfloat_with_epsilon(r.stats->failures.p, 0.0079365, 5e-8);
	g_assert_cmpint(throughput(&r)->verdict.kind, ==, RIG_VERDICT_NONE);
	g_assert_cmpint(rig_statcompare_overall(r.stats, &regression), ==, RIG_VERDICT_NONE);
	/* Counters of runs that never ended have not vanished. */
	g_assert_cmpuint(r.stats->vanished->len, ==, 0);
}

/* Looking before the plan is done needs a p below 0.001. */
static void test_unfinished_plan(void)
{
	g_auto(Result) r = compare(side_make('A', 500000, 6, 12), side_make('A', 498000, 6, 12));

	g_assert_true(r.stats->plan->early);
	g_assert_cmpint(r.stats->plan->method, ==, RIG_STAT_PAIRED);
	g_assert_nonnull(strstr(r.stats->plan->notes->pdata[0], "6 of 12 blocks"));
	g_assert_cmpfloat(throughput(&r)->test.p, >, 0.001);
	g_assert_cmpint(throughput(&r)->verdict.kind, ==, RIG_VERDICT_INCONCLUSIVE);
}

/* Runs that were added later make several plans, and their blocks are told apart. */
static void test_two_plans(void)
{
	GPtrArray *base = side_make('A', 500000, 12, 6), *head = side_make('A', 450000, 12, 6);
	g_auto(Result) r = {0};

	for (guint i = 6; i < 12; i++) {
		rig_record_manifest(base->pdata[i], "plan.seed", "43");
		rig_record_manifest(head->pdata[i], "plan.seed", "43");
		manifest_number(base->pdata[i], "plan.block", i - 6);
		manifest_number(head->pdata[i], "plan.block", i - 6);
	}
	r = compare(base, head);
	g_assert_cmpint(r.stats->plan->method, ==, RIG_STAT_PAIRED);
	g_assert_cmpuint(throughput(&r)->test.n_base, ==, 12);
	g_assert_nonnull(strstr(r.stats->plan->pooled, "the runs are of 2 plans"));
}

/* A plan with looks that got more blocks: its first runs still name the old number. */
static void test_plan_that_grew(void)
{
	GPtrArray *base = side_make('A', 500000, 8, 12), *head = side_make('A', 498000, 8, 12);
	g_auto(Result) r = {0};

	for (guint i = 0; i < 6; i++) {
		manifest_number(base->pdata[i], "plan.blocks", 6);
		manifest_number(head->pdata[i], "plan.blocks", 6);
		rig_record_manifest(base->pdata[i], "plan.looks", "1");
	}
	r = compare(base, head);
	g_assert_true(r.stats->plan->early);
	g_assert_cmpuint(r.stats->plan->notes->len, ==, 1);
	g_assert_nonnull(strstr(r.stats->plan->notes->pdata[0], "a look before the end"));
	g_assert_nonnull(strstr(r.stats->plan->notes->pdata[0], "8 of 12 blocks"));
}

/* The same seed twice: nobody can tell which runs were beside each other. */
static void test_block_twice(void)
{
	GPtrArray *base = side_make('A', 500000, 7, 6), *head = side_make('A', 450000, 6, 6);
	g_auto(Result) r = {0};

	manifest_number(base->pdata[6], "plan.block", 0);
	r = compare(base, head);
	g_assert_cmpint(r.stats->plan->method, ==, RIG_STAT_WELCH);
	g_assert_nonnull(strstr(r.stats->plan->why, "several good runs"));
}

static void test_plan_names_method(void)
{
	GPtrArray *base = side_make('A', 500000, 6, 6), *head = side_make('A', 450000, 6, 6);
	g_auto(Result) r = {0};

	for (guint i = 0; i < 6; i++) {
		rig_record_manifest(base->pdata[i], "plan.method", "welch");
		rig_record_manifest(head->pdata[i], "plan.method", "welch");
	}
	r = compare(base, head);
	g_assert_cmpint(r.stats->plan->method, ==, RIG_STAT_WELCH);
	g_assert_cmpstr(rig_stat_method_name(r.stats->plan->method), ==, "welch");
}

static void test_emulated(void)
{
	g_auto(Result) r = compare(side_make('C', 500000, 6, 6), side_make('C', 250000, 6, 6));
	gboolean regression;

	g_assert_cmpint(throughput(&r)->verdict.kind, ==, RIG_VERDICT_NOT_JUDGED);
	g_assert_true(isnan(throughput(&r)->p_holm));
	g_assert_cmpfloat_with_epsilon(throughput(&r)->change, -50, 1);
	g_assert_cmpint(rig_statcompare_overall(r.stats, &regression), ==, RIG_VERDICT_NOT_JUDGED);
	g_assert_false(regression);
	/* Counters are events, which are judged everywhere. */
	g_assert_cmpuint(r.stats->found->len, >, 0);
}

static void test_class_of_both(void)
{
	g_auto(Result) kvm = compare(side_make('A', 500000, 6, 6), side_make('B', 450000, 6, 6));
	g_auto(Result) mixed = compare(side_make('A', 500000, 6, 6), side_make('C', 450000, 6, 6));

	g_assert_cmpint(kvm.stats->class, ==, 'B');
	g_assert_nonnull(strstr(throughput(&kvm)->verdict.reason, "class B"));
	g_assert_cmpint(mixed.stats->class, ==, '?');
	g_assert_cmpint(throughput(&mixed)->verdict.kind, ==, RIG_VERDICT_NOT_JUDGED);
}

static const RigStatCounter *find_counter(const GPtrArray *counters, const char *name)
{
	for (guint i = 0; i < counters->len; i++) {
		const RigStatCounter *c = g_ptr_array_index(counters, i);

		if (g_str_equal(c->info->name, name))
			return c;
	}
	return NULL;
}

static void test_counters(void)
{
	GPtrArray *base = side_make('A', 500000, 6, 6), *head = side_make('A', 250000, 6, 6);
	g_auto(Result) r = {0};
	const RigStatCounter *c;

	for (guint i = 0; i < 6; i++) {
		rig_metrics_set(((RigRecord *)head->pdata[i])->metrics, "proc-vmstat.new", 40 + i);
		rig_metrics_set(((RigRecord *)base->pdata[i])->metrics, "proc-vmstat.old", 40 + i);
		rig_metrics_set(((RigRecord *)head->pdata[i])->metrics, "proc-vmstat.old", 0);
	}
	r = compare(base, head);
	c = find_counter(r.stats->found, "proc-vmstat.numa_hint_faults");
	g_assert_nonnull(c);
	g_assert_cmpstr(c->word, ==, "less");
	g_assert_cmpfloat_with_epsilon(c->change, -50, 1);
	g_assert_cmpfloat_with_epsilon(c->log_ratio, log(0.5), 0.02);
	g_assert_cmpfloat(c->row->q, >=, c->row->p);
	g_assert_nonnull(find_counter(r.stats->appeared, "proc-vmstat.new"));
	g_assert_cmpstr(find_counter(r.stats->appeared, "proc-vmstat.new")->word, ==, "more");
	g_assert_nonnull(find_counter(r.stats->vanished, "proc-vmstat.old"));
	g_assert_cmpstr(find_counter(r.stats->vanished, "proc-vmstat.old")->word, ==, "less");
	c = find_counter(r.stats->counters, "meminfo.MemFree");
	g_assert_cmpint(c->row->status, ==, RIG_SCREEN_CONSTANT);
	g_assert_null(c->word);
	c = find_counter(r.stats->counters, "locality.hint_faults_local%");
	g_assert_cmpint(c->scale, ==, RIG_SCALE_POINTS);
	g_assert_true(isnan(c->log_ratio));
	g_assert_null(find_counter(r.stats->counters, "vm-scalability.throughput"));
	for (guint i = 1; i < r.stats->found->len; i++)
		g_assert_cmpfloat(((RigStatCounter *)r.stats->found->pdata[i - 1])->row->p, <=,
				  ((RigStatCounter *)r.stats->found->pdata[i])->row->p);
}

/* A rate of zero has no ratio; ranks still say that it is less. */
static void test_zero_rate(void)
{
	GPtrArray *base = side_make('A', 500000, 5, 5), *head = side_make('A', 450000, 5, 5);
	g_auto(Result) r = {0};

	for (guint i = 0; i < 5; i++)
		rig_metrics_set(((RigRecord *)head->pdata[i])->metrics, "vm-scalability.throughput",
				0);
	r = compare(base, head);
	g_assert_cmpint(throughput(&r)->verdict.kind, ==, RIG_VERDICT_NONE);
	g_assert_nonnull(strstr(throughput(&r)->verdict.reason, "zero"));
	g_assert_true(isnan(throughput(&r)->change));
	g_assert_cmpfloat_with_epsilon(throughput(&r)->rank.p, 0.0079365, 5e-8);
}

static void test_margins(void)
{
	g_autoptr(RigSides) sides = rig_sides_new();
	g_autoptr(GPtrArray) base = side_make('A', 500000, 6, 6);
	g_autoptr(GPtrArray) head = side_make('A', 500000, 6, 6);
	g_autoptr(GHashTable) margins = g_hash_table_new(g_str_hash, g_str_equal);
	g_autoptr(RigStatCompare) stats = NULL;
	double own = 3;
	RigStatOptions options = {.margin = 2, .margins = margins};

	g_hash_table_insert(margins, (gpointer) "rig.copy_time", &own);
	rig_sides_add_records(sides, "base", base);
	rig_sides_add_records(sides, "head", head);
	stats = rig_statcompare_new(sides, 1, &options);
	g_assert_cmpfloat(((RigStatMetric *)stats->metrics->pdata[0])->margin, ==, 2);
	g_assert_cmpfloat(((RigStatMetric *)stats->metrics->pdata[1])->margin, ==, 3);
	g_assert_cmpint(((RigStatMetric *)stats->metrics->pdata[0])->verdict.kind, ==,
			RIG_VERDICT_EQUIVALENT);
}

int main(int argc, char **argv)
{
	g_test_init(&argc, &argv, NULL);
	g_test_add_func("/statcompare/paired", test_paired);
	g_test_add_func("/statcompare/welch-without-plan", test_welch_without_plan);
	g_test_add_func("/statcompare/few-blocks", test_few_blocks);
	g_test_add_func("/statcompare/failed-run", test_failed_run);
	g_test_add_func("/statcompare/too-many-failed", test_too_many_failed);
	g_test_add_func("/statcompare/all-failed", test_all_failed);
	g_test_add_func("/statcompare/unfinished-plan", test_unfinished_plan);
	g_test_add_func("/statcompare/two-plans", test_two_plans);
	g_test_add_func("/statcompare/plan-that-grew", test_plan_that_grew);
	g_test_add_func("/statcompare/block-twice", test_block_twice);
	g_test_add_func("/statcompare/plan-names-method", test_plan_names_method);
	g_test_add_func("/statcompare/emulated", test_emulated);
	g_test_add_func("/statcompare/class-of-both", test_class_of_both);
	g_test_add_func("/statcompare/counters", test_counters);
	g_test_add_func("/statcompare/zero-rate", test_zero_rate);
	g_test_add_func("/statcompare/margins", test_margins);
	return g_test_run();
}
