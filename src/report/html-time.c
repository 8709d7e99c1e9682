/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * html-time.c - what happened while the runs ran: locality, NUMA balancing, CPU time, each node.
 *
 * One figure a side on the same axes, one line a run: what all runs of a side do and those of the
 * other do not is seen at once.
 */
#include "report/html-private.h"

#include <math.h>
#include <string.h>

#define WIDTH 440
#define HEIGHT 240
#define RUNS_MAX 20    /* lines a figure: the last ones of a side */
#define POINTS_MAX 400 /* of a line; more are joined by their mean */
#define NODES_MAX 64

/* What is drawn, in this order. A name without a dot stands for one line a node. */
static const struct {
	const char *series, *title, *unit;
} subjects[] = {
	{"locality.hugetlb_remote%", "Remote hugetlb memory, as the tasks ran", "%"},
	{"locality.anon_remote%", "Remote anonymous memory, as the tasks ran", "%"},
	{"proc-vmstat.numa_hint_faults", "NUMA hint faults", "per s"},
	{"proc-vmstat.numa_hint_faults_local", "of these local", "per s"},
	{"proc-vmstat.numa_pages_migrated", "Pages moved by NUMA balancing", "per s"},
	{"proc-vmstat.numa_pte_updates", "NUMA balancing's PTE updates", "per s"},
	{"used", "Memory used on each node", "MiB"},
	{"hugetlb", "Huge pages in use on each node", "MiB"},
	{"anon", "Anonymous memory on each node", "MiB"},
	{"tasks", "Watched tasks on each node", "tasks"},
	{"proc-vmstat.pgfault", "Page faults", "per s"},
	{"mpstat.cpu.all.usr%", "CPU time, user", "%"},
	{"mpstat.cpu.all.sys%", "CPU time, system", "%"},
};

typedef struct {
	RigHtmlPage *page;
	guint subject;
	guint n_nodes; /* 0: one line a run */
	gboolean timed;
	double t_hi, lo, hi;
	gboolean moved; /* something is not zero */
} Figure;

static guint nodes_of(const RigHtmlPage *page)
{
	guint nodes = 0;
	GHashTableIter iter;
	gpointer trace;

	if (!page->traces)
		return 0;
	g_hash_table_iter_init(&iter, page->traces);
	while (g_hash_table_iter_next(&iter, NULL, &trace))
		nodes = MAX(nodes, ((RigTrace *)trace)->n_nodes);
	return MIN(nodes, NODES_MAX);
}

/* Line N of the figure in the trace of a run, or NULL. */
static const GArray *line_of(const Figure *f, const RigSideRun *run, guint n)
{
	const RigTrace *trace = rig_html_trace(f->page, run);
	g_autofree char *name =
		f->n_nodes ? g_strdup_printf("node%u.%s", n, subjects[f->subject].series)
			   : g_strdup(subjects[f->subject].series);

	/* Seconds and numbers of samples cannot share an axis. */
	if (!trace || trace->timed != f->timed)
		return NULL;
	return g_hash_table_lookup(trace->series, name);
}

static guint first_run(const RigSide *side)
{
	return side->runs->len > RUNS_MAX ? side->runs->len - RUNS_MAX : 0;
}

static void take_range(Figure *f, const GArray *points)
{
	for (guint i = 0; i < points->len; i++) {
		const RigTracePoint *p = &g_array_index(points, RigTracePoint, i);

		if (!isfinite(p->v))
			continue;
		f->t_hi = MAX(f->t_hi, p->t1);
		f->lo = MIN(f->lo, p->v);
		f->hi = MAX(f->hi, p->v);
		f->moved |= p->v != 0;
	}
}

static void find_range(Figure *f)
{
	const RigSides *sides = f->page->compare->sides;

	for (guint s = 0; s < sides->sides->len; s++) {
		const RigSide *side = rig_sides_at(sides, s);

		for (guint r = first_run(side); r < side->runs->len; r++)
			for (guint n = 0; n < MAX(f->n_nodes, 1); n++) {
				const GArray *points =
					line_of(f, g_ptr_array_index(side->runs, r), n);

				if (points)
					take_range(f, points);
			}
	}
}

/* Up to K points from I on as one: the mean weighed by time. */
static RigTracePoint joined(const GArray *points, guint i, guint k)
{
	RigTracePoint all = g_array_index(points, RigTracePoint, i);
	double sum = 0, weight = 0;

	for (guint j = i; j < MIN(i + k, points->len); j++) {
		const RigTracePoint *p = &g_array_index(points, RigTracePoint, j);
		double w = p->t1 > p->t0 ? p->t1 - p->t0 : 1;

		sum += w * p->v;
		weight += w;
		all.t1 = p->t1;
	}
	all.v = sum / weight;
	return all;
}

static void draw_line(RigChart *chart, const GArray *points, const char *kind)
{
	guint k = (points->len + POINTS_MAX - 1) / POINTS_MAX, n = 0;
	g_autofree double *x = g_new0(double, points->len + 2);
	g_autofree double *y = g_new0(double, points->len + 2);
	gboolean step = FALSE;
	RigTracePoint last = {0};

	for (guint i = 0; i < points->len; i += MAX(k, 1)) {
		last = joined(points, i, MAX(k, 1));
		step |= last.t1 > last.t0;
		x[n] = last.t0;
		y[n++] = last.v;
	}
	if (step && n) {
		x[n] = last.t1;
		y[n++] = last.v;
	}
	rig_chart_line(chart, x, y, n, step, kind);
}

static void draw_run(const Figure *f, RigChart *chart, guint s, const RigSideRun *run)
{
	for (guint n = 0; n < MAX(f->n_nodes, 1); n++) {
		const GArray *points = line_of(f, run, n);
		g_autofree char *kind = f->n_nodes ? g_strdup_printf("n%u thin", n % 4)
						   : g_strdup_printf("s%u thin", s % 4);

		if (points)
			draw_line(chart, points, kind);
	}
}

/* The phases of the side's first run that has any: those of the others begin within moments. */
static void draw_phases(const Figure *f, RigChart *chart, const RigSide *side)
{
	for (guint r = first_run(side); f->timed && r < side->runs->len; r++) {
		const RigTrace *trace = rig_html_trace(f->page, g_ptr_array_index(side->runs, r));

		if (!trace || trace->phases->len == 0)
			continue;
		for (guint p = 0; p < trace->phases->len; p++) {
			const RigTracePhase *phase = g_ptr_array_index(trace->phases, p);

			rig_chart_band(chart, phase->start, phase->end, phase->name);
		}
		return;
	}
}

static void add_side(const Figure *f, guint s)
{
	const RigSide *side = rig_sides_at(f->page->compare->sides, s);
	g_autofree char *title = g_strdup_printf("%s, %s", subjects[f->subject].title, side->name);
	g_autoptr(RigChart) chart = NULL;
	RigChartFrame frame = {
		.title = title,
		.y_label = f->timed || !g_str_equal(subjects[f->subject].unit, "per s")
				   ? subjects[f->subject].unit
				   : "per sample",
		.x_label = f->timed ? "s" : "sample",
		.width = WIDTH,
		.height = HEIGHT,
		.x_lo = 0,
		.x_hi = f->t_hi,
		.whole_y = g_str_equal(subjects[f->subject].unit, "tasks"),
		.y_lo = MIN(f->lo, 0),
		.y_hi = MAX(f->hi, 0),
	};

	chart = rig_chart_new(&frame);
	draw_phases(f, chart, side);
	for (guint r = first_run(side); r < side->runs->len; r++)
		draw_run(f, chart, s, g_ptr_array_index(side->runs, r));
	rig_html_add_figure(f->page, chart, side->name);
}

static void add_node_legend(const Figure *f)
{
	g_string_append(f->page->out, "<p class=\"legend\">");
	for (guint n = 0; n < f->n_nodes; n++)
		rig_markup_add(f->page->out, "<span class=\"key line n%u\">node %u</span> ", n % 4,
			       n);
	g_string_append(f->page->out, "</p>\n");
}

/* FALSE if there is nothing to draw. QUIET gets the titles of what is zero throughout. */
static gboolean add_subject(RigHtmlPage *page, guint subject, gboolean timed, GString *quiet)
{
	gboolean by_node = strchr(subjects[subject].series, '.') == NULL;
	Figure f = {.page = page,
		    .subject = subject,
		    .timed = timed,
		    .n_nodes = by_node ? nodes_of(page) : 0,
		    .lo = INFINITY,
		    .hi = -INFINITY};

	if (by_node && f.n_nodes == 0)
		return FALSE;
	find_range(&f);
	if (!isfinite(f.lo))
		return FALSE;
	if (!f.moved) {
		g_string_append_printf(quiet, "%s%s", quiet->len ? ", " : "",
				       subjects[subject].series);
		return FALSE;
	}
	rig_markup_add(page->out, "<article class=\"time\">\n<h3>%s <small>%s</small></h3>\n",
		       subjects[subject].title, by_node ? "" : subjects[subject].series);
	if (by_node) {
		add_node_legend(&f);
		if (!g_str_equal(subjects[subject].series, "tasks"))
			g_string_append(page->out, "<p class=\"small\">Read where phases meet; "
						   "between them the lines are only drawn.</p>\n");
	}
	g_string_append(page->out, "<div class=\"figures\">\n");
	for (guint s = 0; s < page->compare->sides->sides->len; s++)
		add_side(&f, s);
	g_string_append(page->out, "</div>\n</article>\n");
	return TRUE;
}

/* TRUE if there are times; FALSE: only the order of samples. */
static gboolean any_timed(const RigHtmlPage *page)
{
	GHashTableIter iter;
	gpointer trace;

	if (!page->traces)
		return FALSE;
	g_hash_table_iter_init(&iter, page->traces);
	while (g_hash_table_iter_next(&iter, NULL, &trace))
		if (((RigTrace *)trace)->timed)
			return TRUE;
	return FALSE;
}

void rig_html_add_times(RigHtmlPage *page)
{
	gboolean timed = any_timed(page);
	g_autoptr(GString) quiet = g_string_new(NULL);
	guint drawn = 0;

	g_string_append(page->out, "<section id=\"time\">\n<h2>While it ran</h2>\n");
	rig_markup_add(page->out,
		       "<p class=\"small\">One line a run, at most the last %u of a "
		       "side.%s</p>\n",
		       RUNS_MAX,
		       timed ? " The bands are the phases of a side's first run."
			     : " The raw snapshots are not there: places are numbers of samples.");
	for (guint i = 0; i < G_N_ELEMENTS(subjects); i++)
		drawn += add_subject(page, i, timed, quiet);
	if (drawn == 0)
		g_string_append(page->out, "<p>No run left samples that could be drawn.</p>\n");
	if (quiet->len)
		rig_markup_add(page->out, "<p class=\"small\">Zero in every sample: %s.</p>\n",
			       quiet->str);
	g_string_append(page->out, "</section>\n");
}
