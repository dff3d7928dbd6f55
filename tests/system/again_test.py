#!/usr/bin/env -S python3 -B
"""A run that lost what can't be made again, or its main PE, is begun again by trawl-run, and prints nothing twice."""
import os
import subprocess
import tempfile

from harness import HANG, Result, expect, program

TRAWL_RUN = program("trawl-run")
SAID = "trawl-run: the run is begun again, on 3 PEs\n"
LOST = 75  # the exit code


def run(how, *options, given="7", by_pipe=False):
    """What comes of the program on 3 PEs, whose distributed data have no copies. `given`: its input, a file's."""
    words = [TRAWL_RUN, "-n", "3", *options, program("tests/begun_again")]
    with tempfile.TemporaryDirectory() as folder:
        words += [os.path.join(folder, "was_here"), how, "--trawl:copies=0"]
        with open(os.path.join(folder, "input"), "w+", encoding="ascii") as file:
            file.write(f"none of it {given}\n")
            file.flush()
            os.lseek(file.fileno(), len("none of it "), os.SEEK_SET)
            source = {"input": file.read()} if by_pipe else {"stdin": file}
            if not by_pipe:
                os.lseek(file.fileno(), len("none of it "), os.SEEK_SET)
            done = subprocess.run(words, capture_output=True, text=True, timeout=HANG, check=False, **source)
    return Result(" ".join(words), done.returncode, done.stdout, done.stderr, 0)


def is_begun_again():
    for how, *options in ("data",), ("main", "--again", "1"):
        result = run(how, *options)
        expect(result.code == 0 and result.out == "given 7\n328350\n", f"expected the answer, once ({how})", result)
        expect(result.err.count(SAID) == 1, "expected one line that says so", result)


def is_not():
    result = run("main")
    expect(result.code == 128 + 9 and SAID not in result.err, "expected that its main PE ends it", result)
    result = run("data", by_pipe=True)
    expect(result.code == LOST and SAID not in result.err, "expected that a pipe is not read twice", result)
    expect("can't be made again" in result.err, "expected that it says why", result)


def is_not_for_ever():
    result = run("always")
    expect(result.code == LOST and result.out == "given 7\n", "expected that it ends at last", result)
    expect(result.err.count(SAID) == 9, "expected ten starts", result)


def prints_the_same():
    """Or the output is no answer."""
    for how, out in ("otherwise", "given 7\nstart 1\n"), ("more", "given 7\nthis once\n"):
        result = run(how)
        expect(result.code == LOST and result.out == out, f"expected that the difference is found ({how})", result)
        expect("prints something else than before" in result.err, "expected that it says so", result)


is_begun_again()
is_not()
is_not_for_ever()
prints_the_same()
