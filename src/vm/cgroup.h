/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * cgroup.h - the control group that libvirt's embedded driver makes for a QEMU.
 *
 * A group that stays behind is not only litter: the next guest of that name and number is put into
 * it and inherits its CPUs.
 */
#pragma once

#include <glib.h>
#include <sys/types.h>

#define RIG_CGROUP_ROOT "/sys/fs/cgroup"

/* The name of libvirt's group that process PID is in ("qemu-embed-1234abcd-1-NAME.libvirt-qemu"),
 * NULL if it is in none, as under systemd, which takes its own away. PROC is "/proc". g_free. */
char *rig_cgroup_of(const char *proc, pid_t pid);

/* Remove GROUP and what is below it from all hierarchies that are mounted at ROOT; one that still
 * has a process stays. NULL and a name that is none of libvirt's are passed over. */
void rig_cgroup_remove(const char *root, const char *group);
