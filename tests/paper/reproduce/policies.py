"""Is there a policy that is better than the default somewhere? Programs by grids by sizes."""
import json
import math
import statistics

from reproduce.cells import LEFT_OUT, table
from reproduce.programs import RECORDED, ROOT, TREES

OTHERS = ("random", "targeted", "rs", "crs", "cmrs", "acrs")
GRIDS = ("four-and-four", "four-and-four-4-10ms", "three-servers", "satin-4x16-20ms-1MBps",
         "satin-8+8+8+40")
PERFECT = (1, 5, 25)  # seconds on all PEs of the grid, if nothing had to travel
MIDDLE = (5,)
TOLERATED = 1.02
CLOSE = 1.05  # who might be ahead by more than that, by the first seeds, is asked for more
MORE = 4      # times as many


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


def times(run, graph, grid):
    """Of the default, and of each other policy; of those that may be better by more seeds."""
    ours = run.times(graph, grid, "trawl")
    others = {each: run.times(graph, grid, each) for each in OTHERS}
    close = [each for each, theirs in others.items()
             if statistics.mean(theirs) * TOLERATED < statistics.mean(ours) * CLOSE]
    if math.inf in ours or not close: return ours, others
    more = {"seeds": MORE * run.seeds}
    return (run.times(graph, grid, "trawl", **more),
            others | {each: run.times(graph, grid, each, **more) for each in close})


def rows_on(run, grids, sizes):
    """Of each program and size on these grids: what it is, the default's times, the others', and who is better."""
    for grid in grids:
        for name in (*RECORDED, *TREES):
            for perfect in sizes:
                graph = run.graph(name, perfect * strength(run.grid(grid)))
                ours, others = times(run, graph, grid)
                better = [] if math.inf in ours else [each for each in OTHERS if is_beaten(ours, others[each])]
                yield (name, grid, perfect), graph, ours, others, better


def shares(ours, others):
    """Times over the default's."""
    return [LEFT_OUT if math.inf in each else f"{statistics.mean(each) / statistics.mean(ours):.2f}"
            for each in others.values()]


HEAD = ["program", "grid", "perfect, s", "trawl, s", "% of attainable", *OTHERS, "better"]


def row(run, what, graph, ours, others, better):
    if math.inf in ours: return [*what, LEFT_OUT, *[""] * (len(OTHERS) + 2)]
    return [*what, f"{statistics.mean(ours):.2f}", run.share(graph, what[1], ours), *shares(ours, others),
            ", ".join(better)]


def policies(run):
    rows, beaten, cells = [], 0, 0
    for what, graph, ours, others, better in rows_on(run, GRIDS, PERFECT):
        cells, beaten = cells + (math.inf not in ours), beaten + bool(better)
        rows.append(row(run, what, graph, ours, others, better))
    return (f"The policies: times over the default's; in {beaten} of {cells} rows another is better by more "
            "than 2 % beyond the confidence interval", table(HEAD, rows))


def other_grids():
    """All that are shipped, but for the largest."""
    names = sorted(each.stem for each in (ROOT / "profiles/grids").glob("*.json"))
    return [each for each in names if each not in GRIDS and not each.startswith("large-")]


def policies_elsewhere(run):
    """The same on the other grids, at one size; only rows in which another is better."""
    rows, cells, left_out = [], 0, 0
    for what, graph, ours, others, better in rows_on(run, other_grids(), MIDDLE):
        cells, left_out = cells + (math.inf not in ours), left_out + (math.inf in ours)
        if better: rows.append(row(run, what, graph, ours, others, better))
    return (f"The policies on {len(other_grids())} other grids: in {len(rows)} of {cells} rows another is better "
            f"({left_out} left out)", table(HEAD, rows))


policies.longest, policies_elsewhere.longest = 15, 6
TABLES = {policies: 5, policies_elsewhere: 3}
