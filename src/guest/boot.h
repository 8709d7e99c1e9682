/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What only process 1 does: make the guest usable, and switch it off. */
#pragma once

#include <sys/resource.h>

/* Mounts, console, loopback, host name, and the exemptions of the agent itself: from the OOM
 * killer, from paging, from NUMA balancing. Failures are told on the console and are no reason to
 * stop: the host reads back what it relies on. */
void rig_boot_setup(void);

/* Ends every other process, writes everything to disk and switches off. Does not return. */
_Noreturn void rig_boot_power_off(void);
