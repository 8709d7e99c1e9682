/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * virt-serve.c - the helper process behind virt.c, and the only file that includes libvirt.
 *
 * libvirt's embedded driver, once started, stays in its process and keeps its root locked until
 * that process ends, whether its connections are closed or not. A run takes minutes, and another
 * rig must be able to work in between; so the driver lives in a process that ends with the
 * connection. It also means that a call that hangs (a QEMU that was stopped) can be given up.
 */
#include "vm/virt.h"

#include <libvirt/libvirt.h>
#include <libvirt/virterror.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "vm/virt-frame.h"

typedef struct {
	virConnectPtr conn;
	gboolean failed; /* the answer is an error */
} Server;

static void ignore_error(void *data, virErrorPtr error)
{
}

/* The embedded driver needs a loop that runs; it ends with the process. */
static gpointer run_loop(gpointer data)
{
	for (;;)
		if (virEventRunDefaultImpl() < 0)
			g_usleep(10000);
	return NULL;
}

static char *fail(Server *server)
{
	const char *message = virGetLastErrorMessage();

	server->failed = TRUE;
	return g_strchomp(g_strdup(message ? message : "unknown error"));
}

static char *serve_open(Server *server, const char *uri)
{
	virSetErrorFunc(NULL, ignore_error);
	if (virEventRegisterDefaultImpl() < 0)
		return fail(server);
	g_thread_unref(g_thread_new("libvirt", run_loop, NULL));
	server->conn = virConnectOpen(uri);
	return server->conn ? g_strdup("") : fail(server);
}

static char *serve_capabilities(Server *server, const char *argument)
{
	char *xml = virConnectGetCapabilities(server->conn);

	return xml ? xml : fail(server);
}

static char *serve_domain_capabilities(Server *server, const char *type)
{
	char *xml = virConnectGetDomainCapabilities(server->conn, NULL, "x86_64", NULL, type, 0);

	return xml ? xml : fail(server);
}

static char *serve_versions(Server *server, const char *argument)
{
	unsigned long lib = 0, qemu = 0;

	if (virGetVersion(&lib, NULL, NULL) < 0 || virConnectGetVersion(server->conn, &qemu) < 0)
		return fail(server);
	return g_strdup_printf("%lu.%lu.%lu\n%lu.%lu.%lu", lib / 1000000, lib / 1000 % 1000,
			       lib % 1000, qemu / 1000000, qemu / 1000 % 1000, qemu % 1000);
}

static char *serve_hostname(Server *server, const char *argument)
{
	char *name = virConnectGetHostname(server->conn);

	return name ? name : fail(server);
}

static char *serve_start(Server *server, const char *xml)
{
	virDomainPtr domain = virDomainCreateXML(server->conn, xml, VIR_DOMAIN_START_VALIDATE);

	if (!domain)
		return fail(server);
	virDomainFree(domain);
	return g_strdup("");
}

/* The domain NAME. Without one, *ANSWER is what to say: NULL for "there is none". */
static virDomainPtr find_domain(Server *server, const char *name, char **answer)
{
	virDomainPtr domain = virDomainLookupByName(server->conn, name);

	*answer = domain || virGetLastErrorCode() == VIR_ERR_NO_DOMAIN ? NULL : fail(server);
	return domain;
}

/* TRUE for what libvirt says when the domain ended by itself in between. */
static gboolean is_gone(int code)
{
	return code == VIR_ERR_NO_DOMAIN || code == VIR_ERR_OPERATION_INVALID;
}

static char *serve_destroy(Server *server, const char *name)
{
	char *answer;
	virDomainPtr domain = find_domain(server, name, &answer);

	if (!domain)
		return answer;
	if (virDomainDestroy(domain) < 0 && !is_gone(virGetLastErrorCode()))
		answer = fail(server);
	virDomainFree(domain);
	return answer;
}

static char *serve_xml(Server *server, const char *name)
{
	char *answer;
	virDomainPtr domain = find_domain(server, name, &answer);

	if (!domain)
		return answer;
	answer = virDomainGetXMLDesc(domain, 0);
	if (!answer && !is_gone(virGetLastErrorCode()))
		answer = fail(server);
	virDomainFree(domain);
	return answer;
}

/* The best that this QEMU can. */
static int dump_memory(virDomainPtr domain, const char *path)
{
	static const unsigned int formats[] = {
		VIR_DOMAIN_CORE_DUMP_FORMAT_KDUMP_ZLIB,
		VIR_DOMAIN_CORE_DUMP_FORMAT_KDUMP_SNAPPY,
		VIR_DOMAIN_CORE_DUMP_FORMAT_KDUMP_LZO,
		VIR_DOMAIN_CORE_DUMP_FORMAT_RAW,
	};

	for (guint i = 0; i < G_N_ELEMENTS(formats); i++) {
		if (virDomainCoreDumpWithFormat(domain, path, formats[i], VIR_DUMP_MEMORY_ONLY) ==
		    0)
			return 0;
		if (virGetLastErrorCode() != VIR_ERR_INVALID_ARG)
			break;
	}
	return -1;
}

static char *serve_dump(Server *server, const char *argument)
{
	g_auto(GStrv) both = g_strsplit(argument, "\n", 2);
	virDomainPtr domain;
	char *answer;

	domain = find_domain(server, both[0], &answer);
	if (!domain)
		return answer;
	answer = dump_memory(domain, both[1]) < 0 ? fail(server) : g_strdup("");
	virDomainFree(domain);
	return answer;
}

static char *serve_list(Server *server, const char *argument)
{
	virDomainPtr *domains = NULL;
	int n = virConnectListAllDomains(server->conn, &domains, VIR_CONNECT_LIST_DOMAINS_ACTIVE);
	GString *names = g_string_new(NULL);

	if (n < 0) {
		g_string_free(names, TRUE);
		return fail(server);
	}
	for (int i = 0; i < n; i++) {
		g_string_append_printf(names, "%s%s", i ? "\n" : "", virDomainGetName(domains[i]));
		virDomainFree(domains[i]);
	}
	free(domains);
	return g_string_free(names, FALSE);
}

static const struct {
	char kind;
	char *(*serve)(Server *server, const char *argument); /* NULL: there is none */
} operations[] = {
	{RIG_VIRT_OPEN, serve_open},
	{RIG_VIRT_CAPABILITIES, serve_capabilities},
	{RIG_VIRT_DOMAIN_CAPABILITIES, serve_domain_capabilities},
	{RIG_VIRT_VERSIONS, serve_versions},
	{RIG_VIRT_HOSTNAME, serve_hostname},
	{RIG_VIRT_START, serve_start},
	{RIG_VIRT_DESTROY, serve_destroy},
	{RIG_VIRT_LIST, serve_list},
	{RIG_VIRT_DUMP, serve_dump},
	{RIG_VIRT_XML, serve_xml},
};

static gboolean serve_one(Server *server, const char *request)
{
	for (guint i = 0; i < G_N_ELEMENTS(operations); i++) {
		g_autofree char *answer = NULL;
		char kind;

		if (operations[i].kind != request[0])
			continue;
		server->failed = FALSE;
		answer = operations[i].serve(server, request + 1);
		kind = server->failed ? RIG_VIRT_ERROR : answer ? RIG_VIRT_OK : RIG_VIRT_NONE;
		return rig_virt_frame_write(RIG_VIRT_FD, kind, answer ? answer : "");
	}
	return FALSE;
}

void rig_virt_serve_if_asked(int argc, char **argv)
{
	Server server = {0};

	if (argc != 1 || strcmp(argv[0], RIG_VIRT_ARGV0) != 0)
		return;
	for (;;) {
		g_autofree char *request = rig_virt_frame_read(RIG_VIRT_FD);

		if (!request || !serve_one(&server, request))
			break;
	}
	/* The driver's threads are left as they are: all of its state is on disk. */
	if (server.conn)
		virConnectClose(server.conn);
	_exit(0);
}
