#!/usr/bin/env -S python3 -B
"""A PE is killed, or falls silent: the others stop soon, with an error that names it. All are stopped: they
go on later."""
import os
import signal
import sys
import time

from harness import BIN, HANG, expect, finish, mpiexec, start, unbroken

PES = 3
LOST = "is lost"  # what they say


def descendants(pid):
    try:
        with open(f"/proc/{pid}/task/{pid}/children") as children:
            own = [int(child) for child in children.read().split()]
    except OSError:
        return []
    return own + [each for child in own for each in descendants(child)]


def rank_of(pid):
    """Which PE a process is, if it is one."""
    try:
        with open(f"/proc/{pid}/comm") as name, open(f"/proc/{pid}/environ") as environment:
            if name.read().strip() != "endings":
                return None
            settings = dict(x.split("=", 1) for x in environment.read().split("\0") if "=" in x)
            return int(settings["PMI_RANK"])
    except (OSError, KeyError):
        return None


def pes_of(mpiexec_pid):
    ranks = {rank_of(pid): pid for pid in descendants(mpiexec_pid)}
    ranks.pop(None, None)
    return ranks


def start_apart(env, *flags):
    # One launcher's proxy for each PE: else mpiexec kills the others itself.
    hosts = ",".join(f"127.0.0.{2 + pe}:1" for pe in range(PES))
    words = mpiexec(PES, "-disable-auto-cleanup", "-launcher", "fork", "-hosts", hosts)
    # It may write to a proxy that has just ended with its PE, and would take what others say along.
    words = ["env", "--ignore-signal=PIPE", *words]
    return start([*words, os.path.join(BIN, "tests/endings"), "endless", *flags], env)


def expect_lost(victim, why, pes, result):
    expect(result.code != 0, "expected an exit code that tells of failure", result)
    expect(f"PE {victim} is lost: {why}" in result.err, f"expected an error that names PE {victim}", result)
    left = [pe for pe, pid in pes.items() if rank_of(pid) is not None]
    expect(not left, f"PE {left} is still there", result)


def well_under_way(process):
    line = process.stdout.readline()
    pes = pes_of(process.pid)
    if line == "" or len(pes) != PES:
        process.kill()
        sys.exit(f"FAILED: no {PES} PEs could be started: {process.stderr.read()}")
    return pes


def kill_one(victim, env):
    """Its host sees it, however long a silence may last."""
    result, pes, seconds = unbroken(lambda: kill_once(victim, env), LOST)
    # TCP may tell first that nobody is there.
    expect_lost(victim, "" if env else "its process has ended", pes, result)
    expect(env or result.err.count("is lost") == 1, "expected one line", result)
    return seconds


def kill_once(victim, env):
    process = start_apart(env, "--trawl:silence=3600")
    pes = well_under_way(process)
    begun = time.monotonic()
    os.kill(pes[victim], signal.SIGKILL)
    while any(rank_of(pid) is not None for pid in pes.values()) and time.monotonic() - begun < HANG:
        time.sleep(0.001)
    seconds = time.monotonic() - begun
    return finish(process, begun, env), pes, seconds


def silence_one(victim):
    """As on another host, or when a PE is stuck."""
    result, pes = unbroken(lambda: silence_once(victim), LOST)
    expect_lost(victim, "nothing has been heard of it", pes, result)


def silence_once(victim):
    process = start_apart({}, "--trawl:silence=1")
    pes = well_under_way(process)
    begun = time.monotonic()
    os.kill(pes[victim], signal.SIGSTOP)
    others = [pid for pe, pid in pes.items() if pe != victim]
    while any(rank_of(pid) is not None for pid in others):
        if time.monotonic() - begun > HANG:
            process.kill()
            sys.exit("FAILED: the others still run")
        time.sleep(0.01)
    os.kill(pes[victim], signal.SIGKILL)
    return finish(process, begun), pes


def kill_while_joining(victim, orders):
    env = {"ENDINGS_JOINING": orders}
    result, = unbroken(lambda: (finish(start_apart(env), time.monotonic(), env),), LOST)
    expect_lost(victim, "its process has ended", {}, result)


def stop_all(env):
    words = [*mpiexec(PES), os.path.join(BIN, "tests/endings"), "one-second", "--trawl:silence=1"]
    begun = time.monotonic()
    process = start(words, env)
    line = process.stdout.readline()
    pes = pes_of(process.pid)
    for signal_, then in (signal.SIGSTOP, 3), (signal.SIGCONT, 0):  # longer than --trawl:silence
        for pid in pes.values():
            os.kill(pid, signal_)
        time.sleep(then)
    result = finish(process, begun, env)
    expect(line == "begun\n" and len(pes) == PES, f"expected {PES} PEs", result)
    expect(result.code == 0 and result.out == "done\n", "expected the run to go on", result)


for env in {}, {"UCX_TLS": "tcp,self"}:
    stop_all(env)
    print(f"{PES} PEs stopped and continued {env}")
    for victim in 1, 2, 0:
        seconds = kill_one(victim, env)
        print(f"PE {victim} of {PES} killed {env}: over after {1000 * seconds:.0f} ms")
for victim in 1, 0:
    silence_one(victim)
# The others wait for its HELLO, or its answer, or its WELCOME.
kill_while_joining(1, "1 killed 300 1 late 100000")
kill_while_joining(1, "0 late 1000 1 killed 300")
kill_while_joining(0, "0 killed 300 0 late 100000")
