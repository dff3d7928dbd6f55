#!/usr/bin/env -S python3 -B
"""200 short runs, one after the other: no hang, no wrong answer."""
from harness import FABRICS, HANG, expect, run

PROGRAMS = [("sum_euler", "500", "--chunk", "10"), ("queens", "9"), ("fib", "22")]
VALUES = ["76116\n", "352\n", "17711\n"]
RUNS = 200

for i in range(RUNS):
    fabric = list(FABRICS)[i % 2]
    pes = 2 + i // 2 % 3
    program = i // 6 % 3
    workers = 1 + i // 18 % 2
    result = run(pes, *PROGRAMS[program], f"--trawl:workers={workers}", env=FABRICS[fabric])
    expect(result.code == 0 and result.out == VALUES[program], f"run {i}: expected {VALUES[program]}",
           result)
print(f"{RUNS} runs, all right, none took {HANG} s")
