#!/usr/bin/env -S python3 -B
"""--trawl:record and trawl-replay: programs are recorded, and their graphs evaluated on 1, 2 and 4 PEs."""
import os
import re
import sys
import tempfile

from harness import expect, run


def refused(pes, named, program, *args, env=None):
    result = run(pes, program, *args, env=env)
    expect(result.code == 2, "expected exit code 2", result)
    expect(result.out == "" and result.err.count("\n") == 1, "expected one line, an error", result)
    expect(named in result.err, f"expected a line that says {named}", result)


def info(*args):
    result = run(0, "trawl-replay", *args, "--info")
    expect(result.code == 0, "expected exit code 0", result)
    rows = (line.rsplit(None, 2) if line.endswith(" s") else line.rsplit(None, 1)
            for line in result.out.splitlines())
    return {row[0].strip(): row[1] for row in rows}


def replayed(*args):
    """On any number of PEs the same."""
    sums = set()
    for pes in 0, 1, 2, 4:
        result = run(pes, "trawl-replay", *args)
        expect(result.code == 0 and "elapsed" in result.err, "expected exit code 0", result)
        sums.add(result.out)
    expect(len(sums) == 1, f"expected one checksum, not {sums}", result)


def bounded(*args, grid="satin-scenario-10", flags=()):
    """What is attainable on a grid, and of that less than all is reached."""
    file = os.path.join(os.path.dirname(os.path.abspath(__file__)), f"../../profiles/grids/{grid}.json")
    only = run(0, "trawl-replay", *args, "--bound", file, "--info")
    whole = run(0, "trawl-replay", *args, "--bound", file, "--trawl:simulate=" + file, *flags)
    expect(only.code == whole.code == 0, "expected exit code 0", whole)
    rows = dict(re.findall(r"^(\w[a-z ]*?)  +([0-9.]+) s\b", whole.out, re.M))
    parts = [float(rows[part]) for part in ("all work", "path", "between", "arguments", "results")]
    expect(float(rows["attainable"]) == max(parts) > 0, "expected the largest", whole)
    expect(whole.out.endswith(only.out[only.out.index("all work"):]), f"expected the same as {only}", whole)
    share = float(re.search(r"share of attainable: ([0-9.]+) %", whole.err)[1])
    took = float(re.search(r"simulated: ([0-9.]+) s", whole.err)[1])
    expect(0 < share <= 100, "expected a share", whole)
    expect(abs(share - 100 * max(parts) / took) < 0.1 + share / 20, "expected the share of the speed", whole)


PAGE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../lang/README.md")

with tempfile.TemporaryDirectory() as folder:
    recording = os.path.join(folder, "recording")
    flag = "--trawl:record=" + recording
    for words, tasks, work in [(["queens", 9], 100, 0.0005), (["sum_euler", 3000, "--chunk", 50], 60, 0.01),
                               (["fib", 23, "--cutoff", 12], 20, 0.0001), (["fib", 18], 4, 0.00001),
                               (["barnes_hut", "plummer", "--bodies", 3000, "--steps", 5], 30, 0.001),
                               (["lin_solv", "--random", 40], 2, 0.0005),
                               (["heat", "--rows", 200, "--columns", 200, "--steps", 20], 1000, 0.001),
                               (["word_count", PAGE, PAGE], 2, 0.0001)]:
        plain = run(0, *words)
        result = run(0, *words, flag)
        expect(result.code == plain.code == 0 and result.out == plain.out, "expected the same result", result)
        there = info(recording)
        expect(int(there["tasks"]) >= tasks, f"{words}: expected tasks, not {there}", result)
        expect(work <= float(there["work"]) <= 10, f"{words}: expected work, not {there}", result)
        expect(float(there["critical path"]) <= float(there["work"]), f"{words}: {there}", result)
        expect(there["unknown ways"] == "0", f"{words}: {there}", result)
        replayed(recording)
        replayed(recording, "--cut-off", "30us", "--chunk", 3)
        fewer = info(recording, "--cut-off", "100us")
        expect(int(fewer["tasks"]) <= int(there["tasks"]) and fewer["work"] == there["work"] and
               fewer["never needed"] == there["never needed"], f"{words}: expected the same work, {there}, {fewer}", result)
    replayed(recording, "--scale-work", 0.1, "--scale-bytes", 2)
    refused(0, "--scale-bytes is for a recording", "trawl-replay", "--flat", "10,1us", "--scale-bytes", 2)
    rows = info("--flat", "100,1000s", "--scale-work", "1e6")
    expect(float(rows["work"]) == 1e11 and float(rows["parallelism"]) == 100, f"expected 100 times 10^9 s: {rows}", "")
    bounded(recording, "--scale-work", 100, "--scale-bytes", 20)
    bounded(recording, "--scale-work", 100, grid="four-and-four")

    thrown = run(0, "tests/endings", "exception", flag)
    expect(thrown.code == 1 and "the program ended with an exception" in thrown.err, "expected an exception", thrown)
    for flags in ([], ["--trawl:simulate=" + os.path.join(os.path.dirname(PAGE), "../profiles/grids/four-and-four.json")]):
        cut = run(0, "trawl-replay", recording, *flags)
        expect(cut.code == 0 and cut.err.count("it is cut short") == 1, "expected what is before that", cut)
    refused(2, "for one PE with one worker", "fib", 20, flag)
    refused(0, "for one PE with one worker", "fib", 20, flag, "--trawl:workers=2")
    refused(0, "/proc/no/such/place", "fib", 20, "--trawl:record=/proc/no/such/place")
    full = run(0, "fib", 20, "--trawl:record=/dev/full")
    expect(full.code == 1 and "ends early" in full.err, "expected to hear of a full disk", full)
    with open(recording, "r+b") as file:
        file.seek(40)
        file.write(b"\xff\xff")
    for pes in 0, 2:
        refused(pes, f"{recording}: byte ", "trawl-replay", recording)
        refused(pes, "cannot read", "trawl-replay", "/no/such/file")
        refused(pes, "give it one graph", "trawl-replay")
        refused(pes, "give it one graph", "trawl-replay", recording, "--flat", "10,1us")
        refused(pes, "/no/such/grid", "trawl-replay", recording, "--bound", "/no/such/grid")
        refused(pes, "--cut-off needs", "trawl-replay", recording, "--cut-off", "x")
        refused(pes, "are for a recording", "trawl-replay", "--flat", "10,1us", "--chunk", 2)
        refused(pes, "--flat needs", "trawl-replay", "--flat", "10,x")

for words in (["--flat", "300,20us"], ["--divide", "8,2,10us", "--spread", 0.5],
              ["--uts", "5,4,1us", "--seed", 3], ["--uts-binomial", "50,8,0.1,5us"]):
    replayed(*words)
    bounded(*words)
bounded("--flat", "3000,200us", grid="satin-scenario-11", flags=["--trawl:workers=1"])
divide = info("--divide", "8,2,10us")
if divide["tasks"] != "510" or float(divide["work"]) != 0.00256:
    sys.exit(f"FAILED: expected 256 leaves, not {divide}")
