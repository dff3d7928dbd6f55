"""Grid-GUM2's table and figure, and what it left for later."""
import pathlib
import statistics

import make_grids as grids
from reproduce.cells import percent, seconds, table
from reproduce.model import model
from reproduce.programs import FOUR_AND_FOUR, GUM

HERE = pathlib.Path(__file__).resolve().parents[1]
GUM_RUNS = [("random",), ("random", "--trawl:thread-limit=1"), ("targeted",), ("trawl",)]


def gum_table_1(run):
    rows = []
    for name, there in GUM.items():
        graph = run.graph(name, there[2] * FOUR_AND_FOUR)
        times = [run.times(graph, "four-and-four", *flags) for flags in GUM_RUNS]
        longest_first = run.bound(graph, "four-and-four", "longest first")
        rows.append([name, *(seconds(x) for x in times), *there, *(percent(there[2], x) for x in times),
                     percent(longest_first, times[-1])])
    return ("Grid-GUM2, Table 1: four fast and four slow PEs, seconds; perfect is the paper's Grid-GUM2",
            table(["program", "random", "limit 1", "targeted", "trawl", "paper's Grid-GUM", "limit 1",
                   "Grid-GUM2", "% of perfect: random", "limit 1", "targeted", "trawl", "trawl, % of longest first"], rows))


def gum_by_pes(run):
    graph = run.graph("raytracer_list", GUM["raytracer_list"][2] * FOUR_AND_FOUR)
    rows = []
    for pes in range(1, 9):
        fast, slow = (pes + 1) // 2, pes // 2
        grid = (f"fast-{fast}-slow-{slow}", grids.fast_and_slow("Grid-GUM2's figure.", fast, slow))
        best = GUM["raytracer_list"][2] * FOUR_AND_FOUR / (fast * grids.FAST + slow * grids.SLOW)
        rows.append([pes, *(seconds(run.times(graph, grid, *flags)) for flags in GUM_RUNS), f"{best:.1f}"])
    return ("Grid-GUM2: the raytracer by PEs, fast and slow in turns, seconds",
            table(["PEs", "random", "limit 1", "targeted", "trawl", "perfect"], rows))


def gum_profiles(run):
    graph = run.graph("raytracer_list", GUM["raytracer_list"][2] * FOUR_AND_FOUR)
    parts = []
    for name, *flags in (("random, limit 1", *GUM_RUNS[1]), ("targeted", *GUM_RUNS[2]), ("trawl", *GUM_RUNS[3])):
        file = f"gum_profile_{flags[0]}.png"
        took, busy = run.profile(graph, "four-and-four", *flags, picture=HERE / file)
        parts.append(f"{name}: {took:.0f} s, {busy:.1f} of 8 PEs busy on average\n\n"
                     f"![Activity of 8 PEs under {name}: a line a PE, grey while it computes, pink while its threads are blocked, white while idle]({file})")
    return ("Grid-GUM2: per-PE activity profiles of the raytracer, four fast (0 to 3) and four slow PEs; in the paper "
            "a: Grid-GUM with limit 1, b: Grid-GUM2", "\n\n".join(parts))


LATENCIES = {"100us": 1e-4, "1ms": 1e-3, "10ms": 1e-2, "100ms": 0.1, "1s": 1}
CLUSTERS = ("random", "targeted", "trawl")
PERFECT = 100


def gum_clusters(run):
    rows, errors = [], {policy: [] for policy in CLUSTERS}
    for count in (1, 2, 4, 8):
        work = PERFECT * count * FOUR_AND_FOUR
        graph = run.graph("queens", work)
        path = run.info("queens", "critical path") * work / run.info("queens", "work") / grids.FAST
        for name, latency in LATENCIES.items() if count > 1 else [("", 0)]:
            grid = f"four-and-four-{count}-{name}" if count > 1 else "four-and-four"
            times = [run.times(graph, grid, policy) for policy in CLUSTERS]
            guess = 100 * PERFECT / model(count, latency, PERFECT, path)
            off = [guess - 100 * PERFECT / statistics.mean(x) for x in times]
            for policy, each in zip(CLUSTERS, off): errors[policy].append(abs(each))
            rows.append([count, name, *(percent(PERFECT, x) for x in times), f"{guess:.1f}",
                         *(f"{each:+.1f}" for each in off)])
    for what, of in (("mean", statistics.mean), ("largest", max)):
        rows.append([f"{what} error", *[""] * 5, *(f"{of(each):.1f}" for each in errors.values())])
    return ("Grid-GUM2's future work: queens on 1 to 8 clusters of four and four, % of perfect (100 s), and "
            "an analytic model",
            table(["clusters", "latency", *CLUSTERS, "model", *(f"model - {p}" for p in CLUSTERS)], rows))


TABLES = {gum_table_1: 10, gum_by_pes: 3, gum_profiles: 1, gum_clusters: 3}
