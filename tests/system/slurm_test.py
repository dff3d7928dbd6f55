#!/usr/bin/env -S python3 -B
"""trawl-run in allocations of a real Slurm, whose three nodes are network namespaces."""
import os
import pathlib
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time

from harness import HANG, expect, finish, processes_like, program, run, run_words, start
from namespaces import with_hosts

TRAWL_RUN = program("trawl-run")
NAMES = ["nodea", "nodeb", "nodec"]
DAEMONS = ["slurmctld", "slurmd", "munged"]


def configuration(hosts, folder):
    nodes = "".join(f"NodeName={name} NodeAddr={address} CPUs=2\n" for name, address in zip(NAMES, hosts.addresses))
    return f"""ClusterName=test
SlurmctldHost={NAMES[0]}({hosts.addresses[0]})
SlurmUser=root
AuthInfo=socket={folder}/munge
StateSaveLocation={folder}
SlurmdSpoolDir={folder}/%n
SlurmctldPidFile={folder}/controller.pid
SlurmdPidFile={folder}/%n.pid
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
ReturnToService=2
SelectType=select/cons_tres
SelectTypeParameters=CR_CPU
MpiDefault=none
KillOnBadExit=1
{nodes}PartitionName=all Nodes={",".join(NAMES)} Default=YES
"""


class Slurm:
    def __init__(self, hosts, folder):
        self.hosts, self.folder, self.daemons = hosts, folder, []
        self.env = {"SLURM_CONF": f"{folder}/slurm.conf"}
        pathlib.Path(self.env["SLURM_CONF"]).write_text(configuration(hosts, folder), encoding="ascii")
        pathlib.Path(f"{folder}/cgroup.conf").write_text("CgroupPlugin=cgroup/v1\n", encoding="ascii")
        pathlib.Path(f"{folder}/key").write_bytes(os.urandom(128))
        os.chmod(f"{folder}/key", 0o400)
        for name in NAMES:
            os.mkdir(f"{folder}/{name}")

    def on(self, i, *words):
        """There, under the name of that node."""
        return [*self.hosts.on(i), "unshare", "--uts", "sh", "-c", 'hostname "$0" && exec "$@"', NAMES[i], *words]

    def begin(self, *words):
        log = open(f"{self.folder}/{len(self.daemons)}.log", "w", encoding="ascii")
        self.daemons.append(subprocess.Popen(words, stdout=log, stderr=log, env={**os.environ, **self.env}))

    def __enter__(self):
        self.begin("munged", "-F", "-f", "--key-file", f"{self.folder}/key", "--socket", f"{self.folder}/munge",
                   "--pid-file", f"{self.folder}/munged.pid", "--seed-file", f"{self.folder}/seed",
                   "--log-file", f"{self.folder}/munged.log")
        self.begin(*self.on(0, "slurmctld", "-D"))
        for i in range(len(NAMES)):
            self.begin(*self.on(i, "slurmd", "-D"))
        end = time.monotonic() + HANG
        while self.run("sinfo", "--noheader", "--format=%t").out.split() != ["idle"]:
            if time.monotonic() > end:
                logs = "\n".join(log.read_text() for log in pathlib.Path(self.folder).glob("*.log"))
                self.__exit__()
                sys.exit(f"FAILED: Slurm does not start: {logs}")
            time.sleep(0.1)
        return self

    def __exit__(self, *_):
        for daemon in reversed(self.daemons):
            daemon.terminate()
        for daemon in reversed(self.daemons):
            daemon.wait()

    def run(self, *words):
        return run_words(*self.on(0, *words), env=self.env)

    def batch(self, allocation, *words):
        """As the script of a job: on its first node. What it has printed, and its code."""
        printed = f"{self.folder}/printed"
        script = f"{self.folder}/script"
        with open(script, "w", encoding="ascii") as file:
            file.write('#!/bin/sh\nexec "$@"\n')
        result = self.run("sbatch", "--wait", f"--output={printed}", *allocation, script, *words)
        return result.code, pathlib.Path(printed).read_text(encoding="ascii")


def is_main(pe):
    """trawl-run has started it itself; all others are srun's."""
    with open(f"/proc/{pe}/status", encoding="ascii") as status:
        parent = re.search(r"^PPid:\s*(\d+)", status.read(), re.M)[1]
    return os.readlink(f"/proc/{parent}/exe") == os.path.realpath(TRAWL_RUN)


def outlived(slurm):
    """A PE on another node is killed: the answer is the same."""
    words = ["sum_euler", "20000"]
    mark = f"--trawl:seed={os.getpid()}"  # that no other run has
    begun = time.monotonic()
    process = start(slurm.on(0, "salloc", "--quiet", "-N3", "-n3", TRAWL_RUN, program(words[0]), *words[1:], mark),
                    env=slurm.env)
    found = set()
    while len(found) < 3 and process.poll() is None:
        time.sleep(0.02)
        found = processes_like(f"^{program(words[0])} {words[1]} {mark}$")
    if process.poll() is None:
        time.sleep(1)  # until all have met: a run that has not begun is not begun again under srun
        os.kill(next(pe for pe in found if not is_main(pe)), signal.SIGKILL)
    result = finish(process, begun, slurm.env)
    expect(result.code == 0 and result.out == run(0, *words).out and "is lost" in result.err,
           "expected what one PE computes, and that one is lost", result)


def where_are_they(printed):
    """Of what `sh -c 'hostname'` prints on each PE: how many there are by node."""
    return {name: printed.splitlines().count(name) for name in NAMES}


def main(hosts):
    with tempfile.TemporaryDirectory() as folder, Slurm(hosts, folder) as slurm:
        alone = run(0, "queens", "9").out
        for allocation in ["-N3", "-n3"], ["-N3", "-n6"], ["-N1", "-n2"], ["-N3"], ["-N3", "--ntasks-per-node=1"]:
            result = slurm.run("salloc", "--quiet", *allocation, TRAWL_RUN, program("queens"), "9")
            expect(result.code == 0 and result.out == alone and "arning" not in result.err,
                   f"expected what one PE computes, on {allocation}", result)
            code, printed = slurm.batch(allocation, TRAWL_RUN, program("queens"), "9")
            expect(code == 0 and alone in printed.splitlines(keepends=True) and "arning" not in printed, "expected the same",
                   printed)
        # The main PE is where the script is; the others where the allocation has room for them.
        ended = f"{folder}/ended"
        together = f"hostname; echo >>{ended}; until [ $(wc -l <{ended}) -ge $0 ]; do sleep 0.05; done"
        for allocation, each in (["-N3", "-n3"], 1), (["-N3", "-n6"], 2), (["-N3"], 1), (["-N3", "--ntasks-per-node=2"], 2):
            pathlib.Path(ended).write_text("", encoding="ascii")
            code, printed = slurm.batch(allocation, TRAWL_RUN, "sh", "-c", together, str(3 * each))
            expect(where_are_they(printed) == {name: each for name in NAMES}, f"expected {each} on each node",
                   f"{code}: {printed}")
        outlived(slurm)
        code, _ = slurm.batch(["-N3", "-n3"], TRAWL_RUN, program("queens"), "x")
        expect(code == 2, "expected the program's exit code", code)
    print("by Slurm: results, who is where, a death, and an exit code, as they should be")


if not all(shutil.which(daemon) for daemon in DAEMONS):
    print("there is no Slurm here: not tried")
    sys.exit(77)
with_hosts(len(NAMES), main)
