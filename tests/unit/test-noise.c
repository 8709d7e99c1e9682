/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * test-noise.c - A/A: made data of known spread, what is kept of records, and what a plan makes of
 * it.
 */
#include <gsl/gsl_randist.h>
#include <gsl/gsl_rng.h>
#include <math.h>
#include <string.h>

#include "base/error.h"
#include "base/file.h"
#include "report-records.h"
#include "model/store.h"
#include "report/noise.h"
#include "report/outlook.h"

#define near(a, b, eps) g_assert_cmpfloat_with_epsilon(a, b, eps)

/* Log-normal with the spread SD, the second run of a block shifted by SLOT. */
static RigNoiseMetric made(guint n, double sd, double slot, gboolean paired, guint seed)
{
	g_autofree double *first = g_new(double, n);
	g_autofree double *second = g_new(double, n);
	gsl_rng *rng = gsl_rng_alloc(gsl_rng_mt19937);

	gsl_rng_set(rng, seed);
	for (guint i = 0; i < n; i++) {
		first[i] = 1e6 * exp(gsl_ran_gaussian(rng, sd));
		second[i] = 1e6 * exp(slot + gsl_ran_gaussian(rng, sd));
	}
	gsl_rng_free(rng);
	return rig_noise_measure(RIG_SCALE_LOG, first, second, n, paired);
}

static void test_known_spread(void)
{
	RigNoiseMetric m = made(2000, 0.03, 0, FALSE, 1);

	g_assert_cmpuint(m.n, ==, 4000);
	g_assert_cmpuint(m.pairs, ==, 2000);
	near(m.sd, 0.03, 0.001);
	near(m.pair_sd, 0.03 * M_SQRT2, 0.002);
	near(m.slot, 0, 0.004);
	g_assert_cmpfloat(m.slot_p, >, 0.001);
	g_assert_cmpuint(m.splits, ==, 512);
	/* Four standard errors of a share of 5 % among 512. */
	near(m.false_alarms, 0.05, 4 * sqrt(0.05 * 0.95 / 512));
}

static void test_slot_effect(void)
{
	RigNoiseMetric m = made(50, 0.02, 0.05, TRUE, 2);

	near(m.slot, 0.05, 0.015);
	g_assert_cmpfloat(m.slot_p, <, 1e-6);
}

/* By hand: differences log 2 of each block, spread of two values. */
static void test_by_hand(void)
{
	const double first[] = {1, 1, 1}, second[] = {2, 2, 4};
	const double l2 = M_LN2;
	RigNoiseMetric m = rig_noise_measure(RIG_SCALE_LOG, first, second, 3, TRUE);

	near(m.mean, 11.0 / 6, 1e-12);
	/* Logs 0 0 0 1 1 2 in units of log 2: mean 2/3, sum of squares 10/3. */
	near(m.sd, l2 * sqrt(10.0 / 3 / 5), 1e-12);
	near(m.slot, l2 * 4 / 3, 1e-12);
	near(m.pair_sd, l2 * sqrt((1.0 / 9 + 1.0 / 9 + 4.0 / 9) / 2), 1e-12);
	g_assert_cmpuint(m.splits, ==, 4);
	/* Of the splits +++, -++, +-+, --+ (t = 4, 1, 1, 0 with 2 degrees) none is below 0.05. */
	near(m.false_alarms, 0, 1e-12);
}

static void test_edges(void)
{
	const double same[] = {5, 5, 5}, gone[] = {NAN, 3, NAN}, zero[] = {0, 0, 0};
	RigNoiseMetric m = rig_noise_measure(RIG_SCALE_LOG, same, same, 3, TRUE);

	near(m.sd, 0, 1e-15);
	near(m.pair_sd, 0, 1e-15);
	near(m.false_alarms, 0, 1e-15);
	g_assert_true(isnan(m.slot_p));
	m = rig_noise_measure(RIG_SCALE_LOG, same, gone, 3, FALSE);
	g_assert_cmpuint(m.n, ==, 4);
	g_assert_cmpuint(m.pairs, ==, 1);
	g_assert_true(isnan(m.pair_sd) && isnan(m.false_alarms));
	m = rig_noise_measure(RIG_SCALE_LOG, zero, zero, 3, FALSE);
	g_assert_cmpuint(m.n, ==, 0);
	g_assert_true(isnan(m.sd));
	m = rig_noise_measure(RIG_SCALE_LOG_COUNT, zero, same, 3, FALSE);
	g_assert_cmpuint(m.n, ==, 6);
}

/* Records of an A/A plan of BLOCKS; run i has THROUGHPUT(i). */
static GPtrArray *aa_records(guint blocks, const char *method)
{
	GPtrArray *records = g_ptr_array_new_with_free_func((GDestroyNotify)rig_record_free);

	for (guint i = 0; i < 2 * blocks; i++) {
		RecordSpec spec = {"v6.1:aa",	   i & 1 ? "v6.1:b" : "v6.1:a", "6.1", 'C',
				   RIG_OUTCOME_OK, 500000 + 5000 * (i * 7 % 5), 1000,  1000 + i};
		RigRecord *record = record_make(&spec);
		g_autofree char *block = g_strdup_printf("%u", i / 2);
		g_autofree char *n = g_strdup_printf("%u", blocks);

		rig_record_manifest(record, "plan.block", block);
		rig_record_manifest(record, "plan.blocks", n);
		rig_record_manifest(record, "plan.slot", i & 1 ? "1" : "0");
		rig_record_manifest(record, "plan.method", method);
		rig_record_manifest(record, "plan.id", "0123456789abcdef");
		rig_record_manifest(record, "kernel.name", "v6.1");
		rig_record_manifest(record, "aa", "yes");
		g_ptr_array_add(records, record);
	}
	return records;
}

static void test_records(void)
{
	g_autoptr(GError) error = NULL;
	g_autoptr(GPtrArray) records = aa_records(6, "paired");
	g_autoptr(RigNoise) noise = NULL;
	const RigNoiseMetric *m;

	/* A failed run is left out, and its block with it. */
	((RigRecord *)records->pdata[3])->outcome = RIG_OUTCOME_PANIC;
	noise = rig_noise_new(records, &error);
	g_assert_no_error(error);
	g_assert_cmpuint(noise->runs, ==, 11);
	g_assert_cmpuint(noise->blocks, ==, 6);
	g_assert_true(noise->paired);
	g_assert_cmpstr(noise->kernel, ==, "v6.1");
	g_assert_cmpint(noise->class, ==, 'C');
	m = rig_noise_find(noise, "vm-scalability.throughput");
	g_assert_nonnull(m);
	g_assert_true(m->own && m->primary);
	g_assert_cmpint(m->scale, ==, RIG_SCALE_LOG);
	g_assert_cmpuint(m->n, ==, 11);
	g_assert_cmpuint(m->pairs, ==, 5);
	g_assert_cmpuint(m->splits, ==, 16);
	near(rig_noise_spread(noise, m->name), 100 * expm1(m->sd), 1e-9);
	near(rig_noise_spread(noise, "proc-vmstat.numa_hint_faults"), 0, 1e-12);
	g_assert_true(isnan(rig_noise_spread(noise, "no.such")));
	g_assert_true(isnan(rig_noise_spread(NULL, "no.such")));
	g_assert_cmpint(rig_noise_find(noise, "locality.hint_faults_local%")->scale, ==,
			RIG_SCALE_POINTS);
}

static void test_too_little(void)
{
	g_autoptr(GPtrArray) records = aa_records(2, "welch");
	g_autoptr(GPtrArray) none = g_ptr_array_new();
	g_autoptr(GError) error = NULL;

	((RigRecord *)records->pdata[3])->outcome = RIG_OUTCOME_PANIC;
	g_assert_null(rig_noise_new(records, &error));
	g_assert_error(error, RIG_ERROR, RIG_ERROR_FAILED);
	g_clear_error(&error);
	g_assert_null(rig_noise_new(none, &error));
	g_clear_error(&error);
	((RigRecord *)records->pdata[3])->outcome = RIG_OUTCOME_OK;
	((RigRecord *)records->pdata[3])->class = 'A';
	g_assert_null(rig_noise_new(records, &error));
	g_assert_nonnull(strstr(error->message, "classes"));
}

static void test_file(void)
{
	g_autofree char *state = g_dir_make_tmp("rig-noise-XXXXXX", NULL);
	g_autoptr(GPtrArray) records = aa_records(4, "welch");
	g_autoptr(GError) error = NULL;
	g_autoptr(RigNoise) noise = rig_noise_new(records, &error);
	g_autofree char *text = rig_noise_to_json(noise);
	g_autofree char *path = rig_noise_path(state, "../w", "a/b", ".t", 'C');
	g_autofree char *again = NULL;
	RigNoise *loaded;

	g_assert_true(g_str_has_prefix(path, state));
	g_assert_null(strstr(path, "/../"));
	loaded =
		rig_noise_load(state, noise->workload, noise->params, noise->topology, 'C', &error);
	g_assert_null(loaded);
	g_assert_no_error(error);
	g_assert_true(rig_noise_save(state, noise, &error));
	loaded =
		rig_noise_load(state, noise->workload, noise->params, noise->topology, 'C', &error);
	g_assert_no_error(error);
	again = rig_noise_to_json(loaded);
	g_assert_cmpstr(again, ==, text);
	rig_noise_free(loaded);
	g_assert_null(rig_noise_load(state, noise->workload, noise->params, noise->topology, 'A',
				     &error));
	g_assert_no_error(error);
	g_assert_true(rig_file_remove_tree(state, NULL));
}

static void test_bad_file(void)
{
	g_autoptr(GPtrArray) records = aa_records(2, "welch");
	g_autoptr(RigNoise) noise = rig_noise_new(records, NULL);
	g_autofree char *text = rig_noise_to_json(noise);
	static const char *const changes[][2] = {
		{"\"version\": 1", "\"version\": 2"},
		{"\"scale\": \"log\"", "\"scale\": \"x\""},
		{"\"class\": \"C\"", "\"class\": \"D\""},
		{"\"n\": 4", "\"n\": -4"},
		{"\"sd\": 0", "\"sd\": -1"},
		{"\"own\": true", "\"mine\": true"},
	};

	for (guint i = 0; i < G_N_ELEMENTS(changes); i++) {
		g_auto(GStrv) parts = g_strsplit(text, changes[i][0], 2);
		g_autofree char *bad = NULL;
		g_autoptr(GError) error = NULL;

		g_assert_nonnull(parts[1]);
		bad = g_strconcat(parts[0], changes[i][1], parts[1], NULL);
		g_assert_null(rig_noise_parse("noise.json", bad, &error));
		g_assert_error(error, RIG_ERROR, RIG_ERROR_USAGE);
	}
}

static void test_table(void)
{
	g_autoptr(GPtrArray) records = aa_records(6, "paired");
	g_autoptr(RigNoise) noise = rig_noise_new(records, NULL);
	g_autofree char *text = rig_noise_render(noise, FALSE, 0);
	g_autofree char *all = rig_noise_render(noise, TRUE, 0);
	g_auto(GStrv) lines = g_strsplit(text, "\n", -1);

	g_assert_nonnull(strstr(text, "vm-scalability.throughput"));
	g_assert_nonnull(strstr(text, "12 of 12 runs"));
	g_assert_null(strstr(text, "proc-vmstat.pgfault"));
	g_assert_nonnull(strstr(all, "proc-vmstat.pgfault"));
	g_assert_null(strstr(all, "meminfo.MemFree")); /* never moved */
	for (char **line = lines + 1; *line; line++)
		g_assert_cmpint(g_utf8_strlen(*line, -1), <=, 80);
}

/* Blocks and effects against the table of statistics.md: in standard deviations 5: 2.02, 10: 1.33.
 */
static void test_power(void)
{
	RigNoiseMetric m = {.scale = RIG_SCALE_POINTS, .sd = 2, .pair_sd = 3};

	near(rig_noise_detectable(&m, 5, FALSE), 2 * 2.02, 0.02);
	near(rig_noise_detectable(&m, 10, FALSE), 2 * 1.33, 0.02);
	g_assert_true(isnan(rig_noise_detectable(&m, 1, FALSE)));
	m.scale = RIG_SCALE_LOG;
	m.sd = 0.01;
	near(rig_noise_detectable(&m, 10, FALSE), 100 * expm1(0.01 * 1.325), 0.01);

	/* In standard deviations 2.05 takes 5 runs a side, and 1.34 takes 10. */
	g_assert_cmpuint(rig_outlook_blocks(2.05, TRUE, 1, 9, FALSE, FALSE), ==, 5);
	g_assert_cmpuint(rig_outlook_blocks(1.34, TRUE, 1, 9, FALSE, TRUE), ==, 10);
	/* Pairs that lie close win, but not below six blocks. */
	g_assert_cmpuint(rig_outlook_blocks(1.34, TRUE, 1, 0.5, FALSE, FALSE), ==, 6);
	/* Cohen's table: 34 pairs see half a standard deviation of their difference. */
	g_assert_cmpuint(rig_outlook_blocks(0.5, TRUE, 1, 1, TRUE, FALSE), ==, 34);
	g_assert_cmpuint(rig_outlook_blocks(1, FALSE, 0, 0, FALSE, FALSE), ==, 2);
	g_assert_cmpuint(rig_outlook_blocks(1e-9, TRUE, 1, 1, TRUE, TRUE), ==, 0);
}

static const char workload_text[] =
	"{\"version\": 1, \"name\": \"anon-cow-rand-hugetlb\", \"suite\": \"test\", \"text\": "
	"\"a\","
	" \"program\": {\"builtin\": \"rig-mem\", \"args\": [\"x\"]},"
	" \"parameters\": {\"runtime\": {\"default\": \"20\", \"text\": \"t\"},"
	"   \"unit\": {\"default\": \"50%\", \"text\": \"t\"}},"
	" \"phases\": {\"order\": [\"access\"], \"measured\": [\"access\"]},"
	" \"timeout_s\": 10, \"sample_ms\": 0, \"results\": {\"count\": \"tasks\"},"
	" \"metrics\": [{\"name\": \"vm-scalability.throughput\", \"from\": \"result\","
	"   \"field\": \"kbps\", \"reduce\": \"sum\", \"unit\": \"KB/s\","
	"   \"direction\": \"higher\", \"kind\": \"ratio\", \"primary\": true, \"text\": \"t\"}]}";

static void test_outlook(void)
{
	g_autofree char *state = g_dir_make_tmp("rig-noise-XXXXXX", NULL);
	g_autofree char *results = g_build_filename(state, "results", NULL);
	g_autoptr(GError) error = NULL;
	g_autoptr(RigWorkload) workload = rig_workload_parse("w", workload_text, &error);
	g_autoptr(GPtrArray) records = aa_records(6, "paired");
	g_autoptr(RigNoise) noise = rig_noise_new(records, NULL);
	RigOutlookInput input = {
		.results = results,
		.state = state,
		.workload = workload,
		.topology = "2sp-icl",
		.emulated = TRUE,
		.n_blocks = 6,
		.paired = TRUE,
		.effect = 2,
	};
	RigOutlook *outlook;
	const RigOutlookMetric *m;

	g_assert_no_error(error);
	outlook = rig_outlook_new(&input, &error);
	g_assert_no_error(error);
	g_assert_cmpuint(outlook->run_n, ==, 0);
	g_assert_cmpfloat(outlook->run_s, >, 20);
	g_assert_cmpuint(outlook->noise_blocks, ==, 0);
	rig_outlook_free(outlook);

	g_assert_true(rig_noise_save(state, noise, &error));
	for (guint i = 0; i < records->len; i++)
		g_assert_true(rig_store_write(results, records->pdata[i], NULL, &error));
	outlook = rig_outlook_new(&input, &error);
	g_assert_no_error(error);
	g_assert_cmpuint(outlook->run_n, ==, 10);
	near(outlook->run_s, 31.5, 1e-9);
	g_assert_cmpuint(outlook->noise_blocks, ==, 6);
	g_assert_cmpuint(outlook->metrics->len, ==, 1);
	m = outlook->metrics->pdata[0];
	near(m->detectable,
	     rig_noise_detectable(rig_noise_find(noise, "vm-scalability.throughput"), 6, TRUE),
	     1e-12);
	g_assert_cmpuint(m->needed, >=, 6);
	g_assert_false(m->judged); /* a throughput, emulated */
	rig_outlook_free(outlook);
	/* What was measured under emulation says nothing of KVM. */
	input.emulated = FALSE;
	outlook = rig_outlook_new(&input, &error);
	g_assert_cmpuint(outlook->run_n, ==, 0);
	g_assert_cmpuint(outlook->noise_blocks, ==, 0);
	rig_outlook_free(outlook);
	g_assert_true(rig_file_remove_tree(state, NULL));
}

int main(int argc, char **argv)
{
	g_test_init(&argc, &argv, NULL);
	g_test_add_func("/noise/known-spread", test_known_spread);
	g_test_add_func("/noise/slot-effect", test_slot_effect);
	g_test_add_func("/noise/by-hand", test_by_hand);
	g_test_add_func("/noise/edges", test_edges);
	g_test_add_func("/noise/records", test_records);
	g_test_add_func("/noise/too-little", test_too_little);
	g_test_add_func("/noise/file", test_file);
	g_test_add_func("/noise/bad-file", test_bad_file);
	g_test_add_func("/noise/table", test_table);
	g_test_add_func("/noise/power", test_power);
	g_test_add_func("/noise/outlook", test_outlook);
	return g_test_run();
}
