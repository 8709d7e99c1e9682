/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * lab.h - the lab host: a guest of rig's own that is a KVM host with two nodes, with rig in it.
 *
 * What is done in it goes through `rig exec` and `rig cp`, as a user would do it.
 */
#pragma once

#include "cli-fixture.h"

#define LAB_NAME "lab"
#define LAB_STATE "/var/lib/rig"
#define LAB_CACHE "/var/cache/rig"

typedef struct {
	CliFixture outer; /* rig on this machine, which drives the lab */
} Lab;

/* Boot it and put rig, two kernels and their boot sets into it. Ends the test program where that
 * fails. */
void lab_start(Lab *lab);
/* Take it down. */
void lab_stop(Lab *lab);

/* Run SCRIPT (for sh -e) in the lab as root, or as USER; rig's folders are set. Its exit code;
 * lab->outer.last has the streams. */
int lab_sh(Lab *lab, const char *format, ...) G_GNUC_PRINTF(2, 3);
int lab_sh_as(Lab *lab, const char *user, const char *format, ...) G_GNUC_PRINTF(3, 4);

/* The same, and it must end with 0; its stdout without the last newline (g_free). */
char *lab_get(Lab *lab, const char *format, ...) G_GNUC_PRINTF(2, 3);

/* The last command ended with CODE and said TEXT (may be NULL) on either stream. */
void lab_expect(Lab *lab, int code, const char *text);

/* The last stdout as JSON. */
RigJson *lab_json(Lab *lab);

/* The tests, one function a file. */
void lab_add_placement_tests(Lab *lab);
void lab_add_run_tests(Lab *lab);
void lab_add_refusal_tests(Lab *lab);
void lab_add_connection_tests(Lab *lab);
