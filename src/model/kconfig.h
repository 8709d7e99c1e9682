/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * kconfig.h - fragments of kernel configs: what is asked for, and whether a kernel got it.
 */
#pragma once

#include <glib.h>

typedef struct {
	char *option; /* "CONFIG_NUMA" */
	char *value;  /* "y", "m", "n", "6", "\"text\"" */
	char *got;    /* what the config has instead; set by rig_kconfig_missing() only */
} RigKconfigOption;

void rig_kconfig_option_free(RigKconfigOption *option);

/* A fragment (or a whole .config): "CONFIG_X=value", "# CONFIG_X is not set", comments and empty
 * lines. An option that is there twice has the last value. NAME stands for TEXT in errors
 * (RIG_ERROR_USAGE with the line). Returns RigKconfigOption*. */
GPtrArray *rig_kconfig_parse(const char *name, const char *text,
			     GError **error) G_GNUC_WARN_UNUSED_RESULT;

/* Append what MORE asks for to ASKED, taking the place of what ASKED says of the same options. */
void rig_kconfig_override(GPtrArray *asked, const GPtrArray *more);

/* The lines of ASKED as .config text. g_free. */
char *rig_kconfig_text(const GPtrArray *asked);

/* BASE (.config text) with the options of ASKED in place of its own. g_free. */
char *rig_kconfig_merge(const char *base, const GPtrArray *asked);

/* Those of ASKED that CONFIG (.config text) does not have; "y" for an asked "m" is not missed.
 * RigKconfigOption* with "got"; NULL with an error if CONFIG cannot be read. */
GPtrArray *rig_kconfig_missing(const char *config, const GPtrArray *asked,
			       GError **error) G_GNUC_WARN_UNUSED_RESULT;

/* Does a workload's need ("CONFIG_X=y", "CONFIG_X=y|m") hold in CONFIG? */
gboolean rig_kconfig_meets(const char *config, const char *need);

/* The option of such a need, "CONFIG_X". g_free. */
char *rig_kconfig_need_option(const char *need);

/* What differs between two .config texts, sorted: "CONFIG_X: y -> n". g_ptr_array_unref. */
GPtrArray *rig_kconfig_diff(const char *a, const char *b, GError **error) G_GNUC_WARN_UNUSED_RESULT;
