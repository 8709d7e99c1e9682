/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * run-options.h - what is run, where and how often: the options that run, plan and calibrate share.
 */
#pragma once

#include "cli/guests.h"
#include "cli/shape.h"
#include "model/planfile.h"

typedef struct {
	char *on, *topology, *image, *seed, *cmdline, *tasks, *sweep, *method, *effect;
	char **kernels, **settings;
	int repeat, blocks, looks, sample_ms;
	gboolean diskless, wait, no_samples, dump;
	RigShapeOptions shape;
	RigLimitOptions limits;
	gboolean aa; /* no option: the one kernel against itself */
} RigRunOptions;

#define RIG_RUN_OPT(struct, field, name) G_STRUCT_OFFSET(struct, field.name)

/* What every run of a plan is made of: the lines of a command's option table; FIELD is the
 * RigRunOptions in its STRUCT. */
#define RIG_RUN_PLACE_OPTIONS(struct, field)                                                 \
	{"topology",	    't',                                                             \
	 RIG_OPTION_STRING, RIG_RUN_OPT(struct, field, topology),                            \
	 "TOPOLOGY",	    "boot fresh guests of this shape (default: 2sp-icl)"},           \
		{"image",	    0,                                                       \
		 RIG_OPTION_STRING, RIG_RUN_OPT(struct, field, image),                       \
		 "IMAGE",	    "root file system (default: tiny)"},                     \
		{"set",                                                                      \
		 's',                                                                        \
		 RIG_OPTION_STRINGS,                                                         \
		 RIG_RUN_OPT(struct, field, settings),                                       \
		 "KEY=VALUE",                                                                \
		 "a parameter of the workload; may be given again"},                         \
		{"seed",                                                                     \
		 0,                                                                          \
		 RIG_OPTION_STRING,                                                          \
		 RIG_RUN_OPT(struct, field, seed),                                           \
		 "N",                                                                        \
		 "of the plan and the workload (default: drawn and recorded)"},              \
		{"method",                                                                   \
		 0,                                                                          \
		 RIG_OPTION_STRING,                                                          \
		 RIG_RUN_OPT(struct, field, method),                                         \
		 "welch|paired",                                                             \
		 "the test, chosen before the data (default: paired from 6 blocks on)"},     \
		{"sample-ms",	 0,                                                          \
		 RIG_OPTION_INT, RIG_RUN_OPT(struct, field, sample_ms),                      \
		 "MS",		 "time between two samples"},                                \
		{"no-samples",                                                               \
		 0,                                                                          \
		 RIG_OPTION_FLAG,                                                            \
		 RIG_RUN_OPT(struct, field, no_samples),                                     \
		 NULL,                                                                       \
		 "take counters at marks only"},                                             \
		{"diskless",                                                                 \
		 0,                                                                          \
		 RIG_OPTION_FLAG,                                                            \
		 RIG_RUN_OPT(struct, field, diskless),                                       \
		 NULL,                                                                       \
		 "no disk, no virtio: the root as an initramfs, results over isa-debugcon"}, \
		{"cmdline",	    0,                                                       \
		 RIG_OPTION_STRING, RIG_RUN_OPT(struct, field, cmdline),                     \
		 "WORDS",	    "more words for the kernel"},                            \
		RIG_SHAPE_OPTIONS(struct, field.shape)

/* What makes runs a comparison. */
#define RIG_RUN_PLAN_OPTIONS(struct, field)                                                     \
	{"kernel",	     'k',                                                               \
	 RIG_OPTION_STRINGS, RIG_RUN_OPT(struct, field, kernels),                               \
	 "KERNEL",	     "boot this kernel; several: sides that are compared"},             \
		{"blocks",                                                                      \
		 'b',                                                                           \
		 RIG_OPTION_COUNT,                                                              \
		 RIG_RUN_OPT(struct, field, blocks),                                            \
		 "N",                                                                           \
		 "each block boots every side once, in an order drawn from the seed (default: " \
		 "1)"},                                                                         \
		{"repeat",                                                                      \
		 'n',                                                                           \
		 RIG_OPTION_COUNT,                                                              \
		 RIG_RUN_OPT(struct, field, repeat),                                            \
		 "N",                                                                           \
		 "the same as --blocks"},                                                       \
		{"looks",                                                                       \
		 0,                                                                             \
		 RIG_OPTION_INT,                                                                \
		 RIG_RUN_OPT(struct, field, looks),                                             \
		 "N",                                                                           \
		 "looks at the results that are planned before the end"},                       \
		{"tasks",                                                                       \
		 0,                                                                             \
		 RIG_OPTION_STRING,                                                             \
		 RIG_RUN_OPT(struct, field, tasks),                                             \
		 "LIST",                                                                        \
		 "a sweep over numbers of tasks, e.g. 1,16,50%,100%"},                          \
		{"sweep",	    0,                                                          \
		 RIG_OPTION_STRING, RIG_RUN_OPT(struct, field, sweep),                          \
		 "NAME=V1,V2,...",  "the whole plan for each of these values of a parameter"},  \
	{                                                                                       \
		"effect", 0, RIG_OPTION_STRING, RIG_RUN_OPT(struct, field, effect), "PERCENT",  \
			"with --dry-run or plan: how many blocks it takes to see this change"   \
	}

/* The number of blocks that --blocks or --repeat ask for, 1 without either. */
gboolean rig_run_options_blocks(const RigRunOptions *options, guint *blocks,
				GError **error) G_GNUC_WARN_UNUSED_RESULT;
/* The sweep of --tasks or --sweep: NAME and VALUES (g_free, g_strfreev), both NULL without one. */
gboolean rig_run_options_sweep(const RigRunOptions *options, char **name, char ***values,
			       GError **error) G_GNUC_WARN_UNUSED_RESULT;
/* By --method, else by the number of blocks. */
gboolean rig_run_options_method(const RigRunOptions *options, guint blocks, gboolean *paired,
				GError **error) G_GNUC_WARN_UNUSED_RESULT;
/* "2%" or "2" as 2; 0 without --effect. */
gboolean rig_run_options_effect(const RigRunOptions *options, double *effect,
				GError **error) G_GNUC_WARN_UNUSED_RESULT;
gboolean rig_run_options_seed(const RigRunOptions *options, guint64 *seed,
			      GError **error) G_GNUC_WARN_UNUSED_RESULT;
/* Out of range: --looks, --sample-ms. */
gboolean rig_run_options_check(const RigRunOptions *options,
			       GError **error) G_GNUC_WARN_UNUSED_RESULT;
