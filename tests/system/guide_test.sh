#!/bin/sh
# The report names what the pictures of the tuning guide show, and faults in real programs; of healthy runs
# it says nothing. (All faults: profiles/guide/faults/check.)
set -e
guide=$(dirname "$0")/../../profiles/guide
"$guide/make" --check "$1"
"$guide/faults/check" --quick "$1"
