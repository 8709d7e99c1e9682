/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * screen.c - which of thousands of counters changed.
 */
#include "report/screen.h"

#include <math.h>

#include "report/stat-multiple.h"

typedef struct {
	const RigScreenInput *inputs;
	guint n, n_base, n_head;
	gboolean paired;
	double *variances, *dfs, *factors; /* of the counters that pass the filter, else NaN */
	double *base, *head;		   /* room for one counter's values on its scale */
} Work;

const char *rig_screen_status_name(RigScreenStatus status)
{
	static const char *const names[] = {
		"tested",	  "constant",	    "nearly always zero",
		"too few events", "too few values", "no spread"};

	return names[status];
}

typedef struct {
	guint values, nonzero;
	double sum, min, max;
} Tally;

static void tally_add(Tally *tally, const double *values, guint n)
{
	for (guint i = 0; values && i < n; i++) {
		if (isnan(values[i]))
			continue;
		tally->min = tally->values ? MIN(tally->min, values[i]) : values[i];
		tally->max = tally->values ? MAX(tally->max, values[i]) : values[i];
		tally->values++;
		tally->nonzero += values[i] != 0;
		tally->sum += values[i];
	}
}

/* BASE and HEAD only tell whether a t is possible at all; the rules look at ALL. */
static RigScreenStatus filter(const Work *work, const RigScreenInput *input, const Tally *base,
			      const Tally *head, const Tally *all)
{
	gboolean counts = input->scale == RIG_SCALE_LOG_COUNT;

	if (all->values && all->min == all->max)
		return RIG_SCREEN_CONSTANT;
	if (base->values < 2 || head->values < 2 || (counts && all->min < 0))
		return RIG_SCREEN_SHORT;
	if (all->nonzero < MIN(work->n_base, work->n_head))
		return RIG_SCREEN_ZERO;
	if (counts && all->sum < RIG_SCREEN_EVENTS_MIN * (double)all->values)
		return RIG_SCREEN_FEW;
	return RIG_SCREEN_TESTED;
}

static gboolean none_here_all_there(const Tally *here, guint n_here, const Tally *there,
				    guint n_there)
{
	return here->nonzero == 0 && there->nonzero == n_there && n_here >= 2 && n_there >= 2;
}

static void set_estimate(Work *work, guint i, double variance, double df, double factor)
{
	work->variances[i] = variance;
	work->dfs[i] = df;
	work->factors[i] = factor;
}

/* The values are on their scale in work->base and work->head. */
static double estimate_pairs(Work *work, guint i)
{
	double *differences = work->head, sd;
	guint pairs;

	for (guint k = 0; k < work->n_base; k++)
		differences[k] -= work->base[k];
	pairs = rig_stat_count(differences, work->n_base);
	sd = rig_stat_sd(differences, work->n_base);
	if (pairs >= 2)
		set_estimate(work, i, sd * sd, pairs - 1, 1.0 / pairs);
	return rig_stat_mean(differences, work->n_base);
}

static double estimate_sides(Work *work, guint i)
{
	guint nb = rig_stat_count(work->base, work->n_base);
	guint nh = rig_stat_count(work->head, work->n_head);
	double sb = rig_stat_sd(work->base, work->n_base);
	double sh = rig_stat_sd(work->head, work->n_head);
	double df = (double)nb + nh - 2;

	if (nb >= 2 && nh >= 2)
		set_estimate(work, i, ((nb - 1) * sb * sb + (nh - 1) * sh * sh) / df, df,
			     1.0 / nb + 1.0 / nh);
	return rig_stat_mean(work->head, work->n_head) - rig_stat_mean(work->base, work->n_base);
}

static void prepare_row(Work *work, guint i, RigScreenRow *row)
{
	const RigScreenInput *input = &work->inputs[i];
	Tally base = {0}, head = {0}, all = {0};

	*row = (RigScreenRow){
		.difference = NAN, .se = NAN, .df = NAN, .t = NAN, .p = NAN, .q = NAN};
	set_estimate(work, i, NAN, NAN, NAN);
	tally_add(&base, input->base, work->n_base);
	tally_add(&head, input->head, work->n_head);
	tally_add(&all, input->base, work->n_base);
	tally_add(&all, input->head, work->n_head);
	row->status = filter(work, input, &base, &head, &all);
	row->appears = none_here_all_there(&base, work->n_base, &head, work->n_head);
	row->vanishes = none_here_all_there(&head, work->n_head, &base, work->n_base);
	if (!input->base || !input->head)
		return;
	rig_scale_apply(input->scale, input->base, work->n_base, work->base);
	rig_scale_apply(input->scale, input->head, work->n_head, work->head);
	row->difference = work->paired ? estimate_pairs(work, i) : estimate_sides(work, i);
	if (row->status == RIG_SCREEN_TESTED && isnan(work->dfs[i]))
		row->status = RIG_SCREEN_SHORT;
}

/* The prior of one scale, from the counters that pass the filter. */
static RigPrior fit(const Work *work, const RigScreen *screen, gboolean points)
{
	g_autofree double *variances = g_new(double, MAX(work->n, 1));
	g_autofree double *dfs = g_new(double, MAX(work->n, 1));
	guint count = 0;

	for (guint i = 0; i < work->n; i++) {
		if (screen->rows[i].status != RIG_SCREEN_TESTED ||
		    (work->inputs[i].scale == RIG_SCALE_POINTS) != points)
			continue;
		variances[count] = work->variances[i];
		dfs[count++] = work->dfs[i];
	}
	return rig_moderated_fit(variances, dfs, count);
}

static void test_rows(const Work *work, RigScreen *screen)
{
	g_autofree double *p = g_new(double, MAX(work->n, 1));

	for (guint i = 0; i < work->n; i++) {
		RigScreenRow *row = &screen->rows[i];
		gboolean points = work->inputs[i].scale == RIG_SCALE_POINTS;
		RigModerated t;

		p[i] = NAN;
		if (row->status != RIG_SCREEN_TESTED)
			continue;
		t = rig_moderated_t(points ? &screen->points_prior : &screen->log_prior,
				    row->difference, work->factors[i], work->variances[i],
				    work->dfs[i]);
		row->se = t.se;
		row->df = t.df;
		row->t = t.t;
		row->p = p[i] = t.p;
		if (isnan(t.p))
			row->status = RIG_SCREEN_NO_SPREAD;
	}
	rig_multiple_bh(p, work->n, p);
	for (guint i = 0; i < work->n; i++) {
		screen->rows[i].q = p[i];
		screen->rows[i].found = p[i] <= screen->q;
	}
}

static void count_rows(RigScreen *screen)
{
	guint *const counts[] = {&screen->n_tested, &screen->n_constant, &screen->n_zero,
				 &screen->n_few,    &screen->n_short,	 &screen->n_no_spread};

	for (guint i = 0; i < screen->n; i++) {
		const RigScreenRow *row = &screen->rows[i];

		++*counts[row->status];
		screen->n_found += row->found;
		screen->n_appear += row->appears;
		screen->n_vanish += row->vanishes;
	}
}

RigScreen *rig_screen_new(const RigScreenInput *inputs, guint n, guint n_base, guint n_head,
			  gboolean paired, double q)
{
	g_autofree double *room = g_new(double, 3 * (gsize)n + n_base + n_head + 1);
	RigScreen *screen = g_new0(RigScreen, 1);
	Work work = {inputs, n, n_base, n_head, paired};

	g_return_val_if_fail(!paired || n_base == n_head, screen);
	work.variances = room;
	work.dfs = room + n;
	work.factors = room + 2 * (gsize)n;
	work.base = room + 3 * (gsize)n;
	work.head = work.base + n_base;
	screen->rows = g_new0(RigScreenRow, MAX(n, 1));
	screen->n = n;
	screen->paired = paired;
	screen->q = q;
	for (guint i = 0; i < n; i++)
		prepare_row(&work, i, &screen->rows[i]);
	screen->log_prior = fit(&work, screen, FALSE);
	screen->points_prior = fit(&work, screen, TRUE);
	test_rows(&work, screen);
	count_rows(screen);
	return screen;
}

void rig_screen_free(RigScreen *screen)
{
	if (!screen)
		return;
	g_free(screen->rows);
	g_free(screen);
}
