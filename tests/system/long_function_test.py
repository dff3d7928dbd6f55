#!/usr/bin/env -S python3 -B
"""FISH and FETCH are answered while all workers are inside long functions that never call the runtime.

The functions come back only when all is answered: a PE that doesn't answer hangs. How long an answer
takes is measured by tests/bench/answer.
"""
import json

from harness import FABRICS, expect, run

COUNT = 100

for env in FABRICS.values():
    for pes in 2, 4:
        for workers in 1, 2:
            flags = [f"--trawl:workers={workers}", "--trawl:stats=json"]
            result = run(pes, "tests/long_function", "fish", workers, *flags, env=env)
            expect(result.code == 0, "expected exit code 0", result)
            main = json.loads(result.err)["by_pe"][0]
            expect(main["sparks_exported"] >= COUNT, "expected all sparks to be fished", result)
            expect(main["fish_answered"] >= COUNT / 8, "expected a FISH for 8 sparks", result)

            # Nothing travels along with what refers to it: each needs a FETCH of its own.
            flags += ["--trawl:thunks-per-packet=0"]
            result = run(pes, "tests/long_function", "fetch", workers, *flags, env=env)
            expect(result.code == 0, "expected exit code 0", result)
            main = json.loads(result.err)["by_pe"][0]
            expect(main["resume_sent"] >= COUNT, "expected a FETCH for each thunk", result)
            print(f"{pes} PEs, {workers} workers, {env or 'shared memory'}: all answered")
