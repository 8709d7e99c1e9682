/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * bench-stats.c - how long the statistics of a large comparison take.
 *
 * Usage: bench-stats [RUNS [COUNTERS [ROUNDS]]]. Prints one JSON object; seconds are the median of
 * the rounds, of the statistics alone (the sides are in memory already).
 */
#include <gsl/gsl_randist.h>
#include <gsl/gsl_rng.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>

#include "report/statcompare.h"

#define SEED 5

static void add_value(RigRecord *record, gsl_rng *rng, guint counter, gboolean head)
{
	g_autofree char *name = g_strdup_printf("proc-vmstat.counter_%05u", counter);
	double level = 10 + 37.0 * counter * (head && counter % 20 == 0 ? 1.5 : 1);

	rig_metrics_set(record->metrics, name,
			gsl_ran_poisson(rng, level * exp(gsl_ran_gaussian(rng, 0.1))));
}

static RigRecord *make_record(gsl_rng *rng, guint counters, guint run, guint runs, gboolean head)
{
	RigRecord *record = rig_record_new();
	g_autofree char *block = g_strdup_printf("%u", run);
	g_autofree char *blocks = g_strdup_printf("%u", runs);
	RigMetricDef def = {
		.name = (char *)"bench.throughput",
		.field = (char *)"kbps",
		.unit = (char *)"KB/s",
		.text = (char *)"a figure",
		.direction = RIG_HIGHER,
		.kind = RIG_KIND_RATIO,
		.primary = TRUE,
	};

	record->class = 'A';
	record->outcome = RIG_OUTCOME_OK;
	rig_record_manifest(record, "plan.seed", "1");
	rig_record_manifest(record, "plan.blocks", blocks);
	rig_record_manifest(record, "plan.block", block);
	g_ptr_array_add(record->defs, rig_metric_def_copy(&def));
	rig_metrics_set(record->metrics, def.name, 5e5 * exp(gsl_ran_gaussian(rng, 0.02)));
	for (guint i = 0; i < counters; i++)
		add_value(record, rng, i, head);
	return record;
}

static void add_side(RigSides *sides, gsl_rng *rng, guint runs, guint counters, gboolean head)
{
	g_autoptr(GPtrArray) records =
		g_ptr_array_new_with_free_func((GDestroyNotify)rig_record_free);

	for (guint i = 0; i < runs; i++)
		g_ptr_array_add(records, make_record(rng, counters, i, runs, head));
	rig_sides_add_records(sides, head ? "head" : "base", records);
}

static int by_value(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return x < y ? -1 : x > y;
}

int main(int argc, char **argv)
{
	guint runs = argc > 1 ? (guint)atoi(argv[1]) : 20;
	guint counters = argc > 2 ? (guint)atoi(argv[2]) : 5000;
	guint rounds = argc > 3 ? (guint)MAX(1, atoi(argv[3])) : 5;
	g_autoptr(RigSides) sides = rig_sides_new();
	g_autofree double *seconds = g_new(double, rounds);
	gsl_rng *rng = gsl_rng_alloc(gsl_rng_mt19937);
	struct rusage usage;
	guint tested = 0, found = 0;

	gsl_rng_set(rng, SEED);
	add_side(sides, rng, runs, counters, FALSE);
	add_side(sides, rng, runs, counters, TRUE);
	gsl_rng_free(rng);
	for (guint i = 0; i < rounds; i++) {
		gint64 started = g_get_monotonic_time();
		g_autoptr(RigStatCompare) stats = rig_statcompare_new(sides, 1, NULL);

		seconds[i] = (double)(g_get_monotonic_time() - started) / 1e6;
		tested = stats->screen->n_tested;
		found = stats->screen->n_found;
	}
	qsort(seconds, rounds, sizeof(*seconds), by_value);
	getrusage(RUSAGE_SELF, &usage);
	printf("{\"runs\": %u, \"counters\": %u, \"tested\": %u, \"found\": %u, "
	       "\"seconds\": %.6f, \"slowest\": %.6f, \"rss_mb\": %.1f}\n",
	       runs, counters, tested, found, seconds[rounds / 2], seconds[rounds - 1],
	       (double)usage.ru_maxrss / 1024);
	return 0;
}
