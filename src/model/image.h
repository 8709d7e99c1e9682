/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * image.h - an image recipe: images/NAME.json (docs/architecture.md, "Images").
 */
#pragma once

#include "base/json.h"

typedef struct {
	char *path; /* in the guest */
	char *from; /* host path, "busybox" or "guest:rig-agent" (a program of libexec) ; NULL: a
		       folder */
	char *link; /* target of a symbolic link, or NULL */
	char *text; /* literal content, or NULL */
	int mode;
} RigImageFile;

/* A root of Debian's packages, made by mmdebstrap (vm/debian.h). */
typedef struct {
	char *suite;	 /* as apt's sources name it, "bookworm" */
	char **packages; /* besides the smallest set there is; never NULL */
} RigImageDebian;

typedef struct {
	char *name, *text, *path;
	RigImageDebian *debian; /* what the files are laid over; NULL: nothing */
	guint64 size;		/* of the virtual disk, bytes */
	GPtrArray *files;	/* RigImageFile*, in order */
	char **busybox_applets; /* links to be made, NULL: all that `busybox --list` says */
	char **modules; /* patterns of kernel modules to be injected with what they need, "*": all;
			   never NULL */
} RigImage;

RigImage *rig_image_load(const char *path, GError **error) G_GNUC_WARN_UNUSED_RESULT;
void rig_image_free(RigImage *image);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(RigImage, rig_image_free)
