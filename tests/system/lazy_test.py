#!/usr/bin/env -S python3 -B
"""The lazy programs of tests/bench/lazy, small: their results, which the GHC versions print too, on
one worker, on two, and on two PEs."""
from harness import expect, run

KNOWN = [
    (["game_tree", "6"], "0 33764"),
    (["tree_fold", "14"], "7816470 15"),
    (["lists", "5000", "300"], "17944549841138245 1987"),
    (["wavefront", "1800"], "928"),
    (["stencil", "200", "5"], "2466.468052"),
    (["matrix_chain", "100"], "682809"),
]
PLAIN = "wavefront", "stencil", "matrix_chain"

runs = 0
for (name, *sizes), known in KNOWN:
    ways = [(0, "--trawl:workers=1"), (0, "--trawl:workers=2"), (2, "--trawl:workers=1"),
            (2, "--trawl:workers=1", "--trawl:packet-size=1K", "--trawl:thunks-per-packet=2")]
    if name in PLAIN:
        ways.append((0, "plain"))
    for pes, *words in ways:
        result = run(pes, f"tests/lazy_{name}", *sizes, *words)
        expect(result.code == 0 and result.out == known + "\n", f"expected {known}", result)
        runs += 1
    for wrong in [], ["0"], sizes[:-1] + ["many"]:
        result = run(0, f"tests/lazy_{name}", *wrong)
        expect(result.code == 2 and result.out == "" and result.err.startswith("usage: "),
               "expected how it is used", result)
print(f"{runs} runs, all right")
