#!/usr/bin/env -S python3 -B
"""trawl-run with PEs on several hosts (network namespaces): results, deaths, what --check finds."""
import os
import re
import signal
import subprocess
import sys
import tempfile
import time

from harness import HANG, expect, finish, program, run, run_words, start
from namespaces import with_hosts

SCENE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../programs/raytracer/scenes/simple.scene")
TRAWL_RUN = program("trawl-run")


def processes_named(name, hosts):
    """On these hosts: other tests run beside this one."""
    found = set()
    for host in hosts.names:
        found |= set(subprocess.run(["ip", "netns", "pids", host], text=True, capture_output=True, check=True).stdout.split())
    named = subprocess.run(["pgrep", "-x", name], text=True, capture_output=True, check=False).stdout
    return {int(word) for word in found & set(named.split())}


def network_of(process):
    return os.readlink(f"/proc/{process}/ns/net")


def results(launch):
    for words in ["fib", "22"], ["queens", "9"], ["sum_euler", "1000"]:
        alone = run(0, *words)
        for flags in [], ["--trawl:encrypt=off"]:
            result = run_words(*launch, program(words[0]), *words[1:], *flags)
            expect(result.code == 0 and result.out == alone.out, f"expected {alone.out}", result)


def long_messages(network, shell, folder):
    """The same on each number of PEs: how many are neighbours differs from host to host."""
    pictures = [os.path.join(folder, f"{name}.ppm") for name in ("alone", "hosts")]
    words = ["raytracer", SCENE, "--width", "400", "--output"]
    run(0, *words, pictures[0])
    listed = os.path.join(folder, "uneven")
    for there in 1, 2, 3:
        with open(listed, "w", encoding="ascii") as file:
            file.write(f"{network.addresses[1]} {there}\n")
        launch = [*network.on(0), TRAWL_RUN, "--hosts", listed, "--ssh", shell]
        result = run_words(*launch, program(words[0]), *words[1:], pictures[1])
        drawn = []
        for picture in pictures:
            with open(picture, "rb") as file:
                drawn.append(file.read())
        expect(result.code == 0 and drawn[0] == drawn[1], "expected the picture that one PE draws", result)


def killed(launch, where, hosts):
    begun = time.monotonic()
    process = start([*launch, program("tests/endings"), "endless", "--trawl:silence=3600",
                     "--trawl:recover=off"])
    if process.stdout.readline() == "":
        process.kill()
        sys.exit(f"FAILED: the PEs could not be started: {process.stderr.read()}")
    pes = processes_named("endings", hosts)
    expect(len(pes) == 4, f"expected 4 PEs, not {pes}", "")
    on = [subprocess.run([*hosts.on(i), "readlink", "/proc/self/ns/net"], text=True, capture_output=True,
                         check=True).stdout.strip() for i in range(2)]
    victim = max(pe for pe in pes if network_of(pe) == on[where])
    os.kill(victim, signal.SIGKILL)
    result = finish(process, begun)
    lost = [line for line in result.err.splitlines() if "trawl: " in line]
    expect(result.code != 0 and len(lost) == 1 and re.search(r"PE \d is lost: its process(, or the connection to it,)? has ended", lost[0]),
           "expected one line that names a PE", result)
    end = time.monotonic() + HANG
    while pes & processes_named("endings", hosts) and time.monotonic() < end:
        time.sleep(0.01)
    expect(not pes & processes_named("endings", hosts), "expected that no PE is left", result)


def outlived(launch, hosts):
    """Messages of the living go on when each of the others is killed in its turn."""
    begun = time.monotonic()
    process = start([*launch, program("tests/outlives"), 2])
    line = process.stdout.readline()
    pes = sorted(processes_named("outlives", hosts))
    expect(line == "begun\n" and len(pes) == 4, f"expected 4 PEs, not {pes}", "")
    # The main PE has met all; who has not met a PE yet can't see its death here (the runtime's main PE tells it).
    time.sleep(0.5)
    for victim in pes[1:3]:  # the first that were started beside the main PE: on both hosts
        os.kill(victim, signal.SIGKILL)
        time.sleep(0.01)
    result = finish(process, begun)
    expect(result.code == 0 and result.out == "2 went on\n" and result.err == "", "expected that two go on", result)


def checked(launch, hosts, shell, folder):
    result = run_words(*launch, "--check", program("fib"))
    expect(result.code == 0 and result.out.count(": ready\n") == 2, "expected two hosts that are ready", result)
    listed = os.path.join(folder, "wrong")
    with open(listed, "w", encoding="ascii") as file:
        file.write(f"{hosts.addresses[1]}\nnowhere\n")
    by_shell = [*hosts.on(0), TRAWL_RUN, "--hosts", listed, "--ssh", shell]
    result = run_words(*by_shell, "--check", program("fib"))
    expect(result.code == 1 and "ready" in result.out and "nowhere: cannot be reached: no host nowhere" in result.out,
           "expected one that cannot be reached", result)
    result = run_words(*by_shell, program("fib"), "20")
    expect(result.code != 0 and result.out == "" and "a PE on nowhere has ended" in result.err,
           "expected that the run does not begin", result)
    script = os.path.join(folder, "old")
    with open(script, "w", encoding="ascii") as file:
        file.write("#!/bin/sh\necho trawl 0.0.1\n")
    os.chmod(script, 0o755)
    result = run_words(*launch, "--check", script)
    expect(result.code == 1 and result.out.count("has another version: trawl 0.0.1") == 2,
           "expected another version", result)
    with open(listed, "w", encoding="ascii") as file:
        file.write("here 2 3\n")
    result = run_words(*by_shell, program("fib"), "20")
    expect(result.code == 2 and "line 1: expected HOST, or HOST PES" in result.err, "expected one line", result)


def lost_on_the_way(network, launch):
    """What one sends the other is lost while the program runs."""
    words = ["heat", "--rows", "300", "--columns", "300", "--steps", "3000"]
    begun = time.monotonic()
    process = start([*launch, program(words[0]), *words[1:], "--trawl:silence=1"])
    time.sleep(1.5)
    runs = process.poll() is None
    network.drop(1, 2)
    result = finish(process, begun)
    expect(result.code == 0 and result.out == run(0, *words).out, "expected what one PE computes", result)
    expect(not runs or re.search(r"PE [12] is lost: PE [12] does not reach it .*; the run goes on without it", result.err),
           "expected one to be given up", result)


def cut_between_two(network):
    """The main PE reaches both of them: one is given up."""
    with tempfile.TemporaryDirectory() as folder:
        shell = network.shell(os.path.join(folder, "shell"))
        listed = os.path.join(folder, "hosts")
        with open(listed, "w", encoding="ascii") as file:
            file.writelines(f"{address}\n" for address in network.addresses[1:])
        launch = [*network.on(0), TRAWL_RUN, "--hosts", listed, "--ssh", shell]
        lost_on_the_way(network, launch)
        network.prohibit(1, 2)
        for words in ["heat", "--steps", "50"], ["queens", "13"]:
            result = run_words(*launch, program(words[0]), *words[1:])
            expect(result.code == 0 and result.out == run(0, *words).out, "expected what one PE computes", result)
            if words[0] == "queens":  # it may be over before that is decided; heat's PEs wait for each other
                continue
            expect(re.search(r"PE [12] is lost: PE [12] does not reach it \(it cannot be reached: .*(prohibited|route|denied|"
                             r"answers).*\); the run goes on without it", result.err), "expected one to be given up", result)


def main(network):
    with tempfile.TemporaryDirectory() as folder:
        shell = network.shell(os.path.join(folder, "shell"))
        listed = os.path.join(folder, "hosts")
        with open(listed, "w", encoding="ascii") as file:
            file.write(f"{network.addresses[1]} 2  # the other host\n\n{network.addresses[0]}\n")
        launch = [*network.on(0), TRAWL_RUN, "--hosts", listed, "--ssh", shell]
        results(launch)
        long_messages(network, shell, folder)
        for where in 0, 1:
            killed(launch, where, network)
        outlived(launch, network)
        checked(launch, network, shell, folder)
    print("two hosts: results, deaths and what is wrong with hosts, as they should be")


with_hosts(2, main)
with_hosts(3, cut_between_two)
