/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * compare-expect.h - the recipes of the kernels that are compared.
 */
#pragma once

#include "cli/cmd.h"
#include "report/judgement.h"

/* Give JUDGEMENT what the recipe of each head expects, where the base is the recipe's base. A
 * recipe that is gone is passed over, one that is wrong is warned of. */
void rig_compare_expect(const RigCli *cli, const RigSides *sides, RigJudgement *judgement);
