/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * table-private.h - the parts of the comparison for people (private to table*.c).
 */
#pragma once

#include "report/grid.h"
#include "report/judgement.h"
#include "report/table.h"

#define RIG_TABLE_INDENT 12 /* of labelled text */

typedef struct {
	const RigJudgement *judgement;
	const RigStatCompare *stats; /* of base against HEAD */
	const RigTableOptions *options;
	guint head;
	guint width;
	GString *out;
} RigTable;

const RigSide *rig_table_base(const RigTable *t);
const RigSide *rig_table_head(const RigTable *t);
/* What METRIC's means and spreads are; NULL if no run has it. */
const RigRow *rig_table_row(const RigTable *t, const char *metric);
/* LABEL and TEXT from RIG_TABLE_INDENT on; nothing if TEXT is NULL or "". COLOR (NULL, "red", ...)
 * is the label's, on a terminal. */
void rig_table_fact(RigTable *t, const char *label, const char *text, const char *color);
/* "base" and "head" columns with spread, the change, and a word for it. */
RigGrid *rig_table_grid(const RigTable *t);
/* Base and head of ROW into the grid's next four cells. */
void rig_table_cells(const RigTable *t, RigGrid *grid, const RigRow *row);
void rig_table_add_grid(RigTable *t, RigGrid *grid);

/* table-verdict.c: what is to be known first, then the primaries and the other own metrics. */
void rig_table_verdict(RigTable *t);
void rig_table_primaries(RigTable *t);
void rig_table_metrics(RigTable *t);

/* table-counters.c: those that changed; those that one watches whether they did or not, phase by
 * phase; all. */
void rig_table_counters(RigTable *t);
void rig_table_watched(RigTable *t);
void rig_table_all(RigTable *t);
