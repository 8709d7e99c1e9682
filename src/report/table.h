/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * table.h - the comparison as people read it and paste it into a mail.
 */
#pragma once

#include "report/compare.h"

typedef struct {
	gboolean all;	/* every counter, not only those that the workload and NUMA balancing are
			   about */
	gboolean color; /* stdout is a terminal */
	gboolean ascii; /* the locale cannot show "±" */
	guint width;	/* 0: 80 */
} RigTableOptions;

/* The whole report. With more than two sides one block for each head, so that each stays narrow.
 * g_free. */
char *rig_table_render(const RigCompare *compare, const RigTableOptions *options);
