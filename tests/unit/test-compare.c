/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * test-compare.c - means, spreads and changes; which records are chosen; the JSON against its
 * schema.
 */
#include "report/compare.h"

#include <math.h>

#include "expect.h"
#include "model/store.h"
#include "report/report-json.h"
#include "report/select.h"
#include "report-records.h"
#include "schema-check.h"

static const RecordSpec base_spec = {
	"6.1-cloud", "base", "6.1.0", 'C', RIG_OUTCOME_OK, 500000, 20000, 1000,
};
static const RecordSpec head_spec = {
	"6.12-cloud", "head", "6.12.0", 'C', RIG_OUTCOME_OK, 450000, 30000, 2000,
};

static void test_summary(void)
{
	static const double values[] = {2, 4, NAN, 4, 4, 5, 5, 7, 9};
	RigSummary s = rig_summary_compute(values, G_N_ELEMENTS(values));

	/* The textbook's example: mean 5, population deviation 2. */
	g_assert_cmpuint(s.n, ==, 8);
	g_assert_cmpfloat(s.mean, ==, 5);
	g_assert_cmpfloat(s.population_sd, ==, 2);
	g_assert_cmpfloat_with_epsilon(s.sd, 2.13808993529939, 1e-12);
	g_assert_cmpfloat_with_epsilon(s.cv, 42.7617987059879, 1e-10);
	g_assert_cmpfloat(s.min, ==, 2);
	g_assert_cmpfloat(s.max, ==, 9);
}

static void test_summary_of_little(void)
{
	static const double one[] = {NAN, -3};
	static const double large[] = {1e15 + 1, 1e15 + 2, 1e15 + 3};
	static const double zeros[] = {0, 0};
	RigSummary s = rig_summary_compute(NULL, 5);

	g_assert_cmpuint(s.n, ==, 0);
	g_assert_true(isnan(s.mean) && isnan(s.sd) && isnan(s.min));
	s = rig_summary_compute(one, 2);
	g_assert_cmpuint(s.n, ==, 1);
	g_assert_cmpfloat(s.mean, ==, -3);
	g_assert_true(isnan(s.sd) && isnan(s.population_sd) && isnan(s.cv));
	s = rig_summary_compute(large, 3);
	g_assert_cmpfloat(s.sd, ==, 1);
	s = rig_summary_compute(zeros, 2);
	g_assert_cmpfloat(s.sd, ==, 0);
	g_assert_true(isnan(s.cv));
}

typedef struct {
	RigSides *sides;
	RigCompare *compare;
} Pair;

static void pair_clear(Pair *pair)
{
	rig_compare_free(pair->compare);
	rig_sides_free(pair->sides);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(Pair, pair_clear)

static Pair pair_make(const GPtrArray *base, const GPtrArray *head)
{
	Pair pair = {.sides = rig_sides_new()};

	rig_sides_add_records(pair.sides, "base", base);
	rig_sides_add_records(pair.sides, "head", head);
	pair.compare = rig_compare_new(pair.sides);
	return pair;
}

static const RigRow *row_of(const RigCompare *compare, const char *name)
{
	for (guint i = 0; i < compare->rows->len; i++) {
		const RigRow *row = g_ptr_array_index(compare->rows, i);

		if (g_str_equal(row->info->name, name))
			return row;
	}
	g_error("there is no row %s", name);
}

static void expect_change(const RigCompare *compare, const char *name, RigChangeKind kind,
			  double value, const char *word)
{
	const RigChange *change = &row_of(compare, name)->changes[1];

	g_assert_cmpint(change->kind, ==, kind);
	if (isnan(value))
		g_assert_true(isnan(change->value));
	else
		g_assert_cmpfloat_with_epsilon(change->value, value, 1e-9);
	g_assert_cmpstr(change->word, ==, word);
}

static void set_metric(const GPtrArray *records, const char *name, double value)
{
	for (guint i = 0; i < records->len; i++)
		rig_metrics_set(((RigRecord *)records->pdata[i])->metrics, name, value);
}

static void test_changes(void)
{
	RecordSpec real_base = base_spec, real_head = head_spec;
	g_autoptr(GPtrArray) base = NULL;
	g_autoptr(GPtrArray) head = NULL;
	g_auto(Pair) pair = {0};

	real_base.class = real_head.class = 'A';
	base = records_make(&real_base, 1);
	head = records_make(&real_head, 1);
	set_metric(base, "c.zero", 0);
	set_metric(head, "c.zero", 5);
	set_metric(base, "c.to_zero", 5);
	set_metric(head, "c.to_zero", 0);
	set_metric(head, "c.appears", 5);
	set_metric(base, "c.vanishes", 5);
	set_metric(base, "c.nothing", 0);
	set_metric(head, "c.nothing", 0);
	set_metric(base, "c.negative", -5);
	set_metric(head, "c.negative", -10);
	set_metric(base, "c.share%", 0);
	set_metric(head, "c.share%", 12.5);
	set_metric(base, "c.hardly", 10000);
	set_metric(head, "c.hardly", 10004);
	set_metric(base, "c.little", 10000);
	set_metric(head, "c.little", 10006);
	pair = pair_make(base, head);
	expect_change(pair.compare, "vm-scalability.throughput", RIG_CHANGE_PERCENT, -10, "worse");
	expect_change(pair.compare, "rig.copy_time", RIG_CHANGE_PERCENT, 100.0 / 9, "worse");
	expect_change(pair.compare, "proc-vmstat.numa_hint_faults", RIG_CHANGE_PERCENT, 50, "more");
	expect_change(pair.compare, "locality.hint_faults_local%", RIG_CHANGE_POINTS, -0.5, "less");
	expect_change(pair.compare, "sched.cross_node_migrations", RIG_CHANGE_PERCENT, 0, NULL);
	expect_change(pair.compare, "c.zero", RIG_CHANGE_NEW, NAN, "more");
	expect_change(pair.compare, "c.to_zero", RIG_CHANGE_GONE, NAN, "less");
	expect_change(pair.compare, "c.appears", RIG_CHANGE_NEW, NAN, NULL);
	expect_change(pair.compare, "c.vanishes", RIG_CHANGE_GONE, NAN, NULL);
	expect_change(pair.compare, "c.nothing", RIG_CHANGE_PERCENT, 0, NULL);
	expect_change(pair.compare, "c.negative", RIG_CHANGE_PERCENT, -100, "less");
	expect_change(pair.compare, "c.share%", RIG_CHANGE_POINTS, 12.5, "more");
	/* What shows as 0.0 has no direction. */
	expect_change(pair.compare, "c.hardly", RIG_CHANGE_PERCENT, 0.04, NULL);
	expect_change(pair.compare, "c.little", RIG_CHANGE_PERCENT, 0.06, "more");
}

static char *json_of(const RigCompare *compare)
{
	g_autoptr(RigJsonWriter) writer = rig_report_json(compare);

	return rig_json_writer_text(writer, FALSE);
}

/* Timings of emulated guests are shown, and are neither better nor worse. */
static void test_emulated(void)
{
	RecordSpec real_base = base_spec, real_head = head_spec;
	g_autoptr(GPtrArray) base = records_make(&base_spec, 3);
	g_autoptr(GPtrArray) head = records_make(&head_spec, 3);
	g_autoptr(GPtrArray) real_bases = NULL;
	g_autoptr(GPtrArray) real_heads = NULL;
	g_auto(Pair) emulated = pair_make(base, head), real = {0};
	g_autofree char *text = json_of(emulated.compare);
	g_autofree char *real_text = NULL;

	g_assert_cmpstr(row_of(emulated.compare, "vm-scalability.throughput")->changes[1].word, ==,
			"less");
	g_assert_cmpstr(row_of(emulated.compare, "rig.copy_time")->changes[1].word, ==, "more");
	g_assert_nonnull(strstr(text, "\"timings_comparable\":false"));
	g_assert_null(strstr(text, "\"worse\""));
	real_base.class = real_head.class = 'A';
	real_bases = records_make(&real_base, 3);
	real_heads = records_make(&real_head, 3);
	real = pair_make(real_bases, real_heads);
	real_text = json_of(real.compare);
	g_assert_nonnull(strstr(real_text, "\"timings_comparable\":true"));
	g_assert_nonnull(strstr(real_text, "\"worse\""));
}

static void test_classes(void)
{
	RecordSpec real = head_spec;
	g_autoptr(GPtrArray) base = records_make(&base_spec, 3);
	g_autoptr(GPtrArray) head = NULL;
	g_auto(Pair) pair = {0};

	real.class = 'B';
	head = records_make(&real, 3);
	pair = pair_make(base, head);
	g_assert_false(pair.compare->timings);
	expect_change(pair.compare, "vm-scalability.throughput", RIG_CHANGE_NONE, NAN, NULL);
	expect_change(pair.compare, "proc-vmstat.numa_hint_faults", RIG_CHANGE_PERCENT, 50, "more");
}

static void test_json(void)
{
	RecordSpec failed = head_spec;
	g_autoptr(GPtrArray) base = records_make(&base_spec, 3);
	g_autoptr(GPtrArray) head = records_make(&head_spec, 2);
	g_auto(Pair) pair = {0};
	g_autoptr(RigJsonWriter) writer = NULL;
	g_autofree char *text = NULL;

	failed.outcome = RIG_OUTCOME_PANIC;
	g_ptr_array_add(head, record_make(&failed));
	rig_record_manifest(head->pdata[0], "qemu.version", "11.0");
	pair = pair_make(base, head);
	writer = rig_report_json(pair.compare);
	text = rig_json_writer_text(writer, FALSE);
	schema_expect("compare.json", text);
	g_assert_nonnull(strstr(text, "\"values\":[450000"));
	g_assert_nonnull(strstr(text, "\"outcome\":\"panic\""));
	g_assert_nonnull(strstr(text, ",null]"));
	g_assert_nonnull(strstr(
		text, "{\"key\":\"qemu.version\",\"values\":[\"10.0.2\",\"10.0.2, 11.0\"]}"));
	g_assert_nonnull(strstr(text, "\"n_failed\":1"));
}

/* The check itself must be able to fail. */
static void test_schema_can_fail(void)
{
	if (g_test_subprocess()) {
		schema_expect("compare.json", "{\"format\": \"rig-compare\", \"surprise\": 1}");
		return;
	}
	g_test_trap_subprocess(NULL, 0, 0);
	g_test_trap_assert_failed();
	g_test_trap_assert_stderr("*the schema knows no \"surprise\"*");
}

/* A store with what the table says, in a folder of its own. */
typedef struct {
	char *root;
} Store;

static void store_add(const Store *store, const RecordSpec *spec, const char *workload,
		      const char *topology)
{
	g_autoptr(RigRecord) record = record_make(spec);
	g_autoptr(GError) error = NULL;

	g_free(record->workload);
	record->workload = g_strdup(workload);
	g_free(record->topology);
	record->topology = g_strdup(topology);
	if (!rig_store_write(store->root, record, &(RigRecordFiles){0}, &error))
		g_error("%s", error->message);
}

static RecordSpec at(const RecordSpec *spec, gint64 started, char class, RigOutcome outcome)
{
	RecordSpec changed = *spec;

	changed.started = started;
	changed.class = class;
	changed.outcome = outcome;
	return changed;
}

static void add_at(const Store *store, const RecordSpec *spec, gint64 started, char class,
		   RigOutcome outcome, const char *workload, const char *topology)
{
	RecordSpec changed = at(spec, started, class, outcome);

	store_add(store, &changed, workload, topology);
}

static RigSides *choose(const Store *store, const RigSelection *selection, char **others,
			GError **error)
{
	static const char *const names[] = {"6.1-cloud", "head"};

	return rig_select_sides(store->root, names, 2, selection, others, error);
}

static void test_select_latest(void)
{
	Store store = {expect_temp_dir()};
	g_autoptr(GError) error = NULL;
	g_autofree char *others = NULL;
	g_autoptr(RigSides) sides = NULL;

	/* Both ran a on t, and later b; base alone ran c last of all. */
	add_at(&store, &base_spec, 100, 'C', RIG_OUTCOME_OK, "a", "t");
	add_at(&store, &head_spec, 110, 'C', RIG_OUTCOME_OK, "a", "t");
	add_at(&store, &base_spec, 200, 'C', RIG_OUTCOME_OK, "b", "t");
	add_at(&store, &head_spec, 210, 'C', RIG_OUTCOME_OK, "b", "t");
	add_at(&store, &head_spec, 220, 'C', RIG_OUTCOME_BOOT, "b", "t");
	add_at(&store, &base_spec, 300, 'C', RIG_OUTCOME_OK, "c", "t");
	sides = choose(&store, &(RigSelection){0}, &others, &error);
	g_assert_no_error(error);
	g_assert_cmpstr(sides->workload, ==, "b");
	g_assert_cmpuint(rig_sides_at(sides, 0)->runs->len, ==, 1);
	g_assert_cmpuint(rig_sides_at(sides, 1)->runs->len, ==, 2);
	g_assert_cmpuint(rig_sides_at(sides, 1)->n_failed, ==, 1);
	g_assert_cmpstr(
		others, ==,
		"compared is the latest, b (20-50%) on t class C; both have also (--workload, "
		"--params, --topology, --plan): a (20-50%) on t class C");
	g_assert_cmpstr(g_hash_table_lookup(sides->keys, "runtime"), ==, "20");
	g_assert_cmpstr(g_hash_table_lookup(sides->keys, "cpufreq_governor"), ==, "powersave");
	g_assert_null(g_hash_table_lookup(sides->keys, "size"));
	expect_remove(store.root);
}

/* The latest that both ran has no whole run of one side: older ones are no answer to it, so that is
 * said. */
static void test_select_passed_over(void)
{
	Store store = {expect_temp_dir()};
	g_autoptr(GError) error = NULL;
	g_autofree char *others = NULL;
	g_autoptr(RigSides) sides = NULL;

	add_at(&store, &base_spec, 100, 'C', RIG_OUTCOME_OK, "a", "t");
	add_at(&store, &head_spec, 110, 'C', RIG_OUTCOME_OK, "a", "t");
	sides = choose(&store, &(RigSelection){0}, &others, &error);
	g_assert_no_error(error);
	g_assert_null(others);
	g_clear_pointer(&sides, rig_sides_free);
	add_at(&store, &base_spec, 200, 'C', RIG_OUTCOME_OK, "b", "t");
	add_at(&store, &head_spec, 210, 'C', RIG_OUTCOME_WORKLOAD, "b", "t");
	sides = choose(&store, &(RigSelection){0}, &others, &error);
	g_assert_no_error(error);
	g_assert_cmpstr(sides->workload, ==, "a");
	g_assert_cmpstr(others, ==,
			"passed over is the latest, b (20-50%) on t: not every side has a whole "
			"run of it (rig results list --failed)");
	expect_remove(store.root);
}

static void test_select_narrowed(void)
{
	Store store = {expect_temp_dir()};
	g_autoptr(GError) error = NULL;
	g_autoptr(RigSides) sides = NULL;
	RigSelection by_workload = {.workload = "a"};
	RigSelection by_topology = {.topology = "u"};
	RigSelection by_last = {.workload = "a", .last = 1};
	RigSelection by_plan = {.plan = "41"};

	for (gint64 t = 100; t < 103; t++) {
		add_at(&store, &base_spec, t, 'C', RIG_OUTCOME_OK, "a", "t");
		add_at(&store, &head_spec, t, 'C', RIG_OUTCOME_OK, "a", "t");
	}
	add_at(&store, &base_spec, 200, 'C', RIG_OUTCOME_OK, "b", "t");
	add_at(&store, &head_spec, 200, 'C', RIG_OUTCOME_OK, "b", "t");
	sides = choose(&store, &by_workload, NULL, &error);
	g_assert_no_error(error);
	g_assert_cmpuint(rig_sides_at(sides, 0)->runs->len, ==, 3);
	g_clear_pointer(&sides, rig_sides_free);
	sides = choose(&store, &by_last, NULL, &error);
	g_assert_no_error(error);
	g_assert_cmpuint(rig_sides_at(sides, 0)->runs->len, ==, 1);
	g_assert_cmpint(((RigSideRun *)rig_sides_at(sides, 0)->runs->pdata[0])->started, ==, 102);
	g_assert_null(choose(&store, &by_topology, NULL, &error));
	expect_error(&error, RIG_ERROR_USAGE, "no results of kernel \"6.1-cloud\" with that");
	g_assert_null(choose(&store, &by_plan, NULL, &error));
	expect_error(&error, RIG_ERROR_USAGE, "no results of kernel \"6.1-cloud\" with that");
	g_clear_pointer(&sides, rig_sides_free);
	by_plan.plan = "42";
	sides = choose(&store, &by_plan, NULL, &error);
	g_assert_no_error(error);
	g_assert_cmpstr(sides->workload, ==, "b");
	expect_remove(store.root);
}

/* Emulated and real runs of one kernel stand apart; where the sides share no class it is said. */
static void test_select_classes(void)
{
	Store store = {expect_temp_dir()};
	g_autoptr(GError) error = NULL;
	g_autoptr(RigSides) sides = NULL;

	add_at(&store, &base_spec, 100, 'A', RIG_OUTCOME_OK, "a", "t");
	add_at(&store, &head_spec, 100, 'C', RIG_OUTCOME_OK, "a", "t");
	sides = choose(&store, &(RigSelection){0}, NULL, &error);
	g_assert_no_error(error);
	g_assert_cmpint(rig_sides_at(sides, 0)->class, ==, 'A');
	g_assert_cmpint(rig_sides_at(sides, 1)->class, ==, 'C');
	g_clear_pointer(&sides, rig_sides_free);
	add_at(&store, &head_spec, 90, 'A', RIG_OUTCOME_OK, "a", "t");
	sides = choose(&store, &(RigSelection){0}, NULL, &error);
	g_assert_no_error(error);
	g_assert_cmpint(rig_sides_at(sides, 1)->class, ==, 'A');
	g_assert_cmpuint(rig_sides_at(sides, 1)->runs->len, ==, 1);
	expect_remove(store.root);
}

static void add_variant(const Store *store, const RecordSpec *spec, gint64 started, const char *key,
			const char *value)
{
	RecordSpec changed = at(spec, started, 'C', RIG_OUTCOME_OK);
	g_autoptr(RigRecord) record = record_make(&changed);
	g_autoptr(GError) error = NULL;

	rig_record_manifest(record, "boot.fresh", "yes");
	rig_record_manifest(record, "boot.diskless", "no");
	rig_record_manifest(record, key, value);
	g_assert_true(rig_store_write(store->root, record, &(RigRecordFiles){0}, &error));
	g_assert_no_error(error);
}

/* Runs that booted otherwise, or not at all, are of another group: none is averaged with another.
 */
static void test_select_variants(void)
{
	static const char *const variants[][3] = {
		{"boot.fresh", "yes", ""},
		{"boot.fresh", "no", "in a guest that was up"},
		{"boot.diskless", "yes", "diskless"},
		{"boot.cmdline", "numa_balancing=0", "command line \"numa_balancing=0\""},
		{"boot.cmdline", "numa_balancing=1", "command line \"numa_balancing=1\""},
	};
	Store store = {expect_temp_dir()};
	g_autoptr(GError) error = NULL;

	for (guint i = 0; i < G_N_ELEMENTS(variants); i++) {
		add_variant(&store, &base_spec, 100 + i, variants[i][0], variants[i][1]);
		add_variant(&store, &head_spec, 200 + i, variants[i][0], variants[i][1]);
	}
	for (guint i = 0; i < G_N_ELEMENTS(variants); i++) {
		RigSelection selection = {.variant = variants[i][2]};
		g_autoptr(RigSides) sides = choose(&store, &selection, NULL, &error);

		g_assert_no_error(error);
		g_assert_cmpstr(sides->variant, ==, variants[i][2]);
		g_assert_cmpuint(rig_sides_at(sides, 0)->runs->len, ==, 1);
		g_assert_cmpuint(rig_sides_at(sides, 1)->runs->len, ==, 1);
	}
	expect_remove(store.root);
}

static void test_select_variants_told(void)
{
	Store store = {expect_temp_dir()};
	g_autoptr(GError) error = NULL;
	g_autofree char *others = NULL;
	g_autoptr(RigSides) sides = NULL;

	add_variant(&store, &base_spec, 100, "boot.fresh", "no");
	add_variant(&store, &head_spec, 101, "boot.diskless", "yes");
	g_assert_null(choose(&store, &(RigSelection){0}, NULL, &error));
	expect_error(&error, RIG_ERROR_USAGE, "20-50%) on 2sp-icl, in a guest that was up");
	add_variant(&store, &head_spec, 102, "boot.fresh", "no");
	add_variant(&store, &base_spec, 103, "boot.diskless", "yes");
	sides = choose(&store, &(RigSelection){0}, &others, &error);
	g_assert_no_error(error);
	g_assert_cmpstr(sides->variant, ==, "diskless");
	g_assert_nonnull(strstr(others, "the latest, anon-cow-rand-hugetlb (20-50%) on 2sp-icl "
					"class C, diskless; both"));
	g_assert_true(g_str_has_suffix(others, "class C, in a guest that was up"));
	expect_remove(store.root);
}

static void test_select_nothing(void)
{
	Store store = {expect_temp_dir()};
	static const char *const same[] = {"6.1-cloud", "base"};
	g_autoptr(GError) error = NULL;

	g_assert_null(choose(&store, &(RigSelection){0}, NULL, &error));
	expect_error(&error, RIG_ERROR_USAGE, "hint: rig results list");
	add_at(&store, &base_spec, 100, 'C', RIG_OUTCOME_OK, "a", "t");
	add_at(&store, &head_spec, 100, 'C', RIG_OUTCOME_OK, "b", "t");
	g_assert_null(choose(&store, &(RigSelection){0}, NULL, &error));
	g_assert_nonnull(strstr(error->message, "6.1-cloud: a (20-50%) on t\n"));
	expect_error(&error, RIG_ERROR_USAGE, "head: b (20-50%) on t\n");
	g_assert_null(rig_select_sides(store.root, same, 2, &(RigSelection){0}, NULL, &error));
	expect_error(&error, RIG_ERROR_USAGE, "\"6.1-cloud\" and \"base\" are the same results");
	expect_remove(store.root);
}

int main(int argc, char **argv)
{
	g_test_init(&argc, &argv, NULL);
	g_test_add_func("/compare/summary", test_summary);
	g_test_add_func("/compare/summary-of-little", test_summary_of_little);
	g_test_add_func("/compare/changes", test_changes);
	g_test_add_func("/compare/emulated", test_emulated);
	g_test_add_func("/compare/classes", test_classes);
	g_test_add_func("/compare/json", test_json);
	g_test_add_func("/compare/schema-can-fail", test_schema_can_fail);
	g_test_add_func("/select/latest", test_select_latest);
	g_test_add_func("/select/passed-over", test_select_passed_over);
	g_test_add_func("/select/narrowed", test_select_narrowed);
	g_test_add_func("/select/classes", test_select_classes);
	g_test_add_func("/select/variants", test_select_variants);
	g_test_add_func("/select/variants-told", test_select_variants_told);
	g_test_add_func("/select/nothing", test_select_nothing);
	return g_test_run();
}
