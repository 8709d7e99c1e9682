/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * table.h - the comparison as people read it and paste it into a mail.
 */
#pragma once

#include "report/judgement.h"

typedef struct {
	gboolean all;	/* every counter that is not zero everywhere, not only those that changed */
	gboolean color; /* stdout is a terminal */
	gboolean ascii; /* the locale cannot show "±" */
	guint width;	/* 0: 80 */
} RigTableOptions;

/* The whole report. With more than two sides one block for each head, so that each stays narrow.
 * g_free. */
char *rig_table_render(const RigJudgement *judgement, const RigTableOptions *options);
