#!/usr/bin/env -S python3 -B
"""A thread goes on when its value has come, whatever the only worker of its PE is inside of."""
from harness import FABRICS, expect, run

for fabric, env in FABRICS.items():
    for _ in range(5):
        result = run(2, "tests/woken", "--trawl:workers=1", env=env)
        expect(result.code == 0 and result.out == "42 meanwhile\n",
               f"expected the root to go on meanwhile, over {fabric}", result)
print("all right")
