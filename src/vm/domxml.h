/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * domxml.h - a placement made into libvirt's domain XML. Pure: no libvirt call.
 */
#pragma once

#include "model/placement.h"

typedef struct {
	const char *name;
	const RigPlacement *placement;
	const char *emulator;	  /* path of QEMU, or NULL: libvirt's choice */
	const char *kernel;	  /* boot file */
	const char *initrd;	  /* or NULL */
	const char *cmdline;
	const char *disk;	  /* qcow2 overlay for virtio-blk, or NULL (diskless) */
	const char *console;	  /* file of the 8250 */
	const char *agent_socket; /* unix socket of the agent's port, or NULL (diskless) */
	const char *debugcon;	  /* file of isa-debugcon, or NULL */
	gboolean dump;		  /* stays where it panicked, and tells QEMU how to read its memory */
	gboolean no_relabel;	  /* <seclabel type='none' model='dac'/>: files keep their owner */
	GHashTable *metadata;	  /* char* -> char*: what rig must find again; keys are element names */
} RigDomainSpec;

#define RIG_METADATA_URI "https://rig.invalid/guest/1"
#define RIG_METADATA_PREFIX "rig"

/* The XML text (g_free). Always: cpu mode host-passthrough under KVM and a named model that boots quickly under TCG, with
 * sockets/dies/cores/threads and <numa> cells with distances; memory backing, numatune memnode strict and vcpupin
 * from the placement; panic isa; no network, no USB, no graphics, no balloon; on_poweroff/on_crash destroy
 * (on_crash preserve only for DUMP: a guest that panicked is seen on its console); watchdog none. */
char *rig_domxml_render(const RigDomainSpec *spec);

/* Metadata back from a domain's XML: key -> value, or NULL if it is none of rig's. */
GHashTable *rig_domxml_metadata(const char *domain_xml);
