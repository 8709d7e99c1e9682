/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * html-pieces.c - what several parts of the page are made of.
 */
#include "report/html-private.h"

#include <math.h>
#include <stdlib.h>

#include "report/number.h"
#include "report/phrase.h"

#define PERCENT_LONG 1e4 /* from here on a change is written with an exponent */

static gint64 order_of(const RigSideRun *run)
{
	const char *text = run->manifest ? g_hash_table_lookup(run->manifest, "plan.order") : NULL;

	return text ? g_ascii_strtoll(text, NULL, 10) : 0;
}

static int by_time(gconstpointer left, gconstpointer right)
{
	const RigHtmlRun *a = left, *b = right;
	gint64 ao = order_of(a->run), bo = order_of(b->run);

	if (a->run->started != b->run->started)
		return a->run->started < b->run->started ? -1 : 1;
	if (ao != bo)
		return ao < bo ? -1 : 1;
	return (a->run_index > b->run_index) - (a->run_index < b->run_index);
}

GArray *rig_html_runs(const RigHtmlPage *page)
{
	GArray *runs = g_array_new(FALSE, TRUE, sizeof(RigHtmlRun));

	for (guint s = 0; s < page->compare->sides->sides->len; s++) {
		const RigSide *side = rig_sides_at(page->compare->sides, s);

		for (guint r = 0; r < side->runs->len; r++) {
			RigHtmlRun run = {side, g_ptr_array_index(side->runs, r), s, r};

			g_array_append_val(runs, run);
		}
	}
	g_array_sort(runs, by_time);
	return runs;
}

const RigTrace *rig_html_trace(const RigHtmlPage *page, const RigSideRun *run)
{
	return page->traces && run->id ? g_hash_table_lookup(page->traces, run->id) : NULL;
}

void rig_html_cell_text(GString *out, double value, const char *text, const char *kind)
{
	g_autofree char *exact = rig_number_exact(value);

	rig_markup_add(out, "<td class=\"%s\" data-v=\"%s\">%s</td>", kind, exact, text);
}

void rig_html_cell_number(GString *out, double value, const char *kind)
{
	g_autofree char *text = rig_number_people(value);

	rig_html_cell_text(out, value, text, kind);
}

void rig_html_cell_spread(GString *out, const RigMetricInfo *info, const RigSummary *summary)
{
	double spread = info->kind == RIG_KIND_PERCENTAGE ? summary->sd : summary->cv;
	g_autofree char *plain = rig_phrase_spread(info, summary);
	g_autofree char *text = g_strconcat(*plain ? "±" : "", plain, NULL);

	rig_html_cell_text(out, spread, text, "n sd");
}

char *rig_html_change_text(const RigChange *change)
{
	g_autofree char *number = NULL;

	if (change->kind == RIG_CHANGE_NEW || change->kind == RIG_CHANGE_GONE)
		return g_strdup(rig_change_name(change->kind));
	if (change->kind == RIG_CHANGE_NONE || !isfinite(change->value))
		return g_strdup("-");
	number = fabs(change->value) < PERCENT_LONG ? rig_number_printf("%+.1f", change->value)
						    : rig_number_printf("%+.3g", change->value);
	return g_strconcat(number, change->kind == RIG_CHANGE_POINTS ? " pt" : "%", NULL);
}

void rig_html_cell_change(GString *out, const RigChange *change)
{
	g_autofree char *text = rig_html_change_text(change);
	/* What appears or vanishes has moved more than any percentage says. */
	double sort = change->kind == RIG_CHANGE_NEW
			      ? 1e300
			      : (change->kind == RIG_CHANGE_GONE ? -1e300 : change->value);

	rig_html_cell_text(out, sort, text, "n change");
}

void rig_html_add_legend(RigHtmlPage *page)
{
	g_string_append(page->out, "<p class=\"legend\">");
	for (guint s = 0; s < page->compare->sides->sides->len; s++)
		rig_markup_add(page->out, "<span class=\"key k%u\">%s</span> ", s % 4,
			       rig_sides_at(page->compare->sides, s)->name);
	g_string_append(page->out, "</p>\n");
}

void rig_html_add_figure(RigHtmlPage *page, const RigChart *chart, const char *caption)
{
	g_autofree char *svg = rig_chart_svg(chart);

	g_string_append(page->out, "<figure>\n");
	if (caption)
		rig_markup_add(page->out, "<figcaption>%s</figcaption>\n", caption);
	g_string_append(page->out, svg);
	g_string_append(page->out, "</figure>\n");
}
