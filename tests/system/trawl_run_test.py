#!/usr/bin/env -S python3 -B
"""What trawl-run owes to those around it: shells and nohup, readers that are slow, strangers, other hosts' shells."""
import os
import shlex
import signal
import subprocess
import tempfile
import time

from harness import HANG, expect, finish, program, run_words, start

TRAWL_RUN = os.path.abspath(program("trawl-run"))
KEY = "0f" * 32


def wait_until_gone(processes, seconds):
    end = time.monotonic() + seconds
    while any(os.path.exists(f"/proc/{process}") for process in processes):
        expect(time.monotonic() < end, f"expected that {processes} end", "")
        time.sleep(0.05)


def ignores_what_it_was_started_to_ignore():
    """nohup, a shell's &, and whoever does not want to hear of children."""
    for name, number in ("HUP", signal.SIGHUP), ("INT", signal.SIGINT):
        begun = time.monotonic()
        process = start(["env", f"--ignore-signal={name}", TRAWL_RUN, "-n", 1, "sh", "-c", "echo begun; sleep 1; echo over"])
        expect(process.stdout.readline() == "begun\n", "expected that it begins", "")
        process.send_signal(number)
        result = finish(process, begun)
        expect(result.code == 0 and result.out == "over\n", f"expected that SIG{name} is ignored", result)
    result = run_words("env", "--ignore-signal=CHLD", TRAWL_RUN, "-n", 2, program("queens"), "6")
    expect(result.code == 0 and result.out == "4\n", "expected that it notices the end", result)


def may_be_ended_while_nobody_reads():
    with tempfile.TemporaryDirectory() as folder:
        told = os.path.join(folder, "pid")
        process = subprocess.Popen([TRAWL_RUN, "-n", "1", "sh", "-c", f"echo $$ > {told}; exec yes"], stdout=subprocess.PIPE)
        end = time.monotonic() + HANG
        while not (os.path.exists(told) and os.path.getsize(told)) and time.monotonic() < end:
            time.sleep(0.05)
        time.sleep(0.5)  # the pipe is full
        process.terminate()
        with open(told, encoding="ascii") as file:
            wait_until_gone([int(file.read())], HANG)
        expect(process.wait(HANG) == -signal.SIGTERM, "expected that the signal ends it", process.returncode)
        process.stdout.close()


def loses_nothing():
    """Of a line without an end, whose file a stranger holds open; for a slow reader; of two that print much at once."""
    result = run_words(TRAWL_RUN, "-n", 1, "sh", "-c", "printf RESULT; sleep 3 & exit 0")
    expect(result.code == 0 and result.out == "RESULT", "expected what was printed", result)
    lines = "yes 0123456789 | head -n 20000; printf END"
    slow = "sleep 0.5; head -c 60000; sleep 0.5; head -c 60000; sleep 0.5; cat"
    result = run_words("bash", "-c", f"{shlex.quote(TRAWL_RUN)} -n 1 sh -c {shlex.quote(lines)} | ({slow})")
    expect(result.out == 20000 * "0123456789\n" + "END", "expected all of it", f"{len(result.out)} bytes")
    result = run_words(TRAWL_RUN, "-n", 1, "sh", "-c", "yes stranger & exit 3")
    expect(result.code == 3, "expected that a stranger who prints for ever is not waited for", result.code)


def does_not_wait_for_the_input():
    """A run that fails ends, though its program reads what nobody writes."""
    reader, writer = os.pipe()
    words = [TRAWL_RUN, "-n", "2", program("tests/endings"), "reads", "--trawl:recover=off"]
    begun = time.monotonic()
    process = subprocess.Popen(words, stdin=reader, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    main_pe = int(process.stdout.readline())
    found = subprocess.run(["pgrep", "-P", str(process.pid)], text=True, capture_output=True, check=True).stdout
    for pe in {int(word) for word in found.split()} - {main_pe}:
        os.kill(pe, signal.SIGKILL)
    result = finish(process, begun)
    expect(result.code == 1 and "PE 1 is lost" in result.err, "expected that it fails", result)
    os.close(reader)
    os.close(writer)


def leaves_alone_what_the_program_starts():
    """Another program of Trawl, which is a run of its own."""
    result = run_words(TRAWL_RUN, "-n", 2, program("tests/endings"), "starts-another")
    expect(result.code == 7, "expected the other program's exit code", result)


def ends_what_a_shell_has_started(folder):
    """A script that does not exec: the signal ends the shell alone."""
    script = os.path.join(folder, "script")
    with open(script, "w", encoding="ascii") as file:
        file.write(f'#!/bin/sh\n{shlex.quote(os.path.abspath(program("tests/endings")))} "$@"; echo over\n')
    os.chmod(script, 0o755)
    for number in signal.SIGTERM, signal.SIGKILL:
        begun = time.monotonic()
        process = start([TRAWL_RUN, "-n", 3, script, "endless"])
        process.stdout.readline()  # the main PE has begun
        shells = subprocess.run(["pgrep", "-P", str(process.pid)], text=True, capture_output=True, check=True).stdout
        pes = [subprocess.run(["pgrep", "-P", shell], text=True, capture_output=True, check=True).stdout
               for shell in shells.split()]
        process.send_signal(number)
        finish(process, begun)
        wait_until_gone([int(pe) for pe in pes], HANG)


def shows_a_prompt():
    """On a terminal, where somebody is to answer."""
    ours, terminal = os.openpty()
    begun = time.monotonic()
    process = subprocess.Popen([TRAWL_RUN, "-n", "1", "sh", "-c", "printf 'name? '; read name; echo hello $name"],
                               stdin=terminal, stdout=terminal, stderr=subprocess.PIPE, text=True)
    os.close(terminal)
    shown = ""
    while "name? " not in shown:
        shown += os.read(ours, 1000).decode()
    os.write(ours, b"you\n")
    while "hello you" not in shown:
        shown += os.read(ours, 1000).decode()
    result = finish(process, begun)
    expect(result.code == 0, "expected that it goes on", result)
    os.close(ours)


def tells_others_our_flags(folder):
    """What stands in for ssh forgets the environment, as ssh does."""
    ssh = os.path.join(folder, "ssh")
    with open(ssh, "w", encoding="ascii") as script:
        script.write('#!/bin/sh\nexec env -i PATH="$PATH" HOME="$HOME" sh -c "$2"\n')
    os.chmod(ssh, 0o755)
    hosts = os.path.join(folder, "hosts")
    with open(hosts, "w", encoding="ascii") as file:
        file.write("localhost 2\n")
    odd = os.path.join(folder, "n=4 'and'")
    os.mkdir(odd)
    os.symlink(os.path.abspath(program("queens")), os.path.join(odd, "queens"))
    words = [TRAWL_RUN, "--hosts", hosts, "--ssh", ssh, os.path.join(odd, "queens"), "8"]
    for env in {"TRAWL_SILENCE": "30"}, {"TRAWL_ENCRYPT": "off"}, {"TRAWL_HEAP": "8M"}:
        result = run_words(*words, env=env)
        expect(result.code == 0 and result.out == "92\n" and "trawl" not in result.err, f"expected 92, with {env}", result)


def prints_a_line_that_can_be_called(folder):
    """From elsewhere, with a program that was named by its place here, and where -- ends the flags."""
    os.symlink(os.path.abspath(program("queens")), os.path.join(folder, "mine"))
    begun = time.monotonic()
    env = {"TRAWL_KEY": KEY, "TRAWL_SILENCE": "30"}
    words = ["sh", "-c", f"cd {folder} && exec {shlex.quote(TRAWL_RUN)} --wait -n 2 ./mine 9 --"]
    process = start(words, env)
    line = process.stderr.readline()
    other = subprocess.run(["sh", "-c", line], cwd="/", capture_output=True, text=True, timeout=HANG, check=False)
    expect(other.returncode == 0 and other.stderr == "", f"expected that this starts a PE: {line}", other.stderr)
    result = finish(process, begun)
    expect(result.code == 0 and result.out == "352\n" and "trawl" not in result.err, "expected 352", result)


def refuses(folder):
    many = os.path.join(folder, "many")
    with open(many, "w", encoding="ascii") as file:
        file.write("127.0.0.1 4294967297\n")
    of_mpiexec = os.path.join(folder, "of_mpiexec")
    with open(of_mpiexec, "w", encoding="ascii") as file:
        file.write("# both\n127.0.0.1:2\n")
    binary = os.path.join(folder, "binary")
    with open(binary, "wb") as file:
        file.write(b"\0\0\n")
    here = os.path.join(folder, "here")
    with open(here, "w", encoding="ascii") as file:
        file.write("localhost\n")
    queens = program("queens")
    for words, said in (
            (["-n", "010", queens, "6"], "010 begins with 0"),
            (["-n", 2, queens, "6", "--trawl:workers=010"], "010 begins with 0"),
            (["--hosts", many, queens, "6"], "line 1: expected HOST"),
            (["--hosts", of_mpiexec, queens, "6"], "line 2: expected HOST"),
            (["--wait", "--hosts", many, queens, "6"], "--wait and --hosts exclude each other"),
            (["--leave", 1, "-n", 2, os.getpid()], "--leave and -n exclude each other"),
            (["--hosts", here, "-n", 3, queens, "6"], "says how many PEs there are, 2 with the main one here: leave -n out"),
            (["--hosts", binary, queens, "6"], "line 1: expected HOST"),
            (["--hosts", here, "--ssh", " ", queens, "6"], "--ssh is to say"),
            (["-n", 2, ""], "the program's name is empty"),
            (["-n", 1, "--seats", 3, queens, "6", "--trawl:recover=off"], "only where it survives deaths")):
        result = run_words(TRAWL_RUN, *words)
        expect(result.code == 2 and said in result.err and result.out == "", f"expected: {said}", result)
    result = run_words(TRAWL_RUN, "--check", "--hosts", here, "--ssh", "/bin/true", queens, "6")
    expect(result.code == 1 and "does not do what it is told" in result.out, "expected what is wrong", result)
    ssh = os.path.join(folder, "straight")
    with open(ssh, "w", encoding="ascii") as script:
        script.write('#!/bin/sh\nexec sh -c "$2"\n')
    os.chmod(ssh, 0o755)
    result = run_words(TRAWL_RUN, "--check", "--hosts", here, "--ssh", ssh, "/bin/true", "6")
    expect(result.code == 1 and "runs what is no program of Trawl" in result.out, "expected what is wrong", result)
    result = run_words(TRAWL_RUN, "--check", "--hosts", here, "--ssh", ssh, queens, "6")
    expect("no program" not in result.out and "version" not in result.out, "expected no complaint", result)
    for _ in range(5):
        result = run_words(TRAWL_RUN, "-n", 2, "/bin/true")
        expect(result.code == 1 and "does the program call trawl::run?" in result.err, "expected a question", result)
    result = run_words(queens, "6", "--trawl:meet=5999")
    expect(result.code == 2 and "--trawl:meet needs --trawl:pes=N" in result.err, "expected a refusal", result)
    result = run_words(queens, "6", "--trawl:pes=4")
    expect(result.code == 2 and "started by trawl-run -n 4" in result.err, "expected a refusal", result)
    result = run_words(TRAWL_RUN, "-n", 2, queens, "6", "--trawl:pes=3")
    expect(result.code == 2 and "leave out --trawl:pes" in result.err, "expected a refusal", result)


ignores_what_it_was_started_to_ignore()
may_be_ended_while_nobody_reads()
loses_nothing()
does_not_wait_for_the_input()
shows_a_prompt()
leaves_alone_what_the_program_starts()
with tempfile.TemporaryDirectory() as place:
    ends_what_a_shell_has_started(place)
    tells_others_our_flags(place)
    prints_a_line_that_can_be_called(place)
    refuses(place)
print("signals, output, other hosts' environments, refusals: as they should be")
