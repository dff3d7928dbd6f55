#!/usr/bin/env -S python3 -B
"""A program's own policy: found by its name, really asked, and known to that program only."""
from harness import expect, run

N = "200000"
alone = run(0, "own_policy", N, "--check")
expect(alone.code == 0 and alone.out == "382 steps from 156159\n", "expected the sequence", alone)

for pes in 1, 2, 4:
    result = run(pes, "own_policy", N, "--trawl:policy=ring", "--trawl:workers=1", "--trawl:stats=json")
    expect(result.code == 0 and result.out == alone.out, f"expected {alone.out}", result)

result = run(0, "own_policy", "--trawl:help")
expect("targeted" in result.out and "ring" in result.out, "expected it to be listed", result)
result = run(2, "fib", "20", "--trawl:policy=ring")
expect(result.code == 2 and "ring" in result.err, "expected it to be unknown", result)
