#!/usr/bin/env -S python3 -B
"""--trawl:workers is how many functions a PE evaluates at once, however many cores there are."""
from harness import expect, run

for workers in 1, 2, 5:
    result = run(0, "tests/at_once", workers, f"--trawl:workers={workers}")
    expect(result.code == 0 and result.out == f"{workers}\n", f"expected {workers} at once", result)
print("as many as were asked for")
