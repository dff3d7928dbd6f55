"""Is there a policy that is better than the default somewhere? Programs by grids by sizes."""
import json
import math
import statistics

from reproduce.cells import LEFT_OUT, table
from reproduce.programs import RECORDED, TREES

OTHERS = ("random", "targeted", "rs", "crs", "cmrs", "acrs")
GRIDS = ("four-and-four", "four-and-four-4-10ms", "three-servers", "satin-4x16-20ms-1MBps",
         "satin-8+8+8+40")
PERFECT = (1, 5, 25)  # seconds on all PEs of the grid, if nothing had to travel
TOLERATED = 1.02


def strength(path):
    """Of a grid, in processors of speed 1."""
    clusters = json.loads(path.read_text())["clusters"]
    return sum(each["pes"] * each.get("workers", 1) * each.get("speed", 1) for each in clusters)


def spread(times):
    """Half of the 95 % confidence interval of the mean, by Student's t for few seeds."""
    if len(times) < 2: return math.inf
    t = {2: 12.71, 3: 4.30, 4: 3.18, 5: 2.78, 6: 2.57, 8: 2.36, 10: 2.26, 20: 2.09}
    factor = t[max(each for each in t if each <= len(times))]
    return factor * statistics.stdev(times) / math.sqrt(len(times))


def is_beaten(ours, theirs):
    """By more than is tolerated, beyond the confidence interval of the difference."""
    if math.inf in theirs: return False
    ahead = statistics.mean(ours) - TOLERATED * statistics.mean(theirs)
    return ahead > math.hypot(spread(ours), TOLERATED * spread(theirs))


def policies(run):
    rows, beaten, cells = [], 0, 0
    for name in (*RECORDED, *TREES):
        for grid in GRIDS:
            for perfect in PERFECT:
                graph = run.graph(name, perfect * strength(run.grid(grid)))
                ours = run.times(graph, grid, "trawl")
                others = {each: run.times(graph, grid, each) for each in OTHERS}
                if math.inf in ours:
                    rows.append([name, grid, perfect, LEFT_OUT, *[""] * (len(OTHERS) + 2)])
                    continue
                mean = statistics.mean(ours)
                shares = [LEFT_OUT if math.inf in x else f"{statistics.mean(x) / mean:.2f}"
                          for x in others.values()]
                better = [each for each, times in others.items() if is_beaten(ours, times)]
                cells, beaten = cells + 1, beaten + bool(better)
                rows.append([name, grid, perfect, f"{mean:.2f}", run.share(graph, grid, ours), *shares,
                             ", ".join(better)])
    return (f"The policies: times over the default's; in {beaten} of {cells} rows another is better by more "
            "than 2 % beyond the confidence interval",
            table(["program", "grid", "perfect, s", "trawl, s", "% of attainable", *OTHERS, "better"], rows))


TABLES = {policies: 5}
