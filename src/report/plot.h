/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * plot.h - a series of samples as characters, for a terminal.
 */
#pragma once

#include "model/record.h"

typedef struct {
	const char *title; /* first line, without what the plot adds; or NULL */
	guint width;	   /* columns in all; 0: 80 */
	guint height;	   /* lines of blocks; 0: 8 */
	gboolean ascii;	   /* the locale cannot show blocks */
} RigPlotOptions;

/* Bars from zero (from the smallest value, where one is below zero), one column a sample, or the
 * mean of several where there are more samples than columns. A sample that is not finite is a gap.
 * No samples: "". g_free. */
char *rig_plot_render(const double *values, guint n, const RigPlotOptions *options);

/* The samples of METRIC of one run (docs/records.md, matrix.json) as above, titled. A metric that
 * the run has no samples of is RIG_ERROR_USAGE and names one like it. OPTIONS' title is not used.
 * g_free. */
char *rig_plot_record(const RigRecord *record, const char *metric, const RigPlotOptions *options,
		      GError **error) G_GNUC_WARN_UNUSED_RESULT;
/* {"format": "rig-samples", "version": 1, "run", "metric", "values": [...]}. g_free. */
char *rig_plot_record_json(const RigRecord *record, const char *metric,
			   GError **error) G_GNUC_WARN_UNUSED_RESULT;
