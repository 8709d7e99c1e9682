/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * html.h - a comparison as one page that needs nothing else (docs/report.md).
 */
#pragma once

#include "report/judgement.h"

typedef struct {
	const RigJudgement *judgement;
	GHashTable *traces; /* of rig_trace_load_all(), or NULL */
} RigHtmlInput;

/* The whole page. g_free. */
char *rig_html_render(const RigHtmlInput *input);

/* Write the page of JUDGEMENT to PATH, with the traces of the store ROOT: all that rig compare
 * --html does. */
gboolean rig_html_write(const char *path, const char *root, const RigJudgement *judgement,
			GError **error) G_GNUC_WARN_UNUSED_RESULT;
