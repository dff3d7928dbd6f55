#!/usr/bin/env -S python3 -B
"""Rehearsed grids: the same answers, links that take their time, slow PEs, and what is wrong with a grid file."""
import json
import os
import re
import tempfile

from harness import BIN, FABRICS, MPIEXEC, expect, run, run_words

TWO = {"clusters": [{"name": "near", "pes": 1, "speed": 0.5}, {"name": "far", "pes": 1, "speed": 0.25}],
       "between": {"latency": "50 ms", "bandwidth": "1 MB/s"}}

with tempfile.TemporaryDirectory() as where:
    def grid(name, content):
        path = os.path.join(where, name)
        with open(path, "w") as file:
            file.write(content if isinstance(content, str) else json.dumps(content))
        return "--trawl:grid=" + path

    two = grid("two.json", TWO)
    for name, env in FABRICS.items():
        for program, *args, answer in (["queens", 11, 2680], ["fib", 27, 196418]):
            result = run(2, program, *map(str, args), two, env=env)
            expect(result.code == 0 and result.out.strip() == str(answer), f"expected {answer} over {name}", result)
            # HELLO, the PINGs and WELCOME: six trips
            expect(result.seconds > 0.3, "expected the link to take its time", result)

    result = run(2, "sum_euler", "2000", two, "--trawl:stats=json")
    expect(result.code == 0, "expected exit code 0", result)

    # For a second no sign of life comes.
    rise = grid("rise.json", {"clusters": [{"name": "a", "pes": 1, "speed": 0.3}, {"name": "b", "pes": 1, "speed": 0.3}],
                              "between": {"latency": "20 ms", "changes": [{"at": "1 s", "latency": "1 s"}]}})
    result = run(2, "tests/endings", "one-second", rise, "--trawl:silence=0.4")
    expect(result.code == 0 and result.out == "begun\ndone\n", "expected nobody to be lost", result)

    # The thread runs on a spare worker, beside the only one.
    for speed in 0.5, 0.2:
        slow = grid("slow.json", {"clusters": [{"name": "slow", "pes": 2, "speed": speed}]})
        result = run(2, "tests/woken", "compute", slow)
        expect(result.code == 0 and result.out.endswith("42 meanwhile\n"), "expected the root to go on meanwhile", result)
        expect(0 < float(result.out.split()[0]) < 0.7 * speed, f"expected about half of {speed} of a core", result)

    one = grid("one.json", {"clusters": [{"name": "alone", "pes": 1, "speed": 0.5}]})
    for pes in 0, 1:
        result = run(pes, "queens", "11", one)
        expect(result.code == 0 and result.out.strip() == "2680", "expected one PE to rehearse alone", result)

    result = run(3, "fib", "10", two)
    expect(result.code == 2 and "describes 2 PEs, and there are 3: start so many by -n 2" in result.err,
           "expected the number to be refused", result)
    result = run(0, "fib", "10", two)
    expect(result.code == 2 and "describes 2 PEs, and there are 1" in result.err, "expected one PE to be refused", result)
    result = run(2, "fib", "10", grid("bad.json", "{\n"))
    expect(result.code == 2 and "bad.json: line 2, column 1: this is not JSON: unexpected end of input" in result.err, "expected the line", result)
    result = run(2, "fib", "10", "--trawl:grid=" + os.path.join(where, "none.json"))
    expect(result.code == 2 and "cannot read the grid file" in result.err, "expected the file to be missed", result)
    TWO["clusters"][0]["speed"] = 2
    result = run(2, "fib", "10", grid("fast.json", TWO))
    expect(result.code == 2 and "faster than this machine" in result.err, "expected the speed to be refused", result)
    TWO["clusters"][0]["speed"] = 0.5
    for share, code in (2, 0), (2.1, 2):
        result = run(2, "fib", "10", grid("faster.json", TWO | {"speed_changes": [{"pe": 0, "at": "3600 s", "speed": share}]}))
        expect(result.code == code and ("faster than this machine" in result.err) == (code == 2),
               "expected what is more than a core later to be refused, and no less", result)

    result = run(2, "fib", "10", grid("deaths.json", TWO | {"deaths": [{"pe": 1, "at": "1 s"}]}))
    expect(result.code == 2 and "deaths, which can only be simulated" in result.err, "expected a refusal", result)

    # Who has the file sends other messages than who has none, or another.
    def unlike(*flags):
        words = [word for flag in flags for word in (":", "-n", 1, os.path.join(BIN, "fib"), "10", *flag)]
        return run_words(MPIEXEC, *words[1:])
    other = grid("other.json", {"clusters": [{"name": "one", "pes": 2}]})
    for flags in ([two], []), ([], [two]), ([two], [other]), ([other], [two]):
        result = unlike(*flags)
        expect(result.code == 2 and result.err.count("\n") == 1 and re.match(
            r"trawl: PE [01] has another grid file than PE [01], or none: give all PEs the same by --trawl:grid$",
            result.err), "expected one line that says so", result)
    for flags, what in (([two], [two, "--trawl:workers=many"]), "is no number"), (
            ([two, "--trawl:workers=many"], [two]), "is no number"), (
            ([two], ["--trawl:grid=" + os.path.join(where, "none.json")]), "cannot read the grid file"):
        result = unlike(*flags)
        expect(result.code == 2 and what in result.err, "expected the one that is wrong to say so", result)
print("all right")
