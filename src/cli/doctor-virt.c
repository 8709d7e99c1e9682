/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * doctor-virt.c - QEMU, libvirt and KVM: what they are and whether they work.
 */
#include "cli/doctor.h"

#include <string.h>

#include "cli/choose.h"
#include "vm/accel.h"
#include "vm/guestfs.h"
#include "vm/virt.h"

#define GROUP "virtualization"
#define WAIT_MS 30000

/* The hint is the second line of a message of ours. */
static void add_error(GPtrArray *findings, RigFindingLevel level, const char *name,
		      const GError *error)
{
	g_auto(GStrv) parts = g_strsplit(error->message, "\nhint: ", 2);

	rig_finding_add(findings, level, GROUP, name, g_strdup(parts[0]), parts[1]);
}

static void check_qemu(GPtrArray *findings)
{
	g_autofree char *version = rig_accel_qemu_version();
	g_autofree char *img = g_find_program_in_path("qemu-img");
	int major = version ? (int)g_ascii_strtoll(version, NULL, 10) : 0;

	if (!version)
		rig_finding_add(findings, RIG_FINDING_FAIL, GROUP, "QEMU",
				g_strdup("qemu-system-x86_64 is not there or does not start"),
				"install qemu-system-x86 (Debian, Ubuntu) or qemu-system-x86-core "
				"(Fedora)");
	else
		rig_finding_add(findings, major >= 10 ? RIG_FINDING_OK : RIG_FINDING_WARN, GROUP,
				"QEMU", g_strdup(version),
				major >= 10 ? NULL
					    : "QEMU 10 can also repeat runs exactly (-icount with "
					      "several CPUs)");
	if (!img)
		rig_finding_add(findings, RIG_FINDING_FAIL, GROUP, "qemu-img",
				g_strdup("not found"),
				"install qemu-utils (Debian, Ubuntu) or qemu-img "
				"(Fedora)");
}

static void check_guestfs(GPtrArray *findings)
{
	g_autofree char *version = rig_guestfs_version();
	g_autofree char *supermin = g_find_program_in_path("supermin");

	rig_finding_add(findings, supermin ? RIG_FINDING_OK : RIG_FINDING_FAIL, GROUP, "libguestfs",
			g_strdup_printf("%s%s", version ? version : "unknown",
					supermin ? "" : ", without supermin"),
			supermin ? NULL : "install supermin: it makes libguestfs' appliance");
}

static void check_domain_types(RigVirt *virt, GPtrArray *findings)
{
	g_autofree char *tcg = rig_virt_domain_capabilities(virt, "qemu", NULL);
	g_autofree char *kvm = rig_virt_domain_capabilities(virt, "kvm", NULL);

	rig_finding_add(findings, tcg ? RIG_FINDING_OK : RIG_FINDING_FAIL, GROUP, "libvirt allows",
			g_strdup_printf("emulation %s, KVM %s", tcg ? "yes" : "no",
					kvm ? "yes (whether it works: see KVM)" : "no"),
			tcg ? NULL : "its QEMU driver finds no usable qemu-system-x86_64");
}

static void check_libvirt(RigCli *cli, GPtrArray *findings)
{
	g_autoptr(GError) error = NULL;
	g_autofree char *libvirt = NULL;
	g_autofree char *qemu = NULL;
	g_autoptr(RigVirt) virt =
		rig_virt_open(cli->uri, cli->paths->state, WAIT_MS, cli->cancellable, &error);

	if (!virt || !rig_virt_versions(virt, &libvirt, &qemu, &error)) {
		add_error(findings, RIG_FINDING_FAIL, "libvirt", error);
		return;
	}
	rig_finding_add(
		findings, RIG_FINDING_OK, GROUP, "libvirt",
		g_strdup_printf("%s with QEMU %s over %s", libvirt, qemu, rig_virt_uri(virt)),
		NULL);
	check_domain_types(virt, findings);
}

/* The default kernel, else any that there is: a canary is a canary. */
static RigKernel *canary_kernel(RigCli *cli)
{
	g_autofree char *dir = rig_choose_kernels_dir(cli);
	g_autofree char *name = rig_kernel_default(dir);
	RigKernel *kernel = name ? rig_kernel_load(dir, name, NULL) : NULL;
	g_autoptr(GPtrArray) all = NULL;

	if (kernel)
		return kernel;
	all = rig_kernel_list(dir, NULL);
	return all && all->len ? rig_kernel_load(dir, ((RigKernel *)all->pdata[0])->name, NULL)
			       : NULL;
}

static void check_kvm(RigCli *cli, GPtrArray *findings)
{
	g_autoptr(RigKernel) kernel = canary_kernel(cli);
	g_auto(RigKvmProbe) probe = {0};

	if (!cli->dry_run)
		rig_accel_forget_no(cli->paths);
	rig_accel_probe(cli->paths, cli->log, kernel, cli->dry_run, cli->cancellable, &probe);
	rig_finding_add(findings, probe.usable ? RIG_FINDING_OK : RIG_FINDING_WARN, GROUP, "KVM",
			g_strdup_printf("%s: %s",
					probe.usable  ? "usable"
					: probe.known ? "not usable"
						      : "not known",
					probe.reason ? probe.reason : ""),
			probe.usable ? NULL
			: probe.known
				? "guests are emulated (class C): event counts compare, timings "
				  "do not"
				: "add a kernel to try it with: rig kernel add "
				  "linux-image-cloud-amd64");
}

void rig_doctor_virt(RigCli *cli, GPtrArray *findings)
{
	check_qemu(findings);
	check_libvirt(cli, findings);
	check_guestfs(findings);
	check_kvm(cli, findings);
}
