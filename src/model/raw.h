/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * raw.h - what the agent sent of one run: raw text in snapshots, events, outputs.
 *
 * Fed message by message from whatever channel (docs/protocol.md); knows no channel itself. A guest is not
 * trusted: all is bounded by proto.h.
 */
#pragma once

#include "base/json.h"

typedef struct {
	char *path;  /* as the agent named it: "/proc/vmstat", or "numa_maps" of a task */
	gint64 task; /* thread id, or -1 */
	char *text;  /* NUL terminated; inner NUL bytes were turned into '?' */
	gsize length;
	gboolean cut;
} RigRawFile;

typedef struct {
	guint index;
	gboolean mark; /* else a sample */
	char *phase;
	gint64 t_ns;
	GPtrArray *files; /* RigRawFile* */
} RigRawSnap;

typedef struct {
	gint64 t_ns;
	char *line; /* one control line of the program, made safe */
} RigRawEvent;

typedef struct {
	GPtrArray *files;  /* RigRawFile* that belong to no snapshot (read-back) */
	GPtrArray *snaps;  /* RigRawSnap*, in order */
	GPtrArray *events; /* RigRawEvent* */
	GString *out, *err, *kmsg;
	gboolean done;	   /* the done message came; only then is the rest valid */
	int code;	   /* exit code, or -1 */
	int signal;	   /* or 0 */
	gboolean timeout;
	gboolean full;
	gint64 start_ns, end_ns, agent_cpu_ns;
	gsize bytes;	   /* payload taken so far */
	char *phase;	   /* the last phase that was announced, for progress */

	/* Private to raw.c: the file whose next chunk is due, and what objects cost beside payload. */
	RigRawFile *open;
	GString *open_text;
	gsize overhead;
} RigRawRun;

RigRawRun *rig_raw_run_new(void);
void rig_raw_run_free(RigRawRun *run);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(RigRawRun, rig_raw_run_free)
void rig_raw_file_free(RigRawFile *file);
void rig_raw_snap_free(RigRawSnap *snap);
void rig_raw_event_free(RigRawEvent *event);

/* Take one message (an object with "type") of the run. Types that do not belong to a run are ignored. A message that
 * breaks the protocol (snapshots out of order, too much payload, done with a wrong count) is
 * RIG_ERROR_LOST. */
gboolean rig_raw_run_feed(RigRawRun *run, RigJson *message, GError **error) G_GNUC_WARN_UNUSED_RESULT;

/* The file PATH (task -1) of a snapshot's FILES, or NULL. */
const RigRawFile *rig_raw_find(const GPtrArray *files, const char *path, gint64 task);

/* Write everything below DIR as files: snaps/003-mark-copy/proc_vmstat, .../task-117/numa_maps, events.jsonl,
 * stdout, stderr, kmsg, and index.json (times, phases, original paths); and read it back, so that a better parser can read old runs. */
gboolean rig_raw_run_save(const RigRawRun *run, const char *dir, GError **error)
	G_GNUC_WARN_UNUSED_RESULT;
RigRawRun *rig_raw_run_load(const char *dir, GError **error) G_GNUC_WARN_UNUSED_RESULT;
