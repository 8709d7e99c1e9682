/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * markdown.h - the comparison for a pull request or an issue.
 */
#pragma once

#include "report/judgement.h"

/* Verdict, primary metrics, counters that changed, and doubts, with GitHub's tables. What comes
 * from records is escaped. g_free. */
char *rig_markdown_render(const RigJudgement *judgement);
