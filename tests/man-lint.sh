#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# Man pages are well-formed mdoc: mandoc finds nothing worth a warning in docs/man/*.1.
#   tests/man-lint.sh SOURCE_ROOT
set -eu
if ! command -v mandoc >/dev/null; then
	echo "mandoc is not installed: scripts/install-packages check"
	exit 77
fi
exec mandoc -T lint -W warning "$1"/docs/man/*.1
