/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * doctor.h - what this host offers to rig, found out without giving up at the first thing that is
 * missing.
 */
#pragma once

#include "cli/cmd.h"

typedef enum {
	RIG_FINDING_OK,
	RIG_FINDING_WARN, /* the main job runs, something is lost */
	RIG_FINDING_FAIL, /* the main job cannot run */
} RigFindingLevel;

typedef struct {
	RigFindingLevel level;
	char *group; /* "host", "accelerator", ... */
	char *name;
	char *text;   /* what was found */
	char *advice; /* what to do; NULL when nothing */
} RigFinding;

void rig_finding_free(RigFinding *finding);
/* Takes TEXT (NULL: ""); copies ADVICE. */
void rig_finding_add(GPtrArray *findings, RigFindingLevel level, const char *group,
		     const char *name, char *text, const char *advice);

/* Each adds to FINDINGS and never fails. */
void rig_doctor_host(RigCli *cli, GPtrArray *findings);	 /* CPUs, nodes, memory, hygiene */
void rig_doctor_virt(RigCli *cli, GPtrArray *findings);	 /* QEMU, libvirt, KVM */
void rig_doctor_store(RigCli *cli, GPtrArray *findings); /* kernels, image, folders, programs */
