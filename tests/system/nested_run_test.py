#!/usr/bin/env -S python3 -B
"""A program that calls trawl::run in a run is told so, and does not end as if nothing had been."""
import pathlib

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
grid = pathlib.Path(__file__).parents[2] / "profiles/grids/four-and-four.json"
for how in "root", "lazy", "thread", "twice":
    result = run(0, "tests/nested_run", how, f"--trawl:simulate={grid}")
    said = [line for line in result.err.splitlines() if not line.startswith("simulated: ")]
    expect(result.code == 1 and len(said) == 1 and said[0].startswith("trawl: trawl::run was called ")
           and said[0].endswith("; call it once, in main"), "expected one line that says so", result)
print("all told")
