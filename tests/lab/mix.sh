#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# mix.sh DIR REAL EMULATED: a folder of state for comparisons, with the lab's own runs of kernel REAL and
# the emulated machine's of kernel EMULATED (/root/emulated, put there by lab.c). Either may be "none".
set -e
dir=$1 real=$2 emulated=$3

rm -rf "$dir"
mkdir -p "$dir"
[ "$real" = none ] ||
  rig results export --all --workload anon-cow-rand-hugetlb --kernel "$real" --output "$dir/results"
cd /root/emulated
find . -path "*/$emulated/*/record.json" | while read -r record; do
  run=${record%/record.json}
  mkdir -p "$dir/results/${run%/*}"
  # A number that no run of the lab has.
  cp -a "$run" "$dir/results/${run%/*}/9${run##*/}"
done
