/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * cgroup.h - the control groups that libvirt's embedded driver makes for a domain, where no systemd
 * makes and removes them.
 */
#pragma once

/* Remove those of guest NAME under the driver with root ROOT, in all hierarchies below SYSFS
 * ("/sys/fs/cgroup"). Its QEMU must be gone, or about to be: the kernel keeps a group that has a
 * process, and so does this after a second. Nothing that is not there is missed. */
void rig_cgroup_forget(const char *sysfs, const char *root, const char *name);
