/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * stat-fisher.h - did one side fail more often than the other?
 */
#pragma once

#include <glib.h>

/* Fisher's exact test (Statistical Methods for Research Workers, 5th edition, 1934, section 21.02),
 * two-sided: all tables with the same margins that are no likelier than the one seen. NaN when a
 * side has no runs or more failures than runs. */
double rig_fisher_p(guint base_fails, guint base_runs, guint head_fails, guint head_runs);
