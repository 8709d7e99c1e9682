/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * init.c - rig-init, the /init of the initramfs.
 *
 * It exists for kernels whose virtio and file system drivers are modules: it loads them in the
 * order that the host worked out, mounts the root and hands over to rig-agent. In a diskless
 * guest the initramfs is the root and only the modules are loaded. Whatever goes wrong is said on
 * the console, and the guest goes off instead of panicking: rig shows those lines.
 */
#include "../proto.h"
#include "cmdline.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/reboot.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#define ROOT_WAIT_MS 10000
#define NEW_ROOT "/rig-root"

__attribute__((format(printf, 1, 2))) static void say(const char *format, ...)
{
	char line[1024] = "rig-init: ";
	size_t len = strlen(line);
	int fd = open("/dev/console", O_WRONLY | O_CLOEXEC | O_NOCTTY);
	va_list args;

	va_start(args, format);
	vsnprintf(line + len, sizeof(line) - len - 1, format, args);
	va_end(args);
	strcat(line, "\n");
	if (write(fd < 0 ? STDERR_FILENO : fd, line, strlen(line)) < 0)
		errno = 0; /* there is nobody else to tell */
	if (fd >= 0)
		close(fd);
}

static _Noreturn void power_off(void)
{
	sync();
	reboot(RB_POWER_OFF);
	for (;;)
		pause();
}

static void mount_kernel_trees(void)
{
	static const char *const trees[][2] = {
		{"devtmpfs", "/dev"}, {"proc", "/proc"}, {"sysfs", "/sys"}};

	for (size_t i = 0; i < sizeof(trees) / sizeof(trees[0]); i++) {
		mkdir(trees[i][1], 0755);
		if (mount(trees[i][0], trees[i][1], trees[i][0], 0, NULL) < 0 && errno != EBUSY)
			say("cannot mount %s: %s", trees[i][1], strerror(errno));
	}
}

/* A kernel without an early devtmpfs could not open the console for us. */
static void open_console(void)
{
	int fd = open("/dev/console", O_RDWR | O_NOCTTY);

	while (fd >= 0 && fd < 2)
		fd = dup(fd);
	if (fd > 2)
		close(fd);
}

static void load_module(const char *path)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);

	if (fd < 0) {
		say("cannot open module %s: %s", path, strerror(errno));
		return;
	}
	if (syscall(SYS_finit_module, fd, "", 0) < 0 && errno != EEXIST)
		say("cannot load module %s: %s", path,
		    errno == ENOENT ? "a module that it needs is missing or comes later"
				    : strerror(errno));
	close(fd);
}

/* A kernel with everything built in has no list, which is no error. */
static void load_modules(const char *names)
{
	FILE *list = fopen(names, "re");
	char path[PATH_MAX];

	if (!list)
		return;
	while (fgets(path, sizeof(path), list)) {
		path[strcspn(path, "\r\n")] = '\0';
		if (path[0] && path[0] != '#')
			load_module(path);
	}
	fclose(list);
}

static long clock_ms(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

/* Short steps: this wait is on the way of every boot. */
static bool wait_for_device(const char *device)
{
	const struct timespec step = {.tv_nsec = 1000000};
	long deadline = clock_ms() + ROOT_WAIT_MS;
	struct stat st;

	do {
		if (!stat(device, &st) && S_ISBLK(st.st_mode))
			return true;
		nanosleep(&step, NULL);
	} while (clock_ms() < deadline);
	return false;
}

static void remove_tree(int parent, const char *name, dev_t device)
{
	int fd = openat(parent, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	DIR *dir = fd < 0 ? NULL : fdopendir(fd);
	struct dirent *entry;
	struct stat st;

	if (!dir || fstat(fd, &st) < 0 || st.st_dev != device) {
		if (dir)
			closedir(dir);
		else if (fd >= 0)
			close(fd);
		return;
	}
	while ((entry = readdir(dir))) {
		if (!strcmp(entry->d_name, ".") || !strcmp(entry->d_name, ".."))
			continue;
		if (unlinkat(fd, entry->d_name, 0) == 0)
			continue;
		remove_tree(fd, entry->d_name, device);
		unlinkat(fd, entry->d_name, AT_REMOVEDIR);
	}
	closedir(dir);
}

/* The initramfs lives in guest memory, which is what is measured: give it back. */
static void free_initramfs(void)
{
	struct stat st;

	if (stat("/", &st) == 0)
		remove_tree(AT_FDCWD, "/", st.st_dev);
}

static bool move_mounts(void)
{
	static const char *const trees[] = {"/dev", "/proc", "/sys"};
	char target[64];

	for (size_t i = 0; i < sizeof(trees) / sizeof(trees[0]); i++) {
		snprintf(target, sizeof(target), NEW_ROOT "%s", trees[i]);
		mkdir(target, 0755);
		if (mount(trees[i], target, NULL, MS_MOVE, NULL) < 0) {
			say("cannot move %s to the root: %s", trees[i], strerror(errno));
			return false;
		}
	}
	return true;
}

static bool enter_root(void)
{
	if (chdir(NEW_ROOT) < 0)
		return false;
	free_initramfs();
	return mount(".", "/", NULL, MS_MOVE, NULL) == 0 && chroot(".") == 0 && chdir("/") == 0;
}

static bool switch_root(const char *device)
{
	if (!wait_for_device(device)) {
		say("root device %s did not appear in %d s", device, ROOT_WAIT_MS / 1000);
		return false;
	}
	mkdir(NEW_ROOT, 0755);
	if (mount(device, NEW_ROOT, "ext4", MS_NOATIME, NULL) < 0) {
		say("cannot mount %s as ext4: %s", device, strerror(errno));
		return false;
	}
	if (!move_mounts())
		return false;
	if (!enter_root()) {
		say("cannot enter the root on %s: %s", device, strerror(errno));
		return false;
	}
	return true;
}

/* Proves that a guest gets as far as user space; rig asks this of a new KVM or kernel. */
static void answer_canary(void)
{
	int fd = open("/dev/console", O_WRONLY | O_CLOEXEC | O_NOCTTY);
	static const char line[] = RIG_CANARY_LINE "\n";

	if (fd < 0 || write(fd, line, sizeof(line) - 1) < 0)
		say("cannot write the canary line: %s", strerror(errno));
}

int main(void)
{
	char cmdline[4096], device[64];

	mount_kernel_trees();
	open_console();
	rig_cmdline_load("/proc/cmdline", cmdline, sizeof(cmdline));
	if (rig_cmdline_has(cmdline, RIG_CMDLINE_CANARY)) {
		answer_canary();
		power_off();
	}
	load_modules(RIG_INITRAMFS_MODULES);
	if (rig_cmdline_has(cmdline, RIG_CMDLINE_DUMP))
		load_modules(RIG_INITRAMFS_DUMP_MODULES);
	if (rig_cmdline_value(cmdline, RIG_CMDLINE_ROOT, device, sizeof(device)) &&
	    !switch_root(device))
		power_off();
	execl(RIG_GUEST_AGENT, RIG_GUEST_AGENT, (char *)NULL);
	say("cannot start " RIG_GUEST_AGENT ": %s", strerror(errno));
	power_off();
}
