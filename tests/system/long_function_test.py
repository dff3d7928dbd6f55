#!/usr/bin/env -S python3 -B
"""FISH are answered while all workers are inside long functions that never call the runtime."""
from harness import FABRICS, expect, run

SPARKS = 100

for env in FABRICS.values():
    for pes in 2, 4:
        result = run(pes, "tests/long_function", "--trawl:workers=1", env=env)
        expect(result.code == 0, "expected exit code 0", result)
        done = int(result.out)
        expect(done == SPARKS, f"in two seconds only {done} of {SPARKS} sparks were taken", result)
        print(f"{pes} PEs {env}: {done} of {SPARKS} sparks evaluated meanwhile")
