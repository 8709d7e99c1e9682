/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * virt.h - the only door to libvirt. Connections are short (architecture, decision 11).
 *
 * Behind an open RigVirt stands a helper process with libvirt in it: this program, started again.
 * So every main() that may come to rig_virt_open() begins with rig_virt_serve_if_asked().
 */
#pragma once

#include <gio/gio.h>

typedef struct RigVirt RigVirt;

/* Be the helper, and never return, if this process was started as it. */
void rig_virt_serve_if_asked(int argc, char **argv);

/* Open URI (NULL: the embedded driver below STATE_DIR/libvirt, made with its qemu.conf on first
 * use; waits at most WAIT_MS for another rig that holds it, else RIG_ERROR_HOST naming the holder).
 * Starts libvirt's event loop in a thread. */
RigVirt *rig_virt_open(const char *uri, const char *state_dir, int wait_ms,
		       GCancellable *cancellable, GError **error) G_GNUC_WARN_UNUSED_RESULT;
void rig_virt_close(RigVirt *virt);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(RigVirt, rig_virt_close)

const char *rig_virt_uri(const RigVirt *virt);
gboolean rig_virt_is_remote(const RigVirt *virt);
char *rig_virt_capabilities(RigVirt *virt, GError **error); /* XML; g_free */
char *rig_virt_domain_capabilities(RigVirt *virt, const char *type,
				   GError **error); /* "kvm" or "qemu" */
/* "9.0.0" of the library and "10.0.2" of the hypervisor; g_free. */
gboolean rig_virt_versions(RigVirt *virt, char **libvirt, char **qemu, GError **error);

/* A guest is started with files of this machine and talked with over a socket in its folder, so a
 * remote URI has to lead back here. Otherwise RIG_ERROR_HOST, which says where to run rig. */
gboolean rig_virt_check_here(RigVirt *virt, GError **error) G_GNUC_WARN_UNUSED_RESULT;

/* Start a transient domain; the XML is validated against the schema. */
gboolean rig_virt_start(RigVirt *virt, const char *xml, GError **error) G_GNUC_WARN_UNUSED_RESULT;
/* Destroy by name; one that is not there is fine. */
gboolean rig_virt_destroy(RigVirt *virt, const char *name,
			  GError **error) G_GNUC_WARN_UNUSED_RESULT;
/* Write the memory of NAME to the new file PATH: kdump, compressed, where QEMU can, else ELF. The
 * guest stands still meanwhile. TICK is called some times a second; once it returns FALSE with an
 * error, this gives up. Then, and after an interruption, QEMU goes on writing until it is killed,
 * and PATH is the caller's to remove. */
typedef gboolean (*RigVirtTick)(gpointer data, GError **error);
gboolean rig_virt_dump(RigVirt *virt, const char *name, const char *path, RigVirtTick tick,
		       gpointer data, GError **error) G_GNUC_WARN_UNUSED_RESULT;
/* Names of running domains (g_strfreev), and one's live XML (NULL when it is not there). */
char **rig_virt_list(RigVirt *virt, GError **error);
char *rig_virt_domain_xml(RigVirt *virt, const char *name, GError **error);
