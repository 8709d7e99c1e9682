/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * screen.h - which of thousands of counters changed.
 *
 * Counters that cannot tell anything are left out first, by rules that do not look at which side a
 * run is of, so that the tests of the others stay honest (Bourgon, Gentleman & Huber, 2010,
 * Proceedings of the National Academy of Sciences 107). The rest get a moderated t each and a q
 * value over all of them.
 */
#pragma once

#include "report/stat-basic.h"
#include "report/stat-moderated.h"

#define RIG_SCREEN_Q 0.05
/* A counter with fewer events a run than this, on average over all runs, says nothing. */
#define RIG_SCREEN_EVENTS_MIN 5

typedef enum {
	RIG_SCREEN_TESTED,
	RIG_SCREEN_CONSTANT,  /* the same value in all runs */
	RIG_SCREEN_ZERO,      /* not zero in fewer runs than the smaller side has */
	RIG_SCREEN_FEW,	      /* too few events */
	RIG_SCREEN_SHORT,     /* fewer than two values on a side, or a value below zero */
	RIG_SCREEN_NO_SPREAD, /* differs between the sides, but within them neither it nor the other
				 counters do (exact repetition): a difference, but no test */
} RigScreenStatus;
/* "tested", "constant", "nearly always zero", "too few events", "too few values", "no spread". */
const char *rig_screen_status_name(RigScreenStatus status);

/* One counter's values, one a run; NaN where a run has none. */
typedef struct {
	const double *base, *head; /* NULL: no run of the side has it */
	RigScale scale;		   /* RIG_SCALE_LOG_COUNT or RIG_SCALE_POINTS */
} RigScreenInput;

typedef struct {
	RigScreenStatus status;
	double difference;	    /* on the scale; NaN without two sides */
	double se, df, t, p;	    /* NaN unless tested */
	double q;		    /* Benjamini and Hochberg over all that were tested */
	gboolean found;		    /* q at most the limit */
	gboolean appears, vanishes; /* zero or missing in every run of a side, and not zero in every
				       run of the other (two at least) */
} RigScreenRow;

typedef struct {
	RigScreenRow *rows; /* one an input, in its order */
	guint n, n_tested, n_constant, n_zero, n_few, n_short, n_no_spread, n_found, n_appear,
		n_vanish;
	gboolean paired;
	double q;
	RigPrior log_prior, points_prior; /* each scale has spreads of its own */
} RigScreen;

/* N_BASE and N_HEAD are the runs that count (those that did not fail). PAIRED: value i of the base
 * and value i of the head are of one block, N_BASE = N_HEAD. */
RigScreen *rig_screen_new(const RigScreenInput *inputs, guint n, guint n_base, guint n_head,
			  gboolean paired, double q);
void rig_screen_free(RigScreen *screen);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(RigScreen, rig_screen_free)
