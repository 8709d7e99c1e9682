/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * shape.c - the options by which up and run ask for an accelerator and a size.
 */
#include "cli/shape.h"

#include "base/size.h"

static gboolean parse_size(const char *name, const char *text, guint64 *bytes, GError **error)
{
	if (!text)
		return TRUE;
	if (rig_size_parse(text, bytes, error)) {
		if (*bytes)
			return TRUE;
		rig_error_set(error, RIG_ERROR_USAGE, "\"%s\" is not above 0", text);
	}
	g_prefix_error(error, "--%s: ", name);
	return FALSE;
}

gboolean rig_shape_parse(const RigShapeOptions *options, RigAccelWant *want,
			 RigPlacementRequest *request, GError **error)
{
	*request = (RigPlacementRequest){
		.exact_size = options->exact_size,
		.no_pin = options->no_pin,
		.overcommit = options->overcommit,
		.cell_cpus = (guint)MAX(options->cell_cpus, 0),
	};
	*want = RIG_ACCEL_WANT_AUTO;
	if (options->accel && !rig_accel_want_parse(options->accel, want, error))
		return FALSE;
	return parse_size("cell-memory", options->cell_memory, &request->cell_memory, error) &&
	       parse_size("hugepages", options->hugepages, &request->hugepage, error);
}
