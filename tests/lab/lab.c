/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * lab.c - the lab host: made, furnished, driven.
 */
#include "lab.h"

#include <stdarg.h>
#include <string.h>

#include "base/file.h"

/* The lab's own kernel, which has to have KVM for both makers of CPUs. */
#define LAB_KERNEL "linux-6.12"
/* What the lab's image holds may be as large as it likes; what is carried into it may not. */
#define CARRIED_MAX (200 * 1024 * 1024)

/* Folders of rig, and a name service that does not ask a network that is not there. */
#define ENVIRONMENT                                             \
	"export RIG_STATE_DIR=${RIG_STATE_DIR:-" LAB_STATE "} " \
	"RIG_CACHE_DIR=${RIG_CACHE_DIR:-" LAB_CACHE "} "        \
	"PATH=/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin NO_COLOR=1 LANG=C.UTF-8; "

static void host_run(const char *const *argv)
{
	RigProcess process = {.argv = argv, .timeout_ms = 300000};
	g_auto(RigProcessResult) result = {0};
	g_autoptr(GError) error = NULL;

	if (!rig_process_check(&process, &result, 1, NULL, &error))
		g_error("%s", error->message);
}

static int sh_as(Lab *lab, const char *user, const char *script)
{
	g_autofree char *whole = g_strconcat(ENVIRONMENT, script, NULL);

	if (user)
		return cli_rig(&lab->outer, "exec", LAB_NAME, "--", "runuser", "-l", user, "-s",
			       "/bin/sh", "-c", whole, NULL);
	return cli_rig(&lab->outer, "exec", LAB_NAME, "--", "sh", "-e", "-c", whole, NULL);
}

int lab_sh(Lab *lab, const char *format, ...)
{
	g_autofree char *script = NULL;
	va_list args;

	va_start(args, format);
	script = g_strdup_vprintf(format, args);
	va_end(args);
	return sh_as(lab, NULL, script);
}

int lab_sh_as(Lab *lab, const char *user, const char *format, ...)
{
	g_autofree char *script = NULL;
	va_list args;

	va_start(args, format);
	script = g_strdup_vprintf(format, args);
	va_end(args);
	return sh_as(lab, user, script);
}

char *lab_get(Lab *lab, const char *format, ...)
{
	g_autofree char *script = NULL;
	va_list args;

	va_start(args, format);
	script = g_strdup_vprintf(format, args);
	va_end(args);
	sh_as(lab, NULL, script);
	lab_expect(lab, 0, NULL);
	return g_strchomp(g_strdup(lab->outer.last.out));
}

void lab_expect(Lab *lab, int code, const char *text)
{
	const RigProcessResult *last = &lab->outer.last;

	cli_expect(&lab->outer, code, text && strstr(last->out, text) ? NULL : text);
}

RigJson *lab_json(Lab *lab)
{
	return cli_json(&lab->outer);
}

/* What is carried into it. */

static gboolean is_small(const char *path)
{
	return rig_file_tree_bytes(path) < CARRIED_MAX;
}

static void copy_tree(const char *from, const char *to)
{
	g_autofree char *parent = g_path_get_dirname(to);
	const char *argv[] = {"cp", "-a", "--sparse=always", from, to, NULL};

	g_assert_true(rig_file_make_dirs(parent, 0755, NULL));
	host_run(argv);
}

/* Boot sets and images of the small image; the lab's own are of no use in it. A boot set without
 * its image is none, and rig would say so. */
static void stage_cache(Lab *lab, const char *stage)
{
	static const char *const kinds[] = {"image", "bootset"};

	for (guint k = 0; k < G_N_ELEMENTS(kinds); k++) {
		g_autofree char *from = g_build_filename(lab->outer.root, "cache", kinds[k], NULL);
		g_autofree char *to = g_strconcat(stage, LAB_CACHE "/", kinds[k], NULL);
		g_autoptr(GDir) dir = g_dir_open(from, 0, NULL);
		const char *name;

		while (dir && (name = g_dir_read_name(dir))) {
			g_autofree char *entry = g_build_filename(from, name, NULL);
			g_autofree char *target = g_build_filename(to, name, NULL);

			if (name[0] != '.' && is_small(entry))
				copy_tree(entry, target);
		}
	}
}

/* Without modules: they are in the boot sets already. */
static void stage_kernels(Lab *lab, const char *stage)
{
	static const char *const files[] = {"boot", "config", "kernel.json"};
	static const char *const kernels[] = {"linux-6.1", "linux-6.12"};

	for (guint k = 0; k < G_N_ELEMENTS(kernels); k++)
		for (guint i = 0; i < G_N_ELEMENTS(files); i++) {
			g_autofree char *from = g_build_filename(lab->outer.root, "state/kernels",
								 kernels[k], files[i], NULL);
			g_autofree char *to = g_strconcat(stage, LAB_STATE "/kernels/", kernels[k],
							  "/", files[i], NULL);

			copy_tree(from, to);
		}
}

/* Records of an emulated machine, made here and now, to be held beside those of the lab. */
static void stage_records(Lab *lab, const char *stage)
{
	g_autofree char *to = g_strconcat(stage, "/root/emulated", NULL);
	g_autofree char *parent = g_path_get_dirname(to);

	cli_rig(&lab->outer, "run", "anon-cow-rand-hugetlb", "-t", "2sp-icl", "-k", "linux-6.1",
		"-k", "linux-6.12", "--cell-memory", "384M", "--set", "runtime=2", NULL);
	cli_expect(&lab->outer, 0, NULL);
	g_assert_true(rig_file_make_dirs(parent, 0755, NULL));
	cli_rig(&lab->outer, "results", "export", "--all", "-w", "anon-cow-rand-hugetlb", "-n", "2",
		"--output", to, NULL);
	cli_expect(&lab->outer, 0, NULL);
}

static void stage_programs(const char *stage)
{
	const char *install[] = {"meson",   "install",	    "-C",	 g_getenv("RIG_BUILD_ROOT"),
				 "--quiet", "--no-rebuild", "--destdir", stage,
				 NULL};
	static const char *const scripts[] = {"prepare.sh", "mix.sh"};
	g_autofree char *busybox = g_find_program_in_path("busybox");
	g_autofree char *own = g_strconcat(stage, "/usr/bin/busybox", NULL);

	host_run(install);
	for (guint i = 0; i < G_N_ELEMENTS(scripts); i++) {
		g_autofree char *from = g_build_filename(g_getenv("RIG_SOURCE_ROOT"), "tests/lab",
							 scripts[i], NULL);
		g_autofree char *to = g_strconcat(stage, "/root/", scripts[i], NULL);

		copy_tree(from, to);
	}
	/* The image's key has this busybox's digest in it. */
	copy_tree(busybox, own);
}

static void carry(Lab *lab)
{
	g_autofree char *stage = g_build_filename(lab->outer.root, "lab-stage", NULL);
	g_autofree char *tar = g_strconcat(stage, ".tar", NULL);
	const char *pack[] = {"tar",	   "-C",  stage, "--sparse", "--owner=0",
			      "--group=0", "-cf", tar,	 ".",	     NULL};

	g_assert_true(rig_file_remove_tree(stage, NULL));
	stage_records(lab, stage);
	stage_programs(stage);
	stage_kernels(lab, stage);
	stage_cache(lab, stage);
	host_run(pack);
	cli_rig(&lab->outer, "cp", tar, LAB_NAME ":/root/stage.tar", NULL);
	cli_expect(&lab->outer, 0, NULL);
	g_assert_true(rig_file_remove_tree(stage, NULL));
	g_assert_true(rig_file_remove_tree(tar, NULL));
	g_free(lab_get(lab,
		       "tar -C / --no-same-owner --keep-directory-symlink -xf /root/stage.tar; "
		       "rm /root/stage.tar; sh -e /root/prepare.sh"));
}

/* For work on the tests themselves: RIG_LAB_KEEP leaves the lab up, and takes the one that is. */
static gboolean is_up(Lab *lab)
{
	return g_getenv("RIG_LAB_KEEP") && lab_sh(lab, "test -e /root/prepare.sh") == 0;
}

void lab_start(Lab *lab)
{
	cli_setup_real(&lab->outer);
	if (is_up(lab))
		return;
	cli_rig(&lab->outer, "down", LAB_NAME, NULL);
	cli_rig(&lab->outer, "up", "lab-2sp", "--name", LAB_NAME, "--image", "debian",
		"--exact-size", "-k", LAB_KERNEL, NULL);
	cli_expect(&lab->outer, 0, NULL);
	carry(lab);
}

void lab_stop(Lab *lab)
{
	if (g_getenv("RIG_LAB_KEEP"))
		return;
	cli_rig(&lab->outer, "down", LAB_NAME, NULL);
	cli_expect(&lab->outer, 0, NULL);
	cli_teardown(&lab->outer);
}
