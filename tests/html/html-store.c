/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * html-store.c - html-store DIR: fill DIR/results with runs for the test of the HTML report: six
 * blocks of two sides, one failed run, and text in names and values that would be markup.
 */
#include <stdio.h>

#include "model/store.h"

#include "../unit/html-run.h"

static void write_run(const char *root, const HtmlRun *spec)
{
	g_autoptr(RigRecord) record = html_record(spec);
	g_autoptr(RigRawRun) raw = html_raw(spec);
	RigRecordFiles files = {.raw = spec->failed ? NULL : raw};
	g_autoptr(GError) error = NULL;

	if (!rig_store_write(root, record, &files, &error))
		g_error("%s", error->message);
}

/* Noise of a few permille, the same every time. */
static double noise(guint i)
{
	return (double)(i * 7919 % 101 - 50.0) / 20000;
}

int main(int argc, char **argv)
{
	g_autofree char *root = argc == 2 ? g_build_filename(argv[1], "results", NULL) : NULL;

	if (!root) {
		fprintf(stderr, "usage: html-store DIR\n");
		return 2;
	}
	for (guint i = 0; i < 12; i++) {
		gboolean head = (i + i / 2) % 2;
		HtmlRun spec = {
			.throughput = (head ? 450000 : 500000) * (1 + noise(i)),
			.faults = (head ? 90 : 40) + i % 3,
			.used = 256 + 8 * i,
			.started = 1795959785 + 60 * i,
			.kernel = head ? "6.12" : "6.1",
			.side = head ? "head" : "base",
			.hostile = HTML_HOSTILE,
			.block = i / 2,
			.order = i,
		};

		write_run(root, &spec);
	}
	write_run(root, &(HtmlRun){.started = 1795961000,
				   .kernel = "6.12",
				   .side = "head",
				   .hostile = HTML_HOSTILE,
				   .block = 6,
				   .order = 12,
				   .failed = TRUE});
	return 0;
}
