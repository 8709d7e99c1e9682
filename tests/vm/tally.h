/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * tally.h - the figures of docs/reliability.md: faults that a test program injected, how many of
 * them came out as they should, and how much was left behind.
 */
#pragma once

#include "cli-fixture.h"

void tally_injected(void);
void tally_survived(void);
/* leftovers_expect_none() that counts before it fails. */
void tally_expect_nothing_left(CliFixture *f, const char *when);
/* rig down NAME works, and then there is nothing. */
void tally_expect_down(CliFixture *f, const char *name);
/* Print them, as a remark of TAP. */
void tally_tell(void);
