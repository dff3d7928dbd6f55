#!/usr/bin/env -S python3 -B
"""PEs join running programs, and leave them again, or are killed: the output stays the same."""
import os
import random
import re
import sys
import time

from harness import HANG, expect, finish, program, run_words, start

TRAWL_RUN = program("trawl-run")
KEY = "0f" * 32


def start_run(flags, *words):
    """A run that more PEs may come to, and the words that start one of them."""
    begun = time.monotonic()
    process = start([TRAWL_RUN, *flags, program(words[0]), *words[1:]], {"TRAWL_KEY": KEY})
    line = process.stderr.readline().split()
    expect(line[0] == "TRAWL_KEY=" + KEY and line[-1].startswith("--trawl:join="), f"expected a line, not {line}", "")
    return process, begun, line[1:]


def join(words):
    return start(["env", *words], {"TRAWL_KEY": KEY})


def have_work():
    """They come in the middle, and work at once; their exit code is 0; the one who comes last is one too many."""
    for pes in 1, 2:
        process, begun, words = start_run(["-n", pes, "--seats", pes + 2], "tests/sleepers", "2000", "--trawl:workers=1")
        time.sleep(0.3)
        others = [join(words) for _ in range(3)]
        result = finish(process, begun)
        expect(result.code == 0 and result.out == "2000\n" and "lost" not in result.err, "expected 2000", result)
        ended = sorted((finish(other, begun) for other in others), key=lambda result: result.code)
        for result in ended[:2]:
            expect(result.code == 0 and result.out == result.err == "", "expected exit code 0", result)
        result = ended[2]
        expect(result.code == 2 and "all PEs of the run are there already" in result.err, "expected a refusal", result)


def unlike():
    """With other arguments or flags one is refused, and told why; the seat stays free, and the run goes on."""
    process, begun, words = start_run(["-n", 2, "--seats", 3], "tests/sleepers", "2000")
    time.sleep(0.3)
    at = words.index("2000")
    for other in ([*words[:at], "1999", *words[at + 1:]], [*words, "--trawl:copies=3"]):
        result = run_words("env", f"TRAWL_KEY={KEY}", *other)
        expect(result.code == 2 and result.out == "" and "this PE was started with other arguments" in result.err,
               "expected that it is refused", result)
    right = join(words)
    result = finish(process, begun)
    expect(result.code == 0 and result.out == "2000\n" and "lost" not in result.err, "expected that the run goes on", result)
    result = finish(right, begun)
    expect(result.code == 0 and result.err == "", "expected that there is a seat", result)


def too_late():
    """All have come: who comes then is told so, while the run goes on."""
    process, begun, words = start_run(["--wait", "-n", 2], "tests/sleepers", "2000", "--trawl:workers=1")
    second = join(words)
    time.sleep(0.3)
    result = run_words("env", f"TRAWL_KEY={KEY}", *words)
    expect(process.poll() is None, "expected to be told before the run was over", result)
    expect(result.code == 2 and "all PEs of the run are there already" in result.err, "expected a refusal", result)
    for each in process, second:
        expect(finish(each, begun).code == 0, "expected that the run goes on", result)


def at_its_end():
    """Who comes while a run ends is told so, or finds nobody; for neither anything has failed."""
    told = 0
    for i in range(12):
        process, begun, words = start_run(["-n", 1, "--seats", 3], "tests/sleepers", "20", "--trawl:workers=1")
        time.sleep(0.004 * i)
        late = [join(words) for _ in range(2)]
        result = finish(process, begun)
        expect(result.code == 0 and result.out == "20\n", "expected 20", result)
        for other in late:
            result = finish(other, begun)
            over = "is over; this PE came too late to join it" in result.err
            told += over
            expect((result.code == 0 and (over or result.err == "")) or
                   (result.code == 2 and "nobody can be met at" in result.err), "expected to be told that it is over", result)
    print(f"{told} were told that the run was over")


def churn(seconds, seats):
    """They come and go all the time. (By hand: TRAWL_TEST_CHURN=60 TRAWL_TEST_SEATS=140, a minute.)"""
    dice = random.Random(seats)
    process, begun, words = start_run(["-n", 2, "--seats", seats], "queens", "16" if seconds > 10 else "14")
    there, came, killed = [], 0, 0
    while process.poll() is None and time.monotonic() < begun + seconds:
        time.sleep(dice.uniform(0, 2 * seconds / seats))
        if came < seats - 2 and (len(there) < 3 or dice.random() < 0.5):
            there.append(join(words))
            came += 1
        elif there:
            other = there.pop(dice.randrange(len(there)))
            if dice.random() < 0.1:
                other.kill()
                killed += 1
            else:
                other.terminate()
    longest = HANG + 5 * seconds
    result = finish(process, begun, timeout=longest)
    for other in there:
        finish(other, begun, timeout=longest)
    left = len(re.findall(r"has left", result.err))
    print(f"{came} came, {left} left, {killed} were killed in {result.seconds:.1f} s")
    expect(result.code == 0 and result.out in ("365596\n", "14772512\n"), "expected the same answer", result)


have_work()
unlike()
too_late()
at_its_end()
churn(float(os.environ.get("TRAWL_TEST_CHURN", "2")), int(os.environ.get("TRAWL_TEST_SEATS", "20")))
