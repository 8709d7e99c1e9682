#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
#
# Every expected domain XML is valid by libvirt's schema, and libvirt's test driver starts it and gives
# back each line on cells, distances, pinning and binding as it was written.
set -eu
dir=$1
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# Lines that must come back, in one form: the quotes and the indentation are libvirt's own.
kept() {
	sed "s/'/\"/g; s/&quot;/\"/g; s/^ *//" "$1" | grep -E '^<(vcpupin|emulatorpin|memnode|cell|sibling|topology|rig:)'
}

count=0
for file in "$dir"/*.xml; do
	name=$(basename "$file" .xml)
	virt-xml-validate "$file" domain >"$work/out" 2>&1 || { cat "$work/out"; exit 1; }
	# The test driver plays a hypervisor of its own type, without QEMU's machines and devices.
	sed -e 's/<domain type="[a-z]*"/<domain type="test"/' -e 's/ arch="x86_64" machine="q35"//' \
		-e '/<panic/d' "$file" >"$work/$name.xml"
	virsh -q -c test:///default "create --validate $work/$name.xml; dumpxml rig-test" \
		>"$work/$name.back" 2>"$work/out" || { cat "$work/out"; exit 1; }
	kept "$work/$name.xml" >"$work/want"
	kept "$work/$name.back" >"$work/got"
	sort "$work/want" >"$work/want.sorted"
	sort "$work/got" >"$work/got.sorted"
	diff -u "$work/want.sorted" "$work/got.sorted" || { echo "$name came back otherwise"; exit 1; }
	count=$((count + 1))
done
[ "$count" -ge 6 ] || { echo "only $count files in $dir"; exit 1; }
echo "$count domains"
