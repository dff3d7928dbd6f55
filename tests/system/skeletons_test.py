#!/usr/bin/env -S python3 -B
"""heat, word_count and sample_sort: right, and the same however they were computed; data don't gather on the main PE."""
import contextlib
import json
import os
import re
import signal
import tempfile
import time

from harness import BIN, FABRICS, HANG, expect, mpiexec, processes_like, program, run, run_words, start

GRID = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../profiles/grids/four-and-four.json")
PLATE = ["--rows", "300", "--columns", "200", "--steps", "30"]
with tempfile.TemporaryDirectory() as folder:
    files = []
    for i in range(5):
        files.append(os.path.join(folder, f"{i}.txt"))
        with open(files[-1], "w", encoding="utf-8") as file:
            file.write("\n".join(f"To be {k % 7 * 'or '}not, to-be? {k % 11 * 'x'}" for k in range(i * 20000)))
    programs = [["heat", *PLATE], ["word_count", *files, "--most", "8"],
                *(["sample_sort", "--numbers", n, "--seed", n] for n in ("1", "63", "65", "200000"))]
    for words in programs:
        alone = run(0, *words, "--check")
        expect(alone.code == 0, "expected exit code 0", alone)
        expect(run(0, *words, "--sequential").out == alone.out, "sequentially the same", alone)
        for pes in 1, 2, 3, 8:
            result = run(pes, *words, "--trawl:workers=" + ("1" if pes % 2 else "2"),
                         env=FABRICS["tcp" if pes == 3 else "shared memory"])
            expect(result.code == 0 and result.out == alone.out, f"expected {alone.out}", result)
        tiny = run(4, *words, "--trawl:packet-size=64", "--trawl:thunks-per-packet=1", "--trawl:thread-limit=2")
        expect(tiny.code == 0 and tiny.out == alone.out, f"expected {alone.out}", tiny)
        simulated = run(0, *words, "--trawl:simulate=" + GRID)
        expect(simulated.code == 0 and simulated.out == alone.out, f"expected {alone.out}", simulated)
        log, recording = os.path.join(folder, "log"), os.path.join(folder, "recording")
        traced = run(2, *words, "--trawl:trace=" + log)
        expect(traced.code == 0 and traced.out == alone.out, f"expected {alone.out}", traced)
        profile = run(0, "trawl-profile", log)
        expect(profile.code == 0 and f"{words[0]} on 2 PEs" in profile.out + profile.err, "expected a profile", profile)
        recorded = run(0, *words, "--trawl:record=" + recording)
        expect(recorded.code == 0 and recorded.out == alone.out, f"expected {alone.out}", recorded)
        replays = [run(pes, "trawl-replay", recording) for pes in (0, 2)]
        expect(replays[0].code == replays[1].code == 0 and replays[0].out == replays[1].out, "expected one checksum",
               replays[1])

# A run that was killed goes on from its checkpoint, on other PEs.
with tempfile.TemporaryDirectory() as folder:
    saved = os.path.join(folder, "saved")
    plate = ["heat", "--columns", "100", "--checkpoint", saved]
    endless = start([*mpiexec(2), program(plate[0]), *plate[1:], "--rows", "100", "--steps", "1000000", "--every", "20"])
    begun = time.monotonic()
    while not os.path.exists(saved) and endless.poll() is None and time.monotonic() < begun + HANG:
        time.sleep(0.01)
    os.killpg(endless.pid, signal.SIGKILL)
    endless.wait()
    while pes := processes_like(re.escape(saved)):  # which have sessions of their own
        for pe in pes:
            with contextlib.suppress(ProcessLookupError):
                os.kill(pe, signal.SIGKILL)
        time.sleep(0.01)
    expect(os.path.exists(saved), "expected a checkpoint", "")
    other = run(2, *plate, "--rows", "50")
    done = re.search(r"is of 100 rows and 100 columns after (\d+) steps", other.err)
    expect(other.code == 2 and done, "expected a sentence that says what it is of", other)
    for more, pes in (10, 3), (25, 1), (30, 2):
        words = ["heat", "--rows", "100", "--columns", "100", "--steps", str(int(done[1]) + more)]
        went_on = run(pes, *words, "--checkpoint", saved, "--every", "7")
        expected = run(0, *words, "--sequential")
        expect(went_on.code == 0 and went_on.out == expected.out, f"expected {expected.out}", went_on)
    with open(saved, "r+b") as file:
        file.truncate(os.path.getsize(saved) // 2)
    damaged = run(2, *plate, "--rows", "100", "--steps", "1000000")
    expect(damaged.code == 2 and "is cut off" in damaged.err, "expected it to be refused", damaged)

# Bodies go on from their checkpoint to the same bits.
with tempfile.TemporaryDirectory() as folder:
    saved, at_once, later = (os.path.join(folder, name) for name in ("saved", "at_once.csv", "later.csv"))
    bodies = ["barnes_hut", "plummer", "--bodies", "700", "--seed", "5"]
    result = run(2, *bodies, "--steps", "30", "--out", at_once)
    expect(result.code == 0, "expected a run", result)
    for pes, steps in (2, "12"), (3, "30"):
        went_on = run(pes, *bodies, "--steps", steps, "--checkpoint", saved, "--every", "5", "--out", later)
        expect(went_on.code == 0, "expected that it goes on", went_on)
    expect("\n      12 " in went_on.out and "\n       0 " not in went_on.out, "expected the steps from 12 on", went_on)
    with open(at_once, "rb") as one, open(later, "rb") as other:
        expect(one.read() == other.read(), "expected the same bodies", went_on)
    result = run(2, *bodies[:-1], "6", "--steps", "40", "--checkpoint", saved)
    expect(result.code == 2 and "--seed 5" in result.err and "--seed 6" in result.err, "expected what it is of", result)
    result = run(2, *bodies, "--steps", "40", "--theta", "0.7", "--checkpoint", saved)
    expect(result.code == 2 and "--theta 0.5" in result.err and "wanted" in result.err, "expected what it is of", result)

# A file that one of the PEs can't read comes to it from the main PE.
with tempfile.TemporaryDirectory() as folder:
    with_file, without = os.path.join(folder, "with"), os.path.join(folder, "without")
    for place in with_file, without:
        os.mkdir(place)
    with open(os.path.join(with_file, "lines"), "w", encoding="utf-8") as file:
        file.writelines(f"{i} {i * 37 % 211 * 'x'}\n" for i in range(60000))
    program = [os.path.join(BIN, "tests/reads_lines"), "lines"]
    expected = run_words(*mpiexec(2, "-wdir", with_file), *program)
    expect(expected.code == 0 and expected.out.startswith("60000 lines"), "expected 60000 lines", expected)
    stream = run_words(*mpiexec(1, "-wdir", with_file), *program, ":", "-n", "1", "-wdir", without, *program)
    expect(stream.code == 0 and stream.out == expected.out, f"expected {expected.out}", stream)
    missing = run_words(*mpiexec(1, "-wdir", without), *program, ":", "-n", "1", "-wdir", with_file, *program)
    expect(missing.code != 0 and "lines: No such file" in missing.err, "expected a line that names the file", missing)

missing = run(2, "word_count", "/there/is/none")
expect(missing.code == 2 and "/there/is/none" in missing.err, "expected a line that names the file", missing)

def refused(cause, *words):
    result = run(2, *words)
    expect(result.code == 2 and result.out == "" and result.err.count("\n") == 1, "expected one line", result)
    expect(cause in result.err, f"expected a line that says {cause}", result)


TINY = ["heat", "--rows", "10", "--columns", "10", "--steps", "10", "--checkpoint"]
with tempfile.TemporaryDirectory() as folder:
    text = os.path.join(folder, "text")
    with open(text, "w") as out:
        out.write("to be or not to be\n" * 10)
    for flags in [], ["--sequential"]:
        refused(f"{folder}: can't be read: it is a directory", "word_count", text, folder, *flags)
        refused("/dev/null: can't be read: it is no regular file", "word_count", "/dev/null", *flags)
    refused(f"{text} is no checkpoint that this program can go on from", *TINY, text)
    refused(f"{folder}: can't be written: Is a directory", *TINY, folder)
    refused(f"{folder}/no/x.unfinished: can't be written: No such file", *TINY, f"{folder}/no/x")
    if os.path.exists("/dev/full"):
        os.symlink("/dev/full", f"{text}.unfinished")
        os.remove(text)
        refused("No space left on device", *TINY, text)

# Of 8 MB, all that the main PE gets, and sends, is some rows and what is to be done.
still = run(4, "heat", "--rows", "1000", "--columns", "1000", "--steps", "0", "--trawl:workers=1",
            "--trawl:stats=json")
expect(still.code == 0, "expected exit code 0", still)
statistics = json.loads(still.err[still.err.index("{"):])
main = statistics["by_pe"][0]
expect(main["message_bytes"] < 500_000, f"the main PE sent {main['message_bytes']} bytes", still)
print("heat, word_count and sample_sort: the same everywhere")
