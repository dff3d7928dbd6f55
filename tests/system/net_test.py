#!/usr/bin/env -S python3 -B
"""trawl-run and fabric net on one host: results, exit codes, deaths, interruptions, and who is not let in."""
import json
import os
import random
import re
import signal
import socket
import sys
import tempfile
import time

from harness import HANG, MPIEXEC, expect, finish, program, run, run_words, start

TRAWL_RUN = program("trawl-run")
KEY = "0f" * 32
PROGRAMS = ["fib", "22"], ["queens", "9"], ["sum_euler", "1000"]


def processes_of(parent):
    with open(f"/proc/{parent}/task/{parent}/children", encoding="ascii") as children:
        return [int(child) for child in children.read().split()]


def is_there(process):
    try:
        with open(f"/proc/{process}/stat", encoding="ascii") as stat:
            return stat.read().rsplit(")", 1)[1].split()[0] != "Z"
    except OSError:
        return False


def expect_gone(processes, result):
    end = time.monotonic() + HANG
    while any(map(is_there, processes)) and time.monotonic() < end:
        time.sleep(0.01)
    expect(not any(map(is_there, processes)), "expected that no process is left", result)


def start_endless(pes, *flags):
    """A run that has begun, its launcher and its PEs."""
    begun = time.monotonic()
    process = start([TRAWL_RUN, "-n", pes, program("tests/endings"), "endless", *flags])
    if process.stdout.readline() == "":
        process.kill()
        sys.exit(f"FAILED: {pes} PEs could not be started: {process.stderr.read()}")
    return process, processes_of(process.pid), begun


def results():
    for words in PROGRAMS:
        alone = run(0, *words)
        for pes in 1, 2, 4, 8:
            result = run_words(TRAWL_RUN, "-n", pes, program(words[0]), *words[1:])
            expect(result.code == 0 and result.out == alone.out, f"expected {alone.out}", result)
        result = run(3, *words, "--trawl:fabric=net")
        expect(result.code == 0 and result.out == alone.out, f"expected {alone.out}", result)


def begun_unseen():
    """trawl-run looks away while the whole program runs, and finds another PE ended, the main PE not yet."""
    begun = time.monotonic()
    with tempfile.TemporaryDirectory() as folder:
        stopped = os.path.join(folder, "stopped")
        script = 'until test -e "$1"; do sleep 0.01; done; "$0" 20; test "$TRAWL_JOIN" || sleep 1'
        process = start([TRAWL_RUN, "-n", 2, "sh", "-c", script, program("fib"), stopped])
        while process.poll() is None and len(pes := processes_of(process.pid)) < 2:
            time.sleep(0.001)
        os.kill(process.pid, signal.SIGSTOP)
        with open(stopped, "w", encoding="ascii"):
            pass
        while is_there(pes[1]):
            time.sleep(0.01)
        os.kill(process.pid, signal.SIGCONT)
        result = finish(process, begun)
    expect(result.code == 0 and result.out == "6765\n" and "trawl-run" not in result.err, "expected 6765", result)


def codes():
    for pes in 1, 3:
        result = run_words(TRAWL_RUN, "-n", pes, program("tests/endings"), "code-7-with-work-left")
        expect(result.code == 7, "expected the program's exit code, 7", result)
        result = run_words(TRAWL_RUN, "-n", pes, program("fib"), "--no-such-option")
        expect(result.code == run(0, "fib", "--no-such-option").code != 0, "expected its code", result)
        for flag, env in ("--trawl:bogus", {}), ("--trawl:workers=x", {}), ("30", {"TRAWL_HEAP": "1"}):
            result = run_words(TRAWL_RUN, "-n", pes, program("fib"), "20", flag, env=env)
            expect(result.code == 2 and result.out == "" and result.err.count("\n") == 1, "expected one line", result)
    result = run(3, "tests/endings", "code-7-with-work-left", "--trawl:fabric=net")
    expect(result.code == 7, "expected the program's exit code from mpiexec, 7", result)
    result = run_words(TRAWL_RUN, "-n", 3, "/no/such/program")
    expect(result.code == 2 and result.err.count("\n") == 1, "expected one line", result)
    result = run_words(TRAWL_RUN, "-n", 2, program("fib"), "20", "--trawl:fabric=mpi")
    expect(result.code == 2 and result.out == "" and "mpiexec" in result.err, "expected no two runs", result)


def killed(victim):
    process, pes, begun = start_endless(3, "--trawl:silence=3600", "--trawl:recover=off")
    os.kill(pes[victim], signal.SIGKILL)
    result = finish(process, begun)
    lines = [line for line in result.err.splitlines() if not line.startswith("trawl-run: ")]
    if victim == 0:
        expect(result.code == 128 + signal.SIGKILL, "expected the signal's exit code", result)
    else:
        expect(result.code not in (0, 128 + signal.SIGKILL), "expected failure", result)
        expect(len(lines) == 1 and re.search(r"PE \d is lost: its process has ended", lines[0]),
               "expected one line that names a PE", result)
    expect_gone(pes, result)


def interrupted(by):
    process, pes, begun = start_endless(3)
    os.kill(process.pid, by)
    result = finish(process, begun)
    expect(result.code == -by, f"expected that it ends by signal {by}", result)
    expect_gone(pes, result)


def wait_for(pes, *words):
    """A run that waits for PEs that others start, and the words that start one."""
    begun = time.monotonic()
    process = start([TRAWL_RUN, "--wait", "--port", "0", "-n", pes, program(words[0]), *words[1:]],
                    {"TRAWL_KEY": KEY})
    line = process.stderr.readline().split()
    expect(line[0] == "TRAWL_KEY=" + KEY and line[-1].startswith("--trawl:join="), f"expected a line: {line}",
           finish(process, begun) if process.poll() is not None else "")
    return process, begun, line[1:]


def outlived(seed):
    """Messages of the living go on whoever else is killed, at whatever instruction."""
    chance = random.Random(seed)
    deaths = chance.randint(1, 4)
    begun = time.monotonic()
    process = start([TRAWL_RUN, "-n", 5, program("tests/outlives"), deaths])
    line = process.stdout.readline()
    for victim in chance.sample(processes_of(process.pid)[1:] if line else [], deaths):
        time.sleep(chance.random() * 0.02)
        os.kill(victim, signal.SIGKILL)
    result = finish(process, begun)
    expect(result.code == 0 and result.out == f"{5 - deaths} went on\n" and result.err == "",
           f"expected that {5 - deaths} go on", result)


def refused():
    """Strangers change nothing: the run begins when the right PE has come."""
    process, begun, words = wait_for(2, "queens", "9")
    others = [program("fib"), "20", words[-1]]
    for key, command, why in ("f0" * 32, words, "no key"), (None, words, "no key"), (KEY, others, "another program"), \
            (KEY, [*words, "--trawl:encrypt=off"], "another --trawl:encrypt"):
        result = run_words("env", *([f"TRAWL_KEY={key}"] if key else ["-u", "TRAWL_KEY"]), *command)
        expect(result.code == 2 and result.err.count("\n") == 1 and "refused by" in result.err and why in result.err,
               f"expected one line that says: {why}", result)
    host, port = words[-1].split("=")[1].rsplit(":", 1)
    for noise in b"GET / HTTP/1.1\r\nHost: nobody\r\n\r\n" + 1000 * b"x", b"TRAWLNET" + bytes(500), b"":
        with socket.create_connection((host.strip("[]"), int(port)), HANG) as stranger:
            said = b""
            try:
                stranger.sendall(noise)
                stranger.shutdown(socket.SHUT_WR)
                while part := stranger.recv(1000):
                    said += part
            except OSError as e:  # it may be closed at any of these
                expect(not isinstance(e, TimeoutError), f"expected that the connection is closed, not {e}", "")
        expect(len(said) <= 100, f"expected no more than a refusal, not {said}", "")
    result = run_words("env", f"TRAWL_KEY={KEY}", *words)
    expect(result.code == 0, "expected that the right one may come in", result)
    result = finish(process, begun)
    expect(result.code == 0 and result.out == "352\n", "expected 352", result)
    refusals = [line for line in result.err.splitlines() if "refused" in line]
    expect(len(refusals) == 6, "expected six refusals on this side, too", result)
    expect(sum("no key" in line for line in refusals) == 3, "expected three without the key", result)


def built_for_another_processor():
    """The same source with other instructions is the same program."""
    with open("/proc/cpuinfo", encoding="ascii") as cpus:
        if " avx2 " not in cpus.read():
            return
    for first, second in ("queens", "tests/queens_for_v3"), ("tests/queens_for_v3", "queens"):
        process, begun, words = wait_for(2, first, "12", "--trawl:workers=1", "--trawl:stats=json")
        words[words.index(program(first))] = program(second)
        result = run_words("env", f"TRAWL_KEY={KEY}", *words)
        expect(result.code == 0, "expected that it may come in", result)
        result = finish(process, begun)
        expect(result.code == 0 and result.out == "14200\n", "expected 14200", result)
        by_pe = json.loads(result.err[result.err.index("{"):])["by_pe"]
        expect(by_pe[1]["sparks_imported"] > 0, "expected sparks of the one to run in the other", result)


def silence_between_hosts():
    """Shorter than on one host, but where the user has said what it is to be: who comes with the same comes in."""
    with tempfile.NamedTemporaryFile("w") as flags:
        print("--trawl:silence=7", file=flags, flush=True)
        for said, same in ([], "--trawl:silence=3"), (["--trawl:flags=" + flags.name], "--trawl:silence=7"):
            process, begun, words = wait_for(2, "queens", "9", *said)
            result = run_words("env", f"TRAWL_KEY={KEY}", *words[:-1], same, words[-1])
            expect(result.code == 0, "expected that it may come in", result)
            result = finish(process, begun)
            expect(result.code == 0 and result.out == "352\n", "expected 352", result)


def too_late():
    process, begun, words = wait_for(2, "tests/endings", "endless")
    second = start(["env", f"TRAWL_KEY={KEY}", *words])
    process.stdout.readline()
    result = run_words("env", f"TRAWL_KEY={KEY}", *words)
    expect(result.code == 2 and "all PEs of the run are there" in result.err, "expected to be too late", result)
    os.kill(process.pid, signal.SIGTERM)
    expect_gone([process.pid, second.pid], finish(process, begun))
    second.communicate()


def not_all_come():
    result = run_words(program("fib"), "20", "--trawl:pes=3", "--trawl:meet=0", "--trawl:start-wait=0.2")
    expect(result.code == 1 and "of 3 PEs only 1" in result.err, "expected one line", result)
    result = run_words(program("fib"), "20", "--trawl:join=127.0.0.1:1")
    expect(result.code == 2 and "nobody can be met" in result.err, "expected one line", result)


def by_srun():
    """A launcher of that name that starts so many."""
    with tempfile.TemporaryDirectory() as folder:
        srun = os.path.join(folder, "srun")
        with open(srun, "w", encoding="ascii") as script:
            script.write('#!/bin/sh\nn=${1#--ntasks=}; shift 7\nfor i in $(seq $n); do "$@" & done\nwait\n')
        os.chmod(srun, 0o755)
        env = {"PATH": folder + ":" + os.environ["PATH"], "SLURM_JOB_ID": "1", "SLURM_NTASKS": "4"}
        result = run_words(TRAWL_RUN, program("fib"), "20", "--trawl:stats=json", env=env)
        expect(result.code == 0 and result.out == "6765\n" and '"pes": 4' in result.err.replace('":4', '": 4'),
               "expected 4 PEs", result)


def whole_lines():
    with tempfile.TemporaryDirectory() as folder:  # nobody ends before both have written
        both = f"printf 'no end'; touch {folder}/$$; while [ $(ls {folder} | wc -l) -lt 2 ]; do sleep 0.01; done"
        result = run_words(TRAWL_RUN, "-n", 2, "sh", "-c", both)
    expect(result.out == "no endno end", "expected the output of both", result)


results()
begun_unseen()
codes()
for pe in 0, 1, 2:
    killed(pe)
for each in signal.SIGINT, signal.SIGTERM, signal.SIGKILL:
    interrupted(each)
for number in range(10):
    outlived(number)
refused()
built_for_another_processor()
silence_between_hosts()
too_late()
not_all_come()
by_srun()
whole_lines()
print("results, codes, deaths, interruptions, refusals: as they should be")
