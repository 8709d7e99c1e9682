/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * bench-sides.c - fills a store with two sides to be compared, and says as JSON how long a write
 * takes when the folder is empty and when it is full.
 *
 * bench-sides DIR RUNS COUNTERS: DIR must not exist. The records have what real ones have: a
 * manifest of 75 keys, five phases with counters, samples, definitions, numbers that differ from
 * run to run.
 */
#include "model/store.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#define PHASE_COUNTERS 460
#define SAMPLED 250
#define SAMPLES 12
#define MANIFEST 74
#define TIMED 20 /* writes at the start and at the end of a folder that are timed */

static const char *const phase_names[] = {"setup", "populate", "copy", "access", "teardown"};

static void must(gboolean ok, GError *error)
{
	if (ok)
		return;
	fprintf(stderr, "bench-sides: %s\n", error ? error->message : "failed");
	exit(1);
}

/* Two of three counters are whole; what they are near is told by their number. */
static double figure(GRand *noise, guint counter)
{
	double value = (1 + counter % 997) * 1013.0 * g_rand_double_range(noise, 0.97, 1.03);

	return counter % 3 ? (double)(gint64)value : value / 7;
}

static void add_counters(RigMetrics *metrics, GRand *noise, guint n)
{
	for (guint i = 0; i < n; i++) {
		g_autofree char *name =
			g_strdup_printf("numa-vmstat.node%u.nr_some_counter_%u", i % 2, i);

		rig_metrics_set(metrics, name, figure(noise, i));
	}
}

static void add_phases(RigRecord *record, GRand *noise)
{
	for (guint i = 0; i < G_N_ELEMENTS(phase_names); i++) {
		RigPhase *phase = g_new0(RigPhase, 1);

		phase->name = g_strdup(phase_names[i]);
		phase->start_ns = 1000000000 * (gint64)i;
		phase->end_ns = phase->start_ns + 1000000000;
		phase->counters = rig_metrics_new();
		add_counters(phase->counters, noise, PHASE_COUNTERS);
		g_ptr_array_add(record->phases, phase);
	}
}

static void add_samples(RigRecord *record, GRand *noise)
{
	for (guint i = 0; i < SAMPLED; i++) {
		GArray *values = g_array_new(FALSE, FALSE, sizeof(double));

		for (guint j = 0; j < SAMPLES; j++) {
			double value = figure(noise, i);

			g_array_append_val(values, value);
		}
		g_hash_table_insert(record->samples, g_strdup_printf("proc-vmstat.item_%u", i),
				    values);
	}
}

static void add_manifest(RigRecord *record, guint run)
{
	g_autofree char *number = g_strdup_printf("%u", run);

	rig_record_manifest(record, "plan.block", number);
	for (guint i = 0; i < MANIFEST; i++) {
		g_autofree char *key = g_strdup_printf("some.part_of_the_setup_%u", i);
		g_autofree char *value = g_strdup_printf("%064x", i);

		rig_record_manifest(record, key, value);
	}
}

static void add_primary(RigRecord *record, GRand *noise)
{
	RigMetricDef *def = g_new0(RigMetricDef, 1);

	def->name = g_strdup("vm-scalability.throughput");
	def->field = g_strdup("kbps");
	def->unit = g_strdup("KB/s");
	def->reduce = RIG_REDUCE_SUM;
	def->primary = TRUE;
	g_ptr_array_add(record->defs, def);
	rig_metrics_set(record->metrics, def->name, figure(noise, 996));
}

static RigRecord *record_new(const char *side, guint run, guint counters, GRand *noise)
{
	RigRecord *record = rig_record_new();

	record->workload = g_strdup("anon-cow-rand-hugetlb");
	record->suite = g_strdup("vm-scalability");
	record->params = g_strdup("20-100%-50%");
	record->topology = g_strdup("2sp-icl");
	record->image = g_strdup("tiny");
	record->kconfig = g_strdup("config-0123456789ab");
	record->compiler = g_strdup("gcc-12");
	record->kernel = g_strdup(side);
	record->side = g_strdup(side);
	record->started = 1796000000 + run;
	record->duration_s = 23.5;
	add_manifest(record, run);
	add_primary(record, noise);
	add_counters(record->metrics, noise, counters);
	add_phases(record, noise);
	add_samples(record, noise);
	return record;
}

static double seconds_since(gint64 start_us)
{
	return (double)(g_get_monotonic_time() - start_us) / 1e6;
}

static double write_one(const char *root, RigRecord *record)
{
	g_autoptr(GError) error = NULL;
	gint64 start = g_get_monotonic_time();

	must(rig_store_write(root, record, NULL, &error), error);
	return seconds_since(start);
}

int main(int argc, char **argv)
{
	static const char *const sides[] = {"base", "head"};
	guint runs = argc > 3 ? (guint)atoi(argv[2]) : 0;
	g_autoptr(GRand) noise = g_rand_new_with_seed(1);
	g_autoptr(GPtrArray) dirs = g_ptr_array_new_with_free_func(g_free);
	g_autoptr(GError) error = NULL;
	double first = 0, last = 0;
	gint64 start;

	if (runs <= 2 * TIMED || access(argv[1], F_OK) == 0) {
		fprintf(stderr, "usage: bench-sides DIR-TO-BE-MADE RUNS-A-SIDE COUNTERS\n");
		return 2;
	}
	for (guint i = 0; i < 2 * runs; i++) {
		g_autoptr(RigRecord) record =
			record_new(sides[i % 2], i, (guint)atoi(argv[3]), noise);
		double took = write_one(argv[1], record);

		first += i < TIMED ? took / TIMED : 0;
		last += i >= 2 * runs - TIMED ? took / TIMED : 0;
		g_ptr_array_add(dirs, g_strdup(record->dir));
	}
	start = g_get_monotonic_time();
	must(rig_store_renew(argv[1], dirs, &error), error);
	printf("{\"first_write_s\": %.4f, \"last_write_s\": %.4f, \"renew_s\": %.4f}\n", first,
	       last, seconds_since(start));
	return 0;
}
