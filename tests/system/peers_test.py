#!/usr/bin/env -S python3 -B
"""The programs of tests/bench/skeletons, small: by skeletons and by hand they give the same answer."""
from harness import expect, run

DISTRIBUTED = {"all_to_all": (3, 7, 130), "all_gather": (3, 70, 30000), "sample_sort": (3, 70, 30000),
               "stencil": (8, 130)}
LOOPS = {"for_each": (1, 30000), "reduce": (1, 30000), "sort": (1, 30000), "sort_records": (1, 30000)}


def answer(pes, name, size, *flags):
    result = run(pes, f"tests/peer_{name}", str(size), "2", *flags)
    expect(result.code == 0 and len(result.out.split()) == 2, "expected an answer and seconds", result)
    return result.out.split()[0]


runs = 0
for name, sizes in DISTRIBUTED.items():
    for size in sizes:
        answers = {(kind, pes): answer(pes, f"{kind}_{name}", size) for kind in ("mpi", "dist") for pes in (1, 2, 3)}
        if len(set(answers.values())) != 1:
            raise SystemExit(f"FAILED: {name} {size}: {answers}")
        runs += len(answers)
for name, sizes in LOOPS.items():
    for size in sizes:
        answers = [answer(0, f"tbb_{name}", size)]
        answers += [answer(0, f"here_{name}", size, f"--trawl:workers={workers}") for workers in (1, 2, 3)]
        if len(set(answers)) != 1:
            raise SystemExit(f"FAILED: {name} {size}: {answers}")
        runs += len(answers)
print(f"{runs} runs, all as their peers")
