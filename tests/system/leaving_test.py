#!/usr/bin/env -S python3 -B
"""PEs leave running programs at random moments: the output stays the same, nobody counts it as a failure."""
import os
import random
import re
import signal
import sys
import time

from harness import HANG, expect, finish, program, run, run_words, start

TRAWL_RUN = program("trawl-run")
PROGRAMS = ["queens", "12"], ["sum_euler", "6000"], ["fib", "34"]
RUNS = 30


def processes_of(launcher):
    """Those of the PEs that trawl-run has started, the main one's first."""
    with open(f"/proc/{launcher}/task/{launcher}/children", encoding="ascii") as children:
        return [int(child) for child in children.read().split()]


def others_of(launcher):
    return processes_of(launcher)[1:]


def has_joined(pe):
    """Waits until SIGTERM no longer ends it."""
    end = time.monotonic() + HANG
    while time.monotonic() < end:
        with open(f"/proc/{pe}/status", encoding="ascii") as status:
            if int(re.search(r"^SigCgt:\s*(\S+)", status.read(), re.M)[1], 16) >> signal.SIGTERM - 1 & 1:
                return
        time.sleep(0.01)
    sys.exit(f"FAILED: process {pe} has not joined")


def leave(words, seconds, dice):
    """Some of four PEs are told to leave, each at a moment of its own."""
    begun = time.monotonic()
    process = start([TRAWL_RUN, "-n", 4, program(words[0]), *words[1:]])
    count = dice.randint(1, 3)
    moments = sorted(dice.uniform(0.05, 1) * seconds for _ in range(count))
    told = []
    for moment in moments:
        time.sleep(max(0.0, begun + moment - time.monotonic()))
        others = [each for each in others_of(process.pid) if each not in told] if process.poll() is None else []
        if others:
            try:
                told.append(dice.choice(others))
                os.kill(told[-1], signal.SIGTERM)
            except ProcessLookupError:
                pass
    return finish(process, begun), len(told)


def round_at_random_moments(dice):
    """How many have left, of RUNS runs."""
    left = 0
    for words in PROGRAMS:
        alone = run(0, *words)
        begun = time.monotonic()
        run_words(TRAWL_RUN, "-n", 4, program(words[0]), *words[1:])
        seconds = time.monotonic() - begun
        for _ in range(RUNS // len(PROGRAMS)):
            result, told = leave(words, seconds, dice)
            expect(result.code == 0 and result.out == alone.out, f"expected {alone.out}", result)
            gone, lost = (len(re.findall(rf"^trawl: PE \d {what}", result.err, re.M)) for what in ("has left$", "is lost"))
            expect(gone + lost <= told and "run again" not in result.err, "expected that PEs leave", result)
            left += gone
    return left


def at_random_moments():
    """How many are told in time depends on the host."""
    dice = random.Random(20)
    left = 0
    for _ in range(10):
        left += round_at_random_moments(dice)
        if left > RUNS // 3:
            return
    expect(False, f"expected that more leave than {left}", "")


def start_for_ever(*flags):
    """A run on three PEs, each inside a function that does not come back; and the processes of two."""
    begun = time.monotonic()
    process = start([TRAWL_RUN, "-n", 3, program("tests/endings"), "for-ever", *flags])
    expect(process.stdout.readline() == "begun\n", "expected that it begins", "")
    return process, others_of(process.pid), begun


def end(process, begun):
    os.kill(process.pid, signal.SIGTERM)
    result = finish(process, begun)
    expect(result.code == -signal.SIGTERM and result.err == "", "expected that nobody says anything", result)


def in_the_middle(says):
    line = says.readline()
    expect(re.fullmatch(r"trawl: PE \d has left in the middle of a thread, which is run again\n", line),
           f"expected that one has left in the middle of a thread, not {line}", "")


def not_waited_for():
    """Asked once it finishes its thread, for as long as it may; asked twice it goes."""
    process, others, begun = start_for_ever()
    os.kill(others[0], signal.SIGTERM)
    time.sleep(0.3)
    expect(os.path.exists(f"/proc/{others[0]}"), "expected that it finishes its thread first", "")
    os.kill(others[0], signal.SIGTERM)
    in_the_middle(process.stderr)
    end(process, begun)
    process, others, begun = start_for_ever("--trawl:grace=0.2")
    os.kill(others[0], signal.SIGTERM)
    in_the_middle(process.stderr)
    end(process, begun)


def its_exit_code():
    """One that others have started leaves: all is well."""
    begun = time.monotonic()
    process = start([TRAWL_RUN, "--wait", "-n", 3, program("tests/sleepers"), "3000", "--trawl:workers=1"])
    line = process.stderr.readline().split()
    others = [start(["env", *line]) for _ in range(2)]
    has_joined(others[0].pid)
    others[0].terminate()
    result = finish(others[0], begun)
    expect(result.code == 0 and result.out == result.err == "", "expected exit code 0, and no words", result)
    result = finish(process, begun)
    expect(result.code == 0 and result.out == "3000\n" and "has left" in result.err,
           "expected that the run goes on", result)
    expect(finish(others[1], begun).code == 0, "expected exit code 0", result)


def sent_away():
    """By trawl-run --leave, a PE's number and the process id of the one that goes on; several at once, too."""
    begun = time.monotonic()
    process = start([TRAWL_RUN, "-n", 3, program("tests/sleepers"), "3000", "--trawl:workers=1"])
    time.sleep(0.5)
    main_pe = processes_of(process.pid)[0]
    os.kill(main_pe, signal.SIGSTOP)
    asking = {pe: start([TRAWL_RUN, "--leave", pe, process.pid]) for pe in (7, 2)}
    time.sleep(0.3)
    os.kill(main_pe, signal.SIGCONT)
    result = finish(asking[2], begun)
    expect(result.code == 0 and result.out == result.err == "", "expected no words", result)
    result = finish(asking[7], begun)
    expect(result.code == 1 and result.err == "trawl-run: PE 7 does not leave: there is none, or not any more\n",
           "expected that there is none", result)
    result = finish(process, begun)
    expect(result.code == 0 and result.out == "3000\n" and "trawl: PE 2 has left\n" in result.err and
           "trawl: PE 7 can't leave" in result.err, "expected that PE 2 leaves, and that there is no PE 7", result)
    for pe, whom in (1, os.getpid()), (1, process.pid), (1, "queens"), (0, process.pid):
        result = run_words(TRAWL_RUN, "--leave", pe, whom)
        expect(result.code == 2 and result.err.count("\n") == 1, "expected one line", result)
    for words in [], [os.getpid(), "extra"]:
        result = run_words(TRAWL_RUN, "--leave", 1, *words)
        expect(result.code == 2 and "takes one process id" in result.err, "expected what it takes", result)


def sent_away_at_once():
    """A trawl-run that has just begun would be ended by the signal."""
    for _ in range(10):
        begun = time.monotonic()
        process = start([TRAWL_RUN, "-n", 2, program("tests/sleepers"), "100", "--trawl:workers=1"])
        asking = run_words(TRAWL_RUN, "--leave", 1, process.pid)
        expect(asking.code in (0, 1, 2) and asking.out == "", "expected an answer", asking)
        result = finish(process, begun)
        expect(result.code == 0 and result.out == "100\n", "expected that the run goes on", result)


def as_before():
    """Where deaths are not survived the signal ends the process, and that the run; nobody is sent away."""
    process, others, begun = start_for_ever("--trawl:recover=off")
    result = run_words(TRAWL_RUN, "--leave", 1, process.pid)
    expect(result.code == 1 and result.err == "trawl-run: PE 1 does not leave: the run has --trawl:recover=off\n",
           "expected that none may leave", result)
    os.kill(others[0], signal.SIGTERM)
    result = finish(process, begun)
    expect(result.code == 1 and "is lost: its process has ended" in result.err, "expected a death", result)


def to_the_owner():
    """By itself, when others use the host."""
    process, _, begun = start_for_ever("--trawl:yield=1000")
    time.sleep(4)  # longer than it takes where they do
    end(process, begun)
    process, _, begun = start_for_ever("--trawl:grace=0.2", "--trawl:yield=0.02")
    owner = start([sys.executable, "-c", "while True: pass"])
    said = "".join(process.stderr.readline() for _ in range(4))
    owner.kill()
    owner.wait()
    for pe in 1, 2:
        expect(f"trawl: PE {pe} leaves: others use its host's cores (--trawl:yield)\n" in said and
               f"trawl: PE {pe} has left in the middle of a thread" in said, f"expected that PE {pe} leaves", said)
    end(process, begun)


at_random_moments()
not_waited_for()
its_exit_code()
sent_away()
sent_away_at_once()
to_the_owner()
as_before()
