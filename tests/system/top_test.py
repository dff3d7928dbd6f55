#!/usr/bin/env -S python3 -B
"""A run is watched while it goes on: by trawl-top, and by --trawl:progress."""
import atexit
import json
import os
import pty
import re
import select
import signal
import subprocess
import sys
import termios
import time

from harness import HANG, expect, finish, mpiexec, program, run, run_words, start

TOP = program("trawl-top")
SLEEPERS = program("tests/sleepers")
ENDLESS = 10**9  # tasks: is killed


def begin(words):
    process = start(words)
    atexit.register(stop, process)
    return process, time.monotonic()


def stop(process):
    """Its PEs too, stopped or not."""
    if process.poll() is None:
        os.killpg(process.pid, signal.SIGKILL)
        process.communicate()


def once(process, *options):
    """One table of a run that this process has started, once it has begun; None: it has ended."""
    give_up = time.monotonic() + HANG
    while True:
        result = run_words(TOP, process.pid, "--once", *options)
        if result.code == 0 or time.monotonic() > give_up:
            expect(result.code == 0 and result.err == "", "expected a table", result)
            return result
        if process.poll() is not None:
            return None
        time.sleep(0.2)


def look(process):
    result = once(process, "--json")
    return json.loads(result.out) if result else sys.exit("FAILED: expected a run that goes on")


def wait_for(what, process, true):
    """Looks until `true` of a table."""
    give_up = time.monotonic() + HANG
    while True:
        table = look(process)
        if true(table):
            return table
        if time.monotonic() > give_up:
            sys.exit(f"FAILED: never {what}: {json.dumps(table)}")


def descendants(pid):
    """Processes that it has started, and those that these have."""
    listed = subprocess.run(["ps", "-eo", "pid=,ppid="], capture_output=True, text=True, check=True)
    parents = dict(map(int, line.split()) for line in listed.stdout.splitlines())
    def is_below(one):
        while one in parents and one != pid:
            one = parents[one]
        return one == pid
    return [one for one in parents if one != pid and is_below(one)]


def pes_of(process):
    return [pid for pid in descendants(process.pid)
            if os.readlink(f"/proc/{pid}/exe") == os.path.realpath(SLEEPERS)]


def watched(n):
    """A run that comes to its end: a table of all its PEs, one as text, what it said; None: too short
    for that."""
    process, begun = begin([*mpiexec(4), SLEEPERS, n, "--trawl:workers=1", "--trawl:progress",
                            "--trawl:stats=json"])
    shown = once(process, "--json")
    def all_work():
        total = json.loads(shown.out)["total"]
        return total["workers"] == 4 and total["sparks_done"] > 0
    while shown and not all_work():  # some PE gets no core
        shown = once(process, "--json")
    text = once(process)
    result = finish(process, begun)
    expect(result.code == 0 and result.out == f"{n}\n", "expected nothing but the answer on stdout", result)
    said = result.err.count("trawl: ")
    return (json.loads(shown.out), text.out, result) if shown and text and said >= 2 else None


def first(what, of):
    """Of the first n that is large enough, however slowly things start here."""
    for n in 6000, 12000, 24000, 48000:
        found = of(n)
        if found:
            return found
    sys.exit(f"FAILED: never {what}")


# It says what it counted: trawl-top has seen a part of that.
table, text, result = first("lines of progress", watched)
lines = result.err.splitlines()
progress = [line for line in lines if line.startswith("trawl: ")]
statistics = json.loads("\n".join(line for line in lines if not line.startswith("trawl: ")
                                  and not line.startswith("elapsed")))
for line in progress[:-1]:
    expect(re.fullmatch(r"trawl: \d+ s: 4 PEs, \d of [1-4] workers busy, idle [\d.]+ %; [\d,]+ sparks wait, "
                        r"[\d,]+ done \([\d,]+/s\), [\d,]+ threads; heap \d+ MB(; \d silent)?", line),
           "expected another line of progress", result)
total = statistics["total"]
done = total["sparks_converted"] + total["sparks_subsumed"] + total["sparks_fizzled"]
expect(f"ended; {done:,} sparks done, {total['threads_created']:,} threads" in progress[-1],
       "expected a last line like the statistics", result)
expect(len(table["pes"]) == 4 and table["total"]["workers"] == 4, f"expected 4 workers: {table}", result)
expect(0 < table["total"]["sparks_done"] <= done, f"expected a part of {done} sparks: {table}", result)
expect(0 < table["time_s"] < statistics["elapsed_s"], f"expected it to be earlier: {table}", result)
for pe, (seen, counted) in enumerate(zip(table["pes"], statistics["by_pe"])):
    for name in ("sparks_created", "sparks_converted", "sparks_exported", "sparks_imported",
                 "fish_sent", "fish_answered", "messages_sent", "message_bytes", "gc_count"):
        expect(seen[name] <= counted[name], f"PE {pe} had more {name} than at the end: {table}", result)
    expect(seen["remark"] == "" and seen["busy"] <= 2, f"PE {pe} is at work: {table}", result)
    expect(abs(sum(seen["shares"].values()) - 1) < 1e-6, f"shares make 1: {table}", result)
expect(len([line for line in text.splitlines() if re.match(r" *[0-3] +\d+/\d+ ", line)]) == 4,
       f"expected a row for each PE: {text}", result)

# A short run says nothing.
result = run(2, "fib", "20", "--trawl:progress")
expect(result.code == 0 and result.out == "6765\n" and ("trawl: " not in result.err or result.seconds > 2),
       "expected no progress", result)

# On a terminal of its own the line is written over, and cut to its width.
def drawn_over(n):
    """What it wrote, in lines; None: too short for that."""
    here, there = pty.openpty()
    termios.tcsetwinsize(there, (10, 60))
    result = subprocess.run([SLEEPERS, str(n), "--trawl:progress"], stdin=there, stderr=there,
                            stdout=subprocess.PIPE, text=True, timeout=HANG, check=False,
                            env=os.environ | {"TERM": "xterm"})
    said = b""
    while select.select([here], [], [], 0.2)[0]:
        said += os.read(here, 65536)
    os.close(here)
    os.close(there)
    if result.returncode != 0 or result.stdout != f"{n}\n":
        sys.exit(f"FAILED: expected {n}: {result.stdout} {said}")
    lines = said.decode().split("\r\x1b[K")
    return lines if len(lines) >= 3 else None


lines = first("lines of progress", drawn_over)
if not all(line.startswith("trawl: ") for line in lines[1:]) or \
        any(len(line) > 59 for line in lines[1:-2]) or not lines[-1].endswith("\r\n"):
    sys.exit(f"FAILED: expected lines over each other: {lines}")

# A PE that stands still is silent; it goes on; and the main PE is killed: nothing is left.
process, begun = begin([*mpiexec(3), SLEEPERS, ENDLESS, "--trawl:workers=1", "--trawl:silence=60"])
table = look(process)
main = table["process"]
follower, follower_begun = begin([TOP, str(process.pid), "--json"])
result = run_words(TOP, follower.pid, "--once")
expect(result.code == 1, "expected that who looks at a run is none", result)
still = next(pid for pid in pes_of(process) if pid != main)
os.kill(still, signal.SIGSTOP)
table = wait_for("a silent PE", process, lambda t: t["silent"] == 1)
silent = [pe["remark"] for pe in table["pes"] if pe["remark"].startswith("silent for ")]
if len(silent) != 1:
    sys.exit(f"FAILED: expected one silent PE: {table}")
os.kill(still, signal.SIGCONT)
wait_for("all there again", process, lambda t: t["silent"] == 0)
os.kill(main, signal.SIGSTOP)
result = run_words(TOP, main, "--once")
expect(result.code == 1 and " busy" in result.out and "it is stopped" in result.err,
       "expected the last table of a main PE that stands still, and that it is old", result)
os.kill(main, signal.SIGKILL)
result = finish(follower, follower_begun)
expect(result.code == 0 and result.err == "", "expected it to end with the run", result)
tables = [json.loads(line) for line in result.out.splitlines()]
expect(tables and all(len(table["pes"]) == 3 for table in tables), "expected tables", result)
stop(process)
result = run_words(TOP, main)
expect(result.code == 1 and result.out == "" and result.err.count("\n") == 1, "expected one line", result)

# PEs that die, and that may still come.
process, begun = begin([program("trawl-run"), "-n", "3", "--seats", "4", SLEEPERS, ENDLESS,
                        "--trawl:workers=1"])
table = look(process)
if (table["to_come"], table["lost"], len(table["pes"])) != (1, 0, 4):
    sys.exit(f"FAILED: expected one that may still come: {table}")
os.kill(next(pid for pid in pes_of(process) if pid != table["process"]), signal.SIGKILL)
table = wait_for("a lost PE", process, lambda t: t["lost"] == 1)
remarks = [pe["remark"] for pe in table["pes"]]
if remarks.count("lost") != 1 or remarks.count("may still come") != 1:
    sys.exit(f"FAILED: expected one that is lost: {table}")
os.kill(next(pid for pid in pes_of(process) if pid != table["process"]), signal.SIGTERM)
wait_for("a PE that leaves", process, lambda t: t["leaving"] + t["left"] == 1)

# Of several, one has to be named.
second, begun = begin([SLEEPERS, ENDLESS, "--trawl:workers=1"])
other = look(second)
result = run_words(TOP, "--once")
expect(result.code == 2 and all(f" {t['process']} (sleepers)" in result.err for t in (table, other)),
       "expected the names of both", result)

# Another user sees nothing of it.
if os.geteuid() == 0:
    def as_nobody(*words):
        shown = subprocess.run(words, user=65534, group=65534, extra_groups=[], capture_output=True,
                               text=True, check=False)
        return shown.returncode, shown.stdout, shown.stderr
    if os.access(TOP, os.X_OK) and as_nobody(TOP, "--version")[0] == 0:
        code, out, err = as_nobody(TOP, str(other["process"]))
        if (code, out, err) != (1, "", f"trawl-top: process {other['process']} is another user's\n"):
            sys.exit(f"FAILED: expected to be refused: {code} {out} {err}")
        code, out, err = as_nobody(TOP)
        if code != 1 or not err.startswith("trawl-top: no run of yours "):
            sys.exit(f"FAILED: expected no run: {code} {out} {err}")

# On a terminal: drawn in place, until a key is pressed; the terminal is as it was.
for key in b"q", b"\x03":
    here, there = pty.openpty()
    termios.tcsetwinsize(there, (10, 60))
    before = termios.tcgetattr(there)
    top = subprocess.Popen([TOP, str(second.pid)], stdin=there, stdout=there, stderr=there,
                           start_new_session=True, env=os.environ | {"TERM": "xterm"},
                           preexec_fn=lambda: __import__("fcntl").ioctl(0, termios.TIOCSCTTY, 0))
    drawn = b""
    give_up = time.monotonic() + HANG
    while drawn.count(b"\x1b[H") < 4 and time.monotonic() < give_up:
        if select.select([here], [], [], 1)[0]:
            drawn += os.read(here, 65536)
    if termios.tcgetattr(there)[6][termios.VSUSP] != b"\0":
        sys.exit("FAILED: expected that Ctrl-Z does not leave the terminal to the shell like this")
    os.write(here, key)
    while time.monotonic() < give_up:
        if select.select([here], [], [], 0.2)[0]:
            drawn += os.read(here, 65536)
        elif top.poll() is not None:
            break
    shown = drawn.decode()
    frame = re.sub(r"\x1b\[\??[0-9]*[A-Za-z]", "", shown.split("\x1b[H")[3]).replace("\r", "").split("\n")
    if top.returncode != 0 or termios.tcgetattr(there) != before or "\x1b[?1049l" not in shown:
        sys.exit(f"FAILED: expected it to leave the terminal as it was: {top.returncode} {shown}")
    if len(frame) > 10 or max(map(len, frame)) > 60 or not any("BUSY" in line for line in frame):
        sys.exit(f"FAILED: expected a table that fits: {frame}")
    os.close(here)
    os.close(there)

# On one that can't draw: one table after the other.
here, there = pty.openpty()
top = subprocess.Popen([TOP, str(second.pid)], stdin=there, stdout=there, stderr=there, env=os.environ | {"TERM": "dumb"})
printed, give_up = b"", time.monotonic() + HANG
while printed.count(b"BUSY") < 2 and time.monotonic() < give_up:
    if select.select([here], [], [], 1)[0]:
        printed += os.read(here, 65536)
top.terminate()
if top.wait() != 0 or printed.count(b"BUSY") < 2 or b"\x1b" in printed:
    sys.exit(f"FAILED: expected tables: {top.returncode} {printed}")
os.close(here)
os.close(there)
stop(second)
stop(process)

# What is no table of a run: one line.
memory = os.memfd_create("trawl-pulses")
os.write(memory, b"what is this?")
result = run_words(TOP, os.getpid())
expect(result.code == 1 and result.out == "" and result.err ==
       f"trawl-top: what process {os.getpid()} shows can't be read: it is no table of a run\n",
       "expected one line", result)
os.close(memory)
result = run_words(TOP, os.getpid())
expect(result.code == 1 and "nor has it started one" in result.err, "expected one line", result)

# Simulated, there is nothing to be seen, and it says so.
grid = os.path.join(os.path.dirname(os.path.realpath(__file__)), "../../profiles/grids/four-and-four.json")
result = run(0, "fib", "25", f"--trawl:simulate={grid}", "--trawl:progress")
expect(result.code == 2 and "--trawl:progress" in result.err and result.err.count("\n") == 1,
       "expected to be refused", result)

for words in ["0"], ["x"], ["--interval", "0"], ["--interval", "nan"], ["1", "2"], ["--bogus"]:
    result = run_words(TOP, *words)
    expect(result.code == 2 and result.out == "" and result.err.count("\n") == 1, "expected one line", result)
for word, part in ("--help", "--once"), ("--version", "trawl-top 0."):
    result = run_words(TOP, word)
    expect(result.code == 0 and part in result.out and result.err == "", f"expected {part}", result)
result = run_words("sh", "-c", f"exec {TOP} --help >/dev/full")
expect(result.code == 2 and "could not be written" in result.err, "expected the cause", result)
