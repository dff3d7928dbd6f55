#!/usr/bin/env -S python3 -B
"""galaxy: right, and the same bits however it was computed: PEs, ways to synchronise, balances, processors."""
import itertools
import os
import pathlib
import re
import tempfile

from harness import BIN, FABRICS, expect, mpiexec, run, run_words



def words_for(**more):
    """A small galaxy, but for what is given."""
    options = {"stars": 3000, "steps": 12, "batch": 5} | more
    return ["galaxy", *(str(word) for name, value in options.items() for word in (f"--{name}", value))]


SMALL = words_for()
GRIDS = pathlib.Path(__file__).resolve().parents[2] / "profiles/grids"

alone = run(0, *SMALL, "--check")
expect(alone.code == 0, "expected exit code 0", alone)
expect(run(0, *SMALL, "--sequential").out == alone.out, "sequentially the same", alone)
for pes, (sync, balance) in zip(itertools.cycle((1, 2, 3, 8)),
                                itertools.product(("ring", "naive"), ("even", "prefix", "prefix-time", "time"))):
    result = run(pes, *SMALL, "--sync", sync, "--balance", balance, "--report",
                 "--trawl:workers=" + ("1" if pes % 2 else "2"), env=FABRICS["tcp" if pes == 3 else "shared memory"])
    expect(result.code == 0 and result.out == alone.out, f"expected {alone.out}", result)
    expect(len(re.findall(r"^batch \d", result.err, re.M)) == 3, "expected a line a batch", result)

# A processor without the widest vectors, beside one that has them.
words = [os.path.join(BIN, SMALL[0]), *SMALL[1:]]
for less in "-AVX512F", "-AVX512F,-AVX2":
    result = run_words(*mpiexec(1), *words, ":", "-n", 1, "env", f"GLIBC_TUNABLES=glibc.cpu.hwcaps={less}", *words)
    expect(result.code == 0 and result.out == alone.out, f"expected {alone.out}", result)

# Sizes at which there are fewer stars than shards, leaves, lanes; every pair; never sorted; other galaxies.
for more in ({"stars": 1}, {"stars": 2}, {"stars": 17}, {"stars": 70}, {"stars": 800, "theta": 0},
             {"stars": 800, "batch": 0}, {"stars": 800, "batch": 1}, {"steps": 0}, {"seed": 7, "theta": 0.7}):
    result = run(2, *words_for(**more), "--check")
    expect(result.code == 0, "expected exit code 0", result)


def angular(result):
    return float(re.search(r"angular momentum ([0-9.e+]+)", result.out)[1])


# Every pair pulls alike both ways: nothing turns the whole. With cells hardly anything.
for theta, limit in ("0", 1e-5), ("0.5", 1e-3):
    first, last = (run(0, "galaxy", "--stars", "1000", "--theta", theta, "--steps", steps) for steps in ("0", "200"))
    expect(abs(angular(last) / angular(first) - 1) < limit, f"angular momentum was {angular(first)}", last)

# Simulated on nodes of which nobody has said that they are unequal, with declared work: the same stars; even is
# even, and by time linux, 0.63 as fast, has that share of what GHC has from the second batch on.
for balance, least, most in ("even", 0.9, 1.1), ("time", 0.5, 0.8):
    result = run(0, *SMALL, "--balance", balance, "--report", "--declared",
                 f"--trawl:simulate={GRIDS}/cmu-mixed-4.json", "--trawl:seed=1")
    expect(result.code == 0 and result.out == alone.out, f"expected {alone.out}", result)
    for batch in re.findall(r"^batch [23].*?:.*?:(.*)", result.err, re.M):
        ghc, other_ghc, linux, other_linux = (int(x) for x in re.findall(r"(\d+) \(", batch))
        expect(ghc + other_ghc + linux + other_linux == 3000, "expected all stars", result)
        expect(least < (linux + other_linux) / (ghc + other_ghc) < most, "expected other shares", result)

with tempfile.TemporaryDirectory() as folder:
    result = run(2, *SMALL, "--frames", folder, "--frame-every", "4")
    expect(result.code == 0 and sorted(os.listdir(folder)) == [f"frame_{i:05}.png" for i in range(4)],
           "expected four pictures", result)
    for wrong in ({"theta": 0.8}, {"sync": "star"}, {"balance": "fair"}, {"stars": 0},
                  {"frames": os.path.join(folder, "frame_00000.png")}):
        result = run(0, *words_for(**wrong))
        expect(result.code == 2 and result.err.count("\n") == 1, "expected one line and exit code 2", result)
print("galaxy: the same everywhere")
