/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * noise.c - what a side measured against itself tells of each metric.
 */
#include "report/noise.h"

#include <gsl/gsl_rng.h>
#include <math.h>
#include <string.h>

#include "base/error.h"
#include "model/planfile.h"
#include "report/stat-dist.h"
#include "report/stat-metric.h"
#include "report/stat-power.h"
#include "report/stat-t.h"

/* All splits where there are not more, else so many drawn ones. */
#define SPLITS_MAX 512
#define SPLIT_BITS 9 /* 2^9 = SPLITS_MAX */
#define SPLIT_SEED 20261130
#define ALPHA 0.05

/* p of Welch's test without its intervals, which thousands of splits do not need. */
static double welch_p(const double *a, const double *b, guint n)
{
	double va = pow(rig_stat_sd(a, n), 2) / n, vb = pow(rig_stat_sd(b, n), 2) / n;
	double difference = rig_stat_mean(b, n) - rig_stat_mean(a, n);

	if (!(va + vb > 0))
		return difference == 0 ? 1 : 0;
	return rig_dist_t_two_sided(difference / sqrt(va + vb),
				    (n - 1) * (va + vb) * (va + vb) / (va * va + vb * vb));
}

static double paired_p(const double *a, const double *b, guint n)
{
	g_autofree double *difference = g_new(double, n);
	double mean, sd;

	for (guint i = 0; i < n; i++)
		difference[i] = b[i] - a[i];
	mean = rig_stat_mean(difference, n);
	sd = rig_stat_sd(difference, n);
	if (!(sd > 0))
		return mean == 0 ? 1 : 0;
	return rig_dist_t_two_sided(mean / (sd / sqrt(n)), n - 1);
}

/* Bit I of MASK: the second run of block I is called base. */
static gboolean cries_wolf(const double *first, const double *second, guint n, const guint8 *mask,
			   gboolean paired)
{
	g_autofree double *base = g_new(double, n);
	g_autofree double *head = g_new(double, n);

	for (guint i = 0; i < n; i++) {
		base[i] = mask[i] ? second[i] : first[i];
		head[i] = mask[i] ? first[i] : second[i];
	}
	return (paired ? paired_p(base, head, n) : welch_p(base, head, n)) < ALPHA;
}

static void split(RigNoiseMetric *m, const double *first, const double *second, gboolean paired)
{
	guint n = m->pairs, alarms = 0;
	gboolean listed = n - 1 <= SPLIT_BITS;
	g_autofree guint8 *mask = g_new0(guint8, n);
	gsl_rng *rng = gsl_rng_alloc(gsl_rng_mt19937);

	gsl_rng_set(rng, SPLIT_SEED);
	m->splits = listed ? 1u << (n - 1) : SPLITS_MAX;
	for (guint s = 0; s < m->splits; s++) {
		/* Base and head exchanged are the same split: the last block keeps its order. */
		for (guint i = 0; i + 1 < n; i++)
			mask[i] = listed ? s >> i & 1 : gsl_rng_get(rng) & 1;
		alarms += cries_wolf(first, second, n, mask, paired);
	}
	gsl_rng_free(rng);
	m->false_alarms = (double)alarms / m->splits;
}

/* The blocks of which both runs have a value, packed. */
static guint pack_pairs(const double *first, const double *second, guint n, double *a, double *b)
{
	guint pairs = 0;

	for (guint i = 0; i < n; i++) {
		if (isnan(first[i]) || isnan(second[i]))
			continue;
		a[pairs] = first[i];
		b[pairs++] = second[i];
	}
	return pairs;
}

static void measure_pairs(RigNoiseMetric *m, const double *first, const double *second, guint n,
			  gboolean paired)
{
	g_autofree double *a = g_new(double, MAX(n, 1));
	g_autofree double *b = g_new(double, MAX(n, 1));
	RigTTest slot;

	m->pairs = pack_pairs(first, second, n, a, b);
	m->pair_sd = m->slot = m->slot_p = m->false_alarms = NAN;
	if (m->pairs < 2)
		return;
	slot = rig_t_paired(a, b, m->pairs);
	m->slot = slot.difference;
	m->slot_p = slot.no_spread ? NAN : slot.p;
	m->pair_sd = slot.se * sqrt(m->pairs);
	if (slot.no_spread)
		m->pair_sd = 0;
	split(m, a, b, paired);
}

RigNoiseMetric rig_noise_measure(RigScale scale, const double *first, const double *second, guint n,
				 gboolean paired)
{
	RigNoiseMetric m = {.scale = scale};
	g_autofree double *all = g_new(double, MAX(2 * n, 1));
	g_autofree double *scaled = g_new(double, MAX(2 * n, 1));

	memcpy(all, first, n * sizeof(double));
	memcpy(all + n, second, n * sizeof(double));
	m.mean = rig_stat_mean(all, 2 * n);
	rig_scale_apply(scale, all, 2 * n, scaled);
	m.n = rig_stat_count(scaled, 2 * n);
	m.sd = rig_stat_sd(scaled, 2 * n);
	measure_pairs(&m, scaled, scaled + n, n, paired);
	return m;
}

double rig_noise_detectable(const RigNoiseMetric *metric, guint n, gboolean paired)
{
	double size =
		paired ? rig_power_detectable_pairs(n, RIG_POWER_ALPHA, RIG_POWER_WANTED) *
				 metric->pair_sd
		       : rig_power_detectable(n, n, RIG_POWER_ALPHA, RIG_POWER_WANTED) * metric->sd;

	return rig_scale_change(metric->scale, size);
}

/* From records. */

typedef struct {
	guint n;	      /* blocks */
	gint *first, *second; /* places of the runs, -1: none */
} Blocks;

static void blocks_clear(Blocks *blocks)
{
	g_free(blocks->first);
	g_free(blocks->second);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(Blocks, blocks_clear)

static gboolean number_of(const RigRecord *record, const char *key, guint64 max, guint *number)
{
	const char *text = g_hash_table_lookup(record->manifest, key);
	guint64 value;

	if (!text || !g_ascii_string_to_unsigned(text, 10, 0, max, &value, NULL))
		return FALSE;
	*number = (guint)value;
	return TRUE;
}

static guint find_blocks(const GPtrArray *records, Blocks *blocks)
{
	guint whole = 0;

	for (guint i = 0; i < blocks->n; i++)
		blocks->first[i] = blocks->second[i] = -1;
	for (guint i = 0; i < records->len; i++) {
		const RigRecord *record = g_ptr_array_index(records, i);
		guint block, slot;

		if (!number_of(record, "plan.block", blocks->n - 1, &block) ||
		    !number_of(record, "plan.slot", 1, &slot))
			continue;
		(slot ? blocks->second : blocks->first)[block] = (gint)i;
	}
	for (guint i = 0; i < blocks->n; i++)
		whole += blocks->first[i] >= 0 && blocks->second[i] >= 0;
	return whole;
}

static void metric_free(gpointer data)
{
	RigNoiseMetric *metric = data;

	g_free(metric->name);
	g_free(metric);
}

static void add_metric(RigNoise *noise, const RigSides *sides, const char *name,
		       const Blocks *blocks)
{
	const RigMetricInfo *info = rig_sides_info(sides, name);
	const double *values = rig_side_values(rig_sides_at(sides, 0), name);
	g_autofree double *first = g_new(double, blocks->n);
	g_autofree double *second = g_new(double, blocks->n);
	RigNoiseMetric m;

	for (guint i = 0; i < blocks->n; i++) {
		first[i] = values && blocks->first[i] >= 0 ? values[blocks->first[i]] : NAN;
		second[i] = values && blocks->second[i] >= 0 ? values[blocks->second[i]] : NAN;
	}
	m = rig_noise_measure(rig_stat_scale(info->kind), first, second, blocks->n, noise->paired);
	if (m.n < 2)
		return;
	m.name = g_strdup(name);
	m.own = info->own;
	m.primary = info->primary;
	g_ptr_array_add(noise->metrics, g_memdup2(&m, sizeof(m)));
}

static GPtrArray *whole_runs(const GPtrArray *records)
{
	GPtrArray *whole = g_ptr_array_new();

	for (guint i = 0; i < records->len; i++)
		if (((RigRecord *)g_ptr_array_index(records, i))->outcome == RIG_OUTCOME_OK)
			g_ptr_array_add(whole, g_ptr_array_index(records, i));
	return whole;
}

static RigNoise *describe(const GPtrArray *records)
{
	const RigRecord *record = g_ptr_array_index(records, 0);
	const char *kernel = g_hash_table_lookup(record->manifest, "kernel.name");
	RigNoise *noise = g_new0(RigNoise, 1);

	noise->metrics = g_ptr_array_new_with_free_func(metric_free);
	noise->workload = g_strdup(record->workload);
	noise->params = g_strdup(record->params);
	noise->topology = g_strdup(record->topology);
	noise->kernel = g_strdup(kernel ? kernel : record->kernel);
	noise->accel = g_strdup(g_hash_table_lookup(record->manifest, "accel"));
	noise->plan = g_strdup(g_hash_table_lookup(record->manifest, "plan.id"));
	noise->class = record->class;
	noise->runs = records->len;
	noise->paired =
		g_strcmp0(g_hash_table_lookup(record->manifest, "plan.method"), "paired") == 0;
	if (!number_of(record, "plan.blocks", RIG_PLAN_BLOCKS_MAX, &noise->blocks))
		noise->blocks = 0;
	for (guint i = 0; i < records->len; i++)
		noise->when =
			MAX(noise->when, ((RigRecord *)g_ptr_array_index(records, i))->started);
	return noise;
}

static gboolean check_class(const GPtrArray *records, GError **error)
{
	const RigRecord *first = g_ptr_array_index(records, 0);

	for (guint i = 1; i < records->len; i++) {
		const RigRecord *record = g_ptr_array_index(records, i);

		if (record->class == first->class)
			continue;
		rig_error_set(error, RIG_ERROR_FAILED,
			      "the runs are of classes %c and %c: nothing can be learnt of either",
			      first->class, record->class);
		return FALSE;
	}
	return TRUE;
}

RigNoise *rig_noise_new(const GPtrArray *records, GError **error)
{
	g_autoptr(GPtrArray) whole = whole_runs(records);
	g_autoptr(RigSides) sides = rig_sides_new();
	g_autoptr(RigNoise) noise = NULL;
	g_auto(Blocks) blocks = {0};
	g_autofree const char **names = NULL;
	guint n_names = 0;

	if (whole->len && !check_class(whole, error))
		return NULL;
	noise = whole->len ? describe(whole) : NULL;
	blocks.n = noise ? noise->blocks : 0;
	blocks.first = g_new(gint, MAX(blocks.n, 1));
	blocks.second = g_new(gint, MAX(blocks.n, 1));
	if (!blocks.n || find_blocks(whole, &blocks) < 2) {
		rig_error_set(error, RIG_ERROR_FAILED,
			      "fewer than two blocks have two whole runs: the spread is unknown");
		return NULL;
	}
	rig_sides_add_records(sides, "a", whole);
	names = rig_sides_names(sides, &n_names);
	for (guint i = 0; i < n_names; i++)
		add_metric(noise, sides, names[i], &blocks);
	return g_steal_pointer(&noise);
}

void rig_noise_free(RigNoise *noise)
{
	if (!noise)
		return;
	g_free(noise->workload);
	g_free(noise->params);
	g_free(noise->topology);
	g_free(noise->kernel);
	g_free(noise->accel);
	g_free(noise->plan);
	g_ptr_array_unref(noise->metrics);
	g_free(noise);
}

/* The list is sorted by name. */
const RigNoiseMetric *rig_noise_find(const RigNoise *noise, const char *metric)
{
	guint lo = 0, hi = noise ? noise->metrics->len : 0;

	while (lo < hi) {
		guint middle = (lo + hi) / 2;
		const RigNoiseMetric *at = g_ptr_array_index(noise->metrics, middle);
		int order = strcmp(metric, at->name);

		if (order == 0)
			return at;
		if (order < 0)
			hi = middle;
		else
			lo = middle + 1;
	}
	return NULL;
}

double rig_noise_spread(const RigNoise *noise, const char *metric)
{
	const RigNoiseMetric *found = rig_noise_find(noise, metric);

	return found ? rig_scale_change(found->scale, found->sd) : NAN;
}
