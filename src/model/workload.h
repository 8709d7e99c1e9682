/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * workload.h - what runs in the guest: program, parameters, phases, metrics (docs/workload.md).
 */
#pragma once

#include "base/json.h"

typedef enum { RIG_HIGHER, RIG_LOWER, RIG_NEITHER } RigDirection;
typedef enum { RIG_KIND_RATIO, RIG_KIND_PERCENTAGE, RIG_KIND_COUNT } RigKind;
typedef enum { RIG_FROM_RESULT, RIG_FROM_METRIC, RIG_FROM_STDOUT } RigFrom;
typedef enum {
	RIG_REDUCE_SUM, RIG_REDUCE_MEAN, RIG_REDUCE_MEDIAN, /* the upper median */
	RIG_REDUCE_MIN, RIG_REDUCE_MAX, RIG_REDUCE_SPREAD, RIG_REDUCE_VALUE,
} RigReduce;
const char *rig_direction_name(RigDirection direction);
const char *rig_kind_name(RigKind kind);

typedef struct {
	char *name; /* "vm-scalability.throughput" */
	RigFrom from;
	char *field;   /* of result and metric lines */
	char *pattern; /* of stdout: one group that is a number */
	RigReduce reduce;
	char *unit, *text;
	RigDirection direction;
	RigKind kind;
	gboolean primary;
	gboolean optional; /* may be absent in a run that is whole */
	gboolean control;  /* must not move: if it does, something else than the kernel did */
	double margin;	   /* a change within it does not matter: percent, or points of a percentage; 0: 1 */
} RigMetricDef;

void rig_metric_def_free(RigMetricDef *def);
RigMetricDef *rig_metric_def_copy(const RigMetricDef *def);
/* As written by rig_metric_def_to_json() and in workload files; what is wrong is recorded in OBJECT's
 * document (rig_json_fail()). Never NULL. */
RigMetricDef *rig_metric_def_from_json(RigJson *object);
void rig_metric_def_to_json(const RigMetricDef *def, RigJsonWriter *writer);

typedef struct {
	char *name;    /* [a-z0-9-]+ */
	char *value;   /* the default, then what --set made of it; "" is not passed on */
	char *unit, *text;
	char *type;    /* "size", "count", ... of docs/workload.md; NULL: any text */
	char **choices; /* of a "choice", else NULL */
	gboolean percent; /* a size or count that may be a percentage */
	gboolean set;  /* by --set, not by the file */
} RigParameter;
/* What values it takes, for people: "a size above 0, or 1% to 100% of the memory". g_free. */
char *rig_parameter_takes(const RigParameter *parameter);

typedef struct {
	char *name, *suite, *text, *path;
	char *builtin;	 /* name of a program in RIG_GUEST_BIN, or NULL */
	char *file;	 /* absolute path on the host of a user's binary to inject, or NULL */
	char **args;	 /* before the parameters */
	char *parameter_style; /* printf-like with {name} and {value}; default "--{name}={value}" */
	GPtrArray *parameters; /* RigParameter* */
	GPtrArray *settings;   /* RigParameter*: name = path in the guest, value */
	char **needs_kernel;   /* "CONFIG_NUMA_BALANCING=y" (=y also takes =m only where written "=y|m") */
	guint needs_nodes;
	char **phases, **measured;
	guint timeout_s, sample_ms;
	gboolean sample_pages; /* numa_maps at samples too, not at marks only */
	char *results_count;   /* name of a resolved value, or a number, or NULL (foreign) */
	GPtrArray *metrics;    /* RigMetricDef* */
	char **primary_counters;
} RigWorkload;

RigWorkload *rig_workload_load(const char *path, GError **error) G_GNUC_WARN_UNUSED_RESULT;
RigWorkload *rig_workload_parse(const char *name, const char *text, GError **error)
	G_GNUC_WARN_UNUSED_RESULT;
void rig_workload_free(RigWorkload *workload);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(RigWorkload, rig_workload_free)

/* TRUE if the program does not speak the control protocol: its file declares no phases, so its one phase is
 * "run", from the agent's mark "start" to "end", and the agent watches all of its tasks. */
gboolean rig_workload_is_foreign(const RigWorkload *workload);

/* --set KEY=VALUE. KEY is a parameter, or a path below /proc/sys or /sys that the agent writes before the run and puts
 * back afterwards. Unknown keys are RIG_ERROR_USAGE and list those that there are. */
gboolean rig_workload_set(RigWorkload *workload, const char *assignment, GError **error)
	G_GNUC_WARN_UNUSED_RESULT;

/* TRUE for a seed that no --set has fixed: its value comes from the plan, so it is no part of what was
 * asked and runs that differ in it only are runs of the same thing. */
gboolean rig_parameter_is_drawn(const RigParameter *parameter);

/* The argument vector in the guest; SEED is passed as parameter "seed" where the workload has one. g_strfreev. */
char **rig_workload_argv(const RigWorkload *workload, guint64 seed);

/* The job object of docs/protocol.md as one line of JSON. SCALE multiplies the timeout (TCG). READBACK NULL or
 * a list for diskless guests. SAMPLE_MS < 0: the workload's own. g_free. */
char *rig_workload_job(const RigWorkload *workload, guint64 seed, double scale, int sample_ms,
		       const char *const *readback);

/* The values of the parameters, sorted by name, each cut to 31 characters, joined by '-', other characters
 * than [A-Za-z0-9+=:.%-] turned to '_' (formats.md); "default" when there are none. Settings that --set
 * named follow as PATH=VALUE, uncut, so that runs with other settings are never averaged together. g_free. */
char *rig_workload_path_params(const RigWorkload *workload);

/* Refuse a kernel whose CONFIG_TEXT lacks what the workload needs: RIG_ERROR_HOST naming each option. NULL
 * CONFIG_TEXT (unknown) passes. */
gboolean rig_workload_check_kernel(const RigWorkload *workload, const char *kernel,
				   const char *config_text, GError **error)
	G_GNUC_WARN_UNUSED_RESULT;
