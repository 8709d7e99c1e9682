/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * html-runs.c - every run by itself, and how they were made.
 */
#include "report/html-private.h"

#include <stdlib.h>
#include <string.h>

#include "base/text.h"

static const char *manifest_of(const RigSideRun *run, const char *key)
{
	const char *value = run->manifest ? g_hash_table_lookup(run->manifest, key) : NULL;

	return value ? value : "";
}

/* The workload's primary metrics, by name. */
static GPtrArray *primaries(const RigHtmlPage *page)
{
	GPtrArray *rows = g_ptr_array_new();

	for (guint i = 0; i < page->compare->rows->len; i++) {
		RigRow *row = g_ptr_array_index(page->compare->rows, i);

		if (row->info->own && row->info->primary)
			g_ptr_array_add(rows, row);
	}
	return rows;
}

static void add_run(RigHtmlPage *page, const RigHtmlRun *run, guint number, const GPtrArray *rows)
{
	g_autofree char *started = run->run->started ? rig_text_time(run->run->started) : NULL;
	char class[2] = {run->run->class, '\0'};

	rig_markup_add(page->out,
		       "<tr data-run=\"%s\"><td class=\"n\">%u</td><td><code>%s</code></td>"
		       "<td><span class=\"key k%u\">%s</span></td><td>%s</td><td>%s</td>"
		       "<td>%s</td><td>%s</td>",
		       run->run->id ? run->run->id : "", number, run->run->id ? run->run->id : "",
		       run->side_index % 4, run->side->name, manifest_of(run->run, "plan.block"),
		       started ? started : "", class, rig_outcome_name(run->run->outcome));
	for (guint i = 0; i < rows->len; i++) {
		const RigRow *row = g_ptr_array_index(rows, i);
		const double *values = rig_side_values(run->side, row->info->name);

		if (values)
			rig_html_cell_number(page->out, values[run->run_index], "n value");
		else
			g_string_append(page->out, "<td class=\"n\">-</td>");
	}
	g_string_append(page->out, "</tr>\n");
}

static void add_table(RigHtmlPage *page)
{
	g_autoptr(GArray) runs = rig_html_runs(page);
	g_autoptr(GPtrArray) rows = primaries(page);

	g_string_append(page->out, "<div class=\"wide\"><table id=\"runs-table\"><thead><tr>"
				   "<th class=\"n\">no.</th><th>run</th><th>side</th><th>block</th>"
				   "<th>started</th><th>class</th><th>outcome</th>");
	for (guint i = 0; i < rows->len; i++)
		rig_markup_add(page->out, "<th class=\"n\">%s</th>",
			       ((RigRow *)g_ptr_array_index(rows, i))->info->name);
	g_string_append(page->out, "</tr></thead><tbody>\n");
	for (guint i = 0; i < runs->len; i++)
		add_run(page, &g_array_index(runs, RigHtmlRun, i), i + 1, rows);
	g_string_append(page->out, "</tbody></table></div>\n");
}

static int compare_texts(gconstpointer a, gconstpointer b)
{
	return strcmp(*(const char *const *)a, *(const char *const *)b);
}

/* Every key of every manifest, sorted, each once. Borrowed. */
static GPtrArray *all_keys(const RigSides *sides)
{
	g_autoptr(GHashTable) seen = g_hash_table_new(g_str_hash, g_str_equal);
	GPtrArray *keys = g_ptr_array_new();

	for (guint s = 0; s < sides->sides->len; s++)
		for (guint r = 0; r < rig_sides_at(sides, s)->runs->len; r++) {
			const RigSideRun *run = g_ptr_array_index(rig_sides_at(sides, s)->runs, r);
			GHashTableIter iter;
			gpointer key;

			if (!run->manifest)
				continue;
			g_hash_table_iter_init(&iter, run->manifest);
			while (g_hash_table_iter_next(&iter, &key, NULL))
				if (g_hash_table_add(seen, key))
					g_ptr_array_add(keys, key);
		}
	g_ptr_array_sort(keys, compare_texts);
	return keys;
}

static gboolean any_has(const RigSide *side, const char *key)
{
	for (guint r = 0; r < side->runs->len; r++)
		if (*manifest_of(g_ptr_array_index(side->runs, r), key))
			return TRUE;
	return FALSE;
}

static void add_values(RigHtmlPage *page, const char *key)
{
	for (guint s = 0; s < page->compare->sides->sides->len; s++) {
		const RigSide *side = rig_sides_at(page->compare->sides, s);
		const char *value = rig_side_manifest(side, key);

		if (value)
			rig_markup_add(page->out, "<td><code>%s</code></td>", value);
		else
			rig_markup_add(page->out, "<td class=\"none\">%s</td>",
				       any_has(side, key) ? "differs from run to run" : "none");
	}
}

static void add_manifest(RigHtmlPage *page)
{
	g_autoptr(GPtrArray) keys = all_keys(page->compare->sides);

	g_string_append(page->out,
			"<details id=\"manifest\"><summary>Manifest: how the runs were made"
			"</summary>\n<div class=\"wide\"><table class=\"differences\"><thead><tr>"
			"<th>key</th>");
	for (guint s = 0; s < page->compare->sides->sides->len; s++)
		rig_markup_add(page->out, "<th>%s</th>",
			       rig_sides_at(page->compare->sides, s)->name);
	g_string_append(page->out, "</tr></thead><tbody>\n");
	for (guint i = 0; i < keys->len; i++) {
		rig_markup_add(page->out, "<tr><th scope=\"row\">%s</th>",
			       (char *)g_ptr_array_index(keys, i));
		add_values(page, g_ptr_array_index(keys, i));
		g_string_append(page->out, "</tr>\n");
	}
	g_string_append(page->out, "</tbody></table></div></details>\n");
}

void rig_html_add_runs(RigHtmlPage *page)
{
	g_string_append(page->out, "<section id=\"runs\">\n<h2>Runs</h2>\n");
	add_table(page);
	add_manifest(page);
	g_string_append(page->out, "</section>\n");
}
