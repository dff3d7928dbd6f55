"""Replays, each done once: what they took, what crossed the links, what the host paid for them."""
import concurrent.futures
import dataclasses
import json
import math
import os
import re
import resource
import shutil
import signal
import statistics
import subprocess
import sys
import time

import make_grids as grids
from reproduce.programs import GENERATED, RECORDED, ROOT, TREES

# Satin's nodes steal again at once. Here after 10 ms, a twentieth of a job: host time is in proportion
# to the tries. And no node is lost for a slow link.
STEALING = {"rs", "crs", "cmrs", "acrs"}
FLAGS = ["--trawl:silence=1000", "--trawl:stats=json"]

# Seconds of this processor for one run. PEs that wait hours at a slow link poll for hours: such a run
# is left out. Not of the clock: what else the host does decides nothing.
LONGEST = 25
# And for a program that is simulated itself.
LONGEST_PROGRAM = 600


@dataclasses.dataclass
class Outcome:
    """Virtual seconds (infinite: left out), messages and bytes between clusters (each link of a way
    counts), seconds of the host's processor, what a program said of itself, and of one that was
    stopped how many seconds of the processor it might have had."""
    seconds: float
    messages: int = 0
    bytes: int = 0
    cost: float = 0
    said: str = ""
    limit: float = 0

    def is_known(self, longest):
        """Or might it end, with so many?"""
        return self.seconds < math.inf or self.limit >= longest


def seconds_of(text, what):
    return float(re.search(rf"^{what} +([0-9.]+) s", text, re.M)[1])


class Runs:
    """Asked for again and again, until nothing is wanted that has not been run."""

    def __init__(self, build, frozen=False):
        self.bin, self.folder = build / "bin", build / "paper"
        (self.folder / "grids").mkdir(parents=True, exist_ok=True)
        self.frozen = frozen  # nothing is run
        self.seeds, self.cost, self.done = 3, 0, []
        self.longest = LONGEST
        self.wanted, self.known, self.bounds, self.infos = {}, {}, {}, {}
        self.store = self.folder / "runs.json"
        self.stamp = os.stat(self.bin / "trawl-replay").st_mtime
        if self.store.exists():
            stored = json.loads(self.store.read_text())
            if stored["stamp"] == self.stamp:
                known = {key: Outcome(*each) for key, each in stored["runs"].items()}
                self.known = {key: each for key, each in known.items()  # not: stopped by somebody
                              if each.seconds < math.inf or each.cost > each.limit * 0.9}

    def replay(self, *command):
        return subprocess.run([self.bin / "trawl-replay", *command], check=True, capture_output=True,
                              text=True).stdout

    def record(self, name):
        """Of three recordings the one of the shortest critical path: what disturbs one only adds."""
        file = self.folder / f"{name}.rec"
        if file.exists(): return file
        program, *arguments = [x.replace("PICTURE", str(self.folder / "picture.ppm"))
                               for x in RECORDED[name]]
        tries = [self.folder / f"{name}.{i}.rec" for i in range(3)]
        for each in tries:
            print(f"recording {name}", file=sys.stderr)
            subprocess.run([self.bin / program, *arguments, f"--trawl:record={each}"], check=True,
                           stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        tries.sort(key=lambda each: seconds_of(self.replay(each, "--info"), "critical path"))
        tries[0].rename(file)
        for each in tries[1:]: each.unlink()
        return file

    def source(self, name):
        """Arguments for a program as it was recorded, or for a generated tree."""
        return TREES[name] if name in TREES else [str(self.record(name))]

    def info(self, name, what):
        """Seconds of a source: its work, or its critical path."""
        if name not in self.infos: self.infos[name] = self.replay(*self.source(name), "--info")
        return seconds_of(self.infos[name], what)

    def graph(self, name, seconds):
        """Arguments for a program that takes so long on one processor."""
        if name in GENERATED: return GENERATED[name]
        return [*self.source(name), "--scale-work", f"{seconds / self.info(name, 'work'):.6g}"]

    def date(self, file):
        """So that what was replayed of an older recording is not taken for what is there now."""
        return str(os.stat(file).st_mtime_ns) if file.endswith(".rec") else ""

    def grid(self, which):
        """A shipped grid by its name, or one made for a sweep: a pair of name and contents."""
        if isinstance(which, str): return ROOT / "profiles/grids" / f"{which}.json"
        name, contents = which
        file = self.folder / "grids" / f"{name}.json"
        text = grids.text_of(contents)
        if not file.exists() or file.read_text() != text: file.write_text(text)
        return file

    def outcomes(self, graph, grid, policy, *flags, seeds=None):
        more = ["--trawl:fish-delay=10000"] if policy in STEALING else []
        found = []
        for seed in range(1, (seeds or self.seeds) + 1):
            command = [*graph, f"--trawl:simulate={self.grid(grid)}", f"--trawl:policy={policy}",
                       f"--trawl:seed={seed}", *FLAGS, *more, *flags]
            key = " ".join([*command, self.date(graph[0])])
            if key in self.known and self.known[key].is_known(self.longest): found.append(self.known[key])
            else: self.wanted[key] = command
        self.cost += sum(each.cost for each in found)
        self.done.append(len(found))
        return found or [Outcome(math.inf, 1, 1)]

    def times(self, *what, **more):
        return [each.seconds for each in self.outcomes(*what, **more)]

    def bound(self, graph, grid, what="attainable"):
        """Seconds: no schedule takes less; or how long who knows all lengths takes, "longest first"."""
        command = [*graph, "--info", "--bound", str(self.grid(grid))]
        key = " ".join(command)
        if key not in self.bounds: self.bounds[key] = self.replay(*command)
        return seconds_of(self.bounds[key], what)

    def share(self, graph, grid, times):
        """Of what is attainable, in %."""
        if math.inf in times: return ""
        return f"{100 * statistics.mean(self.bound(graph, grid) / x for x in times):.1f}"

    def simulated(self, grid, program, *arguments, balanced=False):
        """A program itself, at once and alone: its work is measured. What it says of itself is its
        output, or how its skeletons were balanced."""
        command = [program, *arguments, f"--trawl:simulate={self.grid(grid)}", "--trawl:seed=1"]
        trace = self.folder / "trace"
        if balanced: command.append(f"--trawl:trace={trace}")
        key = " ".join([*command, str(os.stat(self.bin / program).st_mtime_ns),
                        self.grid(grid).read_text()])
        if key not in self.known and not self.frozen:
            print(" ".join(command), file=sys.stderr)
            _, self.known[key] = self.one((key, command), program, LONGEST_PROGRAM)
            if balanced: self.known[key].said = self.decisions(trace, self.known[key].seconds)
            self.keep()
        outcome = self.known.get(key, Outcome(math.inf))
        self.cost += outcome.cost
        self.done.append(1)
        return outcome

    def profile(self, graph, grid, policy, *flags, picture):
        """Draws the per-PE activity profile of a replay; gives seconds, and how many PEs were busy."""
        trace = self.folder / "trace"
        self.replay(*graph, f"--trawl:simulate={self.grid(grid)}", f"--trawl:policy={policy}", *flags,
                    "--trawl:seed=1", "--trawl:silence=1000", f"--trawl:trace={trace}")
        shown = subprocess.run([self.bin / "trawl-profile", trace, "--width", "500", "--png", picture, "--json"],
                               check=True, capture_output=True, text=True)
        shutil.rmtree(trace)
        self.done.append(1)
        summary = json.loads(shown.stdout)
        return summary["to"] - summary["from"], summary["average_parallelism"]

    def decisions(self, trace, seconds):
        """JSON: when shards were moved, or not, and who had how much of the work before and after."""
        if seconds == math.inf: return ""
        shown = subprocess.run([self.bin / "trawl-profile", trace, "--json", "--summary-only"],
                               check=True, capture_output=True, text=True)
        shutil.rmtree(trace)
        return json.dumps(json.loads(shown.stdout)["balance"])

    def one(self, item, program="trawl-replay", longest=None):
        key, command = item
        longest = longest or self.longest
        command = command if program == "trawl-replay" else command[1:]
        with subprocess.Popen([self.bin / program, *command], stdout=subprocess.DEVNULL,
                              stderr=subprocess.PIPE, text=True) as process:
            resource.prlimit(process.pid, resource.RLIMIT_CPU, (longest, longest))
            text = process.stderr.read()
            _, status, usage = os.wait4(process.pid, 0)
            process.returncode = os.waitstatus_to_exitcode(status)
        cost = usage.ru_utime + usage.ru_stime
        if process.returncode == -signal.SIGKILL: return key, Outcome(math.inf, cost=cost, limit=longest)
        seconds = re.search(r"simulated: ([0-9.]+) s", text)
        if process.returncode or not seconds: sys.exit(f"{key}\nexit {process.returncode}\n{text}")
        if program != "trawl-replay": return key, Outcome(float(seconds[1]), cost=cost, said=text)
        links = json.loads(text[text.index("\n{"):]).get("links", [])
        return key, Outcome(float(seconds[1]), sum(each["messages"] for each in links),
                            sum(each["bytes"] for each in links), cost)

    def run_wanted(self):
        """Two at a time; they are kept every few seconds, so that what is stopped goes on there."""
        kept = time.monotonic()
        with concurrent.futures.ThreadPoolExecutor(2) as pool:
            for i, (key, outcome) in enumerate(pool.map(self.one, self.wanted.items())):
                self.known[key] = outcome
                if time.monotonic() > kept + 5:
                    self.keep()
                    kept = time.monotonic()
                print(f"\r{i + 1} of {len(self.wanted)} ", end="", file=sys.stderr, flush=True)
        self.keep()
        print(file=sys.stderr)

    def forget_wanted(self):
        self.wanted, self.cost, self.done = {}, 0, []

    def keep(self):
        runs = {key: dataclasses.astuple(each) for key, each in self.known.items()}
        self.store.write_text(json.dumps({"stamp": self.stamp, "runs": runs}))
