/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * noise-view.c - what rig calibrate found, as people read it.
 */
#include <math.h>

#include "report/grid.h"
#include "report/noise.h"
#include "report/number.h"

#define WIDTH_DEFAULT 80
#define ALPHA 0.05

/* "1.2%", or points; "-" where it could not be told. */
static char *change_text(const RigNoiseMetric *m, double change, gboolean sign)
{
	g_autofree char *number = NULL;

	if (!isfinite(change))
		return g_strdup("-");
	if (fabs(change) < 100)
		number = rig_number_printf(sign ? "%+.2g" : "%.2g", change);
	else
		number = rig_number_printf(sign ? "%+.0f" : "%.0f", change);
	return g_strconcat(number, m->scale == RIG_SCALE_POINTS ? " pt" : "%", NULL);
}

static char *slot_text(const RigNoiseMetric *m)
{
	g_autofree char *change = change_text(m, rig_scale_change(m->scale, m->slot), TRUE);

	return g_strconcat(change, m->slot_p < ALPHA ? " *" : "  ", NULL);
}

static char *alarms_text(const RigNoiseMetric *m)
{
	g_autofree char *number = rig_number_printf("%.0f", 100 * m->false_alarms);

	return g_strconcat(isfinite(m->false_alarms) ? number : "-",
			   isfinite(m->false_alarms) ? "%" : NULL, NULL);
}

static void add_row(RigGrid *grid, const RigNoise *noise, const RigNoiseMetric *m)
{
	g_autofree char *n = g_strdup_printf("%u", m->n);
	g_autofree char *mean = rig_number_people(m->mean);
	g_autofree char *spread = change_text(m, rig_scale_change(m->scale, m->sd), FALSE);
	g_autofree char *slot = slot_text(m);
	g_autofree char *alarms = alarms_text(m);
	g_autofree char *seen = change_text(
		m, rig_noise_detectable(m, noise->paired ? m->pairs : m->n / 2, noise->paired),
		FALSE);

	rig_grid_row(grid, NULL);
	rig_grid_cell(grid, m->name);
	rig_grid_cell(grid, n);
	rig_grid_cell(grid, mean);
	rig_grid_cell(grid, spread);
	rig_grid_cell(grid, slot);
	rig_grid_cell(grid, alarms);
	rig_grid_cell(grid, seen);
}

char *rig_noise_render(const RigNoise *noise, gboolean all, guint width)
{
	static const char *const headings[] = {"mean", "spread", "slot  ", "alarms", "seen"};
	g_autoptr(RigGrid) grid = rig_grid_new(width ? width : WIDTH_DEFAULT);
	g_autofree char *table = NULL;

	rig_grid_column(grid, "metric", RIG_GRID_LEFT);
	rig_grid_column(grid, "n", RIG_GRID_RIGHT);
	for (guint i = 0; i < G_N_ELEMENTS(headings); i++)
		rig_grid_column(grid, headings[i], RIG_GRID_RIGHT);
	for (guint i = 0; i < noise->metrics->len; i++) {
		const RigNoiseMetric *m = g_ptr_array_index(noise->metrics, i);

		if (m->own || (all && m->sd > 0))
			add_row(grid, noise, m);
	}
	table = rig_grid_text(grid);
	return g_strdup_printf(
		"%s (%s) on %s, class %c: kernel %s against itself, %u of %u runs, %s\n\n"
		"%s\n"
		"spread: one standard deviation between boots. slot: second run of a block\n"
		"against the first (* p < 0.05). alarms: share of %u splits that the test\n"
		"would have called a change. seen: smallest change that so many blocks see\n"
		"with 80 %% power.\n",
		noise->workload, noise->params ? noise->params : "default", noise->topology,
		noise->class, noise->kernel, noise->runs, 2 * noise->blocks,
		noise->paired ? "paired" : "Welch", table,
		noise->metrics->len
			? ((RigNoiseMetric *)g_ptr_array_index(noise->metrics, 0))->splits
			: 0);
}
