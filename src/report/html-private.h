/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * html-private.h - the parts of the page (private to html*.c).
 */
#pragma once

#include "report/chart.h"
#include "report/html.h"
#include "report/markup.h"
#include "report/trace.h"

typedef struct {
	GString *out;
	const RigCompare *compare;
	GPtrArray *stats;    /* RigStatCompare*, one a head: entry 0 is of side 1 */
	GPtrArray *doubts;   /* char* */
	GPtrArray *expected; /* RigExpected*, one a head, NULL where no recipe says */
	GHashTable *traces;  /* id -> RigTrace*, may be NULL */
} RigHtmlPage;

/* One run at its place in time over all sides. */
typedef struct {
	const RigSide *side;
	const RigSideRun *run;
	guint side_index, run_index;
} RigHtmlRun;

/* RigHtmlRun, oldest first; runs of one second as the plan ordered them. */
GArray *rig_html_runs(const RigHtmlPage *page);
const RigTrace *rig_html_trace(const RigHtmlPage *page, const RigSideRun *run);

/* The parts, in the order of the page. */
void rig_html_add_facts(RigHtmlPage *page);    /* title, verdict, what was compared */
void rig_html_add_doubts(RigHtmlPage *page);   /* failures, warnings, differences */
void rig_html_add_metrics(RigHtmlPage *page);  /* the workload's own figures */
void rig_html_add_times(RigHtmlPage *page);    /* over time, by node */
void rig_html_add_counters(RigHtmlPage *page); /* all counters of the kernel */
void rig_html_add_runs(RigHtmlPage *page);     /* every run, the manifests */

/* Small pieces. A cell with a number carries it exactly in data-v, for sorting and for scripts. */
void rig_html_cell_number(GString *out, double value, const char *kind);
void rig_html_cell_text(GString *out, double value, const char *text, const char *kind);
/* Standard deviation between runs as the table has it: percent of the mean, or points. */
void rig_html_cell_spread(GString *out, const RigMetricInfo *info, const RigSummary *summary);
void rig_html_cell_change(GString *out, const RigChange *change);
/* "+1.2%", "-3.4 pt", "new", "-". g_free. */
char *rig_html_change_text(const RigChange *change);
/* The names of the sides with their marks, as a legend. */
void rig_html_add_legend(RigHtmlPage *page);
/* SVG is added as it is. CAPTION may be NULL. */
void rig_html_add_figure(RigHtmlPage *page, const RigChart *chart, const char *caption);
