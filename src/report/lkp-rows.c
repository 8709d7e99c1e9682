/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * lkp-rows.c - the rows of the robot's table: figures and order, no text.
 */
#include <math.h>
#include <string.h>

#include "report/lkp-rule.h"
#include "report/lkp.h"

/* Stands for a zero base, so that there is something to divide by. */
#define ALMOST_ZERO 1e-100

static void row_free(gpointer data)
{
	RigLkpRow *row = data;

	g_free(row->avgs);
	g_free(row->stddevs);
	g_free(row->fails);
	g_free(row->runs);
	g_free(row->changes);
	g_free(row->fresh);
	g_free(row);
}

static gboolean in_points(const char *name)
{
	return g_str_has_prefix(name, "perf-profile") || g_str_has_suffix(name, "%");
}

static double sum_of(const GArray *values)
{
	double sum = 0;

	for (guint i = 0; i < values->len; i++)
		sum += g_array_index(values, double, i);
	return sum;
}

static double population_sd(const GArray *values, double mean)
{
	double squares = 0;

	if (values->len < 2)
		return -1;
	for (guint i = 0; i < values->len; i++) {
		double d = g_array_index(values, double, i) - mean;

		squares += d * d;
	}
	return sqrt(squares / values->len);
}

static void fill_side(RigLkpRow *row, guint i, const RigSide *side)
{
	g_autoptr(GArray) values = rig_lkp_values(side, row->name, &row->runs[i]);
	double sum = sum_of(values);

	row->fails[i] = row->failure && sum > 0 ? (guint)sum : 0;
	row->avgs[i] = values->len ? sum / values->len : 0;
	row->stddevs[i] = population_sd(values, row->avgs[i]);
}

static double failure_rate(const RigLkpRow *row, guint i)
{
	return row->runs[i] ? (double)row->fails[i] / row->runs[i] : 0;
}

static double change_of(const RigLkpRow *row, guint i)
{
	double base = row->avgs[0];

	if (row->failure)
		return 100 * (failure_rate(row, i) - failure_rate(row, 0));
	if (row->points)
		return row->avgs[i] - base;
	if (base == 0)
		base = ALMOST_ZERO;
	return 100.0 * (row->avgs[i] - base) / base;
}

static RigLkpRow *row_new(const RigSides *sides, const char *name)
{
	guint n = sides->sides->len;
	RigLkpRow *row = g_new0(RigLkpRow, 1);

	row->name = name;
	row->failure = rig_lkp_is_failure(name);
	row->points = !row->failure && in_points(name);
	row->n_sides = n;
	row->avgs = g_new0(double, n);
	row->stddevs = g_new0(double, n);
	row->fails = g_new0(guint, n);
	row->runs = g_new0(guint, n);
	row->changes = g_new0(double, n);
	for (guint i = 0; i < n; i++)
		fill_side(row, i, rig_sides_at(sides, i));
	for (guint i = 1; i < n; i++)
		row->changes[i] = change_of(row, i);
	return row;
}

/* The part of a name before its first point: the test or the monitor that it comes from. */
static char *base_of(const char *name)
{
	return g_strndup(name, strcspn(name, "."));
}

static gboolean is_own(const RigSides *sides, const char *name)
{
	g_autofree char *base = base_of(name);

	return rig_sides_info(sides, name)->own || g_strcmp0(base, sides->suite) == 0;
}

static gboolean is_shown(const RigSides *sides, const char *name, RigLkpRows which)
{
	if (which == RIG_LKP_ROWS_ALL)
		return TRUE;
	for (guint i = 1; i < sides->sides->len; i++)
		if (rig_lkp_changed(rig_sides_at(sides, 0), rig_sides_at(sides, i), name,
				    is_own(sides, name)))
			return TRUE;
	return FALSE;
}

typedef struct {
	const RigSides *sides;
	GHashTable *counts; /* base of the name -> number of rows */
} Order;

static int rank_of(const Order *order, const RigLkpRow *row)
{
	g_autofree char *base = base_of(row->name);

	if (row->failure)
		return -1;
	return is_own(order->sides, row->name)
		       ? 0
		       : GPOINTER_TO_INT(g_hash_table_lookup(order->counts, base));
}

/* Profiles are ordered by size of change within calltrace, children, self; all else by name. */
static gsize key_length(const char *name)
{
	gsize length = strlen(name);

	if (!g_str_has_prefix(name, "perf-profile."))
		return length;
	return strlen("perf-profile.") + strcspn(name + strlen("perf-profile."), ".");
}

static int compare_keys(const char *a, const char *b)
{
	gsize la = key_length(a), lb = key_length(b);
	int order = strncmp(a, b, MIN(la, lb));

	return order ? order : (la > lb) - (la < lb);
}

static int compare_rows(gconstpointer a, gconstpointer b, gpointer data)
{
	const RigLkpRow *x = *(const RigLkpRow *const *)a, *y = *(const RigLkpRow *const *)b;
	int rx = rank_of(data, x), ry = rank_of(data, y), order;

	if (rx != ry)
		return rx < ry ? -1 : 1;
	order = compare_keys(x->name, y->name);
	for (guint i = 1; order == 0 && i < x->n_sides; i++)
		order = (x->changes[i] > y->changes[i]) - (x->changes[i] < y->changes[i]);
	return order ? order : strcmp(x->name, y->name);
}

static void count_base(GHashTable *counts, const char *name)
{
	char *base = base_of(name);
	gpointer count = g_hash_table_lookup(counts, base);

	g_hash_table_replace(counts, base, GINT_TO_POINTER(GPOINTER_TO_INT(count) + 1));
}

/* Rows for NAMES (const char*), in the robot's order. */
static GPtrArray *rows_of(const RigSides *sides, const GPtrArray *names)
{
	GPtrArray *rows = g_ptr_array_new_with_free_func(row_free);
	g_autoptr(GHashTable) counts = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);
	Order order = {sides, counts};

	for (guint i = 0; i < names->len; i++) {
		const char *name = g_ptr_array_index(names, i);

		g_ptr_array_add(rows, row_new(sides, name));
		count_base(counts, name);
	}
	g_ptr_array_sort_with_data(rows, compare_rows, &order);
	return rows;
}

GPtrArray *rig_lkp_rows(const RigSides *sides, RigLkpRows which)
{
	g_autoptr(GPtrArray) shown = g_ptr_array_new();
	guint n;
	g_autofree const char **names = rig_sides_names(sides, &n);

	for (guint i = 0; i < n; i++)
		if (is_shown(sides, names[i], which))
			g_ptr_array_add(shown, (gpointer)names[i]);
	return rows_of(sides, shown);
}

static void take_counters(GHashTable *taken, const GPtrArray *counters)
{
	for (guint i = 0; i < counters->len; i++) {
		const RigStatCounter *counter = g_ptr_array_index(counters, i);

		g_hash_table_add(taken, (gpointer)counter->info->name);
	}
}

static void take_found(GHashTable *taken, const RigStatCompare *stats)
{
	for (guint i = 0; i < stats->metrics->len; i++) {
		const RigStatMetric *m = g_ptr_array_index(stats->metrics, i);

		if (m->primary || m->verdict.kind == RIG_VERDICT_CHANGED)
			g_hash_table_add(taken, (gpointer)m->info->name);
	}
	take_counters(taken, stats->found);
	take_counters(taken, stats->appeared);
	take_counters(taken, stats->vanished);
}

static void mark_fresh(RigLkpRow *row)
{
	row->fresh = g_new0(gboolean, row->n_sides);
	for (guint i = 1; i < row->n_sides; i++)
		row->fresh[i] =
			!row->failure && !row->points && row->avgs[0] == 0 && row->avgs[i] != 0;
}

GPtrArray *rig_lkp_rows_found(const RigJudgement *judgement)
{
	const RigSides *sides = judgement->compare->sides;
	g_autoptr(GHashTable) taken = g_hash_table_new(g_str_hash, g_str_equal);
	g_autoptr(GPtrArray) shown = g_ptr_array_new();
	GPtrArray *rows;
	guint n;
	g_autofree const char **names = rig_sides_names(sides, &n);

	for (guint head = 1; head < sides->sides->len; head++)
		take_found(taken, rig_judgement_stats(judgement, head));
	for (guint i = 0; i < n; i++)
		if (rig_lkp_is_failure(names[i]) || g_hash_table_contains(taken, names[i]))
			g_ptr_array_add(shown, (gpointer)names[i]);
	rows = rows_of(sides, shown);
	for (guint i = 0; i < rows->len; i++)
		mark_fresh(g_ptr_array_index(rows, i));
	return rows;
}
