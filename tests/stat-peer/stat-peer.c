/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * stat-peer.c - the statistics as a filter, for comparison with another program.
 *
 * A line in is an operation and lists, each "COUNT VALUE..."; "nan" is a missing value. A line out
 * holds the results in the order of peer.R.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "report/stat-dist.h"
#include "report/stat-fisher.h"
#include "report/stat-moderated.h"
#include "report/stat-multiple.h"
#include "report/stat-power.h"
#include "report/stat-rank.h"

#define LISTS_MAX 4

typedef struct {
	guint n;
	double *v;
} List;

static void say(double value)
{
	printf("%.17g ", value);
}

static void say_test(RigTTest t)
{
	say(t.difference);
	say(t.se);
	say(t.df);
	say(t.t);
	say(t.p);
	say(t.i95.lo);
	say(t.i95.hi);
	say(t.i90.lo);
	say(t.i90.hi);
}

static void say_shift(RigShift shift)
{
	say(shift.estimate);
	say(shift.i95.lo);
	say(shift.i95.hi);
}

static void say_list(const double *values, guint n)
{
	for (guint i = 0; i < n; i++)
		say(values[i]);
}

static void do_basic(const List *l)
{
	g_autofree double *ranks = g_new(double, l[0].n);

	say(rig_stat_mean(l[0].v, l[0].n));
	say(rig_stat_sd(l[0].v, l[0].n));
	say(rig_stat_median(l[0].v, l[0].n));
	say(rig_stat_log_mean(l[0].v, l[0].n));
	say(rig_stat_ranks(l[0].v, l[0].n, ranks));
	say_list(ranks, l[0].n);
}

static void do_welch(const List *l)
{
	say_test(rig_t_welch(l[0].v, l[0].n, l[1].v, l[1].n));
}

static void do_pooled(const List *l)
{
	say_test(rig_t_pooled(l[0].v, l[0].n, l[1].v, l[1].n));
}

static void do_paired(const List *l)
{
	say_test(rig_t_paired(l[0].v, l[1].v, l[0].n));
}

static void do_rank(const List *l)
{
	RigRankTest test = rig_rank_mann_whitney(l[0].v, l[0].n, l[1].v, l[1].n);

	say(test.statistic);
	say(test.p);
	say(test.how == RIG_P_EXACT);
}

static void do_flip(const List *l)
{
	RigRankTest test = rig_rank_sign_flip(l[0].v, l[0].n);

	say(test.p);
	say(test.how == RIG_P_EXACT);
}

static void do_shift(const List *l)
{
	say_shift(rig_rank_shift(l[0].v, l[0].n, l[1].v, l[1].n));
}

static void do_shift_pairs(const List *l)
{
	say_shift(rig_rank_shift_pairs(l[0].v, l[0].n));
}

static void do_fisher(const List *l)
{
	say(rig_fisher_p((guint)l[0].v[0], (guint)l[0].v[1], (guint)l[0].v[2], (guint)l[0].v[3]));
}

static void do_adjust(const List *l)
{
	g_autofree double *adjusted = g_new(double, l[0].n);

	rig_multiple_holm(l[0].v, l[0].n, adjusted);
	say_list(adjusted, l[0].n);
	rig_multiple_bh(l[0].v, l[0].n, adjusted);
	say_list(adjusted, l[0].n);
}

static void do_t(const List *l)
{
	say(rig_dist_t_two_sided(l[0].v[0], l[0].v[1]));
	say(rig_dist_t_critical(l[0].v[2], l[0].v[1]));
}

static void do_noncentral(const List *l)
{
	say(rig_power_noncentral_t(l[0].v[0], l[0].v[1], l[0].v[2]));
}

/* n a side, effect */
static void do_power(const List *l)
{
	guint n = (guint)l[0].v[0];

	say(rig_power_sides(n, n, l[0].v[1], RIG_POWER_ALPHA));
	say(rig_power_pairs(n, l[0].v[1], RIG_POWER_ALPHA));
	say(rig_power_detectable(n, n, RIG_POWER_ALPHA, RIG_POWER_WANTED));
	say(rig_power_detectable_pairs(n, RIG_POWER_ALPHA, RIG_POWER_WANTED));
}

static void do_needed(const List *l)
{
	say(rig_power_needed(l[0].v[0], RIG_POWER_ALPHA, RIG_POWER_WANTED));
	say(rig_power_needed_pairs(l[0].v[0], RIG_POWER_ALPHA, RIG_POWER_WANTED));
}

static void do_trigamma(const List *l)
{
	say(rig_moderated_trigamma_inverse(l[0].v[0]));
}

/* variances, degrees, differences, factors */
static void do_moderated(const List *l)
{
	RigPrior prior = rig_moderated_fit(l[0].v, l[1].v, l[0].n);

	say(prior.df);
	say(prior.variance);
	for (guint i = 0; i < l[0].n; i++) {
		RigModerated t =
			rig_moderated_t(&prior, l[2].v[i], l[3].v[i], l[0].v[i], l[1].v[i]);

		say(t.t);
		say(t.df);
		say(t.p);
	}
}

static const struct {
	const char *name;
	guint lists;
	void (*call)(const List *lists);
} operations[] = {
	{"basic", 1, do_basic},
	{"welch", 2, do_welch},
	{"pooled", 2, do_pooled},
	{"paired", 2, do_paired},
	{"rank", 2, do_rank},
	{"flip", 1, do_flip},
	{"shift", 2, do_shift},
	{"shift-pairs", 1, do_shift_pairs},
	{"fisher", 1, do_fisher},
	{"adjust", 1, do_adjust},
	{"t", 1, do_t},
	{"noncentral", 1, do_noncentral},
	{"power", 1, do_power},
	{"needed", 1, do_needed},
	{"trigamma", 1, do_trigamma},
	{"moderated", 4, do_moderated},
};

static void read_lists(char **words, List *lists, guint n)
{
	for (guint i = 0; i < n; i++) {
		lists[i].n = *words ? (guint)strtoul(*words++, NULL, 10) : 0;
		lists[i].v = g_new0(double, lists[i].n + 1);
		for (guint k = 0; k < lists[i].n; k++) {
			if (!*words)
				g_error("list %u is too short", i);
			lists[i].v[k] = strtod(*words++, NULL);
		}
	}
}

static void do_line(char *line)
{
	g_auto(GStrv) words = g_strsplit(g_strchomp(line), " ", -1);
	List lists[LISTS_MAX] = {0};

	for (guint i = 0; i < G_N_ELEMENTS(operations); i++) {
		if (!g_str_equal(words[0], operations[i].name))
			continue;
		read_lists(words + 1, lists, operations[i].lists);
		operations[i].call(lists);
		printf("\n");
		for (guint k = 0; k < LISTS_MAX; k++)
			g_free(lists[k].v);
		return;
	}
	g_error("no operation is called %s", words[0]);
}

int main(void)
{
	char *line = NULL;
	size_t size = 0;

	while (getline(&line, &size, stdin) > 0)
		do_line(line);
	free(line);
	return 0;
}
