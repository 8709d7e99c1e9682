/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * connections.c - the same life of a guest over each way to libvirt: the embedded driver as root
 * and as a user, the system's daemon, a user's session, and ssh.
 */
#include <string.h>

#include "lab.h"

#define UP "rig up 1sp-4t -k linux-6.12 --accel kvm --cell-memory 384M --boot-timeout 600 "
#define USER_FOLDERS                                                  \
	"export RIG_STATE_DIR=~/rig/state RIG_CACHE_DIR=~/rig/cache " \
	"XDG_RUNTIME_DIR=/run/user/$(id "                             \
	"-u); "

/* libvirtd and virtlogd as an init system would start them. */
static void start_libvirtd(Lab *lab)
{
	g_free(lab_get(lab, "pgrep -x virtlogd >/dev/null || virtlogd -d; "
			    "pgrep -x libvirtd >/dev/null || libvirtd -d; "
			    "for i in $(seq 100); do virsh -c qemu:///system list >/dev/null 2>&1 "
			    "&& break; sleep 0.3; done; virsh -c qemu:///system list"));
}

static void expect_life(Lab *lab, const char *user, const char *before, const char *connect)
{
	lab_sh_as(lab, user, "%s" UP "%s", before, connect);
	lab_expect(lab, 0, "up, ");
	lab_sh_as(lab, user, "%srig exec %s 1sp-4t -- uname -r", before, connect);
	lab_expect(lab, 0, NULL);
	g_assert_nonnull(strstr(lab->outer.last.out, "6.12"));
	lab_sh_as(lab, user, "%srig ps %s", before, connect);
	lab_expect(lab, 0, NULL);
	g_assert_nonnull(strstr(lab->outer.last.out, "1sp-4t"));
	lab_sh_as(lab, user, "%srig down 1sp-4t %s", before, connect);
	lab_expect(lab, 0, NULL);
	lab_sh_as(lab, user, "%sls $RIG_STATE_DIR/guests; pgrep qemu-system || true", before);
	lab_expect(lab, 0, NULL);
	g_assert_cmpstr(lab->outer.last.out, ==, "");
}

static void test_embedded_root(gconstpointer data)
{
	expect_life((Lab *)data, "root", "", "");
}

static void test_embedded_user(gconstpointer data)
{
	expect_life((Lab *)data, "dev", USER_FOLDERS, "");
}

static void test_system(gconstpointer data)
{
	Lab *lab = (Lab *)data;

	start_libvirtd(lab);
	expect_life(lab, "root", "", "--connect qemu:///system");
}

static void test_session(gconstpointer data)
{
	expect_life((Lab *)data, "dev", USER_FOLDERS, "--connect qemu:///session");
}

/* A libvirtd that comes back finds the guest, and rig goes on with it. */
static void test_libvirtd_restarted(gconstpointer data)
{
	Lab *lab = (Lab *)data;

	start_libvirtd(lab);
	lab_sh(lab, UP "--connect qemu:///system");
	lab_expect(lab, 0, "up, ");
	lab_sh(lab, "(sleep 2; pkill -x libvirtd; sleep 2; libvirtd -d) >/dev/null 2>&1 & "
		    "rig run anon-w-seq --on 1sp-4t --set runtime=8 --connect qemu:///system");
	lab_expect(lab, 0, NULL);
	start_libvirtd(lab);
	lab_sh(lab, "rig down 1sp-4t --connect qemu:///system");
	lab_expect(lab, 0, NULL);
	lab_sh(lab, "virsh -c qemu:///system list --name --all; pgrep qemu-system || true");
	lab_expect(lab, 0, NULL);
	g_assert_cmpstr(g_strstrip(lab->outer.last.out), ==, "");
}

static void test_ssh(gconstpointer data)
{
	Lab *lab = (Lab *)data;
	const char *connect = "--connect qemu+ssh://root@localhost/system";

	start_libvirtd(lab);
	g_free(lab_get(lab, "pgrep -x sshd >/dev/null || /usr/sbin/sshd; "
			    "for i in $(seq 100); do ssh root@localhost true && break; sleep 0.3; "
			    "done; ssh root@localhost true"));
	expect_life(lab, "root", "", connect);
	lab_sh(lab,
	       "rig run anon-w-seq -t 1sp-4t -k linux-6.12 --accel kvm --cell-memory 384M "
	       "--boot-timeout 600 --set runtime=2 %s",
	       connect);
	lab_expect(lab, 0, NULL);
	lab_sh(lab, "rig results show last %s", connect);
	lab_expect(lab, 0, NULL);
	g_assert_nonnull(strstr(lab->outer.last.out, "anon-w-seq"));
	/* Of another name it is another machine, where none of the guest's files are. */
	lab_sh(lab, "unshare --uts sh -c 'hostname elsewhere; " UP "%s'", connect);
	lab_expect(lab, 3, "another machine than this one (elsewhere)");
	lab_expect(lab, 3, "run rig there: ssh lab rig");
}

void lab_add_connection_tests(Lab *lab)
{
	g_test_add_data_func("/lab/connection/embedded-root", lab, test_embedded_root);
	g_test_add_data_func("/lab/connection/embedded-user", lab, test_embedded_user);
	g_test_add_data_func("/lab/connection/system", lab, test_system);
	g_test_add_data_func("/lab/connection/session", lab, test_session);
	g_test_add_data_func("/lab/connection/libvirtd-restarted", lab, test_libvirtd_restarted);
	g_test_add_data_func("/lab/connection/ssh", lab, test_ssh);
}
