/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * tally.c - the figures of docs/reliability.md.
 */
#include "tally.h"

#include <string.h>

#include "leftovers.h"

static struct {
	guint injected, survived, leftovers;
} tally;

void tally_injected(void)
{
	tally.injected++;
}

void tally_survived(void)
{
	tally.survived++;
}

void tally_expect_nothing_left(CliFixture *f, const char *when)
{
	g_autofree char *found = leftovers_find(f->root);

	for (const char *at = found; (at = strchr(at, '\n')); at++)
		tally.leftovers++;
	leftovers_expect_none(f->root, 0, when);
}

void tally_expect_down(CliFixture *f, const char *name)
{
	cli_rig(f, "down", name, NULL);
	cli_expect(f, 0, NULL);
	tally_expect_nothing_left(f, "after rig down");
}

void tally_tell(void)
{
	g_print("# faults injected: %u, survived: %u, left behind: %u\n", tally.injected,
		tally.survived, tally.leftovers);
}
