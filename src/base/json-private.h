/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * json-private.h - what a value of the reader is made of. For json.c and json-check.c only.
 */
#pragma once

#include "base/json.h"

typedef struct _JsonNode JsonNode; /* json-glib's, which only json.c looks into */

/* What all values of one text share. */
typedef struct {
	char *name;
	JsonNode *node;
	GError *error;	   /* the first thing that is wrong */
	GHashTable *apart; /* JsonNode of an empty object -> char*: what is really in it */
} RigJsonDocument;

struct RigJson {
	RigJsonDocument *document;
	RigJson *parent;
	JsonNode *node;	    /* the document's */
	gboolean all_read;  /* of an object: as numbers */
	const char *key;    /* in an object: owned by the parent's table ASKED */
	guint index;	    /* in an array */
	GHashTable *asked;  /* of an object: key -> RigJson or NULL */
	RigJson **elements; /* of an array: filled as they are asked for */
};
