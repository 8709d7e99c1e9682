/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * html-counters.c - every counter of the kernel, to be searched and sorted in the page.
 *
 * The rows stand in the page as they are; page.js only hides and orders them. Without it all are
 * there.
 */
#include "report/html-private.h"

#include <math.h>

#include "report/number.h"

static gboolean is_nothing(const RigRow *row, guint n_sides)
{
	for (guint s = 0; s < n_sides; s++)
		if (row->sides[s].n > 0 && (row->sides[s].min != 0 || row->sides[s].max != 0))
			return FALSE;
	return TRUE;
}

/* name -> RigStatCounter* for each head. Borrowed. */
static GHashTable *index_counters(const RigStatCompare *stats)
{
	GHashTable *index = g_hash_table_new(g_str_hash, g_str_equal);

	for (guint i = 0; i < stats->counters->len; i++) {
		RigStatCounter *counter = g_ptr_array_index(stats->counters, i);

		g_hash_table_insert(index, counter->info->name, counter);
	}
	return index;
}

static gboolean is_hit(const RigStatCounter *counter)
{
	return counter && (counter->row->found || counter->row->appears || counter->row->vanishes);
}

static const char *finding(const RigStatCounter *counter)
{
	if (!counter)
		return "";
	if (counter->row->appears)
		return "appeared";
	if (counter->row->vanishes)
		return "vanished";
	if (counter->row->found)
		return counter->word ? counter->word : "changed";
	return counter->row->status == RIG_SCREEN_TESTED
		       ? "no"
		       : rig_screen_status_name(counter->row->status);
}

static void add_head_cells(GString *out, const RigRow *row, guint head,
			   const RigStatCounter *counter)
{
	double q = counter && counter->row->status == RIG_SCREEN_TESTED ? counter->row->q : NAN;
	g_autofree char *text = isfinite(q) ? rig_number_printf("%.2g", q) : g_strdup("");

	rig_html_cell_number(out, row->sides[head].mean, "n mean");
	rig_html_cell_spread(out, row->info, &row->sides[head]);
	rig_html_cell_change(out, &row->changes[head]);
	rig_html_cell_text(out, q, text, "n q");
	rig_markup_add(out, "<td class=\"%s\">%s</td>", is_hit(counter) ? "found" : "quiet",
		       finding(counter));
}

static gboolean row_is_hit(const RigRow *row, const GPtrArray *indexes)
{
	for (guint h = 0; h < indexes->len; h++)
		if (is_hit(g_hash_table_lookup(indexes->pdata[h], row->info->name)))
			return TRUE;
	return FALSE;
}

static void add_row(RigHtmlPage *page, const RigRow *row, const GPtrArray *indexes)
{
	guint n = page->compare->sides->sides->len;

	rig_markup_add(page->out, "<tr class=\"%s\" data-metric=\"%s\"><th scope=\"row\">%s</th>",
		       row_is_hit(row, indexes) ? "hit" : (is_nothing(row, n) ? "zero" : "other"),
		       row->info->name, row->info->name);
	rig_html_cell_number(page->out, row->sides[0].mean, "n mean");
	rig_html_cell_spread(page->out, row->info, &row->sides[0]);
	for (guint h = 1; h < n; h++)
		add_head_cells(page->out, row, h,
			       g_hash_table_lookup(indexes->pdata[h - 1], row->info->name));
	g_string_append(page->out, "</tr>\n");
}

static void heading(GString *out, const char *text, const char *kind)
{
	rig_markup_add(out, "<th class=\"%s\" data-sort=\"%s\">%s</th>", kind, kind, text);
}

static void add_heading(RigHtmlPage *page)
{
	const RigSides *sides = page->compare->sides;

	g_string_append(page->out, "<thead><tr>");
	heading(page->out, "counter", "t");
	heading(page->out, rig_sides_at(sides, 0)->name, "n");
	heading(page->out, "±", "n");
	for (guint h = 1; h < sides->sides->len; h++) {
		heading(page->out, rig_sides_at(sides, h)->name, "n");
		heading(page->out, "±", "n");
		heading(page->out, "change", "n");
		heading(page->out, "q", "n");
		heading(page->out, "found", "t");
	}
	g_string_append(page->out, "</tr></thead>\n<tbody>\n");
}

static void add_controls(RigHtmlPage *page)
{
	g_string_append(
		page->out,
		"<form id=\"find\" hidden>\n"
		"<label>search <input id=\"search\" type=\"search\" autocomplete=\"off\" "
		"placeholder=\"numa hint\"></label>\n"
		"<label>show <select id=\"show\"><option value=\"hit\">what changed</option>"
		"<option value=\"other\">all but zeros</option><option value=\"zero\">all</option>"
		"</select></label>\n<output id=\"shown\" role=\"status\"></output>\n</form>\n");
}

void rig_html_add_counters(RigHtmlPage *page)
{
	g_autoptr(GPtrArray) indexes =
		g_ptr_array_new_with_free_func((GDestroyNotify)g_hash_table_unref);

	for (guint h = 0; h < page->stats->len; h++)
		g_ptr_array_add(indexes, index_counters(g_ptr_array_index(page->stats, h)));
	g_string_append(page->out, "<section id=\"counters\">\n<h2>Counters of the kernel</h2>\n");
	g_string_append(page->out,
			"<p class=\"small\">q: share of false alarms among all counters with a q "
			"as small as this (moderated t, Benjamini and Hochberg). Without a q: "
			"not tested, and why.</p>\n");
	add_controls(page);
	g_string_append(page->out, "<div class=\"wide\"><table id=\"table\">");
	add_heading(page);
	for (guint i = 0; i < page->compare->rows->len; i++) {
		const RigRow *row = g_ptr_array_index(page->compare->rows, i);

		if (!row->info->own)
			add_row(page, row, indexes);
	}
	g_string_append(page->out, "</tbody></table></div>\n</section>\n");
}
