#!/usr/bin/env -S python3 -B
"""Where /dev/shm has just enough for MPI, PEs have their pipes all the same, and no message kills them."""
import os
import shlex
import sys

from harness import BIN, expect, mpiexec, run_words

SKIPPED = 77
PES = 4
LEAST, MOST, STEP = 16 << 10, 32 << 10, 256  # KiB; MPI takes about 16800 of them
MPI_GIVES_UP = "Not enough memory to write total"


def with_shared_memory(kib, *words):
    """Runs words where /dev/shm is that large, for them alone."""
    mount = f"mount -t tmpfs -o size={kib}k tmpfs /dev/shm"
    return run_words("unshare", "--mount", "sh", "-c", f"{mount} && exec {shlex.join(words)}")


def run_programs(kib):
    """Whether MPI starts. The programs send enough to fill what there is."""
    for words, answer in ((("queens", "10"), "724\n"), (("sum_euler", "4000", "--chunk", "4"), "4863602\n")):
        program, *args = words
        result = with_shared_memory(kib, *mpiexec(PES), os.path.join(BIN, program), *args)
        if MPI_GIVES_UP in result.out:  # UCX says so there
            return False
        expect(result.code == 0 and result.out == answer, f"with {kib} KiB a wrong answer, or none", result)
    return True


if with_shared_memory(LEAST, "true").code != 0:
    print("skipped: only root may mount another /dev/shm")
    sys.exit(SKIPPED)

least = next((kib for kib in range(LEAST, MOST, STEP) if run_programs(kib)), None)
if least is None:
    sys.exit(f"FAILED: MPI did not start with up to {MOST} KiB: what Trawl does has not been seen")
for kib in range(least + STEP, least + 5 * STEP, STEP):
    run_programs(kib)
