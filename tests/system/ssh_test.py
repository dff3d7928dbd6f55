#!/usr/bin/env -S python3 -B
"""trawl-run by a real ssh: a server on each of two other hosts (network namespaces)."""
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time

from harness import HANG, expect, finish, processes_like, program, run, run_words, start
from namespaces import with_hosts

SSHD = shutil.which("sshd") or "/usr/sbin/sshd"
TRAWL_RUN = program("trawl-run")


def keys(folder):
    """Of the servers, and of who may come."""
    for name in "server", "client":
        subprocess.run(["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", f"{folder}/{name}"], check=True)
    with open(f"{folder}/sshd_config", "w", encoding="ascii") as file:
        file.write(f"HostKey {folder}/server\nAuthorizedKeysFile {folder}/client.pub\nPermitRootLogin yes\n"
                   "StrictModes no\nPidFile none\nUsePAM no\n")
    return f"ssh -o BatchMode=yes -o StrictHostKeyChecking=no -o UserKnownHostsFile={folder}/known -i {folder}/client"


def serve(hosts, folder, i):
    server = subprocess.Popen([*hosts.on(i), SSHD, "-D", "-f", f"{folder}/sshd_config", "-E", f"{folder}/log{i}"])
    end = time.monotonic() + HANG
    while subprocess.run([*hosts.on(i), "bash", "-c", "exec 3<>/dev/tcp/127.0.0.1/22"], check=False,
                         capture_output=True).returncode != 0:
        if server.poll() is not None or time.monotonic() > end:
            sys.exit(f"FAILED: no ssh server on host {i}")
        time.sleep(0.05)
    return server


def interrupted(launch):
    """Nobody is left on any host."""
    begun = time.monotonic()
    mark = f"--trawl:seed={os.getpid()}"  # that no other run has
    process = start([*launch, program("tests/endings"), "endless", mark])
    process.stdout.readline()
    pes = len(processes_like(f"^{program('tests/endings')} endless {mark}$"))
    expect(pes == 4, f"expected 4 PEs, not {pes}", "")
    process.send_signal(signal.SIGINT)
    result = finish(process, begun)
    expect(result.code == -signal.SIGINT, "expected that it ends by the signal", result)
    end = time.monotonic() + HANG
    while processes_like(mark) and time.monotonic() < end:
        time.sleep(0.05)
    expect(not processes_like(mark), "expected that no PE is left", result)


def main(hosts):
    with tempfile.TemporaryDirectory() as folder:
        ssh = keys(folder)
        os.makedirs("/run/sshd", exist_ok=True)  # sshd wants it, empty
        servers = []
        try:
            servers.extend(serve(hosts, folder, i) for i in (1, 2))
            listed = os.path.join(folder, "hosts")
            with open(listed, "w", encoding="ascii") as file:
                file.write(f"{hosts.addresses[1]} 2\n{hosts.addresses[2]}\n")
            launch = [*hosts.on(0), TRAWL_RUN, "--hosts", listed, "--ssh", ssh]
            result = run_words(*launch, "--check", program("fib"))
            expect(result.code == 0 and result.out.count(": ready\n") == 2, "expected two hosts that are ready", result)
            for words in ["queens", "9"], ["sum_euler", "1000"]:
                result = run_words(*launch, program(words[0]), *words[1:], "--trawl:stats=json")
                expect(result.code == 0 and result.out == run(0, *words).out, "expected what one PE computes", result)
                expect('"pes": 4' in result.err.replace('":4', '": 4'), "expected 4 PEs", result)
            interrupted(launch)
            result = run_words(*launch[:-1], ssh.replace("client", "server"), program("fib"), "20")
            expect(result.code == 255 and "Permission denied" in result.err, "expected that who has no key is refused",
                   result)
        finally:
            for server in servers:
                server.kill()
    print("by ssh: results, an interruption and a key that nobody knows, as they should be")


if not os.access(SSHD, os.X_OK):
    print("there is no ssh server here: not tried")
    sys.exit(77)
with_hosts(3, main)
