/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * dump.h - memory dumps as the commands show them: where one is, and what opens it.
 */
#pragma once

#include "cli/cmd.h"
#include "model/kernel.h"
#include "model/store.h"

/* The memory dump in the folder of RECORD (g_free), NULL if there is none. */
char *rig_dump_of(const RigRecord *record);

/* The command that opens DUMP of a guest with the kernel called NAME (NULL: unknown) of digest
 * SHA256: with the vmlinux of rig's store where it has one for that very kernel, else with where
 * to get one. g_free. */
char *rig_dump_command(RigCli *cli, const char *name, const char *sha256, const char *dump);
