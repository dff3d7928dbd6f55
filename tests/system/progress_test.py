#!/usr/bin/env -S python3 -B
"""Where standard error is a terminal, long work says how far it has come, and takes that back at the end.
Where it isn't, nothing is said."""
import os
import pty
import re
import subprocess
import tty

from harness import BIN, Result, expect, run

SCENE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../programs/raytracer/scenes/simple.scene")
LONG = [  # arguments, for a second or so, and what is counted; a line is drawn after a fifth of one
    (["sum_euler", 8000], ["chunks"]),
    (["queens", 13], ["columns of the first row"]),
    (["integrate", "--function", "sine", "--epsilon", 1e-14], ["strips"]),
    (["tsp", "--random", 84], ["subtrees searched"]),
    (["lin_solv", "--random", 250, "--instructions", "portable"], ["primes", "unknowns"]),
    (["raytracer", SCENE, "--simd", "portable", "--samples", 2], ["areas"]),
    (["barnes_hut", "plummer", "--bodies", 20000, "--steps", 4, "--kernel", "portable"], ["step"]),
]
LINE = re.compile(r"\r\033\[K(?:([^\r\033]*?): (\d+) of (\d+) \((\d+) %\))?")  # without words: the line is wiped


def run_on_terminal(program, *args, kind="xterm"):
    """Its standard error is a terminal; one worker, to take as long everywhere."""
    words = [os.path.join(BIN, program), *map(str, args), "--trawl:workers=1"]
    ours, its = pty.openpty()
    tty.setraw(its)  # lines end as they are written
    with subprocess.Popen(words, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=its,
                          env=os.environ | {"TERM": kind}) as process:
        os.close(its)
        err = b""
        try:
            while part := os.read(ours, 65536):
                err += part
        except OSError:  # how Linux says that nobody has the terminal open any more
            pass
    os.close(ours)
    return Result(" ".join(words), process.returncode, "", err.decode(), 0)


drawn = 0
for words, labels in LONG:
    result = run_on_terminal(*words)
    expect(result.code == 0, "expected exit code 0", result)
    last = None
    for label, *numbers in LINE.findall(result.err):
        if not label:
            last = None
            continue
        done, total, percent = map(int, numbers)
        expect(label in labels, f"expected {labels} to be counted", result)
        expect(last is None or (last[0] <= done and last[1] == total), "expected no less to be done", result)
        expect(done <= total and percent == 100 * done // total, "expected a part of the total", result)
        last = done, total
        drawn += 1
    expect("%" in result.err, "expected to be told how far it has come", result)
    rest = LINE.split(result.err)[-1]
    expect(last is None and "\r" not in rest and "\033" not in rest, "expected the line to be wiped", result)
    expect("\nelapsed: " in "\n" + rest, "expected the time below it", result)

result = run_on_terminal(*LONG[0][0], kind="dumb")
expect(result.code == 0 and result.err.startswith("elapsed: ") and "\033" not in result.err,
       "expected no line that would be written over", result)
result = run(0, *LONG[0][0])
expect(result.code == 0 and result.err.startswith("elapsed: ") and "\r" not in result.err, "expected the time only", result)
print(f"{len(LONG)} programs, {drawn} lines")
