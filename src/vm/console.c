/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * console.c - the file into which QEMU writes a guest's console: what is said there, and its end.
 *
 * Read in pieces of bounded size; only the unfinished last line is kept between two looks.
 */
#include "vm/console.h"

#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/text.h"

#define PIECE 65536
#define LINE_KEPT 1024

struct RigConsole {
	char *path;
	int fd;
	gboolean from_end;
	goffset offset, limit;
	GString *partial;
	RigConsoleState state;
	char *line;
};

/* What the kernel says at an end that a guest's own program did not report. */
static const struct {
	const char *text;
	RigConsoleState state;
} signs[] = {
	{"Kernel panic - not syncing", RIG_CONSOLE_PANIC},
	{"reboot: Power down", RIG_CONSOLE_OFF},
	{"reboot: System halted", RIG_CONSOLE_OFF},
	{"reboot: Restarting system", RIG_CONSOLE_OFF},
	{"reboot: machine restart", RIG_CONSOLE_OFF},
};

RigConsole *rig_console_new(const char *path, gboolean from_end, guint64 limit)
{
	RigConsole *console = g_new0(RigConsole, 1);

	console->path = g_strdup(path);
	console->fd = -1;
	console->from_end = from_end;
	console->limit = (goffset)(limit ? limit : RIG_CONSOLE_MAX);
	console->partial = g_string_new(NULL);
	return console;
}

void rig_console_free(RigConsole *console)
{
	if (!console)
		return;
	if (console->fd >= 0)
		close(console->fd);
	g_string_free(console->partial, TRUE);
	g_free(console->path);
	g_free(console->line);
	g_free(console);
}

static void note(RigConsole *console, RigConsoleState state, const char *line)
{
	if (state <= console->state)
		return;
	console->state = state;
	g_free(console->line);
	console->line = rig_text_safe(line, -1);
}

static void scan_line(RigConsole *console)
{
	for (guint i = 0; i < G_N_ELEMENTS(signs); i++)
		if (strstr(console->partial->str, signs[i].text))
			note(console, signs[i].state, g_strchomp(console->partial->str));
}

static void take(RigConsole *console, const char *data, gsize length)
{
	for (gsize i = 0; i < length; i++) {
		if (data[i] == '\n') {
			scan_line(console);
			g_string_truncate(console->partial, 0);
		} else if (data[i] != '\0' && console->partial->len < LINE_KEPT) {
			g_string_append_c(console->partial, data[i]);
		}
	}
}

static gboolean open_file(RigConsole *console)
{
	if (console->fd >= 0)
		return TRUE;
	console->fd = open(console->path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
	if (console->fd >= 0 && console->from_end)
		console->offset = MAX(0, lseek(console->fd, 0, SEEK_END));
	return console->fd >= 0;
}

RigConsoleState rig_console_check(RigConsole *console)
{
	char piece[PIECE];
	ssize_t n;

	if (!open_file(console))
		return console->state;
	while (console->offset <= console->limit &&
	       (n = pread(console->fd, piece, sizeof(piece), console->offset)) > 0) {
		take(console, piece, (gsize)n);
		console->offset += n;
	}
	/* A panic's last line may lack its newline for ever. */
	scan_line(console);
	if (console->offset > console->limit)
		note(console, RIG_CONSOLE_BABBLES, "the console is beyond its limit");
	return console->state;
}

const char *rig_console_line(const RigConsole *console)
{
	return console->line;
}

char *rig_console_tail(const char *path, guint n)
{
	g_autofree char *piece = g_malloc(PIECE + 1);
	g_autofree char *safe = NULL;
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
	ssize_t got = 0;

	if (fd >= 0) {
		goffset end = lseek(fd, 0, SEEK_END);

		got = pread(fd, piece, PIECE, MAX(0, end - PIECE));
		close(fd);
	}
	piece[MAX(0, got)] = '\0';
	/* The 8250 gets CR LF; carriage returns would show as noise. */
	for (char *from = piece, *to = piece; from <= piece + MAX(0, got); from++)
		if (*from != '\r')
			*to++ = *from;
	safe = rig_text_safe(piece, -1);
	return g_strdup(rig_text_last_lines(safe, n));
}
