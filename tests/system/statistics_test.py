#!/usr/bin/env -S python3 -B
"""--trawl:stats and --trawl:trace tell of the run what is true of every run."""
import json
import os
import signal
import subprocess
import tempfile
import time

from harness import BIN, FABRICS, expect, finish, mpiexec, run, start


def check_sums(stats, pes, result):
    total, each = stats["total"], stats["by_pe"]
    expect(stats["pes"] == pes == len(each), f"expected {pes} PEs", result)
    for name, value in total.items():
        expect(abs(sum(pe[name] for pe in each) - value) < 1e-6, f"{name} does not add up", result)
    expect(total["sparks_exported"] == total["sparks_imported"], "sparks are lost", result)
    # One FISH brings up to 8 sparks.
    expect(total["fish_answered"] <= total["sparks_exported"] <= 8 * total["fish_answered"],
           "sparks exported without a FISH", result)
    gone = total["sparks_converted"] + total["sparks_subsumed"] + total["sparks_fizzled"]
    expect(gone <= total["sparks_created"], "more sparks used than created", result)
    expect(total["sparks_converted"] < total["threads_created"], "the root is a thread too", result)
    expect(total["resume_received"] <= total["resume_sent"], "results out of nothing", result)
    expect(total["busy_time_s"] > 0 and stats["elapsed_s"] > 0, "no time has passed", result)
    check_shares(stats, result)


SHARES = "mutator", "collector", "communication", "idle"


def check_shares(stats, result):
    """Each worker's time is divided without a rest, and is about as long as the run. (A run may be over
    before a PE's workers have begun.)"""
    shares = stats["shares"]
    workers = [worker for pe in shares["by_pe"] for worker in pe["workers"]]
    begun = [pe for pe in shares["by_pe"] if any(worker["life_s"] > 0 for worker in pe["workers"])]
    for one in [shares["total"], *begun, *(worker for worker in workers if worker["life_s"] > 0)]:
        expect(all(0 <= one[share] <= 1 for share in SHARES), f"these are no shares: {one}", result)
        expect(abs(sum(one[share] for share in SHARES) - 1) < 1e-6, f"{one} does not add up", result)
    lives = sum(worker["life_s"] for worker in workers)
    for share in SHARES:
        told = sum(worker[share] * worker["life_s"] for worker in workers)
        expect(abs(told - shares["total"][share] * lives) < 1e-6, f"{share} does not add up", result)
    expect(all(worker["life_s"] < result.seconds for worker in workers),
           "a worker has lived longer than its process", result)
    # What stands still is in neither of these; of spare workers the one has what the other has not.
    outside = sum((1 - worker["collector"]) * worker["life_s"] for worker in workers)
    told = stats["total"]["busy_time_s"] + stats["total"]["idle_time_s"]
    expect(abs(outside - told) < 0.05 * told + 0.01, f"busy and idle are {told} s, not {outside}", result)


def times(pes, *words):
    """What tests/times did: its statistics."""
    result = run(pes, "tests/times", *words, "--trawl:workers=1", "--trawl:stats=json")
    expect(result.code == 0, "expected exit code 0", result)
    stats = json.loads(result.err[result.err.index("{"):])
    check_shares(stats, result)
    return stats, result


def profile_of(logs, result):
    done = subprocess.run([os.path.join(BIN, "trawl-profile"), logs, "--json"], text=True,
                          capture_output=True)
    expect(done.returncode == 0, f"trawl-profile failed: {done.stdout}{done.stderr}", result)
    for picture, magic in (("activity.svg", b"<?xml"), ("activity.png", b"\x89PNG")):
        with open(os.path.join(logs, picture), "rb") as file:
            expect(file.read(8).startswith(magic), f"{picture} is no picture", result)
    return json.loads(done.stdout)


for env in FABRICS.values():
    for pes in 0, 1, 2, 4:
        for words in ["sum_euler", "1000", "--chunk", "10"], ["queens", "9"], ["fib", "24"], \
                ["lin_solv", "--random", "60", "--bits", "20", "--seed", "3"]:
            with tempfile.TemporaryDirectory() as logs:
                result = run(pes, *words, "--trawl:stats=json", "--trawl:trace=" + logs, env=env)
                expect(result.code == 0, "expected exit code 0", result)
                stats = json.loads(result.err[result.err.index("{"):])
                check_sums(stats, max(pes, 1), result)

                profile = profile_of(logs, result)
                expect(profile["pes"] == max(pes, 1), "a PE has left no log", result)
                expect(all(pe["complete"] for pe in profile["per_pe"]), "a log is cut short", result)
                expect(0 < profile["runtime"] < stats["elapsed_s"] + 0.1,
                       f"the run took {stats['elapsed_s']} s, not {profile['runtime']}", result)
                threads = sum(pe["threads"] for pe in profile["per_pe"])
                expect(threads == stats["total"]["threads_created"],
                       f"the log has {threads} threads", result)
                functions, total = profile["report"]["functions"], stats["total"]
                made = sum(each["converted"] + each["imported"] - each["again"] if each["sparks"] is None else each["sparks"]
                           for each in functions)  # where none was looked at, those that became threads
                expect(made == total["sparks_created"] - total["sparks_backed_up"],
                       f"{made} sparks are said to have been made", result)
                gone = sum((each["subsumed"] or 0) + (each["fizzled"] or 0) for each in functions)
                in_place = total["sparks_subsumed"] + total["sparks_fizzled"] + total["sparks_ignored"]
                left = total["sparks_created"] - total["sparks_converted"] - in_place  # nobody came to them
                expect(-len(functions) <= gone - in_place <= left + len(functions),
                       f"not {in_place} but {gone} sparks were of no use", result)
                fetches = sum(pe["fetch_sent"] for pe in profile["per_pe"])
                expect(fetches == stats["total"]["fetch_sent"], f"the log has {fetches} FETCHes", result)

# What was placed on its own PE has not come from another one.
with tempfile.TemporaryDirectory() as logs:
    result = run(2, "sample_sort", "--trawl:workers=1", "--trawl:stats=json", "--trawl:trace=" + logs)
    expect(result.code == 0, "expected exit code 0", result)
    came = json.loads(result.err[result.err.index("{"):])["total"]["sparks_imported"]
    functions = profile_of(logs, result)["report"]["functions"]
    drawn = sum(function["imported"] for function in functions)
    expect(drawn <= came < sum(function["converted"] for function in functions),
           f"{came} sparks have come, {drawn} are said to", result)

# The collector's own start is no collection.
result = run(0, "fib", "10", "--sequential", "--trawl:stats=json")
expect(json.loads(result.err[result.err.index("{"):])["total"]["gc_count"] == 0, "expected no collection", result)

# Both mean the same by busy: without collections, of which here are many, and without joining.
for pes, words in (0, ["sum_euler", "4000", "--chunk", "10", "--trawl:collect-every=1"]), \
        (2, ["sum_euler", "4000", "--chunk", "10", "--trawl:collect-every=1", "--trawl:workers=2"]), \
        (8, ["sum_euler", "4000"]):
    with tempfile.TemporaryDirectory() as logs:
        result = run(pes, *words, "--trawl:stats=json", "--trawl:trace=" + logs)
        expect(result.code == 0, "expected exit code 0", result)
        stats = json.loads(result.err[result.err.index("{"):])
        profile = profile_of(logs, result)
        lives = [profile["runtime"] * pe["workers"] for pe in profile["per_pe"]]
        drawn = sum(pe["busy"] * time for pe, time in zip(profile["per_pe"], lives))
        told = stats["total"]["busy_time_s"]
        expect(abs(told - drawn) < 0.12 * sum(lives),
               f"statistics tell of {told:.3f} s busy, the log of {drawn:.3f} of {sum(lives):.3f} s", result)

# A program of which it is known what it does.
stats, result = times(2, "alone", "1")
busy, idle = stats["shares"]["by_pe"]
expect(busy["mutator"] > 0.8, "the root computes all the time", result)
expect(idle["idle"] > 0.8, "nobody gives PE 1 anything to do", result)
expect(all(0.9 < pe["workers"][0]["life_s"] for pe in (busy, idle)),
       "both have lived for a second", result)

stats, result = times(2, "ship", "16", "40")
busy = stats["shares"]["by_pe"][0]
expect(busy["communication"] > busy["mutator"], "PE 0 takes arrays and looks at their last numbers", result)

for pes in 0, 2:
    stats, result = times(pes, "allocate", "200")
    allocated = stats["by_pe"][0]["allocated_bytes"]
    expect(200e6 <= allocated < 400e6, f"200 MB are {allocated} bytes", result)
    stats, result = times(pes, "hold", "100")
    live = stats["by_pe"][0]["live_bytes"]
    expect(stats["by_pe"][0]["gc_count"] > 1, "it never collects: this tests nothing", result)
    expect(100e6 <= live < 200e6, f"100 MB are {live} bytes", result)

stats, result = times(0, "allocate", "200", "--trawl:collect-every=20000")
stood = sum(worker["collector"] * worker["life_s"] for worker in stats["shares"]["by_pe"][0]["workers"])
told = stats["total"]["gc_time_s"]
expect(0.5 * told < stood < 1.2 * told, f"{told} s in collections, {stood} of workers' times", result)

for pes in 1, 3, 9:
    result = run(pes, "fib", "15", "--trawl:stats")
    expect(result.code == 0 and result.err.count("trawl statistics:") == 1,
           "expected statistics, once", result)
    for name in "sparks_created", "fish_sent", "ga_slots", "gc_time", "busy_time", "allocated_bytes":
        expect(result.err.count(name) == 1, f"expected {name}", result)
# In a file of their own they are nothing but that.
with tempfile.TemporaryDirectory() as logs:
    file = os.path.join(logs, "stats.json")
    result = run(3, "fib", "15", "--trawl:stats=json", "--trawl:stats-file=" + file)
    expect(result.code == 0 and result.err.count("\n") == 1, "expected no statistics here", result)
    with open(file) as stats:
        check_sums(json.load(stats), 3, result)

# A run that is interrupted leaves logs of what it did so far.
with tempfile.TemporaryDirectory() as logs:
    begun = time.monotonic()
    process = start([*mpiexec(2), os.path.join(BIN, "tests/endings"), "endless", "--trawl:trace=" + logs])
    process.stdout.readline()  # mpiexec may have taken any time to start it
    working = time.monotonic()
    while time.monotonic() < working + 2:
        process.stdout.readline()
    process.send_signal(signal.SIGINT)
    result = finish(process, begun)  # mpiexec's exit code is now and then 0, even with `sleep` under it
    done = subprocess.run([os.path.join(BIN, "trawl-profile"), logs, "--json", "--summary-only"],
                          text=True, capture_output=True)
    expect(done.returncode == 1, f"trawl-profile: {done.stdout}{done.stderr}", result)
    profile = json.loads(done.stdout)
    expect(profile["runtime"] > 0.5 and all(pe["threads"] > 0 for pe in profile["per_pe"][:1]),
           f"expected most of the run: {done.stdout}", result)

# A simulated run is drawn and traced like any other, in virtual time.
with tempfile.TemporaryDirectory() as logs:
    grid = os.path.join(logs, "grid.json")
    with open(grid, "w") as file:
        json.dump({"clusters": [{"name": "fast", "pes": 2}, {"name": "slow", "pes": 2, "speed": 0.5}],
                   "between": {"latency": "1 ms", "bandwidth": "1 MB/s"}}, file)
    result = run(0, "queens", "11", "--trawl:simulate=" + grid, "--trawl:trace=" + logs)
    expect(result.code == 0 and result.out.strip() == "2680", "expected 2680", result)
    trace = os.path.join(logs, "trace.json")
    done = subprocess.run([os.path.join(BIN, "trawl-profile"), logs, "--json", "--perfetto", trace],
                          text=True, capture_output=True)
    expect(done.returncode == 0, f"trawl-profile failed: {done.stdout}{done.stderr}", result)
    profile = json.loads(done.stdout)
    expect(all(os.path.getsize(picture) > 1000 for picture in profile["pictures"]) and
           len(profile["pictures"]) == 4, "expected four pictures", result)
    work = profile["work"]
    for name, column in ("asked", "fish_sent"), ("forwarded", "fish_forwarded"), ("in_vain", "fish_home"):
        told, counted = sum(cell[name] for cell in work["fish"]), profile["total"][column]
        expect(told == counted, f"{told} FISH {name}, not {counted}", result)
    expect(work["spark_bytes"]["count"] == profile["total"]["sparks_exported"], "expected a packet a spark", result)
    threads = work["threads"]["count"] + work["threads_of_imported"]["count"]
    expect(threads == profile["total"]["threads"], f"{threads} threads have a length", result)

    with open(trace) as file:
        events = json.load(file)["traceEvents"]
    processes = {event["args"]["name"] for event in events if event["name"] == "process_name"}
    expect(len(processes) == 4 and "PE 3, slow, speed 0.50" in processes, f"expected 4 PEs: {processes}", result)
    lanes = {}
    for event in events:
        if event["ph"] == "X":
            lanes.setdefault(event["tid"], []).append((event["ts"], event["ts"] + event["dur"]))
    for slices in map(sorted, lanes.values()):
        expect(all(one[1] <= two[0] + 1e-6 for one, two in zip(slices, slices[1:])), "slices overlap", result)
    expect(any("solutions" in event["name"] for event in events if event["ph"] == "X"), "no thread has a name", result)
    begins = {event["id"]: event["ts"] for event in events if event["ph"] == "s"}
    ends = {event["id"]: event["ts"] for event in events if event["ph"] == "f"}
    expect(begins and begins.keys() == ends.keys(), "an arrow has one end only", result)
    expect(all(begins[arrow] <= ends[arrow] for arrow in begins), "an arrow goes back in time", result)
print("all right")
