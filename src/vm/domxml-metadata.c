/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * domxml-metadata.c - what rig left in a domain's metadata, read back from its XML.
 */
#include <libxml/parser.h>
#include <libxml/tree.h>
#include <string.h>

#include "vm/domxml.h"

#define STR(s) ((const xmlChar *)(s))

static xmlNode *find_child(xmlNode *parent, const char *name, const char *uri)
{
	for (xmlNode *n = parent ? parent->children : NULL; n; n = n->next) {
		if (n->type != XML_ELEMENT_NODE || xmlStrcmp(n->name, STR(name)))
			continue;
		if (!uri || (n->ns && !xmlStrcmp(n->ns->href, STR(uri))))
			return n;
	}
	return NULL;
}

static GHashTable *read_metadata(xmlNode *guest)
{
	GHashTable *metadata = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, g_free);

	for (xmlNode *n = guest->children; n; n = n->next) {
		xmlChar *text;

		if (n->type != XML_ELEMENT_NODE)
			continue;
		text = xmlNodeGetContent(n);
		g_hash_table_replace(metadata, g_strdup((const char *)n->name),
				     g_strdup((const char *)text));
		xmlFree(text);
	}
	return metadata;
}

GHashTable *rig_domxml_metadata(const char *domain_xml)
{
	xmlDoc *doc = xmlReadMemory(domain_xml, strlen(domain_xml), "domain", NULL,
				    XML_PARSE_NONET | XML_PARSE_NOERROR | XML_PARSE_NOWARNING);
	GHashTable *metadata = NULL;
	xmlNode *guest;

	if (!doc)
		return NULL;
	guest = find_child(find_child(xmlDocGetRootElement(doc), "metadata", NULL), "guest",
			   RIG_METADATA_URI);
	if (guest)
		metadata = read_metadata(guest);
	xmlFreeDoc(doc);
	return metadata;
}
