#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
#
# include-check.sh SOURCE_ROOT - a file includes its own layer and those below, never upward.
#
# The linker finds an upward call, but only once a test links that far, and it cannot say which
# line. This prints FILE:LINE for every include that the layers do not allow.
set -eu

root=${1:?usage: include-check.sh SOURCE_ROOT}
cd "$root"

find src -name '*.[ch]' -type f | LC_ALL=C sort | xargs awk '
BEGIN {
	# What each layer may include; proto.h is open to all.
	allowed["base"]   = " base "
	allowed["model"]  = " base model "
	allowed["vm"]     = " base model vm "
	allowed["run"]    = " base model vm run "
	allowed["report"] = " base model report "
	allowed["cli"]    = " base model vm run report cli "
	allowed["guest"]  = " guest "
	# Libraries that only one file may know.
	only["libvirt/"]   = "src/vm/virt-serve.c"
	only["guestfs.h"]  = "src/vm/guestfs.c"
	only["json-glib/"] = "src/base/json.c"
}

function complain(why) {
	printf "%s:%d: %s: %s\n", FILENAME, FNR, why, $0
	bad++
}

FNR == 1 {
	split(FILENAME, part, "/")
	layer = part[2]
	files++
	if (FILENAME != "src/proto.h" && !(layer in allowed))
		complain("a folder that is no layer")
}

/^[ \t]*#[ \t]*include[ \t]*[<"]/ {
	name = $0
	sub(/^[ \t]*#[ \t]*include[ \t]*[<"]/, "", name)
	quoted = $0 ~ /include[ \t]*"/
	sub(/[>"].*/, "", name)

	for (prefix in only)
		if (index(name, prefix) == 1 && FILENAME != only[prefix])
			complain("only " only[prefix] " may include it")
	if (layer == "guest" && name ~ /^(glib|gio|gmodule|gobject)/)
		complain("the guest has no GLib")
	if (!quoted || name == "proto.h" || (layer == "guest" && name == "../proto.h"))
		next
	if (name ~ /(^|\/)\.\.\//) {
		complain("name it from src/")
		next
	}
	target = name
	if (!sub(/\/.*/, "", target))
		next # no folder: a header of its own layer
	if (index(allowed[layer], " " target " ") == 0)
		complain(layer " must not include " target)
}

END {
	if (!files) {
		print "no source files found"
		exit 1
	}
	exit bad > 0
}' || exit 1 # xargs has codes of its own
