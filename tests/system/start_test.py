#!/usr/bin/env -S python3 -B
"""MPI_Init leaves out what nobody needs (rts/fabric/lean_start.hpp): hwloc says what it was told to leave out."""
from harness import expect, run

VERBOSE = {"HWLOC_COMPONENTS_VERBOSE": "1"}

result = run(2, "fib", "20", env=VERBOSE)
expect(result.code == 0 and result.out == "6765\n", "expected 6765", result)
expect("linuxio" in result.err, "PCI devices are looked at", result)

# A user's own setting stays.
result = run(2, "fib", "20", env=VERBOSE | {"HWLOC_COMPONENTS": "-x86"})
expect(result.code == 0 and result.out == "6765\n", "expected 6765", result)
expect("linuxio" not in result.err, "the user's setting was not kept", result)
print("left out")
