/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * fault-workload.h - the program fault.c as a workload of rig.
 */
#pragma once

#include "cli-fixture.h"

/* A workload file for it in MODE, with a time limit of TIMEOUT seconds. OPTION is of the kernel,
 * and needed. The file's path, g_free. */
char *fault_workload(CliFixture *f, const char *mode, const char *timeout, const char *option);
