/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * log.c - lines for people, and one status line that is never left behind.
 *
 * Several threads of rig speak (engine, channel, signal thread), so each call is one locked
 * write: take the status line away, write, put it back.
 */
#include "base/log.h"

#include "base/text.h"

#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#define ERASE_LINE "\r\033[K"

struct RigLog {
	GMutex mutex;
	FILE *stream;
	RigLogLevel level;
	gboolean terminal;
	char *status; /* what stands in place now, or NULL */
};

RigLog *rig_log_new(FILE *stream, RigLogLevel level)
{
	RigLog *log = g_new0(RigLog, 1);

	g_mutex_init(&log->mutex);
	log->stream = stream;
	log->level = level;
	log->terminal = isatty(fileno(stream)) && g_strcmp0(g_getenv("TERM"), "dumb") != 0;
	return log;
}

void rig_log_free(RigLog *log)
{
	if (!log)
		return;
	rig_log_status_clear(log);
	g_mutex_clear(&log->mutex);
	g_free(log);
}

gboolean rig_log_is_terminal(const RigLog *log)
{
	return log && log->terminal;
}

static guint terminal_width(FILE *stream)
{
	struct winsize size;

	if (ioctl(fileno(stream), TIOCGWINSZ, &size) == 0 && size.ws_col > 0)
		return size.ws_col;
	return 80;
}

/* Cut TEXT so that it fills less than WIDTH columns: a full last column makes some terminals wrap,
 * and a wrapped line is not erased as a whole. */
static void cut_to_width(char *text, guint width)
{
	guint columns = 0;
	char *p;

	for (p = text; *p; p = g_utf8_next_char(p)) {
		gunichar c = g_utf8_get_char(p);

		columns += g_unichar_iszerowidth(c) ? 0 : g_unichar_iswide(c) ? 2 : 1;
		if (columns >= width)
			break;
	}
	*p = '\0';
}

static void erase_status(RigLog *log)
{
	if (log->status)
		fputs(ERASE_LINE, log->stream);
}

static void draw_status(RigLog *log)
{
	g_autofree char *line = g_strdup(log->status);

	if (!line)
		return;
	cut_to_width(line, terminal_width(log->stream));
	fputs(line, log->stream);
}

static void write_line(RigLog *log, const char *prefix, const char *format, va_list args)
	G_GNUC_PRINTF(3, 0);

static void write_line(RigLog *log, const char *prefix, const char *format, va_list args)
{
	g_autofree char *text = g_strdup_vprintf(format, args);
	g_autofree char *safe = rig_text_safe(text, -1);

	g_mutex_lock(&log->mutex);
	erase_status(log);
	fprintf(log->stream, "%s%s\n", prefix, safe);
	draw_status(log);
	fflush(log->stream);
	g_mutex_unlock(&log->mutex);
}

void rig_log_info(RigLog *log, const char *format, ...)
{
	va_list args;

	if (!log || log->level < RIG_LOG_NORMAL)
		return;
	va_start(args, format);
	write_line(log, "", format, args);
	va_end(args);
}

void rig_log_warn(RigLog *log, const char *format, ...)
{
	va_list args;

	if (!log)
		return;
	va_start(args, format);
	write_line(log, "warning: ", format, args);
	va_end(args);
}

void rig_log_verbose(RigLog *log, const char *format, ...)
{
	va_list args;

	if (!log || log->level < RIG_LOG_VERBOSE)
		return;
	va_start(args, format);
	write_line(log, "", format, args);
	va_end(args);
}

/* Put TEXT (may be NULL) in the place of the status line. */
static void replace_status(RigLog *log, const char *text)
{
	g_mutex_lock(&log->mutex);
	erase_status(log);
	g_free(log->status);
	log->status = text ? rig_text_safe(text, -1) : NULL;
	if (log->status)
		g_strdelimit(log->status, "\n\t", ' ');
	draw_status(log);
	fflush(log->stream);
	g_mutex_unlock(&log->mutex);
}

void rig_log_status(RigLog *log, const char *format, ...)
{
	va_list args;

	if (!log || log->level < RIG_LOG_NORMAL)
		return;
	va_start(args, format);
	if (log->level >= RIG_LOG_VERBOSE) {
		write_line(log, "", format, args);
	} else if (log->terminal) {
		g_autofree char *text = g_strdup_vprintf(format, args);

		replace_status(log, text);
	}
	va_end(args);
}

void rig_log_status_clear(RigLog *log)
{
	if (log)
		replace_status(log, NULL);
}
