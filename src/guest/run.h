/* SPDX-License-Identifier: GPL-3.0-or-later */
/* One run: what run.c carries out and report.c sends afterwards. */
#pragma once

#include "agent.h"
#include "control.h"
#include "deadline.h"
#include "settings.h"
#include "snapshot.h"

/* stdout or stderr of the program, up to RIG_OUTPUT_MAX; what is beyond is read and dropped. */
struct rig_capture {
	struct rig_watch watch;
	char *data;
	size_t len;
};

enum rig_report_part {
	RIG_REPORT_SNAPS,
	RIG_REPORT_EVENTS,
	RIG_REPORT_OUT,
	RIG_REPORT_ERR,
	RIG_REPORT_KMSG,
	RIG_REPORT_DONE,
};

struct rig_report {
	struct rig_producer producer;
	enum rig_report_part part;
	size_t offset; /* of the entry, or of the output, that comes next */
	const struct rig_entry *file;
	size_t sent; /* of that file */
	uint32_t snap;
	int kmsg;
	size_t kmsg_bytes;
};

struct rig_run {
	struct rig_work work;
	struct rig_agent *agent;
	struct rig_settings settings;
	struct rig_snapshots snapshots;
	struct rig_capture out, err;
	struct rig_watch control_watch;
	struct rig_control control;
	struct rig_mark mark;
	int ack;
	struct rig_watch sample;
	struct rig_watch again; /* while processes that were left are being killed */
	struct rig_deadline deadline;
	uint64_t sample_ns;
	pid_t pid;
	int status;
	bool exited;
	const char *broken; /* why the run ends in an error */
	uint64_t start_ns, end_ns, exited_ns, cpu_ns;
	struct rig_report report;
};

/* Sends everything that the run has kept, then `done`; then the run is freed. */
void rig_report_start(struct rig_run *run);

/* Frees the run with all that it holds; the agent is idle then. */
void rig_run_free(struct rig_run *run);
