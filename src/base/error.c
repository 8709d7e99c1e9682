/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * error.c - messages of the one error domain, and the hints that go with them.
 *
 * A hint is a last line of the message itself, so it survives g_prefix_error() and
 * g_propagate_error() without a type of its own.
 */
#include "base/error.h"

#include <errno.h>
#include <gio/gio.h>

G_DEFINE_QUARK(rig - error - quark, rig_error)

void rig_error_set(GError **error, RigErrorCode code, const char *format, ...)
{
	va_list args;

	if (!error)
		return;
	va_start(args, format);
	g_propagate_error(error, g_error_new_valist(RIG_ERROR, code, format, args));
	va_end(args);
}

void rig_error_set_hint(GError **error, RigErrorCode code, const char *hint, const char *format,
			...)
{
	g_autofree char *message = NULL;
	va_list args;

	va_start(args, format);
	message = g_strdup_vprintf(format, args);
	va_end(args);
	g_set_error(error, RIG_ERROR, code, "%s\nhint: %s", message, hint);
}

/* What a user can do about ERRNUM; NULL where the errno is no matter of the host. */
static const char *errno_hint(int errnum)
{
	switch (errnum) {
	case ENOSPC:
	case EDQUOT:
		return "free some space there; \"rig gc\" shows what rig's cache holds";
	case EACCES:
	case EPERM:
		return "check the owner and the mode of that path, or run rig as their owner";
	case EROFS:
		return "the file system is read-only; name another place with RIG_STATE_DIR or "
		       "RIG_CACHE_DIR";
	case EMFILE:
	case ENFILE:
		return "raise the limit of open files (ulimit -n)";
	case ENOMEM:
		return "free some memory";
	case EIO:
		return "the kernel log (dmesg) tells more about the device";
	default:
		return NULL;
	}
}

void rig_error_set_errno(GError **error, RigErrorCode code, int errnum, const char *what,
			 const char *path)
{
	const char *hint = errno_hint(errnum);

	if (hint)
		rig_error_set_hint(error, RIG_ERROR_HOST, hint, "%s: %s: %s", path, what,
				   g_strerror(errnum));
	else
		rig_error_set(error, code, "%s: %s: %s", path, what, g_strerror(errnum));
}

int rig_error_exit_code(const GError *error)
{
	if (!error)
		return 0;
	if (error->domain == RIG_ERROR)
		return error->code;
	if (g_error_matches(error, G_IO_ERROR, G_IO_ERROR_CANCELLED))
		return RIG_ERROR_INTERRUPTED;
	return RIG_ERROR_FAILED;
}
