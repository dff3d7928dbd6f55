#!/usr/bin/env -S python3 -B
"""A PE near the memory that it may have takes no work; none has more, nor what nobody needs; the answer is the same."""
import json
import os

from harness import BIN, MPIEXEC, expect, run_words

PROGRAM = os.path.join(BIN, "sum_euler")
FLAGS = ["6000", "--trawl:stats=json", "--trawl:workers=1", "--trawl:heap=1M"]


def imported_with(*flags):
    """By PE 1, of what it may: a program and its collector take more than a megabyte."""
    result = run_words(MPIEXEC, "-n", "1", PROGRAM, *FLAGS, ":", "-n", "1", PROGRAM, *FLAGS, *flags)
    expect(result.code == 0 and result.out == "10943164\n", "expected the answer", result)
    statistics = json.loads(result.err[result.err.index("{"):])
    return statistics["by_pe"][1]["sparks_imported"], result


imported, result = imported_with("--trawl:heap-max=1M")
expect(imported == 0, "expected PE 1 to take no work", result)
imported, result = imported_with()
expect(imported > 0, "expected PE 1 to take some", result)

# More than the heap may have: a thunk's value is std::bad_alloc, and the line says why.
LISTS = [os.path.join(BIN, "lin_solv"), "--random", "400", "--trawl:workers=1"]
result = run_words(*LISTS, "--trawl:heap=1M", "--trawl:heap-max=2M")
expect(result.code == 1 and result.err.endswith(
    "std::bad_alloc (--trawl:heap-max allows each PE 2097152 bytes)\n"), "expected the bound", result)

# Wherever that is noticed: spare workers begin, exceptions are kept as values.
CROWD = [os.path.join(BIN, "guide", "flooded"), "--trawl:workers=2"]
for megabytes in 50, 60, 70, 80, 90:
    for _ in range(4):
        result = run_words(*CROWD, f"--trawl:heap-max={megabytes}M")
        expect(result.code in (0, 1), "expected the answer, or that memory is said to be at its end", result)
        expect(result.code == 0 or "memory left" in result.err or "std::bad_alloc (--trawl:heap-max" in result.err,
               "expected the reason", result)

# libgc has to know each thread, and ends the process where it has no memory for that.
THREADS = [os.path.join(BIN, "tests", "threads_when_full"), "64", "--trawl:workers=1"]
result = run_words(*THREADS, "--trawl:heap-max=60M")
expect(result.code == 0 and result.out == "64\n", "expected threads to begin though the heap is full", result)

# Bodies that one PE has no room for, eight have.
BODIES = [os.path.join(BIN, "barnes_hut"), "plummer", "--bodies", "200000", "--steps", "1", "--trawl:workers=1",
          "--trawl:heap-max=40M"]
result = run_words(*BODIES)
expect(result.code == 1 and "PE 0 is out of memory: more PEs, or a larger --trawl:heap-max" in result.err,
       "expected who has too little", result)
result = run_words(MPIEXEC, "-n", "8", *BODIES)
expect(result.code == 0, "expected that an eighth of the bodies has room", result)

# What others have forgotten is let go of, though nothing of their own would make them collect: 1.6 GB, 8 MB at a time.
KEPT = [os.path.join(BIN, "tests", "kept_elsewhere"), "200", "--trawl:workers=1"]
# What is garbage here is known to be so when others have collected.
STENCIL = os.path.join(BIN, "tests", "lazy_stencil")
for _ in range(3):
    result = run_words(MPIEXEC, "-n", "2", STENCIL, "1000", "200", "--trawl:workers=1", "--trawl:heap-max=32M")
    expect(result.code == 0 and result.out == "2425.647038\n", "expected that others are waited for", result)
# Nor does who hears of that need to wait: messages may bring an eighth more than there is room for.
BROUGHT = [os.path.join(BIN, "tests", "brought_when_full"), "3000000", "--trawl:workers=1", "--trawl:heap-max=32M"]
result = run_words(MPIEXEC, "-n", "2", *BROUGHT)
expect(result.code == 0 and result.out == "3000000\n", "expected room for what a message brings", result)
result = run_words(MPIEXEC, "-n", "2", *KEPT, "--trawl:heap-max=400M")
expect(result.code == 0 and result.out == "200\n", "expected room for what is needed", result)

# What a program has gone through dies: its sparks, where nobody took them, lists that were moved into calls, and data of
# skeletons in values, of which there are copies on other PEs. Where one may die, so does what the steps of a loop were made
# from: values of the last steps are fetched.
LETS_GO = os.path.join(BIN, "tests", "lets_go")
for what, count, megabytes, answer in [
        ("sparked", 60, 300, 60 * 3000 * 2999 // 2), ("maps", 600, 200, 600 * 300 * 299 // 2), ("given_up", 40, 200, 40),
        ("moved", 1_000_000, 40, 2_000_000_000), ("temporary", 1_000_000, 40, 2_000_000_000),
        ("buffered", 1_000_000, 40, 1_000_000_000), ("destroyed", 10_000, 100, 10_000 * 12_500),
        ("thrown", 10_000, 100, 10_000)]:
    result = run_words(LETS_GO, what, str(count), "--trawl:workers=1", f"--trawl:heap-max={megabytes}M")
    expect(result.code == 0 and result.out == f"{answer}\n", f"expected {answer} in {megabytes} MB", result)
# Nor does anything of another worker's keep a list.
for what, answer in [("moved", 2_000_000_000), ("temporary", 2_000_000_000), ("buffered", 1_000_000_000)] * 2:
    result = run_words(LETS_GO, what, "1000000", "--trawl:workers=2", "--trawl:heap-max=48M")
    expect(result.code == 0 and result.out == f"{answer}\n", f"expected {answer} in 48 MB", result)
# Nor the PE that has sent it away, unless it begins with it, too.
result = run_words(MPIEXEC, "-n", "2", LETS_GO, "sent", "3000000", "--trawl:workers=1", "--trawl:heap-max=40M",
                   "--trawl:backup=off")
expect(result.code == 0 and result.out == "3000000000\n", "expected 3000000000 in 40 MB", result)
for pes, what, count, megabytes, answer in [
        (3, "held", 60, 150, 60 * 200_000), (3, "nested", 40, 150, 40 * 3 * 60_000), (2, "blocks", 600, 150, 600 * 28),
        (2, "elements", 300, 60, 200 * 199 // 2 + 200 * 300)]:
    result = run_words(os.path.join(BIN, "trawl-run"), "-n", str(pes), LETS_GO, what, str(count), "--trawl:workers=1",
                       f"--trawl:heap-max={megabytes}M")
    expect(result.code == 0 and result.out == f"{answer}\n", f"expected {answer} in {megabytes} MB a PE", result)
