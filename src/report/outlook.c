/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * outlook.c - what a plan will cost and what it can see, before anything of it is run.
 */
#include "report/outlook.h"

#include <math.h>

#include "model/store.h"
#include "report/compare.h"
#include "report/noise.h"
#include "report/stat-power.h"

/* The host and its kernels change: only the latest runs count. */
#define RUNS_LATEST 10
/* Where nothing was ever run: boot, transfer and the ends of the workload. */
#define OVERHEAD_S 6.0
#define OVERHEAD_EMULATED_S 30.0
#define RUNTIME_UNKNOWN_S 30.0

static double estimate(const RigOutlookInput *input)
{
	double overhead = input->emulated ? OVERHEAD_EMULATED_S : OVERHEAD_S;

	for (guint i = 0; i < input->workload->parameters->len; i++) {
		const RigParameter *p = g_ptr_array_index(input->workload->parameters, i);
		double value = g_ascii_strtod(p->value, NULL);

		if (g_str_equal(p->name, "runtime") && value > 0)
			return value + overhead;
	}
	return RUNTIME_UNKNOWN_S + overhead;
}

static gboolean counts(const RigStoreEntry *entry, gboolean emulated)
{
	return (entry->class == 'C') == emulated &&
	       g_strcmp0(entry->outcome, rig_outcome_name(RIG_OUTCOME_OK)) == 0;
}

static gboolean expect_time(RigOutlook *outlook, const RigOutlookInput *input, GError **error)
{
	RigStoreQuery query = {
		.workload = input->workload->name,
		.params = outlook->params,
		.topology = input->topology,
	};
	g_autoptr(GPtrArray) entries = rig_store_list(input->results, &query, error);
	double sum = 0;

	if (!entries)
		return FALSE;
	for (guint i = entries->len; i > 0 && outlook->run_n < RUNS_LATEST; i--) {
		const RigStoreEntry *entry = g_ptr_array_index(entries, i - 1);

		if (!counts(entry, input->emulated))
			continue;
		sum += entry->duration_s;
		outlook->run_n++;
	}
	outlook->run_s = outlook->run_n ? sum / outlook->run_n : estimate(input);
	return TRUE;
}

guint rig_outlook_blocks(double effect, gboolean points, double sd, double pair_sd, gboolean paired,
			 gboolean fixed)
{
	double size = rig_scale_difference(points ? RIG_SCALE_POINTS : RIG_SCALE_LOG, effect);
	guint welch = 0, pairs = 0;

	/* Without any spread two blocks show whatever there is. */
	if (!fixed || !paired)
		welch = sd > 0 ? rig_power_needed(size / sd, RIG_POWER_ALPHA, RIG_POWER_WANTED) : 2;
	if (!fixed || paired)
		pairs = pair_sd > 0 ? rig_power_needed_pairs(size / pair_sd, RIG_POWER_ALPHA,
							     RIG_POWER_WANTED)
				    : 2;
	if (fixed)
		return paired ? pairs : welch;
	if (welch && welch < RIG_PLAN_PAIRED_BLOCKS)
		return welch;
	return pairs ? MAX(pairs, RIG_PLAN_PAIRED_BLOCKS) : 0;
}

static void metric_free(gpointer data)
{
	RigOutlookMetric *metric = data;

	g_free(metric->name);
	g_free(metric);
}

static void add_metric(RigOutlook *outlook, const RigOutlookInput *input, const RigNoise *noise,
		       const RigMetricDef *def)
{
	const char *name = def->name;
	const RigNoiseMetric *known = rig_noise_find(noise, name);
	RigMetricInfo info = {
		.name = def->name,
		.unit = def->unit,
		.text = def->text,
		.direction = def->direction,
		.kind = def->kind,
		.own = TRUE,
		.primary = TRUE,
	};
	RigOutlookMetric *m;

	if (!known || isnan(known->sd))
		return;
	m = g_new0(RigOutlookMetric, 1);
	m->name = g_strdup(name);
	m->judged = !input->emulated || !rig_metric_is_timing(&info);
	m->points = known->scale == RIG_SCALE_POINTS;
	m->spread = rig_noise_spread(noise, name);
	m->detectable = rig_noise_detectable(known, input->n_blocks, input->paired);
	if (input->effect > 0)
		m->needed = rig_outlook_blocks(input->effect, m->points, known->sd, known->pair_sd,
					       input->paired, input->method_fixed);
	g_ptr_array_add(outlook->metrics, m);
}

/* Whether a guest under KVM will be bound (A) or not (B) is known only when it is placed. */
static gboolean look_at_noise(RigOutlook *outlook, const RigOutlookInput *input, GError **error)
{
	const char *classes = input->emulated ? "C" : "AB";
	g_autoptr(RigNoise) noise = NULL;
	GError *bad = NULL;

	for (const char *class = classes; *class && !noise && !bad; class ++)
		noise = rig_noise_load(input->state, input->workload->name, outlook->params,
				       input->topology, *class, &bad);
	if (bad) {
		g_propagate_error(error, bad);
		return FALSE;
	}
	if (!noise)
		return TRUE;
	outlook->noise_blocks = noise->blocks;
	outlook->noise_class = noise->class;
	for (guint i = 0; i < input->workload->metrics->len; i++) {
		const RigMetricDef *def = g_ptr_array_index(input->workload->metrics, i);

		if (def->primary)
			add_metric(outlook, input, noise, def);
	}
	return TRUE;
}

RigOutlook *rig_outlook_new(const RigOutlookInput *input, GError **error)
{
	g_autoptr(RigOutlook) outlook = g_new0(RigOutlook, 1);

	outlook->metrics = g_ptr_array_new_with_free_func(metric_free);
	outlook->params = rig_workload_path_params(input->workload);
	if (!expect_time(outlook, input, error) || !look_at_noise(outlook, input, error))
		return NULL;
	return g_steal_pointer(&outlook);
}

void rig_outlook_free(RigOutlook *outlook)
{
	if (!outlook)
		return;
	g_free(outlook->params);
	g_ptr_array_unref(outlook->metrics);
	g_free(outlook);
}
