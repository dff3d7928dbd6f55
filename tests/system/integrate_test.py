#!/usr/bin/env -S python3 -B
"""integrate: closed forms, the same bits however it was computed, bad input."""
import math

from harness import FABRICS, expect, run

# Arguments, the closed form, and how far the sum of all strips may be from it.
KNOWN = [
    (["--to", "10", "--epsilon", "1e-7"], 2550, 1e-3),
    (["--function", "sine", "--from", "0", "--to", repr(math.pi), "--epsilon", "1e-10"], 2, 1e-6),
    (["--function", "sine", "--from", "0", "--to", repr(2 * math.pi), "--epsilon", "1e-10"], 0, 1e-6),
    (["--function", "chirp", "--from", "0", "--to", "20", "--epsilon", "1e-10"], math.sin(400), 1e-5),
    (["--function", "bell", "--from", "-6", "--to", "6", "--epsilon", "1e-12"], math.sqrt(math.pi), 1e-7),
    (["--function", "peak", "--from", "-1", "--to", "1", "--epsilon", "1e-9"],
     2000 * math.atan(1000), 1e-3),
    (["--function", "root", "--from", "-1", "--to", "4", "--epsilon", "1e-11"], 6, 1e-6),
    (["--function", "sine", "--from", "3", "--to", "3"], 0, 0),
]

runs = 0
for words, value, allowed in KNOWN:
    alone = run(0, "integrate", *words, "--check")
    expect(alone.code == 0, "expected exit code 0", alone)
    expect(abs(float(alone.out) - value) <= allowed, f"expected {value} to {allowed}", alone)
    expect(run(0, "integrate", *words, "--sequential").out == alone.out, "sequentially the same", alone)
    for pes in 1, 2, 3, 4, 8:
        for policy in "random", "targeted":
            result = run(pes, "integrate", *words, f"--trawl:policy={policy}",
                         "--trawl:workers=1" if pes % 2 else "--trawl:workers=2",
                         env=FABRICS["tcp" if pes == 3 else "shared memory"])
            expect(result.code == 0 and result.out == alone.out, f"expected {alone.out}", result)
            runs += 1

tiny = run(4, "integrate", *KNOWN[0][0], "--trawl:packet-size=64", "--trawl:thunks-per-packet=1",
           "--trawl:workers=2")
expect(tiny.code == 0 and abs(float(tiny.out) - 2550) < 1e-3, "expected 2550", tiny)

WRONG = [
    (["--function", "cubic2"], "cubic2"),
    (["--from", "2", "--to", "1"], "--from"),
    (["--from", "nan"], "--from"),
    (["--to", "inf"], "--to"),
    (["--to", "1e7"], "--to"),
    (["--epsilon", "0"], "--epsilon"),
    (["--epsilon", "nan"], "--epsilon"),
    (["--epsilon", "-1"], "--epsilon"),
    (["--epsilon", "x"], "--epsilon"),
    (["5"], "5"),
]
for pes in 0, 2:
    for words, named in WRONG:
        result = run(pes, "integrate", *words)
        expect(result.code == 2 and result.out == "" and result.err.count("\n") == 1
               and named in result.err, f"expected exit code 2 and a line that names {named}", result)
print(f"{runs} runs, all right; {2 * len(WRONG)} refused")
