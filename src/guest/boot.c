/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * boot.c - the agent as process 1.
 *
 * It may come after rig-init, which has mounted the kernel's trees, or straight from the kernel,
 * with nothing mounted and no console open.
 */
#include "boot.h"

#include <errno.h>
#include <fcntl.h>
#include <net/if.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/reboot.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#define MPOL_LOCAL 4

#define HOST_NAME "rig"

static const struct tree {
	const char *path, *type, *options;
	unsigned long flags;
} trees[] = {
	{"/proc", "proc", NULL, MS_NOSUID | MS_NODEV | MS_NOEXEC},
	{"/sys", "sysfs", NULL, MS_NOSUID | MS_NODEV | MS_NOEXEC},
	{"/dev", "devtmpfs", "mode=0755", MS_NOSUID},
	{"/dev/pts", "devpts", "gid=5,mode=620,ptmxmode=666", MS_NOSUID | MS_NOEXEC},
	{"/dev/shm", "tmpfs", "mode=1777", MS_NOSUID | MS_NODEV},
	{"/sys/fs/cgroup", "cgroup2", NULL, MS_NOSUID | MS_NODEV | MS_NOEXEC},
	{"/dev/hugepages", "hugetlbfs", NULL, 0},
	{"/run", "tmpfs", "mode=0755", MS_NOSUID | MS_NODEV},
	{"/tmp", "tmpfs", "mode=1777", MS_NOSUID | MS_NODEV},
	{"/sys/kernel/debug", "debugfs", NULL, 0},
	{"/sys/kernel/tracing", "tracefs", NULL, 0},
};

/* A mount point lies on another device than the folder above it. */
static bool is_mounted(const char *path)
{
	struct stat here, above;
	char parent[64];

	snprintf(parent, sizeof(parent), "%s/..", path);
	return stat(path, &here) == 0 && stat(parent, &above) == 0 && here.st_dev != above.st_dev;
}

/* A kernel may well lack cgroups, hugetlbfs, debugfs or tracefs, which is told by ENODEV. */
static void mount_tree(const struct tree *tree)
{
	mkdir(tree->path, 0755);
	if (is_mounted(tree->path))
		return;
	if (mount(tree->type, tree->path, tree->type, tree->flags, tree->options) < 0 &&
	    errno != ENODEV && errno != EBUSY && errno != ENOENT)
		fprintf(stderr, "rig-agent: cannot mount %s: %s\n", tree->path, strerror(errno));
}

/* A kernel that could not open the console before /dev was there left 0, 1 and 2 closed. */
static void open_console(void)
{
	int fd = open("/dev/console", O_RDWR | O_NOCTTY);

	if (fd < 0)
		fd = open("/dev/null", O_RDWR);
	for (int i = 0; fd >= 0 && i < 3; i++)
		if (fd != i)
			dup2(fd, i);
	if (fd > 2)
		close(fd);
}

static void add_device_links(void)
{
	symlink("/proc/self/fd", "/dev/fd");
	symlink("/proc/self/fd/0", "/dev/stdin");
	symlink("/proc/self/fd/1", "/dev/stdout");
	symlink("/proc/self/fd/2", "/dev/stderr");
}

static void raise_loopback(void)
{
	struct ifreq request = {.ifr_name = "lo"};
	int fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);

	if (fd < 0)
		return;
	if (ioctl(fd, SIOCGIFFLAGS, &request) == 0) {
		request.ifr_flags |= IFF_UP;
		ioctl(fd, SIOCSIFFLAGS, &request);
	}
	close(fd);
}

/* child.c takes all of this back for the programs. */
static void exempt_self(void)
{
	int fd = open("/proc/self/oom_score_adj", O_WRONLY | O_CLOEXEC);
	struct rlimit files = {.rlim_cur = 16384, .rlim_max = 16384};

	if (fd < 0 || write(fd, "-1000", 5) < 0)
		fprintf(stderr, "rig-agent: no exemption from the OOM killer\n");
	if (fd >= 0)
		close(fd);
	/* On fault only, or the address space for snapshots would be filled at once. */
	mlockall(MCL_CURRENT | MCL_FUTURE | MCL_ONFAULT);
	/* A policy that says where memory goes takes it out of NUMA balancing's scans, whose
	 * counters are what is measured. */
	syscall(SYS_set_mempolicy, MPOL_LOCAL, NULL, 0);
	setrlimit(RLIMIT_NOFILE, &files);
}

void rig_boot_setup(void)
{
	for (size_t i = 0; i < sizeof(trees) / sizeof(trees[0]); i++) {
		mount_tree(&trees[i]);
		if (!strcmp(trees[i].path, "/dev"))
			open_console();
	}
	add_device_links();
	raise_loopback();
	if (sethostname(HOST_NAME, strlen(HOST_NAME)) < 0)
		fprintf(stderr, "rig-agent: cannot set the host name: %s\n", strerror(errno));
	/* Ctrl-Alt-Del comes as a signal then, instead of rebooting at once. */
	reboot(RB_DISABLE_CAD);
	exempt_self();
}

_Noreturn void rig_boot_power_off(void)
{
	kill(-1, SIGKILL);
	sync();
	mount(NULL, "/", NULL, MS_REMOUNT | MS_RDONLY, NULL);
	reboot(RB_POWER_OFF);
	/* A machine that cannot be switched off. */
	reboot(RB_HALT_SYSTEM);
	for (;;)
		pause();
}
