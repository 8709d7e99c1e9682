/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * test-console.c - what the console's file tells of a guest.
 */
#include <glib/gstdio.h>
#include <string.h>
#include <unistd.h>

#include "vm/console.h"

typedef struct {
	char *dir, *path;
} Fixture;

static void setup(Fixture *f, gconstpointer data)
{
	f->dir = g_dir_make_tmp("rig-console-XXXXXX", NULL);
	f->path = g_build_filename(f->dir, "console.log", NULL);
}

static void teardown(Fixture *f, gconstpointer data)
{
	g_remove(f->path);
	g_rmdir(f->dir);
	g_free(f->path);
	g_free(f->dir);
}

static void append(Fixture *f, const char *text, gsize length)
{
	FILE *file = fopen(f->path, "a");

	g_assert_nonnull(file);
	g_assert_cmpuint(fwrite(text, 1, length, file), ==, length);
	g_assert_cmpint(fclose(file), ==, 0);
}

static void say(Fixture *f, const char *text)
{
	append(f, text, strlen(text));
}

static void test_no_file(Fixture *f, gconstpointer data)
{
	g_autoptr(RigConsole) console = rig_console_new(f->path, FALSE, 0);

	g_assert_cmpint(rig_console_check(console), ==, RIG_CONSOLE_QUIET);
	say(f, "[    0.1] Kernel panic - not syncing: VFS\r\n");
	g_assert_cmpint(rig_console_check(console), ==, RIG_CONSOLE_PANIC);
}

/* The words may come in two pieces, and the last line may have no end. */
static void test_split(Fixture *f, gconstpointer data)
{
	g_autoptr(RigConsole) console = rig_console_new(f->path, FALSE, 0);

	say(f, "[    1.0] booting\r\n[    2.0] Kernel pa");
	g_assert_cmpint(rig_console_check(console), ==, RIG_CONSOLE_QUIET);
	g_assert_null(rig_console_line(console));
	say(f, "nic - not syncing: \x1b[31mOops");
	g_assert_cmpint(rig_console_check(console), ==, RIG_CONSOLE_PANIC);
	g_assert_cmpstr(rig_console_line(console), ==,
			"[    2.0] Kernel panic - not syncing: \\x1b[31mOops");
}

static void test_off(Fixture *f, gconstpointer data)
{
	g_autoptr(RigConsole) console = rig_console_new(f->path, FALSE, 0);

	say(f, "[  9.0] reboot: Power down\r\n");
	g_assert_cmpint(rig_console_check(console), ==, RIG_CONSOLE_OFF);
	/* A panic on the way down is worse; an end after a panic changes nothing. */
	say(f, "[  9.1] Kernel panic - not syncing: late\r\n");
	g_assert_cmpint(rig_console_check(console), ==, RIG_CONSOLE_PANIC);
	say(f, "[  9.2] reboot: Restarting system\r\n");
	g_assert_cmpint(rig_console_check(console), ==, RIG_CONSOLE_PANIC);
	g_assert_nonnull(strstr(rig_console_line(console), "late"));
}

/* A panic that is told about is none. */
static void test_mention(Fixture *f, gconstpointer data)
{
	g_autoptr(RigConsole) console = rig_console_new(f->path, FALSE, 0);

	say(f, "[  1.0] Command line: panic=-1 oops=panic\r\n[  1.1] kernel panic handler set\r\n");
	g_assert_cmpint(rig_console_check(console), ==, RIG_CONSOLE_QUIET);
}

static void test_from_end(Fixture *f, gconstpointer data)
{
	g_autoptr(RigConsole) console = NULL;

	say(f, "[  1.0] Kernel panic - not syncing: of old\r\n");
	console = rig_console_new(f->path, TRUE, 0);
	g_assert_cmpint(rig_console_check(console), ==, RIG_CONSOLE_QUIET);
	say(f, "[  2.0] fine\r\n");
	g_assert_cmpint(rig_console_check(console), ==, RIG_CONSOLE_QUIET);
}

static void test_babbles(Fixture *f, gconstpointer data)
{
	g_autoptr(RigConsole) console = rig_console_new(f->path, FALSE, 1000);
	g_autofree char *noise = g_strnfill(998, 'z');

	say(f, noise);
	g_assert_cmpint(rig_console_check(console), ==, RIG_CONSOLE_QUIET);
	say(f, noise);
	g_assert_cmpint(rig_console_check(console), ==, RIG_CONSOLE_BABBLES);
}

/* Binary noise, NUL bytes, a line without end: nothing to fall over. */
static void test_noise(Fixture *f, gconstpointer data)
{
	g_autoptr(RigConsole) console = rig_console_new(f->path, FALSE, 0);
	g_autofree char *tail = NULL;
	GRand *rand = g_rand_new_with_seed(1);
	char noise[70000];

	for (guint i = 0; i < sizeof(noise); i++)
		noise[i] = (char)g_rand_int(rand);
	g_rand_free(rand);
	append(f, noise, sizeof(noise));
	g_assert_cmpint(rig_console_check(console), ==, RIG_CONSOLE_QUIET);
	tail = rig_console_tail(f->path, 3);
	for (const char *p = tail; *p; p++)
		g_assert_true(*p == '\n' || *p == '\t' || (guchar)*p >= 0x20);
}

static void test_tail(Fixture *f, gconstpointer data)
{
	g_autofree char *missing = rig_console_tail(f->path, 3);
	g_autofree char *two = NULL;
	g_autofree char *all = NULL;

	g_assert_cmpstr(missing, ==, "");
	say(f, "one\r\ntwo\r\nth\x1b[2Jree\r\n");
	two = rig_console_tail(f->path, 2);
	g_assert_cmpstr(two, ==, "two\nth\\x1b[2Jree\n");
	all = rig_console_tail(f->path, 100);
	g_assert_cmpstr(all, ==, "one\ntwo\nth\\x1b[2Jree\n");
}

#define ADD(name, function) g_test_add("/console/" name, Fixture, NULL, setup, function, teardown)

int main(int argc, char **argv)
{
	g_test_init(&argc, &argv, NULL);
	ADD("no-file", test_no_file);
	ADD("split", test_split);
	ADD("off", test_off);
	ADD("mention", test_mention);
	ADD("from-end", test_from_end);
	ADD("babbles", test_babbles);
	ADD("noise", test_noise);
	ADD("tail", test_tail);
	return g_test_run();
}
