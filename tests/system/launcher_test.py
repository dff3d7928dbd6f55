#!/usr/bin/env -S python3 -B
"""Under a launcher that MPICH does not understand, each process would compute everything: it says so instead."""
from harness import expect, run

OPEN_MPI = {"OMPI_COMM_WORLD_SIZE": "4", "OMPI_COMM_WORLD_RANK": "1", "PMIX_RANK": "1"}
SRUN_PMIX = {"PMIX_RANK": "0", "SLURM_STEP_NUM_TASKS": "4", "SLURM_NTASKS": "4", "SLURM_PROCID": "0"}
SRUN_PLAIN = {"SLURM_STEP_NUM_TASKS": "4", "SLURM_NTASKS": "4", "SLURM_PROCID": "0"}

for env, cause in (OPEN_MPI, "Open MPI's mpiexec as one of 4"), (SRUN_PMIX, "srun as one of 4"), \
        (SRUN_PLAIN, "srun as one of 4"):
    result = run(0, "fib", "20", env=env)
    expect(result.code == 2 and result.out == "", "expected exit code 2", result)
    expect(cause in result.err and "mpiexec.mpich" in result.err and result.err.count("\n") == 1,
           "expected one line with the cause and the cure", result)
    # Within a job of another launcher, MPICH's own is right.
    result = run(2, "fib", "20", env={k: v for k, v in env.items() if k.startswith("SLURM")})
    expect(result.code == 0 and result.out == "6765\n", "expected 6765", result)

# Both say how many PEs there are: one run each, or PEs that wait for each other.
for flag in "--trawl:seats=8", "--trawl:pes=2", "--trawl:meet=0":
    for more in [], ["--trawl:fabric=net"]:
        result = run(2, "fib", "20", flag, *more)
        expect(result.code == 2 and result.out == "", "expected exit code 2", result)
        expect("mpiexec has started 2 PEs: leave out" in result.err, "expected the cause and the cure", result)
print("told apart")
