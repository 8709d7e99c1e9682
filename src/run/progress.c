/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * progress.c - where a plan stands: which run, which phase, how long yet.
 */
#include "run/progress.h"

#include "base/text.h"

struct RigProgress {
	RigLog *log;
	guint n_runs, ended;
	double expect_s, spent_s;
	gint64 started_us; /* of the current run */
	char *side;
	guint block;
};

RigProgress *rig_progress_new(RigLog *log, guint n_runs, double expect_s)
{
	RigProgress *progress = g_new0(RigProgress, 1);

	progress->log = log;
	progress->n_runs = n_runs;
	progress->expect_s = expect_s;
	progress->side = g_strdup("");
	return progress;
}

void rig_progress_free(RigProgress *progress)
{
	if (!progress)
		return;
	rig_log_status_clear(progress->log);
	g_free(progress->side);
	g_free(progress);
}

double rig_progress_left(const RigProgress *progress)
{
	double each = progress->ended ? progress->spent_s / progress->ended : progress->expect_s;
	double now = progress->started_us
			     ? (double)(g_get_monotonic_time() - progress->started_us) / 1e6
			     : 0;

	if (each <= 0)
		return -1;
	return MAX(each - now, 0) +
	       each * (progress->n_runs - progress->ended - (progress->started_us ? 1 : 0));
}

void rig_progress_start(RigProgress *progress, const char *side, guint block)
{
	g_free(progress->side);
	progress->side = g_strdup(side);
	progress->block = block;
	progress->started_us = g_get_monotonic_time();
	rig_progress_phase(progress, "boot");
}

void rig_progress_phase(RigProgress *progress, const char *phase)
{
	double left = rig_progress_left(progress);
	g_autofree char *left_text = left >= 0 ? rig_text_duration(left) : NULL;

	rig_log_status(progress->log, "run %u/%u  block %u  %s  %s%s%s", progress->ended + 1,
		       progress->n_runs, progress->block + 1, progress->side, phase,
		       left_text ? "  left: " : "", left_text ? left_text : "");
}

void rig_progress_end(RigProgress *progress, double seconds, const char *summary)
{
	g_autofree char *took = rig_text_duration(seconds);

	progress->ended++;
	progress->spent_s += seconds;
	progress->started_us = 0;
	rig_log_info(progress->log, "run %u/%u  block %u  %s: %s (%s)", progress->ended,
		     progress->n_runs, progress->block + 1, progress->side, summary, took);
}
