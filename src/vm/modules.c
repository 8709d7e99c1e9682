/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * modules.c - finds modules and the order in which to load them.
 *
 * libkmod reads each module's own "depends" and "softdep" lines; so the order is right whatever
 * depmod said, or if it never ran. Copying trees of modules is in modules-install.c.
 */
#include "vm/modules.h"

#include "base/error.h"
#include "base/file.h"
#include "vm/modules-walk.h"

#include <libkmod.h>
#include <string.h>

#define BUILTIN_MAX (4 * 1024 * 1024)

typedef struct {
	char *name, *file;
	char *release;	    /* of the kernel that it was built for, or NULL */
	GPtrArray *depends; /* names */
	GPtrArray *before;  /* names or aliases of soft dependencies; they may be missing */
} Module;

struct RigModules {
	GPtrArray *all;	     /* Module*, sorted by file */
	GHashTable *by_name; /* name or exact alias -> Module* */
	GHashTable *builtin; /* names; NULL: unknown */
};

typedef struct kmod_ctx Kmod;
static void kmod_free(Kmod *kmod)
{
	kmod_unref(kmod);
}
G_DEFINE_AUTOPTR_CLEANUP_FUNC(Kmod, kmod_free)

static void module_free(gpointer data)
{
	Module *module = data;

	g_free(module->name);
	g_free(module->file);
	g_free(module->release);
	g_ptr_array_unref(module->depends);
	g_ptr_array_unref(module->before);
	g_free(module);
}

void rig_modules_free(RigModules *modules)
{
	if (!modules)
		return;
	g_hash_table_unref(modules->by_name);
	g_clear_pointer(&modules->builtin, g_hash_table_unref);
	g_ptr_array_unref(modules->all);
	g_free(modules);
}

static char *canonical(const char *name, gsize length)
{
	return g_strdelimit(g_strndup(name, length), "-", '_');
}

/* "kernel/fs/ext4/ext4.ko.xz": "ext4". */
static char *name_of_file(const char *file)
{
	const char *base = strrchr(file, '/');
	const char *end;

	base = base ? base + 1 : file;
	end = strstr(base, ".ko");
	return canonical(base, end ? (gsize)(end - base) : strlen(base));
}

static void add_words(GPtrArray *names, const char *text, const char *separators)
{
	g_auto(GStrv) words = g_strsplit_set(text, separators, -1);

	for (guint i = 0; words[i]; i++)
		if (words[i][0])
			g_ptr_array_add(names, canonical(words[i], strlen(words[i])));
}

/* "pre: crc32c post: other": what stands behind "pre:". */
static void add_softdep(GPtrArray *names, const char *text)
{
	const char *pre = strstr(text, "pre:");
	const char *post = strstr(text, "post:");
	g_autofree char *part = NULL;

	if (!pre)
		return;
	pre += strlen("pre:");
	part = post && post > pre ? g_strndup(pre, post - pre) : g_strdup(pre);
	add_words(names, part, " \t");
}

static void take_info(RigModules *modules, Module *module, const char *key, const char *value)
{
	if (!strcmp(key, "depends"))
		add_words(module->depends, value, ",");
	else if (!strcmp(key, "vermagic") && !module->release)
		module->release = g_strndup(value, strcspn(value, " "));
	else if (!strcmp(key, "softdep"))
		add_softdep(module->before, value);
	else if (!strcmp(key, "alias") && !strpbrk(value, "*?[:")) {
		char *alias = canonical(value, strlen(value));

		if (g_hash_table_contains(modules->by_name, alias))
			g_free(alias);
		else
			g_hash_table_insert(modules->by_name, alias, module);
	}
}

static gboolean read_info(RigModules *modules, Module *module, Kmod *kmod, const char *path,
			  GError **error)
{
	struct kmod_module *handle = NULL;
	struct kmod_list *list = NULL, *item;
	int err = kmod_module_new_from_path(kmod, path, &handle);

	if (err >= 0)
		err = kmod_module_get_info(handle, &list);
	if (err < 0)
		rig_error_set(error, RIG_ERROR_USAGE, "%s: no kernel module: %s", path,
			      g_strerror(-err));
	else
		kmod_list_foreach(item, list)
			take_info(modules, module, kmod_module_info_get_key(item),
				  kmod_module_info_get_value(item));
	kmod_module_info_free_list(list);
	kmod_module_unref(handle);
	return err >= 0;
}

static gboolean add_module(RigModules *modules, Kmod *kmod, const char *dir, const char *file,
			   GError **error)
{
	g_autofree char *path = g_build_filename(dir, file, NULL);
	Module *module = g_new0(Module, 1);

	module->name = name_of_file(file);
	module->file = g_strdup(file);
	module->depends = g_ptr_array_new_with_free_func(g_free);
	module->before = g_ptr_array_new_with_free_func(g_free);
	g_ptr_array_add(modules->all, module);
	/* A module's own name wins over an alias that another one claims. */
	g_hash_table_replace(modules->by_name, g_strdup(module->name), module);
	return read_info(modules, module, kmod, path, error);
}

static GHashTable *read_builtin(const char *dir)
{
	g_autofree char *path = g_build_filename(dir, "modules.builtin", NULL);
	g_autofree char *text = rig_file_read(path, BUILTIN_MAX, NULL, NULL);
	g_auto(GStrv) lines = text ? g_strsplit(text, "\n", -1) : NULL;
	GHashTable *names;

	if (!lines)
		return NULL;
	names = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);
	for (guint i = 0; lines[i]; i++)
		if (lines[i][0])
			g_hash_table_add(names, name_of_file(lines[i]));
	return names;
}

gboolean rig_modules_check_release(const RigModules *modules, const char *release, GError **error)
{
	for (guint i = 0; i < modules->all->len; i++) {
		const Module *module = modules->all->pdata[i];

		if (!module->release || strcmp(module->release, release) == 0)
			continue;
		rig_error_set_hint(error, RIG_ERROR_USAGE,
				   "give --modules the folder lib/modules/RELEASE of this kernel",
				   "module %s is of kernel %.100s, not of %s", module->name,
				   module->release, release);
		return FALSE;
	}
	return TRUE;
}

RigModules *rig_modules_open(const char *dir, GError **error)
{
	static const char *const no_config = NULL;
	g_autoptr(RigModules) modules = g_new0(RigModules, 1);
	g_autoptr(GPtrArray) files = NULL;
	g_autoptr(Kmod) kmod = NULL;

	modules->all = g_ptr_array_new_with_free_func(module_free);
	modules->by_name = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);
	if (!dir)
		return g_steal_pointer(&modules);
	files = rig_modules_walk(dir, error);
	if (!files)
		return NULL;
	kmod = kmod_new(dir, &no_config);
	for (guint i = 0; i < files->len; i++) {
		const char *file = files->pdata[i];

		if (rig_modules_is_module_file(file) &&
		    !add_module(modules, kmod, dir, file, error))
			return NULL;
	}
	modules->builtin = read_builtin(dir);
	return g_steal_pointer(&modules);
}

guint rig_modules_count(const RigModules *modules)
{
	return modules->all->len;
}

static Module *find(const RigModules *modules, const char *name)
{
	g_autofree char *key = canonical(name, strlen(name));

	return g_hash_table_lookup(modules->by_name, key);
}

gboolean rig_modules_has(const RigModules *modules, const char *name)
{
	return find(modules, name) != NULL;
}

gboolean rig_modules_is_builtin(const RigModules *modules, const char *name)
{
	g_autofree char *key = canonical(name, strlen(name));

	return modules->builtin && g_hash_table_contains(modules->builtin, key);
}

gboolean rig_modules_knows_builtin(const RigModules *modules)
{
	return modules->builtin != NULL;
}

/* Depth first; SEEN is set before the descent, so a cycle of bad modules ends. */
static gboolean visit(const RigModules *modules, Module *module, GHashTable *seen, GPtrArray *order,
		      GError **error)
{
	if (!g_hash_table_add(seen, module))
		return TRUE;
	for (guint i = 0; i < module->before->len; i++) {
		Module *other = find(modules, module->before->pdata[i]);

		if (other && !visit(modules, other, seen, order, error))
			return FALSE;
	}
	for (guint i = 0; i < module->depends->len; i++) {
		const char *name = module->depends->pdata[i];
		Module *other = find(modules, name);

		if (!other && rig_modules_is_builtin(modules, name))
			continue;
		if (!other) {
			rig_error_set(error, RIG_ERROR_HOST,
				      "module %s needs %s, which the kernel's modules lack",
				      module->name, name);
			return FALSE;
		}
		if (!visit(modules, other, seen, order, error))
			return FALSE;
	}
	g_ptr_array_add(order, module);
	return TRUE;
}

static gboolean visit_pattern(const RigModules *modules, const char *pattern, GHashTable *seen,
			      GPtrArray *order, GError **error)
{
	g_autofree char *key = canonical(pattern, strlen(pattern));
	Module *module = g_hash_table_lookup(modules->by_name, key);

	if (module)
		return visit(modules, module, seen, order, error);
	if (!strpbrk(key, "*?"))
		return TRUE;
	for (guint i = 0; i < modules->all->len; i++) {
		module = modules->all->pdata[i];
		if (g_pattern_match_simple(key, module->name) &&
		    !visit(modules, module, seen, order, error))
			return FALSE;
	}
	return TRUE;
}

gboolean rig_modules_resolve(const RigModules *modules, const char *const *patterns,
			     GPtrArray *files, GError **error)
{
	g_autoptr(GHashTable) seen = g_hash_table_new(NULL, NULL);
	g_autoptr(GPtrArray) order = g_ptr_array_new();

	for (guint i = 0; patterns && patterns[i]; i++)
		if (!visit_pattern(modules, patterns[i], seen, order, error))
			return FALSE;
	for (guint i = 0; i < order->len; i++) {
		Module *module = order->pdata[i];

		if (!g_ptr_array_find_with_equal_func(files, module->file, g_str_equal, NULL))
			g_ptr_array_add(files, g_strdup(module->file));
	}
	return TRUE;
}

/* modprobe loads what stands behind the colon from right to left. */
static void append_dep(const RigModules *modules, Module *module, GString *text)
{
	g_autoptr(GHashTable) seen = g_hash_table_new(NULL, NULL);
	g_autoptr(GPtrArray) order = g_ptr_array_new();

	g_string_append_printf(text, "%s:", module->file);
	if (visit(modules, module, seen, order, NULL))
		for (guint i = order->len - 1; i > 0; i--)
			g_string_append_printf(text, " %s", ((Module *)order->pdata[i - 1])->file);
	g_string_append_c(text, '\n');
}

char *rig_modules_dep(const RigModules *modules, const GPtrArray *files)
{
	GString *text = g_string_new(NULL);

	for (guint i = 0; i < modules->all->len; i++) {
		Module *module = modules->all->pdata[i];

		if (!files || g_ptr_array_find_with_equal_func((GPtrArray *)files, module->file,
							       g_str_equal, NULL))
			append_dep(modules, module, text);
	}
	return g_string_free(text, FALSE);
}
