/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * cmd-cp.c - rig cp: files into a guest and out of it.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/file.h"
#include "base/process.h"
#include "base/text.h"
#include "cli/commands.h"
#include "cli/guests.h"
#include "cli/safe-output.h"
#include "vm/untar.h"

#define TAR_MS 600000
#define LEFT_OUT_SHOWN 5

typedef struct {
	gboolean recursive;
} CpOptions;

static const RigOption cp_options[] = {
	{"recursive", 'r', RIG_OPTION_FLAG, G_STRUCT_OFFSET(CpOptions, recursive), NULL,
	 "copy a folder with all that is in it"},
	{NULL},
};

/* One side of the copy: "NAME:/path" or a path of this host. */
typedef struct {
	char *guest; /* NULL: this host */
	const char *path;
} Place;

static void parse_place(const char *word, Place *place)
{
	const char *colon = strchr(word, ':');
	g_autofree char *name = colon ? g_strndup(word, (gsize)(colon - word)) : NULL;

	place->path = word;
	place->guest = NULL;
	if (!name || !rig_file_check_name("guest name", name, NULL))
		return;
	place->guest = g_steal_pointer(&name);
	place->path = colon + 1;
}

static gboolean check_place(const Place *place, GError **error)
{
	if (!place->guest)
		return TRUE;
	if (!*place->path)
		rig_cli_usage(&rig_cmd_cp, error, "%s: has no path behind it", place->guest);
	else if (*place->path != '/')
		rig_cli_usage(&rig_cmd_cp, error, "%s:%s: a path in a guest begins with /",
			      place->guest, place->path);
	else
		return TRUE;
	return FALSE;
}

static gboolean refuse_folder(const Place *from, GError **error)
{
	rig_cli_usage(&rig_cmd_cp, error, "%s is a folder, add -r", from->path);
	return FALSE;
}

static gboolean check_source(const CpOptions *options, const Place *from, GError **error)
{
	if (from->guest || options->recursive || !g_file_test(from->path, G_FILE_TEST_IS_DIR))
		return TRUE;
	return refuse_folder(from, error);
}

/* FALSE also where the guest has no test(1): then what follows fails and says why. */
static gboolean is_guest_folder(RigGuest *guest, const char *path)
{
	const char *argv[] = {"test", "-d", path, NULL};
	int null = open("/dev/null", O_WRONLY | O_CLOEXEC);
	int code = 1;
	gboolean ok = rig_guest_exec(guest, argv, -1, null, null, &code, NULL);

	close(null);
	return ok && code == 0;
}

/* The file that TO means: a folder takes the name of what is copied. */
static char *target_in_guest(RigGuest *guest, const Place *from, const Place *to)
{
	g_autofree char *base = g_path_get_basename(from->path);

	if (g_str_has_suffix(to->path, "/") || is_guest_folder(guest, to->path))
		return g_build_filename(to->path, base, NULL);
	return g_strdup(to->path);
}

static char *target_on_host(const Place *from, const Place *to)
{
	g_autofree char *base = g_path_get_basename(from->path);

	if (g_file_test(to->path, G_FILE_TEST_IS_DIR))
		return g_build_filename(to->path, base, NULL);
	return g_strdup(to->path);
}

static gboolean tar_host(RigCli *cli, const char *const *argv, GError **error)
{
	RigProcess process = {.argv = argv, .timeout_ms = TAR_MS, .own_group = TRUE};
	g_auto(RigProcessResult) result = {0};

	return rig_process_check(&process, &result, RIG_ERROR_FAILED, cli->cancellable, error);
}

/* tar in the guest; its archive comes from or goes to FD. What it complains of is said without
 * control characters. */
static gboolean tar_guest(RigGuest *guest, const char *const *argv, int in_fd, int out_fd,
			  GError **error)
{
	RigSafePipe *err = rig_safe_pipe_new(STDERR_FILENO);
	int code = 0;
	gboolean ok =
		rig_guest_exec(guest, argv, in_fd, out_fd < 0 ? rig_safe_pipe_fd(err) : out_fd,
			       rig_safe_pipe_fd(err), &code, error);

	rig_safe_pipe_free(err);
	/* No word of the user's: cp itself wanted tar or mkdir. */
	if (!ok && error && *error &&
	    ((*error)->code == RIG_ERROR_NO_PROGRAM || (*error)->code == RIG_ERROR_NOT_EXECUTABLE))
		(*error)->code = RIG_ERROR_FAILED;
	if (!ok)
		return FALSE;
	if (code != 0)
		rig_error_set(error, RIG_ERROR_FAILED, "tar in the guest ended with %d", code);
	return code == 0;
}

static gboolean folder_in(RigCli *cli, RigGuest *guest, const Place *from, const Place *to,
			  const char *archive, int fd, GError **error)
{
	g_autofree char *canonical = g_canonicalize_filename(from->path, NULL);
	g_autofree char *parent = g_path_get_dirname(canonical);
	g_autofree char *base = g_path_get_basename(canonical);
	const char *pack[] = {"tar", "-C", parent, "-cf", archive, "--", base, NULL};
	const char *make[] = {"mkdir", "-p", to->path, NULL};
	const char *unpack[] = {"tar", "-C", to->path, "-xf", "-", NULL};

	return tar_host(cli, pack, error) && tar_guest(guest, make, -1, -1, error) &&
	       tar_guest(guest, unpack, fd, -1, error);
}

/* What of a guest's folder is not copied: some of it by name, all of it counted. */
typedef struct {
	RigLog *log;
	guint n;
} LeftOut;

static void note_left_out(const char *name, const char *why, gpointer data)
{
	LeftOut *left = data;
	g_autofree char *safe = rig_text_safe_line(name, -1);

	if (++left->n <= LEFT_OUT_SHOWN)
		rig_log_warn(left->log, "left out %s: %s", safe, why);
}

/* The archive is a guest's work, so rig unpacks it and no tar does. */
static gboolean folder_out(RigCli *cli, RigGuest *guest, const Place *from, const Place *to, int fd,
			   GError **error)
{
	g_autofree char *canonical = g_canonicalize_filename(from->path, "/");
	g_autofree char *parent = g_path_get_dirname(canonical);
	g_autofree char *base = g_path_get_basename(canonical);
	gboolean all = strcmp(base, "/") == 0;
	const char *pack[] = {"tar", "-C", parent, "-cf", "-", all ? "." : base, NULL};
	LeftOut left = {.log = cli->log};
	gboolean ok;

	ok = tar_guest(guest, pack, -1, fd, error) && rig_file_make_dirs(to->path, 0755, error) &&
	     lseek(fd, 0, SEEK_SET) == 0 &&
	     rig_untar(fd, to->path, all ? NULL : base, note_left_out, &left, cli->cancellable,
		       error);
	if (left.n > LEFT_OUT_SHOWN)
		rig_log_warn(cli->log, "left out %u more", left.n - LEFT_OUT_SHOWN);
	return ok;
}

static gboolean copy_folder(RigCli *cli, RigGuest *guest, const Place *from, const Place *to,
			    GError **error)
{
	g_autofree char *archive = NULL;
	gboolean ok;
	int fd;

	if (!rig_file_make_dirs(cli->paths->cache, 0755, error))
		return FALSE;
	archive = g_strdup_printf("%s/.cp-%d.tar", cli->paths->cache, (int)getpid());
	fd = open(archive, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
	if (fd < 0) {
		rig_error_set_errno(error, RIG_ERROR_HOST, errno, "create", archive);
		return FALSE;
	}
	ok = to->guest ? folder_in(cli, guest, from, to, archive, fd, error)
		       : folder_out(cli, guest, from, to, fd, error);
	close(fd);
	(void)unlink(archive);
	return ok;
}

static gboolean copy_file(RigGuest *guest, const Place *from, const Place *to, GError **error)
{
	g_autofree char *target = NULL;

	if (from->guest && is_guest_folder(guest, from->path))
		return refuse_folder(from, error);
	target = to->guest ? target_in_guest(guest, from, to) : target_on_host(from, to);
	return to->guest ? rig_guest_put(guest, from->path, target, error)
			 : rig_guest_get(guest, from->path, target, error);
}

static int copy(RigCli *cli, const CpOptions *options, const Place *from, const Place *to,
		GError **error)
{
	RigGuestContext context = rig_cli_guest_context(cli);
	g_autoptr(RigGuest) guest = NULL;
	gboolean ok;

	if (!from->guest == !to->guest)
		return rig_cli_usage(
			&rig_cmd_cp, error,
			"one of the two is to be NAME:/path (a path of this host that has a "
			"colon is written ./like:this)");
	if (!check_place(from, error) || !check_place(to, error) ||
	    !check_source(options, from, error))
		return -1;
	if (cli->dry_run) {
		printf("would copy %s %s guest %s\n", from->path, to->guest ? "into" : "out of",
		       to->guest ? to->guest : from->guest);
		return 0;
	}
	guest = rig_guest_open(&context, to->guest ? to->guest : from->guest, error);
	if (!guest)
		return -1;
	ok = options->recursive ? copy_folder(cli, guest, from, to, error)
				: copy_file(guest, from, to, error);
	return ok ? 0 : -1;
}

static int run(RigCli *cli, void *options, int argc, char **argv, GError **error)
{
	Place from, to;
	int code;

	if (argc != 2)
		return rig_cli_usage(&rig_cmd_cp, error, "it takes a source and a target");
	parse_place(argv[0], &from);
	parse_place(argv[1], &to);
	code = copy(cli, options, &from, &to, error);
	g_free(from.guest);
	g_free(to.guest);
	return code;
}

const RigCommand rig_cmd_cp = {
	.name = "cp",
	.args = "SOURCE TARGET",
	.summary = "copy files into a guest and out of it",
	.description = "One of the two is NAME:/path. With -r a folder is copied into the target "
		       "folder.\n\n"
		       "  rig cp ./a.out 2sp-icl:/tmp/\n"
		       "  rig cp 2sp-icl:/proc/vmstat vmstat.txt\n"
		       "  rig cp -r 2sp-icl:/etc out",
	.completes = "file",
	.no_json = TRUE,
	.state_size = sizeof(CpOptions),
	.options = cp_options,
	.run = run,
};
