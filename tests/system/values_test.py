#!/usr/bin/env -S python3 -B
"""Known values, on 1 to 8 PEs, both fabrics, 1 and 2 workers, both policies."""
import math

from harness import FABRICS, expect, run

KNOWN = {
    ("sum_euler", "1000", "--chunk", "20"):
        sum(math.gcd(n, k) == 1 for n in range(1, 1001) for k in range(1, n + 1)),
    ("queens", "8"): 92,
    ("queens", "10", "--cutoff", "3"): 724,
    ("fib", "25"): 75025,
    ("fib", "30", "--cutoff", "20"): 832040,
}

for words, value in KNOWN.items():
    alone = run(0, *words, "--check")
    expect(alone.code == 0 and alone.out == f"{value}\n", f"expected {value}", alone)
    sequential = run(0, *words, "--sequential")
    expect(sequential.out == f"{value}\n", f"expected {value}", sequential)

runs = 0
for i, pes in enumerate((1, 2, 3, 4, 8)):
    for j, (fabric, env) in enumerate(FABRICS.items()):
        for workers in 1, 2:
            policy = ("random", "targeted")[(i + j + workers) % 2]
            for words, value in KNOWN.items():
                result = run(pes, *words, f"--trawl:workers={workers}", f"--trawl:policy={policy}",
                             env=env)
                expect(result.code == 0 and result.out == f"{value}\n", f"expected {value}", result)
                runs += 1
print(f"{runs} runs, all right")
