#!/usr/bin/env bash
# heap_test.sh BIN: memory stays bounded, and structures are shared across PEs.
set -euo pipefail
bin=$1/tests
mpiexec=${MPIEXEC:-mpiexec}

fail() {
  echo "heap_test: $*" >&2
  exit 1
}

# peak COMMAND...: the greatest of all its processes.
peak() {
  local out peak
  out=$(timeout 300 "$@") || fail "'$*' ended with $?"
  echo "$* -> $out" >&2
  peak=$(sed -n 's/.*peak_kib \([0-9]*\).*/\1/p' <<<"$out")
  [ -n "$peak" ] || fail "'$*' did not say how much memory it took"
  echo "$peak"
}

# bounded LIMIT_KIB COMMAND...: in one of three runs. In some (2 of 40 that walked the list) a word
# that was left on a stack looks like a reference, and keeps all that comes after it.
bounded() {
  local limit=$1 try took
  shift
  for try in 1 2 3; do
    took=$(peak "$@") || exit 1
    ((took > limit)) || return 0
  done
  fail "'$*' took $took KiB, more than $limit, in $try runs"
}

elsewhere() {
  local out
  out=$(timeout 120 "$mpiexec" -n 2 "$bin/heap_shared" "$@" --trawl:workers=1) ||
    fail "heap_shared $* ended with $?"
  echo "$out"
  case $out in
    *" right elsewhere "*) ;;
    *) fail "heap_shared $*: $out" ;;
  esac
}

bounded 400000 "$bin/heap_bounded" 100000000 --trawl:workers=1
bounded 150000 "$bin/heap_bounded" --list 10000000 --trawl:workers=1
bounded 150000 "$bin/heap_bounded" --list 10000000 --trawl:workers=2
bounded 150000 "$mpiexec" -n 2 "$bin/heap_bounded" --list 10000000 --trawl:workers=2
bounded 150000 "$bin/heap_bounded" --spawned 10000000 --trawl:workers=1
bounded 400000 "$bin/heap_bounded" --sparked 100 --trawl:workers=1
bounded 400000 "$bin/heap_bounded" --integers 500 --trawl:workers=1
bounded 400000 "$mpiexec" -n 2 "$bin/heap_bounded" --integers 500 --trawl:workers=1
elsewhere list 1000000
elsewhere tree 131072
elsewhere lazy-list 200000
elsewhere lazy-tree 131072
bounded 400000 "$mpiexec" -n 2 "$bin/heap_bounded" --across 10000000 --trawl:workers=1
