/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * pipes.c - opens the descriptors between a run and its program.
 */
#include "pipes.h"

#include <fcntl.h>
#include <unistd.h>

bool rig_pipes_open(struct rig_pipes *pipes)
{
	*pipes = (struct rig_pipes){-1, {-1, -1}, {-1, -1}, {-1, -1}, {-1, -1}};
	pipes->null = open("/dev/null", O_RDONLY | O_CLOEXEC);
	return pipes->null >= 0 && !pipe2(pipes->out, O_CLOEXEC) && !pipe2(pipes->err, O_CLOEXEC) &&
	       !pipe2(pipes->control, O_CLOEXEC) && !pipe2(pipes->ack, O_CLOEXEC) &&
	       !fcntl(pipes->out[0], F_SETFL, O_NONBLOCK) &&
	       !fcntl(pipes->err[0], F_SETFL, O_NONBLOCK) &&
	       !fcntl(pipes->control[0], F_SETFL, O_NONBLOCK) &&
	       !fcntl(pipes->ack[1], F_SETFL, O_NONBLOCK);
}

static void close_if_open(int fd)
{
	if (fd >= 0)
		close(fd);
}

void rig_pipes_close_program(const struct rig_pipes *pipes)
{
	close_if_open(pipes->null);
	close_if_open(pipes->out[1]);
	close_if_open(pipes->err[1]);
	close_if_open(pipes->control[1]);
	close_if_open(pipes->ack[0]);
}
