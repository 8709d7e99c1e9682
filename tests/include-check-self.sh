#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
#
# include-check-self.sh CHECK - does include-check.sh find what it is there to find?
set -eu

check=${1:?usage: include-check-self.sh CHECK}
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
failed=0

# expect STATUS FILE INCLUDE: a tree with just this one line in this one file.
expect() {
	rm -rf "$dir/src"
	mkdir -p "$dir/$(dirname "$2")"
	printf '/* a file */\n#include %s\n' "$3" >"$dir/$2"
	status=0
	out=$(sh "$check" "$dir" 2>&1) || status=$?
	if [ "$1" = 0 ] && [ $status -ne 0 ]; then
		echo "refused, but fine: $2: $3: $out"
		failed=1
	elif [ "$1" = 1 ]; then
		case $status:$out in
		1:"$2:2: "*) ;;
		*) echo "not found: $2: $3: status $status, \"$out\""; failed=1 ;;
		esac
	fi
}

expect 0 src/base/a.c '<glib.h>'
expect 0 src/base/a.c '"base/error.h"'
expect 0 src/vm/a.c '"model/topology.h"'
expect 0 src/run/a.c '"vm/guest.h"'
expect 0 src/cli/a.c '"report/table.h"'
expect 0 src/vm/a.c '"proto.h"'
expect 0 src/guest/a.c '"proto.h"'
expect 0 src/guest/a.c '"../proto.h"'
expect 0 src/guest/a.c '"file.h"'
expect 0 src/vm/virt-serve.c '<libvirt/libvirt.h>'
expect 0 src/vm/guestfs.c '<guestfs.h>'
expect 0 src/base/json.c '<json-glib/json-glib.h>'

expect 1 src/base/a.c '"model/topology.h"'
expect 1 src/base/a.h '"model/topology.h"'
expect 1 src/model/a.c '"vm/guest.h"'
expect 1 src/vm/a.c '"run/engine.h"'
expect 1 src/run/a.c '"report/table.h"'
expect 1 src/report/a.c '"run/engine.h"'
expect 1 src/report/a.c '"vm/guest.h"'
expect 1 src/run/a.c '"cli/commands.h"'
expect 1 src/guest/a.c '"base/error.h"'
expect 1 src/guest/a.c '"../base/error.h"'
expect 1 src/guest/a.c '<glib.h>'
expect 1 src/guest/a.c '<gio/gio.h>'
expect 1 src/vm/virt.c '<libvirt/libvirt.h>'
expect 1 src/cli/a.c '  <libvirt/virterror.h>'
expect 1 src/vm/rootfs.c '<guestfs.h>'
expect 1 src/base/json-writer.c '<json-glib/json-glib.h>'
expect 1 src/vm/a.c '"../base/error.h"'

exit $failed
