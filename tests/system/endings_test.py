#!/usr/bin/env -S python3 -B
"""How programs end: with their own exit code, and with one clear message if something is wrong.

That they end soon shows by what they don't wait for: in `endings` MPI_Finalize never returns, and work
that is left would take hours. How soon, tests/bench/run measures.
"""
import re
import tempfile

from harness import FABRICS, expect, run


def ends(pes, how, *flags, env=None):
    return run(pes, "tests/endings", how, *flags, env=env)


def expect_once(text, result):
    expect(result.err.count(text) == 1, f"expected once: {text}", result)
    expect("BAD TERMINATION" not in result.err, "expected no words of mpiexec", result)


for fabric, env in FABRICS.items():
    for pes in 0, 1, 3:
        result = ends(pes, "code-7", env=env)
        expect(result.code == 7 and result.err == "", "expected exit code 7", result)
        result = ends(pes, "child-exits", env=env)
        expect(result.code == 11 and result.err == "", "expected exit code 11", result)

        for workers in 1, 2:
            result = ends(pes, "code-7-with-work-left", f"--trawl:workers={workers}", env=env)
            expect(result.code == 7, "expected exit code 7", result)
            if workers == 2:  # the other one is inside a function that lasts for hours
                expect_once("a worker is still inside a function", result)
            else:
                expect(result.err == "", "expected no message", result)

            # `run` returns: static objects are destroyed, and main goes on.
            for how, code in ("static-objects", 7), ("exit-5-with-static-objects", 5):
                with tempfile.NamedTemporaryFile("r") as file:
                    result = ends(pes, how, f"--trawl:workers={workers}", "--trawl:collect-every=1000",
                                  env={**env, "ENDINGS_FILE": file.name})
                    expect(result.code == code and result.err == "", f"expected exit code {code}", result)
                    expect(file.read() == "75025", "expected the static file to be written", result)
                    expect(result.out == "destroyed\n", "expected static objects to be destroyed", result)
        result = ends(pes, "goes-on", "--trawl:workers=2", env=env)
        expect(result.code == 9 and result.err == "", "expected main's exit code", result)
        expect(result.out == "75025\nrefused\nreturned 0\n", "expected main to go on", result)

        result = ends(pes, "waits-outside", env=env)
        expect(result.code == 7 and result.err == "", "expected no deadlock to be seen", result)

        result = ends(pes, "last-line", env=env)
        expect(result.code == 0 and result.err == "", "expected exit code 0", result)
        expect(result.out == "75025\n", "expected the whole output", result)

        result = ends(pes, "exit-5", env=env)
        expect(result.code == 5 and result.err == "", "expected exit code 5", result)

        for how in "exception", "exception-elsewhere":
            result = ends(pes, how, "--trawl:workers=2", env=env)
            expect(result.code == 1, "expected exit code 1", result)
            expect_once("std::out_of_range: beyond the end", result)

        result = ends(pes, "needs-itself", "--trawl:workers=1", env=env)
        expect(result.code not in (0, 2), "expected an exit code that tells of failure", result)
        expect_once("blocked for ever", result)
        expect("the program's root waits for" in result.err or "ouroboros waits for" in result.err,
               "expected who waits for whom", result)
        expect("ouroboros" in result.err, "expected the function's name", result)

        for how, where, flags in (
                ("overflow", "the program's root", ["--trawl:stack-size=256K"]),
                ("overflow-elsewhere", "bottomless", ["--trawl:workers=2"])):
            result = ends(pes, how, *flags, env=env)
            expect(result.code not in (0, 2), "expected an exit code that tells of failure", result)
            expect(re.search(rf"^trawl: PE \d on \S+: stack overflow in .*{where}.*: .*--trawl:stack-size",
                             result.err, re.M),
                   "expected a message that names PE, function and --trawl:stack-size", result)

    # A function that calls exit() somewhere else is a mistake, and not taken for the program's end.
    result = ends(3, "exit-5-elsewhere", "--trawl:workers=1", env=env)
    expect(result.code == 1, "expected exit code 1", result)
    expect_once("called exit()", result)
    # Nor is one on the main PE, by a worker who has taken a spark.
    result = ends(0, "exit-5-elsewhere", "--trawl:workers=2", env=env)
    expect(result.code == 1, "expected exit code 1", result)
    expect_once("a function called exit() on PE 0", result)
# What is recorded can be read, though static objects have gone.
with tempfile.TemporaryDirectory() as here:
    result = ends(0, "exit-5-after-a-spark", f"--trawl:record={here}/run.rec")
    expect(result.code == 5, "expected exit code 5", result)
    result = run(0, "trawl-replay", f"{here}/run.rec", "--info")
    expect(result.code == 0, "expected a recording", result)
    # Nobody begins a spark while it is recorded.
    result = ends(0, "needs-a-spark", "--trawl:workers=1")
    expect(result.code == 2 and result.err == "", "expected that a spark fulfils the guard", result)
    result = ends(0, "needs-a-spark", f"--trawl:record={here}/run.rec")
    expect(result.code == 1, "expected exit code 1", result)
    expect_once("--trawl:record evaluates nothing before it is forced", result)
    result = ends(0, "forces-outside", f"--trawl:record={here}/run.rec")
    expect(result.code == 6, "expected that force is refused outside of workers", result)
# Ends that nobody agreed to: one line says where and what, and the exit code is not 0.
for how, what in (("aborts", "abort() was called"), ("divides_by", "arithmetic error"),
                  ("ends_at_once", "_exit() was called"), ("quick_exits", "quick_exit() was called"),
                  ("segfaults", "segmentation fault"), ("terminates", "std::terminate was called")):
    for pes, workers in (0, 2), (1, 2), (3, 1), (3, 1):
        result = ends(pes, how, f"--trawl:workers={workers}")
        expect(result.code != 0, "expected an exit code that tells of failure", result)
        said = re.findall(r"^trawl: PE (\d) on anywhere: (.*)", result.err, re.MULTILINE)
        expect(len(said) == 1, "expected one line of one PE", result)
        pe, line = said[0]
        expect((pe == "0") == (pes < 2), "expected a line that names the PE", result)
        expect(line.startswith(what) and f"{how}(" in line, "expected what happened in which function", result)
result = ends(3, "segfaults-in-root")
expect(result.code != 0 and "PE 0 on anywhere: segmentation fault (SIGSEGV) in the program's root" in result.err,
       "expected one line of the main PE", result)

for workers in 1, 2:
    result = ends(1, "returns-while-another-waits", f"--trawl:workers={workers}")
    expect(result.code == 7, "expected exit code 7", result)
    expect_once("a worker is still inside a function", result)

# Simulated, the line names the PE whose turn it is.
with tempfile.NamedTemporaryFile("w", suffix=".json") as file:
    file.write('{"clusters": [{"name": "one", "pes": 3}]}')
    file.flush()
    for how, what in (("exit-5", "exit() was called in the program's root"),
                      ("exits-in-a-call", "exit() was called in the program's root"),
                      ("ends-at-once-in-root", "_exit() was called in the program's root"),
                      ("overflow", "stack overflow in the program's root: .*--trawl:stack-size"),
                      ("segfaults-in-root", "segmentation fault (SIGSEGV) in the program's root")):
        result = ends(0, how, "--trawl:simulate=" + file.name)
        what = what.replace("(", "[(]").replace(")", "[)]")
        expect(result.code not in (0, 2), "expected an exit code that tells of failure", result)
        expect(re.search(rf"^trawl: simulated PE 0: {what}", result.err, re.M) and result.err.count("\n") == 1,
               "expected one line that says what happened", result)
    result = ends(0, "last-line", "--trawl:simulate=" + file.name)
    expect(result.code == 0 and result.out == "75025\n", "expected a run that is meant to end", result)
    for how, code in ("code-7", 7), ("goes-on", 9):
        expect(ends(0, how, "--trawl:simulate=" + file.name).code == code, f"expected exit code {code}", result)
print("all right")
