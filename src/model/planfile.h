/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * planfile.h - a plan as a file: all that it takes to carry it out, and to carry on
 * (docs/plans.md).
 */
#pragma once

#include "base/json.h"
#include "model/plan.h"

#define RIG_PLAN_BLOCKS_MAX 1000
#define RIG_PLAN_VALUES_MAX 64
#define RIG_PLAN_SIDES_MAX 32
/* From so many blocks on pairs win more than the halved degrees of freedom cost. */
#define RIG_PLAN_PAIRED_BLOCKS 6

/* A file that the plan depends on: how it was named, and its content. */
typedef struct {
	char *name;   /* as its own file says */
	char *from;   /* as it is found again: a name, or an absolute path */
	char *digest; /* SHA-256 */
} RigPlanInput;

typedef struct {
	char *name;					    /* of the side */
	char *kernel;					    /* in the store of kernels */
	char *boot_sha256, *config_sha256, *modules_sha256; /* NULL where there is none */
} RigPlanSide;

/* The options that give a guest its shape, as the user gave them; NULL, 0, FALSE: not given. */
typedef struct {
	char *accel, *cell_memory, *hugepages, *cmdline;
	gint64 cell_cpus;
	gboolean exact_size, no_pin, overcommit, diskless;
} RigPlanShape;

typedef struct {
	char *id;	/* 16 hex digits, in every record as plan.id */
	gint64 created; /* seconds since the epoch */
	RigPlanInput workload, topology, image;
	char *program_sha256; /* of a user's own program, else NULL */
	char **settings;      /* KEY=VALUE, never NULL */
	char *sweep;	      /* name of the parameter, or NULL */
	char **values;	      /* of the sweep, NULL without one */
	GPtrArray *sides;     /* RigPlanSide* */
	RigPlanShape shape;
	gint64 sample_ms; /* < 0: the workload's own */
	gboolean paired;  /* how it will be judged: paired over blocks, or Welch */
	guint looks;	  /* looks before the end that were planned */
	gboolean aa;	  /* a side against itself */
	RigPlan *plan;
} RigPlanFile;

RigPlanFile *rig_planfile_new(void); /* with an id and the time */
void rig_planfile_free(RigPlanFile *file);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(RigPlanFile, rig_planfile_free)
void rig_planfile_add_side(RigPlanFile *file, const RigPlanSide *side); /* copies */

/* g_free. */
char *rig_planfile_to_json(const RigPlanFile *file);
/* Strict: unknown keys, steps that are not every side once in every block of every value, unknown
 * sides and numbers out of range are RIG_ERROR_USAGE. NAME stands for the file in messages. */
RigPlanFile *rig_planfile_parse(const char *name, const char *text,
				GError **error) G_GNUC_WARN_UNUSED_RESULT;
RigPlanFile *rig_planfile_load(const char *path, GError **error) G_GNUC_WARN_UNUSED_RESULT;

/* "welch", "paired". */
const char *rig_planfile_method(const RigPlanFile *file);
/* Refuse a thing that is not what it was when the plan was made: WHAT and NAME for the message,
 * PLANNED and NOW digests (NULL: none). RIG_ERROR_USAGE. */
gboolean rig_planfile_check_digest(const RigPlanFile *file, const char *what, const char *name,
				   const char *planned, const char *now,
				   GError **error) G_GNUC_WARN_UNUSED_RESULT;
