/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * driver.c - run a fuzz target as a plain test, without libFuzzer.
 *
 * driver CORPUS_DIR [ROUNDS]: every file of the folder goes in as it is, then ROUNDS (20000) inputs
 * that are mutated from them, at most for three seconds. The mutations follow from their number
 * alone, so a failure comes back. The input that failed is saved as fuzz-crash in the working
 * directory. Plain C, as targets from the guest have no GLib.
 */
#include <dirent.h>
#include <fcntl.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define INPUT_MAX 65536
#define FILES_MAX 1024
#define ROUNDS 20000
#define SECONDS 3
#define CRASH_FILE "fuzz-crash"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
void __sanitizer_set_death_callback(void (*callback)(void)) __attribute__((weak));

struct input {
	size_t size;
	uint8_t *data;
};

/* What a handler needs to save the input that is being tried. */
static struct input current;

static void save_current(void)
{
	int fd = open(CRASH_FILE, O_WRONLY | O_CREAT | O_TRUNC, 0644);
	static const char message[] = "fuzz: failed, the input is in ./" CRASH_FILE "\n";

	if (fd >= 0 && write(fd, current.data, current.size) >= 0 &&
	    write(STDERR_FILENO, message, sizeof(message) - 1) >= 0)
		close(fd);
}

static void on_signal(int number)
{
	save_current();
	signal(number, SIG_DFL);
	raise(number);
}

static void save_on_failure(void)
{
	static const int numbers[] = {SIGABRT, SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP, SIGALRM};

	for (size_t i = 0; i < sizeof(numbers) / sizeof(*numbers); i++) {
		/* A sanitizer has its own handler for some, and says more about them. */
		if (!__sanitizer_set_death_callback || numbers[i] == SIGABRT ||
		    numbers[i] == SIGALRM || numbers[i] == SIGTRAP)
			signal(numbers[i], on_signal);
	}
	if (__sanitizer_set_death_callback)
		__sanitizer_set_death_callback(save_current);
}

/* The target gets its input in a block of exactly its size, so that a read past it is seen. */
static void try_input(const uint8_t *data, size_t size)
{
	current.data = malloc(size ? size : 1);
	current.size = size;
	if (!current.data)
		abort();
	memcpy(current.data, data, size);
	alarm(10); /* an input that takes longer is a hang */
	LLVMFuzzerTestOneInput(current.data, size);
	alarm(0);
	free(current.data);
	current.data = NULL;
	current.size = 0;
}

static int read_file(int dir, const char *name, struct input *input)
{
	int fd = openat(dir, name, O_RDONLY);
	ssize_t n;

	if (fd < 0)
		return -1;
	input->data = malloc(INPUT_MAX);
	n = input->data ? read(fd, input->data, INPUT_MAX) : -1;
	close(fd);
	if (n < 0)
		return -1;
	input->size = (size_t)n;
	return 0;
}

/* The files of PATH in the order of their names; the number, or -1. */
static int read_corpus(const char *path, struct input *inputs)
{
	struct dirent **entries;
	int n = scandir(path, &entries, NULL, alphasort), count = 0;
	int dir = open(path, O_RDONLY | O_DIRECTORY);

	for (int i = 0; i < n; i++) {
		if (entries[i]->d_name[0] != '.' && count >= 0 && count < FILES_MAX &&
		    read_file(dir, entries[i]->d_name, &inputs[count++]) < 0)
			count = -1;
		free(entries[i]);
	}
	if (n >= 0)
		free(entries);
	if (dir >= 0)
		close(dir);
	return n < 0 || dir < 0 ? -1 : count;
}

/* splitmix64 */
static uint64_t next(uint64_t *state)
{
	uint64_t z = *state += 0x9e3779b97f4a7c15;

	z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9;
	z = (z ^ z >> 27) * 0x94d049bb133111eb;
	return z ^ z >> 31;
}

static size_t below(uint64_t *state, size_t n)
{
	return n ? next(state) % n : 0;
}

/* Put LENGTH bytes at AT, as far as they fit. */
static void insert(struct input *input, size_t at, const uint8_t *data, size_t length)
{
	if (length > INPUT_MAX - input->size)
		length = INPUT_MAX - input->size;
	memmove(input->data + at + length, input->data + at, input->size - at);
	memcpy(input->data + at, data, length);
	input->size += length;
}

static void erase(struct input *input, size_t at, size_t length)
{
	if (length > input->size - at)
		length = input->size - at;
	memmove(input->data + at, input->data + at + length, input->size - at - length);
	input->size -= length;
}

static void insert_token(struct input *input, uint64_t *state)
{
	static const char *const tokens[] = {
		"0",
		"-1",
		"9223372036854775807",
		"18446744073709551616",
		"1e308",
		"0x",
		"\n",
		"\r",
		"\t",
		"\"",
		"\\",
		"\\u",
		"{",
		"}",
		"[",
		"]",
		":",
		",",
		"null",
		"/",
		"%n",
		"..",
		"=",
		" ",
		"\xff",
		"\xc3",
		"\x1b",
		"-",
	};
	const char *token = tokens[below(state, sizeof(tokens) / sizeof(*tokens))];

	insert(input, below(state, input->size + 1), (const uint8_t *)token, strlen(token));
}

/* Repeat a part of OTHER, which may be INPUT's own source, once or many times. */
static void insert_part(struct input *input, const struct input *other, uint64_t *state)
{
	size_t from = below(state, other->size), at = below(state, input->size + 1);
	size_t length = below(state, other->size - from + 1);
	size_t times = below(state, 8) ? 1 : below(state, 200);

	if (length > 64 && below(state, 2))
		length = below(state, 64);
	while (times--)
		insert(input, at, other->data + from, length);
}

static void mutate(struct input *input, const struct input *other, uint64_t *state)
{
	size_t at = below(state, input->size);

	switch (below(state, 7)) {
	case 0:
		if (input->size)
			input->data[at] ^= (uint8_t)(1 << below(state, 8));
		break;
	case 1:
		if (input->size)
			input->data[at] = (uint8_t)next(state);
		break;
	case 2:
		erase(input, at, 1 + below(state, 4));
		break;
	case 3:
		erase(input, at, below(state, input->size + 1));
		break;
	case 4:
		insert_part(input, other, state);
		break;
	default:
		insert_token(input, state);
	}
}

static void try_mutation(const struct input *corpus, int n, uint64_t number, uint8_t *buffer)
{
	uint64_t state = number;
	const struct input *base = &corpus[below(&state, (size_t)n)];
	const struct input *other = &corpus[below(&state, (size_t)n)];
	struct input input = {base->size, buffer};

	memcpy(buffer, base->data, base->size);
	for (size_t steps = 1 + below(&state, 6); steps; steps--)
		mutate(&input, other, &state);
	try_input(input.data, input.size);
}

int main(int argc, char **argv)
{
	static struct input corpus[FILES_MAX];
	int n = argc > 1 ? read_corpus(argv[1], corpus) : -1;
	uint64_t rounds = argc > 2 ? strtoull(argv[2], NULL, 10) : ROUNDS, done;
	time_t end = time(NULL) + SECONDS;
	uint8_t *buffer = malloc(INPUT_MAX);

	if (n <= 0 || !buffer) {
		fprintf(stderr, "usage: %s CORPUS_DIR [ROUNDS], with files in CORPUS_DIR\n",
			argv[0]);
		return 2;
	}
	save_on_failure();
	try_input(buffer, 0);
	for (int i = 0; i < n; i++)
		try_input(corpus[i].data, corpus[i].size);
	for (done = 0; done < rounds && (done % 64 || time(NULL) < end); done++)
		try_mutation(corpus, n, done, buffer);
	printf("%d files, %llu mutations\n", n, (unsigned long long)done);
	for (int i = 0; i < n; i++)
		free(corpus[i].data);
	free(buffer);
	return 0;
}
