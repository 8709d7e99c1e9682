/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * fuzz-counters.c - any text as the files of a guest's kernel: /proc/vmstat, numa_maps, its log.
 *
 * The first byte picks the file. Besides not crashing: every figure is finite, and no name and no
 * line that is shown holds a control character.
 */
#include "model/counters.h"
#include "model/locality.h"
#include "model/outcome.h"

#include <math.h>
#include <stdint.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check_name(const char *name)
{
	for (; *name; name++)
		if (g_ascii_iscntrl(*name))
			g_error("a control character in a name");
}

static RigRawSnap *snap_of(const char *path, gint64 task, const char *text)
{
	RigRawSnap *snap = g_new0(RigRawSnap, 1);
	RigRawFile *file = g_new0(RigRawFile, 1);

	file->path = g_strdup(path);
	file->task = task;
	file->text = g_strdup(text);
	file->length = strlen(text);
	snap->phase = g_strdup("copy");
	snap->files = g_ptr_array_new_with_free_func((GDestroyNotify)rig_raw_file_free);
	g_ptr_array_add(snap->files, file);
	return snap;
}

static void try_counters(const RigRawSnap *snap)
{
	g_autoptr(RigMetrics) figures = rig_counters_parse(snap->files);
	g_autoptr(RigMetrics) delta = rig_metrics_new();

	rig_counters_delta(figures, figures, delta, NULL);
	rig_counters_mpstat(figures, delta);
	rig_locality_from_counters(delta);
	for (guint i = 0; i < rig_metrics_count(delta); i++) {
		check_name(rig_metrics_name(delta, i));
		if (!isfinite(rig_metrics_value(delta, i)))
			g_error("a figure that is not finite");
	}
}

static void try_locality(const RigRawSnap *snap, const char *text)
{
	g_autoptr(RigLocality) locality = rig_locality_new();
	g_autoptr(RigMetrics) out = rig_metrics_new();
	RigNumaMaps maps;
	guint cpu;
	double used;

	rig_locality_learn_nodes(locality, snap->files);
	rig_locality_interval(locality, snap, snap, snap, snap);
	rig_locality_marks(locality, snap, snap);
	rig_locality_report(locality, out);
	rig_numa_maps_parse(text, &maps);
	rig_task_stat_parse(text, &cpu, &used);
}

static void try_log(const char *text)
{
	g_autofree char *line = NULL;
	RigOutcome outcome = rig_outcome_scan_log(text, &line);

	if ((outcome == RIG_OUTCOME_OK) != (line == NULL))
		g_error("a finding without a line");
	if (line)
		check_name(line);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const char *const paths[] = {
		"/proc/vmstat",
		"/proc/stat",
		"/proc/meminfo",
		"/sys/devices/system/node/node0/vmstat",
		"/sys/devices/system/node/node0/meminfo",
		"/sys/devices/system/node/node1/cpulist",
		"stat",
		"numa_maps",
		"sched",
	};
	g_autofree char *text = g_strndup(size ? (const char *)data + 1 : "", size ? size - 1 : 0);
	guint which = size ? data[0] % G_N_ELEMENTS(paths) : 0;
	RigRawSnap *snap = snap_of(paths[which], which < 6 ? -1 : 9, text);

	try_counters(snap);
	try_locality(snap, text);
	try_log(text);
	rig_raw_snap_free(snap);
	return 0;
}
