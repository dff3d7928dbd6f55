"""What the system tests share: how programs are started under mpiexec, and what is said of a failure."""
import os
import shlex
import signal
import subprocess
import sys
import time

BIN = sys.argv[1]
MPIEXEC = os.environ.get("MPIEXEC", "mpiexec")
HANG = 60  # seconds: far more than anything here takes, however busy the machine is

FABRICS = {"shared memory": {}, "tcp": {"UCX_TLS": "tcp,self"}}


def program(name):
    """Its file."""
    return os.path.join(BIN, name)


class Result:
    def __init__(self, command, code, out, err, seconds):
        self.command, self.code, self.out, self.err, self.seconds = command, code, out, err, seconds

    def __str__(self):
        return f"$ {self.command}\nexit code {self.code} after {self.seconds:.1f} s\n{self.out}{self.err}"


def mpiexec(pes, *options):
    """The launcher's words; 0 PEs: none at all."""
    return [MPIEXEC, "-n", str(pes), *options] if pes else []


def processes_like(pattern):
    """Those whose words, with spaces between them, match."""
    found = subprocess.run(["pgrep", "-f", "--", pattern], text=True, capture_output=True, check=False).stdout
    return {int(word) for word in found.split()}


def start(words, env=None):
    """Starts a command in a process group of its own. Settings of whoever runs the tests don't count."""
    clean = {k: v for k, v in os.environ.items() if not k.startswith("TRAWL_")}
    words = [str(word) for word in words]
    return subprocess.Popen(words, env=clean | (env or {}), stdin=subprocess.DEVNULL,
                            stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                            start_new_session=True)


def finish(process, begun, env=None, timeout=HANG):
    """Waits for it. A hang is a failure of the whole test."""
    command = " ".join([f"{k}={v}" for k, v in (env or {}).items()] + [shlex.join(process.args)])
    try:
        out, err = process.communicate(timeout=timeout)
    except subprocess.TimeoutExpired:
        os.killpg(process.pid, signal.SIGKILL)
        process.kill()
        sys.exit(f"FAILED: still running after {timeout} s: {command}")
    return Result(command, process.returncode, out, err, time.monotonic() - begun)


def launcher_broke(result, said="trawl: "):
    """mpiexec itself may find that a proxy has ended with its PE, and ends before it has passed on what PEs have
    `said`: that says nothing of them."""
    return said not in result.err and "HYDT_dmxu_poll_wait_for_event" in result.err


def unbroken(attempt, said="trawl: "):
    """Gives the first result of an attempt (a result, and what else there is) with a launcher that lived."""
    for _ in range(5):
        result, *more = attempt()
        if not launcher_broke(result, said):
            break
        print("mpiexec has failed: again")
    return result, *more


def run(pes, name, *args, env=None, timeout=HANG):
    """Runs a program on so many PEs, or without mpiexec on 0."""
    def attempt():
        begun = time.monotonic()
        process = start([*mpiexec(pes), program(name), *args], env)
        return finish(process, begun, env, timeout),

    return unbroken(attempt)[0]


def run_words(*words, env=None):
    """Runs a whole command line."""
    begun = time.monotonic()
    return finish(start(words, env), begun, env)


def expect(condition, what, result):
    if not condition:
        sys.exit(f"FAILED: {what}\n{result}")
