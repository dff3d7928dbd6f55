#!/usr/bin/env -S python3 -B
"""A program that calls trawl::run in a run is told so, and does not end as if nothing had been."""
from harness import expect, run

for pes in 0, 1, 3:
    for how in ["root", "lazy", "thread"] + (["elsewhere"] if pes == 3 else []):
        result = run(pes, "tests/nested_run", how)
        expect(result.code != 0 and result.out == "", "expected an exit code that tells of failure", result)
        expect(result.err.count("trawl: trawl::run was called on PE ") == 1
               and result.err.count("\n") == 1, "expected one line that says so", result)
    result = run(pes, "tests/nested_run", "twice")
    expect(result.code == 1 and result.out == ""
           and result.err == "trawl: trawl::run was called a second time; call it once, in main\n",
           "expected one line that says so", result)
print("all told")
