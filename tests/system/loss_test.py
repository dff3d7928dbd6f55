#!/usr/bin/env -S python3 -B
"""A PE is killed: the others stop soon, with an error that names it. All are stopped: they go on later."""
import os
import signal
import sys
import time

from harness import BIN, HANG, expect, finish, mpiexec, start

PES = 3


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


def kill_one(victim, env):
    # One launcher's proxy for each PE: else mpiexec kills the others itself.
    hosts = ",".join(f"127.0.0.{2 + pe}:1" for pe in range(PES))
    words = mpiexec(PES, "-disable-auto-cleanup", "-launcher", "fork", "-hosts", hosts)
    process = start([*words, os.path.join(BIN, "tests/endings"), "endless", "--trawl:silence=2"], env)
    line = process.stdout.readline()  # it is well under way
    pes = pes_of(process.pid)
    if line == "" or len(pes) != PES:
        process.kill()
        sys.exit(f"FAILED: no {PES} PEs could be started: {process.stderr.read()}")
    begun = time.monotonic()
    os.kill(pes[victim], signal.SIGKILL)
    result = finish(process, begun, env)
    expect(result.code != 0, "expected an exit code that tells of failure", result)
    expect(f"PE {victim} is lost" in result.err, f"expected an error that names PE {victim}", result)
    left = [pe for pe, pid in pes.items() if rank_of(pid) is not None]
    expect(not left, f"PE {left} is still there", result)
    return result.seconds


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
        print(f"PE {victim} of {PES} killed {env}: over after {seconds:.1f} s (limit {HANG} s)")
