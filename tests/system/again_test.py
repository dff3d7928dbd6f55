#!/usr/bin/env -S python3 -B
"""A run that lost what can't be made again, or its main PE, is begun again by trawl-run, and prints nothing twice."""
import os
import subprocess
import tempfile

from harness import HANG, Result, expect, program

TRAWL_RUN = program("trawl-run")
SAID = "trawl-run: the run is begun again, on 3 PEs\n"
LOST = 75  # the exit code


def run(how, *options, given="7", by_pipe=False, pes=("-n", "3")):
    """What comes of the program on 3 PEs, whose distributed data have no copies. `given`: its input, a file's."""
    words = [TRAWL_RUN, *pes, *options, program("tests/begun_again")]
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


def leaves_out_who_is_lost_elsewhere():
    with tempfile.TemporaryDirectory() as folder:
        hosts, shell = os.path.join(folder, "hosts"), os.path.join(folder, "shell")
        with open(hosts, "w", encoding="ascii") as file:
            file.write("one 2\nother 2\n")
        with open(shell, "w", encoding="ascii") as file:
            file.write('#!/bin/sh\nshift\nexec sh -c "$*"\n')
        os.chmod(shell, 0o755)
        result = run("data", "--hosts", hosts, "--ssh", shell, pes=())
    expect(result.code == 0 and result.out == "given 7\n328350\n", "expected the answer", result)
    expect("the run is begun again, on 4 PEs" in result.err, "expected that three of the four others are left", result)


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
    result = run("main always", "--again", "1")
    expect(result.code == 128 + 9 and result.err.count(SAID) == 1, "expected two starts", result)
    expect("not begun again: --again allowed 1" in result.err, "expected that it says why", result)


def prints_the_same():
    """Or the output is no answer."""
    for how, out in ("otherwise", "given 7\nstart 1\n"), ("more", "given 7\nthis once\n"):
        result = run(how)
        expect(result.code == LOST and result.out == out, f"expected that the difference is found ({how})", result)
        expect("prints something else than before" in result.err, "expected that it says so", result)


is_begun_again()
leaves_out_who_is_lost_elsewhere()
is_not()
is_not_for_ever()
prints_the_same()
