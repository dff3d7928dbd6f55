#!/usr/bin/env -S python3 -B
"""profiles/grids/sweep: a line for each combination, the same again; runs that fail are said and left out."""
import csv
import io
import os
import signal
import time

from harness import BIN, MPIEXEC, expect, finish, processes_like, run_words, start

GRIDS = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../profiles/grids")
TREE = [os.path.join(BIN, "trawl-replay"), "--divide", "9,2,1ms"]
GRID = f"--trawl:simulate={GRIDS}/your-grid/two-sites.json"


def sweep(*words, code=0):
    result = run_words(os.path.join(GRIDS, "sweep"), *words)
    expect(result.code == code, f"expected exit code {code}", result)
    return result, list(csv.DictReader(io.StringIO(result.out)))


varied = ["--trawl:policy=trawl", "--trawl:policy=rs", "--trawl:seed=1", "--trawl:seed=2", "--trawl:seed=3"]
first, rows = sweep(*TREE, GRID, *varied)
combinations = [(row["policy"], row["seed"]) for row in rows]
expect(combinations == [(policy, seed) for policy in ("trawl", "rs") for seed in "123"],
       "expected every combination, in order", first)
expect(all(float(row["seconds"]) * 0.69 >= 0.512 and int(row["fish"]) > 0 for row in rows),
       "expected no run to be faster than all PEs together", first)
expect(sum(float(row["seconds"]) for row in rows[:3]) < sum(float(row["seconds"]) for row in rows[3:]),
       "expected rs to be slower over 100 ms", first)
again, _ = sweep("-j", 1, *TREE, GRID, *varied)
expect(again.out == first.out, "expected the same again", again)

result, rows = sweep(*TREE, GRID, "--trawl:policy=none-such", "--trawl:policy=crs", code=1)
expect([row["policy"] for row in rows] == ["crs"], "expected the run that succeeded", result)
expect("none-such not in" in result.err and "1 of 2 runs failed" in result.err, "expected to hear why", result)

result, rows = sweep(MPIEXEC, "-n", 2, os.path.join(BIN, "queens"), 10, "--cutoff=3", "--cutoff=20")
expect([row["cutoff"] for row in rows] == ["3", "20"] and all(float(row["seconds"]) > 0 for row in rows),
       "expected a program's own option to be varied", result)

# Who is told to stop takes what it has started with it.
endless = start([os.path.join(GRIDS, "sweep"), os.path.join(BIN, "fib"), 77, "--trawl:workers=1", "--trawl:workers=2"])
begun = time.monotonic()
while not processes_like("fib 77 --trawl:workers=1$"): time.sleep(0.01)
endless.send_signal(signal.SIGTERM)
result = finish(endless, begun)
expect(result.code == 128 + signal.SIGTERM and "Traceback" not in result.err, "expected one line", result)
expect(not processes_like("fib 77 --trawl:workers"), "expected nothing to be left", result)

sweep(code=2)
sweep("true", code=1)
result, _ = sweep(os.path.join(BIN, "no-such-program"), code=1)
expect("can't run it" in result.err and "Traceback" not in result.err, "expected one line", result)
print("all right")
