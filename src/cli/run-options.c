/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * run-options.c - the words of the options that run, plan and calibrate share, as values.
 */
#include "cli/run-options.h"

#include <math.h>
#include <string.h>

#define LOOKS_MAX 100

gboolean rig_run_options_blocks(const RigRunOptions *options, guint *blocks, GError **error)
{
	const char *name = options->blocks ? "blocks" : "repeat";
	int given = options->blocks ? options->blocks : options->repeat;

	if (options->blocks && options->repeat && options->blocks != options->repeat) {
		rig_error_set(error, RIG_ERROR_USAGE,
			      "--blocks %d and --repeat %d are the same thing: give one",
			      options->blocks, options->repeat);
		return FALSE;
	}
	if (given < 0 || given > RIG_PLAN_BLOCKS_MAX) {
		rig_error_set(error, RIG_ERROR_USAGE, "--%s: %d is not from 1 to %d", name, given,
			      RIG_PLAN_BLOCKS_MAX);
		return FALSE;
	}
	*blocks = given ? (guint)given : 1;
	return TRUE;
}

static gboolean check_values(const char *option, char **values, GError **error)
{
	guint n = g_strv_length(values);

	if (n == 0 || n > RIG_PLAN_VALUES_MAX) {
		rig_error_set(error, RIG_ERROR_USAGE, "--%s: %u values, there are 1 to %d", option,
			      n, RIG_PLAN_VALUES_MAX);
		return FALSE;
	}
	for (guint i = 0; i < n; i++) {
		const char *why = NULL;

		if (!*values[i])
			why = "a value is empty";
		else if (g_strv_contains((const char *const *)values + i + 1, values[i]))
			why = "a value is given twice";
		if (!why)
			continue;
		rig_error_set(error, RIG_ERROR_USAGE, "--%s: %s (\"%s\")", option, why, values[i]);
		return FALSE;
	}
	return TRUE;
}

gboolean rig_run_options_sweep(const RigRunOptions *options, char **name, char ***values,
			       GError **error)
{
	const char *equals = options->sweep ? strchr(options->sweep, '=') : NULL;
	const char *option = options->tasks ? "tasks" : "sweep";

	*name = NULL;
	*values = NULL;
	if (!options->tasks && !options->sweep)
		return TRUE;
	if (options->tasks && options->sweep) {
		rig_error_set(error, RIG_ERROR_USAGE,
			      "--tasks and --sweep exclude each other: one sweep at a time");
		return FALSE;
	}
	if (options->sweep && (!equals || equals == options->sweep)) {
		rig_error_set(error, RIG_ERROR_USAGE, "--sweep %s: not of the form NAME=V1,V2,...",
			      options->sweep);
		return FALSE;
	}
	*name = equals ? g_strndup(options->sweep, (gsize)(equals - options->sweep))
		       : g_strdup("tasks");
	*values = g_strsplit(equals ? equals + 1 : options->tasks, ",", -1);
	if (check_values(option, *values, error))
		return TRUE;
	g_clear_pointer(name, g_free);
	g_clear_pointer(values, g_strfreev);
	return FALSE;
}

gboolean rig_run_options_method(const RigRunOptions *options, guint blocks, gboolean *paired,
				GError **error)
{
	*paired = blocks >= RIG_PLAN_PAIRED_BLOCKS;
	if (!options->method)
		return TRUE;
	*paired = g_str_equal(options->method, "paired");
	if (*paired || g_str_equal(options->method, "welch"))
		return TRUE;
	rig_error_set(error, RIG_ERROR_USAGE, "--method: \"%s\" is none of welch, paired",
		      options->method);
	return FALSE;
}

gboolean rig_run_options_effect(const RigRunOptions *options, double *effect, GError **error)
{
	char *end;

	*effect = 0;
	if (!options->effect)
		return TRUE;
	*effect = g_ascii_strtod(options->effect, &end);
	if (end != options->effect && (!*end || g_str_equal(end, "%")) && *effect > 0 &&
	    isfinite(*effect))
		return TRUE;
	rig_error_set(error, RIG_ERROR_USAGE, "--effect: \"%s\" is no change above 0, such as 2%%",
		      options->effect);
	return FALSE;
}

gboolean rig_run_options_seed(const RigRunOptions *options, guint64 *seed, GError **error)
{
	if (!options->seed) {
		/* Drawn, but stored with every record and printed by --dry-run. */
		*seed = g_random_int();
		return TRUE;
	}
	if (g_ascii_string_to_unsigned(options->seed, 10, 0, G_MAXUINT32, seed, NULL))
		return TRUE;
	rig_error_set(error, RIG_ERROR_USAGE, "--seed: \"%s\" is no number from 0 to %u",
		      options->seed, G_MAXUINT32);
	return FALSE;
}

gboolean rig_run_options_check(const RigRunOptions *options, GError **error)
{
	if (options->looks < 0 || options->looks > LOOKS_MAX) {
		rig_error_set(error, RIG_ERROR_USAGE, "--looks: %d is not from 0 to %d",
			      options->looks, LOOKS_MAX);
		return FALSE;
	}
	if (options->sample_ms < 0) {
		rig_error_set(error, RIG_ERROR_USAGE, "--sample-ms: %d is below 0",
			      options->sample_ms);
		return FALSE;
	}
	return TRUE;
}
