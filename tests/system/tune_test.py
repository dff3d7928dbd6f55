#!/usr/bin/env -S python3 -B
"""trawl-tune: a program is recorded, tuned for grids, and run with the flags that are advised."""
import json
import os
import re
import shlex
import shutil
import signal
import tempfile
import time

from harness import expect, finish, program, run, run_words, start

GRIDS = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../profiles/grids")
SITES = f"{GRIDS}/your-grid/two-sites.json"
# Hosts of two cores.
HOSTS = {"clusters": [{"name": "a", "pes": 2, "workers": 2, "latency": "100 us", "bandwidth": "50 MB/s"}],
         "between": {"latency": "1 ms", "bandwidth": "10 MB/s"}}


def refused(named, *args):
    result = run(0, "trawl-tune", *args)
    expect(result.code == 2, "expected exit code 2", result)
    expect(result.out == "" and result.err.count("\n") == 1, "expected one line, an error", result)
    expect(named in result.err and result.err.startswith("trawl-tune: "), f"expected a line that says {named}", result)


def tuned(*args, env=None):
    result = run(0, "trawl-tune", *args, "--json", env=env)
    expect(result.code == 0, "expected exit code 0", result)
    return result, json.loads(result.out)


def same(one, other):
    """But for what is measured on this host."""
    for each in one, other:
        for on in each["grids"]:
            for measured in "spawn_s", "par_s": on["grain"].pop(measured, None)
            for function in on["grain"]["functions"]:
                function.pop("cost_share", None)
                function.pop("verdict", None)
    return one == other


def simulated(result):
    expect(result.code == 0, "expected exit code 0", result)
    return float(re.search(r"^simulated: ([0-9.]+) s", result.err, re.M)[1])


with tempfile.TemporaryDirectory() as folder:
    recording, flags, hosts = (os.path.join(folder, name) for name in ("recording", "flags", "hosts.json"))
    with open(hosts, "w") as file: json.dump(HOSTS, file)
    expect((recorded := run(0, "sum_euler", 3000, f"--trawl:record={recording}")).code == 0, "a recording", recorded)

    # One grid: reproducible, within its budget, and what is written is what is advised.
    svg = os.path.join(folder, "plot.svg")
    small = [recording, SITES, "--budget", 100]
    result, found = tuned(*small, "--write", flags, "--plot", svg)
    on = found["grids"][0]
    expect(on["runs"] <= 100 and on["pes"] == 7, "expected seven PEs within a budget", result)
    # A third more for the grain, one to know how long runs take, two for what sending costs.
    expect(on["runs"] < found["replays"] <= 100 + 33 + 3, f"expected a budget kept, not {found['replays']} runs", result)
    expect(0 < on["advised_s"] <= on["default_s"], "expected no loss", result)
    expect("trawl-tune: two-sites: " in result.err, "expected to hear how far it is", result)
    names = [function["function"] for function in on["grain"]["functions"]]
    expect(any("totients" in name for name in names), f"expected a function, not {names}", result)
    expect("<svg" in open(svg).read(), "expected a picture", result)
    quiet, again = tuned(*small, "--jobs", 1, "--quiet", env={"TRAWL_POLICY": "rs"})
    expect(same(found, again), f"expected the same as\n{quiet}", result)
    expect(quiet.err == "", "expected silence", quiet)
    told = [line for line in open(flags).read().splitlines() if line and not line.startswith("#")]
    expect(told == on["flags"], f"expected {on['flags']} in the file, not {told}", result)
    simulated(run(0, "sum_euler", 3000, f"--trawl:simulate={SITES}", f"--trawl:flags={flags}"))

    # What is fixed holds for all runs.
    result, found = tuned(recording, SITES, "--budget", 150, "--trawl:policy=rs")
    slow = found["grids"][0]
    expect(slow["default_s"] > on["default_s"], "expected a slower policy", result)
    expect(not any(effect["flag"] == "policy" for effect in slow["effects"]), "what is fixed is not varied", result)

    result, found = tuned(recording, SITES, "--budget", 40, "--trawl:fish-delay-max=500")
    delays = [effect["level"] for effect in found["grids"][0]["effects"] if effect["flag"] == "fish-delay"]
    expect(delays and "1000" not in delays, f"expected no level that is refused, not {delays}", result)
    expect("trouble" not in found["grids"][0], "expected no run that failed", result)

    # Nobody hears it: an error; what was to be written is.
    for option in "--json", "--quiet":
        os.remove(flags)
        words = [program("trawl-tune"), recording, SITES, "--budget", 30, option, "--write", flags]
        deaf = run_words("sh", "-c", shlex.join(map(str, words)) + " > /dev/full")
        expect(deaf.code == 2 and "could not be written" in deaf.err, "expected an error", deaf)
        expect(os.path.exists(flags), "expected the flags", deaf)
    deaf = run_words("sh", "-c", shlex.join(map(str, words)).replace("--quiet", "") + " 2> /dev/full")
    expect(deaf.code == 0 and "Grain." in deaf.out, "expected a page", deaf)
    piped = run_words("sh", "-c", f"cat {shlex.quote(SITES)} | " + shlex.join(map(str, words)).replace(SITES, "/dev/stdin"))
    expect(piped.code == 0, "expected a grid from a pipe to do", piped)

    # A replay that fails by a flag is said; without trawl-replay there is nothing.
    beside = os.path.join(folder, "beside")
    os.mkdir(beside)
    alone = shutil.copy(program("trawl-tune"), beside)
    missing = run_words(alone, recording, SITES)
    expect(missing.code == 2 and "cannot start" in missing.err, "expected to miss trawl-replay", missing)
    with open(os.path.join(beside, "trawl-replay"), "w") as file:
        file.write(f"""#!/bin/sh
case "$*" in *max-fish=4*) echo "trawl-replay: no such luck" >&2; exit 1;; esac
exec {shlex.quote(os.path.abspath(program("trawl-replay")))} "$@"
""")
    os.chmod(file.name, 0o755)
    failing = run_words(alone, recording, SITES, "--budget", 200)
    expect(failing.code == 0 and "failed, by --trawl:max-fish=4: no such luck" in failing.out, "expected why", failing)

    # Told to stop, it leaves nothing behind.
    temporary = os.path.join(folder, "temporary")
    os.mkdir(temporary)
    for told in signal.SIGINT, signal.SIGTERM:
        begun = time.monotonic()
        written = [os.path.join(folder, "stopped.flags"), os.path.join(folder, "stopped.svg")]
        stopped = start([program("trawl-tune"), recording, SITES, "--scale-work", 100, "--write", written[0],
                         "--plot", written[1]], {"TMPDIR": temporary})
        while not os.listdir(temporary): time.sleep(0.01)
        time.sleep(0.3)
        stopped.send_signal(told)
        result = finish(stopped, begun)
        expect(result.code == -told and "stopped: " in result.err, f"expected to end by {told.name}", result)
        expect(os.listdir(temporary) == [], "expected no folder left behind", result)
        expect(not any(map(os.path.exists, written)), "expected no files left behind", result)

    # Several: an advice for each, and one for all; PEs a host are chosen where they have several workers.
    result, found = tuned(recording, SITES, hosts, "--budget", 100)
    expect(len(found["grids"]) == 2 and len(found["for_all"]["gains"]) == 2, "expected two grids and all", result)
    expect(found["grids"][1]["pes_a_host"] in ("1", "each core"), "expected PEs a host", result)
    expect("pes_a_host" not in found["grids"][0], "expected nothing to choose", result)
    text = run(0, "trawl-tune", recording, SITES, hosts, "--budget", 60, "--quiet")
    expect(text.code == 0 and "for all grids" in text.out and "Grain." in text.out, "expected a page of text", text)
    timed = run(0, "trawl-tune", recording, SITES, "--budget", "0.5s", "--quiet")
    expect(timed.code == 0, "expected exit code 0", timed)

    refused("/no/such/file", "/no/such/file", SITES)
    refused("/no/such/grid", recording, "/no/such/grid")
    refused("this is no recording", SITES, SITES)
    refused("cannot write /no/such/place", recording, SITES, "--write", "/no/such/place")
    refused("Is a directory", recording, folder)
    refused("would destroy what is read", recording, SITES, "--write", recording)
    refused("would destroy what is read", recording, hosts, "--write", hosts)
    refused("--plot needs", recording, SITES, "--plot", "x.gif")
    refused("--budget needs", recording, SITES, "--budget", "much")
    refused("GRID", recording)
    refused("nan is no number", recording, SITES, "--scale-work", "nan")
    refused("nan is no number", recording, SITES, "--scale-bytes", "nan")
    refused("not in range 1e-06 to 1000000 ", recording, SITES, "--scale-work", "0")
    refused("--trawl:wokers", recording, SITES, "--trawl:wokers=3")
    refused("decides that itself", recording, SITES, "--trawl:seed=3")
    with open(hosts, "w") as file: file.write('{"clusters": []}')
    refused("hosts.json", recording, hosts)
    with open(recording, "r+b") as file:
        file.seek(60)
        file.write(b"\xff\xff")
    refused(f"{recording}: byte ", recording, SITES)

for flag in "--help", "--version":
    result = run(0, "trawl-tune", flag)
    expect(result.code == 0 and "trawl-tune" in result.out and result.err == "", "expected an answer", result)
print("all right")
