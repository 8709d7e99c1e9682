/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * html.h - a comparison as one page that needs nothing else (docs/report.md).
 */
#pragma once

#include "report/compare.h"
#include "report/statcompare.h"

typedef struct {
	const RigCompare *compare;
	const RigStatOptions *stat_options; /* or NULL */
	GHashTable *traces;		    /* of rig_trace_load_all(), or NULL */
} RigHtmlInput;

/* The whole page. g_free. */
char *rig_html_render(const RigHtmlInput *input);

/* Write the page to PATH for SIDES, with the traces of the store ROOT: all that rig compare --html
 * does. */
gboolean rig_html_write(const char *path, const char *root, const RigCompare *compare,
			const RigStatOptions *stat_options,
			GError **error) G_GNUC_WARN_UNUSED_RESULT;
