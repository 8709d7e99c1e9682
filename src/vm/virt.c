/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * virt.c - the only door to libvirt, which is behind it in a process of its own (virt-serve.c).
 *
 * One rig at a time may hold the embedded driver's root. A lock of ours guards it, because
 * libvirt's own refusal names nobody and does not wait.
 */
#include "vm/virt.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/error.h"
#include "base/lock.h"
#include "base/text.h"
#include "vm/virt-frame.h"
#include "vm/virtroot.h"

/* What libvirt says when another process holds the embedded driver, and how long that may take. */
#define DRIVER_HELD "driver.pid"
#define ORPHAN_MS 20000
/* The embedded driver's log is begun again beyond this; it is for reading after an error only. */
#define LOG_MAX (1024 * 1024)

/* Longest that any call may take: the driver asks every QEMU binary for its capabilities the first
 * time. */
#define CALL_MS 120000
#define TICK_MS 200

struct RigVirt {
	char *uri;
	RigLock *lock; /* of the embedded driver's root */
	GCancellable *cancellable;
	pid_t helper;
	int fd;
	RigVirtTick tick; /* in place of CALL_MS, while a call may take longer; or NULL */
	gpointer tick_data;
};

/* The hint for what is known to go wrong; NULL for the rest. */
static const char *hint_for(const char *message)
{
	static const struct {
		const char *part, *hint;
	} known[] = {
		{"Failed to connect socket",
		 "start libvirtd, or leave out --connect and RIG_URI for the built-in driver"},
		{"hugetlbfs",
		 "mount it: mount -t hugetlbfs hugetlbfs /dev/hugepages; or leave hugepages out"},
		{"Cannot allocate memory",
		 "make the guest smaller (--cell-memory), or free memory on this host (ulimit -v, "
		 "the cgroup's limit)"},
		{"Permission denied", "let the user that runs QEMU read the file named"},
		{"authentication", "join the group libvirt, or use the built-in driver"},
		{"No such file or directory", "rig doctor says what is missing"},
		{DRIVER_HELD, "another program holds the embedded driver: rig ps, then try again"},
	};

	for (guint i = 0; i < G_N_ELEMENTS(known); i++)
		if (strstr(message, known[i].part))
			return known[i].hint;
	return NULL;
}

static void set_from_libvirt(GError **error, const char *what, const char *message)
{
	g_autofree char *safe = rig_text_safe(message, -1);
	const char *hint = hint_for(safe);

	if (hint)
		rig_error_set_hint(error, RIG_ERROR_HOST, hint, "%s: libvirt: %s", what, safe);
	else
		rig_error_set(error, RIG_ERROR_HOST, "%s: libvirt: %s", what, safe);
}

static void end_helper(RigVirt *virt, gboolean at_once)
{
	if (virt->fd >= 0)
		close(virt->fd);
	virt->fd = -1;
	if (virt->helper <= 0)
		return;
	if (at_once)
		kill(virt->helper, SIGKILL);
	while (waitpid(virt->helper, NULL, 0) < 0 && errno == EINTR)
		;
	virt->helper = 0;
}

/* What poll() says of an answer or the wish to stop; 0: neither came in time, or the tick has set
 * ERROR. */
static int poll_answer(const RigVirt *virt, struct pollfd fds[2], GError **error)
{
	int n;

	do
		n = TEMP_FAILURE_RETRY(poll(fds, 2, virt->tick ? TICK_MS : CALL_MS));
	while (n == 0 && virt->tick && virt->tick(virt->tick_data, error));
	return n;
}

/* Wait until the helper answers. It is killed when that takes too long or the user does not want to
 * wait; but not in the middle of a start, which would leave a QEMU that nobody knows. */
static gboolean wait_answer(RigVirt *virt, gboolean starting, const char *what, GError **error)
{
	GCancellable *cancellable = starting ? NULL : virt->cancellable;
	struct pollfd fds[2] = {
		{.fd = virt->fd, .events = POLLIN},
		{.fd = g_cancellable_get_fd(cancellable), .events = POLLIN},
	};
	g_autoptr(GError) stop = NULL;
	int n = poll_answer(virt, fds, &stop);

	if (fds[1].fd >= 0)
		g_cancellable_release_fd(cancellable);
	if (n > 0 && fds[0].revents)
		return TRUE;
	end_helper(virt, TRUE);
	if (stop)
		g_propagate_error(error, g_steal_pointer(&stop));
	else if (n == 0)
		rig_error_set(error, RIG_ERROR_HOST, "%s: libvirt did not answer within %d s", what,
			      CALL_MS / 1000);
	else
		rig_error_set(error, RIG_ERROR_INTERRUPTED, "%s: interrupted", what);
	return FALSE;
}

/* One question. FALSE with an error; *ANSWER stays NULL for "there is none". */
static gboolean call(RigVirt *virt, char kind, const char *argument, const char *what,
		     char **answer, GError **error)
{
	g_autofree char *frame = NULL;

	if (virt->fd >= 0 && rig_virt_frame_write(virt->fd, kind, argument)) {
		if (!wait_answer(virt, kind == RIG_VIRT_START, what, error))
			return FALSE;
		frame = rig_virt_frame_read(virt->fd);
	}
	if (!frame) {
		end_helper(virt, TRUE);
		rig_error_set(error, RIG_ERROR_HOST, "%s: the process with libvirt ended", what);
		return FALSE;
	}
	if (frame[0] == RIG_VIRT_ERROR) {
		set_from_libvirt(error, what, frame + 1);
		return FALSE;
	}
	if (frame[0] == RIG_VIRT_OK && answer)
		*answer = g_strdup(frame + 1);
	return TRUE;
}

static gboolean spawn_helper(RigVirt *virt, char **env, GError **error)
{
	char *argv[] = {RIG_VIRT_ARGV0, NULL};
	posix_spawn_file_actions_t actions;
	posix_spawnattr_t attributes;
	sigset_t none, all;
	int fds[2], failed;

	if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, fds) < 0) {
		rig_error_set_errno(error, RIG_ERROR_HOST, errno, "socketpair", "libvirt's helper");
		return FALSE;
	}
	sigemptyset(&none);
	sigfillset(&all);
	posix_spawn_file_actions_init(&actions);
	posix_spawn_file_actions_adddup2(&actions, fds[1], RIG_VIRT_FD);
	posix_spawnattr_init(&attributes);
	/* A session of its own: a Ctrl-C is for us, who then end it in an orderly way. */
	posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSID | POSIX_SPAWN_SETSIGMASK |
						      POSIX_SPAWN_SETSIGDEF);
	posix_spawnattr_setsigmask(&attributes, &none);
	posix_spawnattr_setsigdefault(&attributes, &all);
	failed = posix_spawn(&virt->helper, "/proc/self/exe", &actions, &attributes, argv, env);
	posix_spawn_file_actions_destroy(&actions);
	posix_spawnattr_destroy(&attributes);
	close(fds[1]);
	virt->fd = fds[0];
	if (failed)
		rig_error_set_errno(error, RIG_ERROR_HOST, failed, "start", "/proc/self/exe");
	return !failed;
}

/* Prepare the embedded driver's root and take its lock. Returns the URI. */
static char *prepare_embedded(RigVirt *virt, const char *state_dir, int wait_ms,
			      GCancellable *cancellable, GError **error)
{
	g_autofree char *root = g_build_filename(state_dir, "libvirt", NULL);
	g_autofree char *lock = g_build_filename(root, "rig.lock", NULL);
	g_autofree char *escaped = g_uri_escape_string(root, "/", FALSE);
	RigQemuUser user;

	if (!rig_virtroot_user(&user, error) || !rig_virtroot_prepare(root, &user, error))
		return NULL;
	virt->lock = rig_lock_take(lock, "libvirt's embedded driver", wait_ms, cancellable, error);
	return virt->lock ? g_strdup_printf("qemu:///embed?root=%s", escaped) : NULL;
}

/* The driver would log to our stderr; what it says as an error comes to us anyway. */
static char **helper_environment(const char *state_dir)
{
	char **env = g_get_environ();
	g_autofree char *path = NULL;
	g_autofree char *log = NULL;
	struct stat info;

	if (!state_dir)
		return env;
	path = g_build_filename(state_dir, "libvirt", "libvirt.log", NULL);
	if (stat(path, &info) == 0 && info.st_size > LOG_MAX)
		(void)unlink(path);
	log = g_strdup_printf("4:file:%s", path);
	return g_environ_setenv(env, "LIBVIRT_LOG_OUTPUTS", log, FALSE);
}

/* Start the helper and let it open the connection. The helper of a rig that was killed outlives it
 * for as long as its call takes, and holds the driver without our lock: worth some patience. */
static gboolean connect_helper(RigVirt *virt, char **env, GError **error)
{
	gint64 deadline = g_get_monotonic_time() + ORPHAN_MS * G_TIME_SPAN_MILLISECOND;

	for (;;) {
		g_autoptr(GError) reason = NULL;

		if (spawn_helper(virt, env, &reason) &&
		    call(virt, RIG_VIRT_OPEN, virt->uri, virt->uri, NULL, &reason))
			return TRUE;
		end_helper(virt, TRUE);
		if (!virt->lock || !strstr(reason->message, DRIVER_HELD) ||
		    g_get_monotonic_time() > deadline) {
			g_propagate_error(error, g_steal_pointer(&reason));
			return FALSE;
		}
		g_usleep(100000);
	}
}

RigVirt *rig_virt_open(const char *uri, const char *state_dir, int wait_ms,
		       GCancellable *cancellable, GError **error)
{
	g_autoptr(RigVirt) virt = g_new0(RigVirt, 1);
	g_auto(GStrv) env = helper_environment(uri ? NULL : state_dir);

	virt->fd = -1;
	g_set_object(&virt->cancellable, cancellable);
	virt->uri = uri ? g_strdup(uri)
			: prepare_embedded(virt, state_dir, wait_ms, cancellable, error);
	if (!virt->uri || !connect_helper(virt, env, error))
		return NULL;
	return g_steal_pointer(&virt);
}

void rig_virt_close(RigVirt *virt)
{
	if (!virt)
		return;
	end_helper(virt, FALSE);
	rig_lock_release(virt->lock);
	g_clear_object(&virt->cancellable);
	g_free(virt->uri);
	g_free(virt);
}

const char *rig_virt_uri(const RigVirt *virt)
{
	return virt->uri;
}

gboolean rig_virt_is_remote(const RigVirt *virt)
{
	/* A transport other than the local socket ("qemu+ssh") or a host's name before the path. */
	const char *authority = strstr(virt->uri, "://");
	const char *plus = memchr(virt->uri, '+', strcspn(virt->uri, ":"));

	return (plus && !g_str_has_prefix(plus, "+unix:")) || (authority && authority[3] != '/');
}

char *rig_virt_capabilities(RigVirt *virt, GError **error)
{
	char *xml = NULL;

	(void)call(virt, RIG_VIRT_CAPABILITIES, "", "capabilities of the host", &xml, error);
	return xml;
}

char *rig_virt_domain_capabilities(RigVirt *virt, const char *type, GError **error)
{
	char *xml = NULL;

	(void)call(virt, RIG_VIRT_DOMAIN_CAPABILITIES, type, "capabilities of domains", &xml,
		   error);
	return xml;
}

gboolean rig_virt_versions(RigVirt *virt, char **libvirt, char **qemu, GError **error)
{
	g_autofree char *text = NULL;
	g_auto(GStrv) both = NULL;

	if (!call(virt, RIG_VIRT_VERSIONS, "", "versions", &text, error))
		return FALSE;
	both = g_strsplit(text ? text : "", "\n", 2);
	*libvirt = g_strdup(both[0] ? both[0] : "");
	*qemu = g_strdup(both[0] && both[1] ? both[1] : "");
	return TRUE;
}

/* Compared without the domain part, which one side may know and the other not. */
static gboolean is_host(const char *name, const char *here)
{
	gsize length = strcspn(name, ".");

	return length == strcspn(here, ".") && g_ascii_strncasecmp(name, here, length) == 0;
}

gboolean rig_virt_check_here(RigVirt *virt, GError **error)
{
	g_autofree char *name = NULL;
	g_autofree char *safe = NULL;
	g_autofree char *hint = NULL;

	if (!rig_virt_is_remote(virt))
		return TRUE;
	if (!call(virt, RIG_VIRT_HOSTNAME, "", "name of the host", &name, error))
		return FALSE;
	safe = rig_text_safe(name ? name : "", -1);
	if (is_host(safe, g_get_host_name()))
		return TRUE;
	hint = g_strdup_printf("run rig there: ssh %s rig ...", safe);
	rig_error_set_hint(error, RIG_ERROR_HOST, hint,
			   "%s leads to %s, another machine than this one (%s): boot sets, overlays "
			   "and the agent's socket are files of the machine that runs the guest",
			   virt->uri, safe, g_get_host_name());
	return FALSE;
}

gboolean rig_virt_start(RigVirt *virt, const char *xml, GError **error)
{
	return call(virt, RIG_VIRT_START, xml, "start of the guest", NULL, error);
}

gboolean rig_virt_destroy(RigVirt *virt, const char *name, GError **error)
{
	return call(virt, RIG_VIRT_DESTROY, name, name, NULL, error);
}

gboolean rig_virt_dump(RigVirt *virt, const char *name, const char *path, RigVirtTick tick,
		       gpointer data, GError **error)
{
	g_autofree char *argument = g_strdup_printf("%s\n%s", name, path);
	char *answer = NULL;
	gboolean ok;

	virt->tick = tick;
	virt->tick_data = data;
	ok = call(virt, RIG_VIRT_DUMP, argument, "memory dump", &answer, error);
	virt->tick = NULL;
	if (ok && !answer) {
		rig_error_set(error, RIG_ERROR_LOST, "memory dump: there is no domain \"%s\"",
			      name);
		ok = FALSE;
	}
	g_free(answer);
	return ok;
}

char **rig_virt_list(RigVirt *virt, GError **error)
{
	g_autofree char *text = NULL;

	if (!call(virt, RIG_VIRT_LIST, "", "list of domains", &text, error))
		return NULL;
	return g_strsplit(text ? text : "", "\n", -1);
}

char *rig_virt_domain_xml(RigVirt *virt, const char *name, GError **error)
{
	char *xml = NULL;

	(void)call(virt, RIG_VIRT_XML, name, name, &xml, error);
	return xml;
}
