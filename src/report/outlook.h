/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * outlook.h - what a plan will cost and what it can see, before anything of it is run.
 */
#pragma once

#include "model/planfile.h"
#include "model/workload.h"

typedef struct {
	const char *results, *state; /* the store of records; where noise/ lies */
	const RigWorkload *workload; /* with its parameters set */
	const char *topology;	     /* as records are filed */
	gboolean emulated;
	guint n_blocks;
	gboolean paired, method_fixed; /* fixed: the user chose it, whatever the blocks */
	double effect;		       /* to be seen, percent or points; 0: none was asked for */
} RigOutlookInput;

typedef struct {
	char *name;
	gboolean judged;   /* FALSE for a timing that was or will be emulated: shown only */
	gboolean points;   /* changes are in points, not percent */
	double spread;	   /* between boots, one standard deviation */
	double detectable; /* smallest change seen with 80 % power; NaN below two blocks */
	guint needed;	   /* blocks to see the effect asked for; 0: none was, or no number does */
} RigOutlookMetric;

typedef struct {
	char *params;
	double run_s;	    /* one run, boot and all */
	guint run_n;	    /* stored runs that it is the mean of; 0: an estimate */
	guint noise_blocks; /* of the calibration; 0: there is none, and no METRICS */
	char noise_class;
	GPtrArray *metrics; /* RigOutlookMetric*: the primaries */
} RigOutlook;

RigOutlook *rig_outlook_new(const RigOutlookInput *input, GError **error) G_GNUC_WARN_UNUSED_RESULT;
void rig_outlook_free(RigOutlook *outlook);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(RigOutlook, rig_outlook_free)

/* Blocks that it takes to see EFFECT (percent or points), given the spreads of one run and of the
 * difference within a block, on the scale of logarithms (POINTS FALSE) or of points. Below six
 * blocks by Welch, else paired, unless FIXED makes PAIRED hold. 0 if no number does. */
guint rig_outlook_blocks(double effect, gboolean points, double sd, double pair_sd, gboolean paired,
			 gboolean fixed);
