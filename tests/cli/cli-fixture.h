/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * cli-fixture.h - start the built rig with folders of its own.
 */
#pragma once

#include "base/json.h"
#include "base/process.h"

typedef struct {
	char *root; /* temporary unless stays; state and cache lie below */
	gboolean stays;
	const char *start_err; /* a file for what cli_start() starts to write stderr to, or NULL */
	RigProcessResult last;
} CliFixture;

void cli_setup(CliFixture *fixture);
/* The same with the folders of RIG_TEST_ROOT, which stay: kernels, image and boot sets are made
 * once for all tests with real guests. Adds the two kernels linux-6.1 and linux-6.12 where they are
 * missing. */
void cli_setup_real(CliFixture *fixture);
void cli_teardown(CliFixture *fixture);

/* Run rig with the words (NULL terminated); fixture->last holds what came of it. Returns the exit
 * code. */
int cli_rig(CliFixture *fixture, ...) G_GNUC_NULL_TERMINATED;

/* The same under prlimit with LIMIT ("--as=400000000"). */
int cli_rig_under(CliFixture *fixture, const char *limit, ...) G_GNUC_NULL_TERMINATED;

/* The same in the background: the process is started in a group of its own and not waited for. Its
 * output is thrown away, but for stderr where fixture->start_err says so. */
GPid cli_start(CliFixture *fixture, ...) G_GNUC_NULL_TERMINATED;
/* Wait for it; its exit code, 128 + signal. */
int cli_wait(GPid pid);

/* The last stdout as JSON (fails the test if it is none). */
RigJson *cli_json(CliFixture *fixture);

/* Fail the test with both streams shown unless the last exit code is CODE, and TEXT (may be NULL)
 * stands on stderr. */
void cli_expect(CliFixture *fixture, int code, const char *text);

/* A file below the fixture's root. g_free. */
char *cli_write(CliFixture *fixture, const char *name, const char *text);

/* The QEMU of guest NAME that was started with the fixture's folders; 0: there is none. */
GPid cli_find_qemu(CliFixture *fixture, const char *name);
/* The same, and there must be one: a 0 given to kill() would end the test's own group. */
GPid cli_qemu(CliFixture *fixture, const char *name);
