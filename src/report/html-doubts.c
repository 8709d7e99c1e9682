/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * html-doubts.c - what makes one doubt the figures: failed runs, warnings, what differs besides
 * the kernel.
 */
#include "report/html-private.h"

#include "report/differences.h"

static void add_failed(RigHtmlPage *page, const RigSide *side)
{
	for (guint r = 0; r < side->runs->len; r++) {
		const RigSideRun *run = g_ptr_array_index(side->runs, r);

		if (run->outcome == RIG_OUTCOME_OK)
			continue;
		rig_markup_add(page->out,
			       "<tr><td>%s</td><td><code>%s</code></td><td>%s</td><td>%s</td></tr>"
			       "\n",
			       side->name, run->id ? run->id : "?", rig_outcome_name(run->outcome),
			       run->outcome_text ? run->outcome_text : "");
	}
}

static void add_failures(RigHtmlPage *page)
{
	guint failed = 0;

	for (guint s = 0; s < page->compare->sides->sides->len; s++)
		failed += rig_sides_at(page->compare->sides, s)->n_failed;
	if (failed == 0)
		return;
	g_string_append(page->out,
			"<h3>Failed runs</h3>\n<p>Counted, and part of no mean.</p>\n"
			"<div class=\"wide\"><table class=\"failures\"><thead><tr><th>side</th>"
			"<th>run</th><th>outcome</th><th>why</th></tr></thead><tbody>\n");
	for (guint s = 0; s < page->compare->sides->sides->len; s++)
		add_failed(page, rig_sides_at(page->compare->sides, s));
	g_string_append(page->out, "</tbody></table></div>\n");
}

static guint add_items(RigHtmlPage *page, const GPtrArray *texts)
{
	for (guint i = 0; i < texts->len; i++)
		rig_markup_add(page->out, "<li>%s</li>\n", (char *)g_ptr_array_index(texts, i));
	return texts->len;
}

static void add_notes(RigHtmlPage *page)
{
	const RigStatCompare *stats = g_ptr_array_index(page->stats, 0);
	gboolean emulated = rig_compare_is_emulated(page->compare->sides);
	guint n;

	g_string_append(page->out, "<h3>Be wary</h3>\n<ul>\n");
	if (emulated)
		g_string_append(page->out, "<li>" RIG_EMULATED_TEXT "</li>\n");
	n = add_items(page, page->doubts);
	n += add_items(page, page->compare->warnings);
	n += add_items(page, stats->plan->notes);
	if (n == 0 && !emulated)
		g_string_append(page->out, "<li>Nothing was found that speaks against the "
					   "figures.</li>\n");
	rig_markup_add(page->out, "</ul>\n<p class=\"small\">How it was tested: %s.</p>\n",
		       stats->plan->why);
}

static void add_value(GString *out, const char *value)
{
	if (value)
		rig_markup_add(out, "<td><code>%s</code></td>", value);
	else
		g_string_append(out, "<td class=\"none\">none</td>");
}

static void add_rows(RigHtmlPage *page, gboolean kernel)
{
	for (guint i = 0; i < page->compare->differences->len; i++) {
		const RigDifference *d = g_ptr_array_index(page->compare->differences, i);

		if (rig_differences_is_kernel(d->key) != kernel)
			continue;
		rig_markup_add(page->out, "<tr><th scope=\"row\">%s</th>", d->key);
		for (guint s = 0; s < d->n_values; s++)
			add_value(page->out, d->values[s]);
		g_string_append(page->out, "</tr>\n");
	}
}

static void open_table(RigHtmlPage *page)
{
	g_string_append(page->out, "<div class=\"wide\"><table class=\"differences\"><thead><tr>"
				   "<th>key</th>");
	for (guint s = 0; s < page->compare->sides->sides->len; s++)
		rig_markup_add(page->out, "<th>%s</th>",
			       rig_sides_at(page->compare->sides, s)->name);
	g_string_append(page->out, "</tr></thead><tbody>\n");
}

static void add_differences(RigHtmlPage *page)
{
	guint others = 0;

	for (guint i = 0; i < page->compare->differences->len; i++) {
		const RigDifference *d = g_ptr_array_index(page->compare->differences, i);

		others += !rig_differences_is_kernel(d->key);
	}
	g_string_append(page->out, "<h3>What differs besides the kernel</h3>\n");
	if (others) {
		open_table(page);
		add_rows(page, FALSE);
		g_string_append(page->out, "</tbody></table></div>\n");
	} else {
		g_string_append(page->out, "<p>Nothing that the manifests tell of.</p>\n");
	}
	if (others == page->compare->differences->len)
		return;
	g_string_append(page->out, "<details><summary>What is different about the kernels"
				   "</summary>\n");
	open_table(page);
	add_rows(page, TRUE);
	g_string_append(page->out, "</tbody></table></div></details>\n");
}

void rig_html_add_doubts(RigHtmlPage *page)
{
	g_string_append(page->out, "<section id=\"doubts\">\n<h2>Can it be trusted?</h2>\n");
	add_failures(page);
	add_notes(page);
	add_differences(page);
	g_string_append(page->out, "</section>\n");
}
