/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * html.c - a comparison as one page that needs nothing else.
 *
 * The page may load nothing and run nothing but its own script: the policy in its head names the
 * digests of page.css and page.js, so what a guest's text might smuggle in would not run either.
 */
#include "report/html-private.h"

#include "base/file.h"
#include "page-resources.h"
#include "report/report-json.h"

static const char *resource(const char *name)
{
	g_autofree char *path = g_strconcat("/rig/", name, NULL);
	g_autoptr(GBytes) bytes = g_resource_lookup_data(rig_page_get_resource(), path, 0, NULL);

	/* Built in and not compressed: it is there, ends in NUL, and stays when BYTES goes. */
	return g_bytes_get_data(bytes, NULL);
}

/* "'sha256-...'" as the policy wants it. */
static char *digest(const char *text)
{
	g_autoptr(GChecksum) sum = g_checksum_new(G_CHECKSUM_SHA256);
	guint8 bytes[32];
	gsize length = sizeof(bytes);
	g_autofree char *base64 = NULL;

	g_checksum_update(sum, (const guchar *)text, -1);
	g_checksum_get_digest(sum, bytes, &length);
	base64 = g_base64_encode(bytes, length);
	return g_strdup_printf("'sha256-%s'", base64);
}

static void add_title(GString *out, const RigSides *sides)
{
	rig_markup_add(out, "<title>%s:", sides->workload ? sides->workload : "rig");
	for (guint s = 0; s < sides->sides->len; s++)
		rig_markup_add(out, "%s %s", s ? "," : "", rig_sides_at(sides, s)->name);
	g_string_append(out, "</title>\n");
}

static void add_head(RigHtmlPage *page)
{
	const char *css = resource("page.css"), *js = resource("page.js");
	g_autofree char *css_digest = digest(css);
	g_autofree char *js_digest = digest(js);

	g_string_append(page->out,
			"<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n");
	g_string_append_printf(
		page->out,
		"<meta http-equiv=\"Content-Security-Policy\" content=\"default-src "
		"'none'; style-src %s; script-src %s; img-src data:; base-uri 'none'; form-action "
		"'none'\">\n",
		css_digest, js_digest);
	g_string_append(page->out,
			"<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
			"<meta name=\"color-scheme\" content=\"light dark\">\n"
			"<link rel=\"icon\" href=\"data:,\">\n");
	add_title(page->out, page->compare->sides);
	g_string_append_printf(page->out, "<style>%s</style>\n</head>\n<body>\n<main>\n", css);
}

static void add_foot(RigHtmlPage *page, const char *json)
{
	g_string_append(page->out,
			"<footer>Made by rig " RIG_VERSION
			". All figures, unrounded, are in this page as JSON (element "
			"<code>data</code>), the same that <code>rig compare --json</code> "
			"prints.</footer>\n</main>\n");
	g_string_append(page->out, "<script type=\"application/json\" id=\"data\">");
	rig_markup_json(page->out, json);
	g_string_append_printf(page->out, "</script>\n<script>%s</script>\n</body>\n</html>\n",
			       resource("page.js"));
}

/* What --json prints of the same comparison. */
static char *json_of(const RigJudgement *judgement)
{
	g_autoptr(RigJsonWriter) writer = rig_report_json_judged(judgement);

	return rig_json_writer_text(writer, FALSE);
}

char *rig_html_render(const RigHtmlInput *input)
{
	RigHtmlPage page = {
		.out = g_string_new(NULL),
		.compare = input->judgement->compare,
		.stats = input->judgement->stats,
		.doubts = input->judgement->doubts,
		.expected = input->judgement->expected,
		.traces = input->traces,
	};
	g_autofree char *json = json_of(input->judgement);

	add_head(&page);
	rig_html_add_facts(&page);
	rig_html_add_doubts(&page);
	rig_html_add_metrics(&page);
	rig_html_add_times(&page);
	rig_html_add_counters(&page);
	rig_html_add_runs(&page);
	add_foot(&page, json);
	return g_string_free(page.out, FALSE);
}

gboolean rig_html_write(const char *path, const char *root, const RigJudgement *judgement,
			GError **error)
{
	g_autoptr(GHashTable) traces = rig_trace_load_all(root, judgement->compare->sides);
	RigHtmlInput input = {.judgement = judgement, .traces = traces};
	g_autofree char *text = rig_html_render(&input);

	return rig_file_write(path, text, -1, 0644, error);
}
