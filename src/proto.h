/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * proto.h - the names and limits that the host and the guest share.
 *
 * docs/protocol.md tells the whole protocol; this file holds the constants, so that an agent
 * and a rig built from the same tree cannot disagree on them. Plain C: the guest has no GLib.
 */
#pragma once

#define RIG_PROTOCOL 1

/* The virtio-serial port of the agent, as libvirt's target name and in /sys/class/virtio-ports. */
#define RIG_PORT_NAME "org.rig.agent.0"

/* I/O port of isa-debugcon, the output-only channel of a diskless guest. */
#define RIG_DEBUGCON_PORT 0xe9

/* One line of the protocol, newline included. A longer one is a broken peer. */
#define RIG_LINE_MAX 65536

/* Payload bytes in one "data" message before base64; its line stays below RIG_LINE_MAX. */
#define RIG_CHUNK_MAX 32768

/* One file that the agent reads for the host; the rest is cut and the message says so. */
#define RIG_FILE_MAX (1024 * 1024)

/* What a program may leave on stdout and stderr, each, before the agent cuts. */
#define RIG_OUTPUT_MAX (1024 * 1024)

/* All payload of one run. The agent stops sampling at it; the host fails a run that exceeds it. */
#define RIG_RUN_BYTES_MAX (64 * 1024 * 1024)

/* Tasks that one run may ask the agent to watch. */
#define RIG_TASKS_MAX 4096

/* One line from a workload program to the agent. */
#define RIG_CONTROL_LINE_MAX 4096

/* Seconds between two heartbeats. */
#define RIG_HEARTBEAT_S 5

/* Environment of a workload program: the descriptor to write control lines to, and the one that
 * answers each mark with one byte. */
#define RIG_ENV_CONTROL_FD "RIG_CONTROL_FD"
#define RIG_ENV_ACK_FD "RIG_ACK_FD"

/* Where things lie in the guest. */
#define RIG_GUEST_AGENT "/sbin/rig-agent"
#define RIG_GUEST_BIN "/rig/bin"
#define RIG_GUEST_JOB "/rig/job.json"

/* In the initramfs: one module file a line, in the order in which they are to be loaded. */
#define RIG_INITRAMFS_MODULES "/rig/modules"
/* More of them, for a guest whose memory may be dumped. */
#define RIG_INITRAMFS_DUMP_MODULES "/rig/dump-modules"

/* Kernel command line words that rig-init and rig-agent read. */
#define RIG_CMDLINE_ROOT "rig.root="	   /* virtio-blk device of the root, e.g. /dev/vda */
#define RIG_CMDLINE_CHANNEL "rig.channel=" /* "virtio" (default) or "debugcon" */
#define RIG_CMDLINE_DUMP "rig.dump"	   /* rig-init: load the modules above, too */
#define RIG_CMDLINE_CANARY "rig.canary"	   /* rig-init: print the line below and power off */
#define RIG_CANARY_LINE "rig-canary: alive"
