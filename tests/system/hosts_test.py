#!/usr/bin/env -S python3 -B
"""How many workers a PE has and what speed it says it has, where it is bound to cores or limited by a control group."""
import json
import os
import subprocess
import tempfile

from harness import BIN, MPIEXEC, expect, run_words

FIB = os.path.join(BIN, "fib")
CORES = sorted(os.sched_getaffinity(0))
GROUPS = "/sys/fs/cgroup/cpu" if os.path.exists("/sys/fs/cgroup/cpu/cpu.cfs_quota_us") else "/sys/fs/cgroup"


def facts(*pes):
    """Runs a PE behind each of these prefixes; of each, how many workers it has and its speed."""
    with tempfile.TemporaryDirectory() as logs:
        words = [MPIEXEC] if pes[0] is not None else []
        for at, prefix in enumerate(pes):
            words += ([":"] if at else []) + (["-n", "1"] if prefix is not None else [])
            words += [*(prefix or []), FIB, "20", "--trawl:trace=" + logs]
        result = run_words(*words)
        expect(result.code == 0 and result.out == "6765\n", "expected 6765", result)
        profile = subprocess.run([os.path.join(BIN, "trawl-profile"), logs, "--json", "--summary-only"],
                                 text=True, capture_output=True)
        expect(profile.returncode == 0, f"trawl-profile: {profile.stdout}{profile.stderr}", result)
        return [(pe["workers"], pe["speed"]) for pe in json.loads(profile.stdout)["per_pe"]], result


def expect_workers(expected, *pes):
    found, result = facts(*pes)
    expect([workers for workers, _ in found] == expected, f"expected {expected} workers, found {found}", result)


def bound_to(*indices):
    return ["taskset", "-c", ",".join(str(CORES[index]) for index in indices)]


most = min(len(CORES), 192)
expect_workers([most], None)
expect_workers([max(1, len(CORES) // 2)] * 2, [], [])
expect_workers([1] * 3, *[bound_to(0)] * 3)
if len(CORES) >= 2:
    expect_workers([1, 1], bound_to(0), bound_to(1))
if len(CORES) >= 4:
    expect_workers([2, 2], bound_to(0, 1), bound_to(2, 3))
    expect_workers([3, 1], bound_to(0, 1, 2, 3), bound_to(0))


def limited_to(group, cores):
    """Makes a group; what puts a program into it."""
    os.mkdir(group)
    if os.path.exists(group + "/cpu.cfs_quota_us"):
        with open(group + "/cpu.cfs_quota_us", "w") as quota:
            quota.write(str(int(cores * 100_000)))
    else:
        with open(group + "/cpu.max", "w") as quota:
            quota.write(f"{int(cores * 100_000)} 100000")
    return ["sh", "-c", f'echo 0 >{group}/cgroup.procs; exec "$@"', "sh"]


made = [f"{GROUPS}/trawl-test-{os.getpid()}-{i}" for i in range(2)]
try:
    less, much = limited_to(made[0], 0.3), limited_to(made[1], 1.5)
    expect_workers([1], ["env", *less])
    if len(CORES) >= 2:
        found, result = facts([*much, *bound_to(0, 1)])
        expect(found[0][0] == 2, f"expected 2 workers, found {found}", result)
        # Two of them in one group: 0.75 of a core each.
        expect_workers([1, 1], much, much)
    found, result = facts([*bound_to(0)], [*less, *bound_to(0)])
    ratio = found[1][1] / found[0][1]
    expect(0.15 < ratio < 0.6, f"expected 0.3 of the speed, found {found}", result)
    limits = "limits of control groups are kept"
except OSError as e:
    limits = f"no control group can be made here ({e}): limits not tried"
finally:
    for group in made:
        if os.path.isdir(group):
            os.rmdir(group)
print(f"{most} cores; {limits}")
