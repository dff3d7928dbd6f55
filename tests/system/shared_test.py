#!/usr/bin/env -S python3 -B
"""An object that all PEs write: each sees all writes, in one order."""
from harness import FABRICS, expect, run

for pes in 0, 1, 2, 3, 8:
    for workers in 1, 2:
        result = run(pes, "tests/shares_tickets", f"--trawl:workers={workers}",
                     env=FABRICS["tcp" if pes == 3 else "shared memory"])
        expect(result.code == 0 and result.out == f"{100 * max(pes, 1)} writes in one order\n", "one order", result)
print("shared objects: one order")
