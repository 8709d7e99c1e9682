/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * bench-store.c - how fast the store lists, writes and rebuilds, as JSON.
 *
 * bench-store DIR [RECORDS]: fills DIR, which must not exist, with RECORDS (10000) records and
 * removes it again. Beside the listing stands what reading the index file alone takes.
 */
#include "model/store.h"

#include "base/file.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#define FIGURES 1500 /* about as many as a run has */
#define RUNS_A_FOLDER 10

static double seconds_since(gint64 start_us)
{
	return (double)(g_get_monotonic_time() - start_us) / 1e6;
}

static RigRecord *record_new(guint i, guint figures)
{
	RigRecord *record = rig_record_new();

	record->workload = g_strdup("anon-cow-rand-hugetlb");
	record->params = g_strdup_printf("20-%u", i / RUNS_A_FOLDER);
	record->topology = g_strdup("2sp-icl");
	record->image = g_strdup("tiny");
	record->kconfig = g_strdup("config-0123456789ab");
	record->compiler = g_strdup("gcc-12");
	record->kernel = g_strdup(i % 2 ? "v6.12" : "v6.1");
	record->side = g_strdup(i % 2 ? "head" : "base");
	record->started = 1795959785 + i;
	for (guint j = 0; j < figures; j++) {
		g_autofree char *name = g_strdup_printf("proc-vmstat.some_figure_%u", j);

		rig_metrics_set(record->metrics, name, i + j);
	}
	return record;
}

static void must(gboolean ok, GError *error)
{
	if (ok)
		return;
	fprintf(stderr, "bench-store: %s\n", error ? error->message : "failed");
	exit(1);
}

static double write_one(const char *root, guint i, guint figures)
{
	g_autoptr(RigRecord) record = record_new(i, figures);
	g_autoptr(GError) error = NULL;
	gint64 start = g_get_monotonic_time();

	must(rig_store_write(root, record, NULL, &error), error);
	return seconds_since(start);
}

/* The same as the store would have left, but for means and index. */
static void lay_out(const char *root, guint i)
{
	g_autoptr(RigRecord) record = record_new(i, 3);
	g_autofree char *dir =
		g_strdup_printf("%s/%s/%s/%s/%s/%s/%s/%s/%u", root, record->workload,
				record->params, record->topology, record->image, record->kconfig,
				record->compiler, record->kernel, i % RUNS_A_FOLDER / 2);
	g_autofree char *path = g_build_filename(dir, "record.json", NULL);
	g_autofree char *text = NULL;
	FILE *file;

	record->id = g_strdup_printf("20261129-134305-%u", i);
	text = rig_record_to_json(record);
	must(g_mkdir_with_parents(dir, 0755) == 0, NULL);
	file = fopen(path, "we");
	must(file && fputs(text, file) >= 0, NULL);
	must(fclose(file) == 0, NULL);
}

static double list_all(const char *root, guint expected)
{
	g_autoptr(GError) error = NULL;
	gint64 start = g_get_monotonic_time();
	g_autoptr(GPtrArray) entries = rig_store_list(root, NULL, &error);

	must(entries && entries->len == expected, error);
	return seconds_since(start);
}

static double read_index(const char *path)
{
	gint64 start = g_get_monotonic_time();
	g_autofree char *text = rig_file_read(path, 1 << 30, NULL, NULL);

	return text ? seconds_since(start) : 0;
}

int main(int argc, char **argv)
{
	guint records = argc > 2 ? (guint)atoi(argv[2]) : 10000;
	g_autofree char *index = argc > 1 ? g_build_filename(argv[1], "index.jsonl", NULL) : NULL;
	double rebuild, list, small, whole;

	if (argc < 2 || access(argv[1], F_OK) == 0) {
		fprintf(stderr, "usage: bench-store DIR-TO-BE-MADE [RECORDS]\n");
		return 2;
	}
	for (guint i = 0; i < records; i++)
		lay_out(argv[1], i);
	rebuild = list_all(argv[1], records);
	list = list_all(argv[1], records);
	small = write_one(argv[1], records * RUNS_A_FOLDER, 3);
	whole = write_one(argv[1], records * RUNS_A_FOLDER, FIGURES);
	printf("{\"records\": %u, \"list_s\": %.4f, \"read_index_s\": %.4f, \"rebuild_s\": %.2f,\n"
	       " \"write_small_s\": %.4f, \"write_%u_figures_s\": %.4f}\n",
	       records, list, read_index(index), rebuild, small, FIGURES, whole);
	return 0;
}
