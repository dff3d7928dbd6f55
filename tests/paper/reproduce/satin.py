"""Satin's tables and figures."""
import math
import statistics

import make_grids as grids
from reproduce.cells import LEFT_OUT, SHARE, efficiency, seconds, speedup, table
from reproduce.programs import SATIN

NETS = ["satin-1x64", "satin-4x16-20ms-1MBps", "satin-4x16-20ms-100KBps", "satin-4x16-200ms-1MBps",
        "satin-4x16-200ms-100KBps"]
TABLE_1 = {("integrate", "rs"): (99.6, 91.8, 90.1, 65.5, 63.7),
           ("integrate", "crs"): (99.7, 99.9, 99.8, 97.5, 97.7),
           ("queens", "rs"): (92.5, 90.6, 86.6, 79.1, 73.8),
           ("queens", "crs"): (93.2, 92.2, 93.3, 92.0, 93.2),
           ("tsp", "rs"): (90.4, 87.2, 87.1, 70.3, 70.8), ("tsp", "crs"): (91.2, 88.7, 90.8, 87.5, 85.4),
           ("raytracer", "rs"): (94.2, 91.5, 81.1, 79.2, 76.2),
           ("raytracer", "crs"): (94.5, 95.9, 91.2, 95.0, 93.2)}


def raytracer(run):
    return run.graph("raytracer", SATIN["raytracer"])


def satin_table_1(run):
    head = ["program", "policy", "", "1 x 64", "20 ms, 1 MB/s", "20 ms, 100 KB/s", "200 ms, 1 MB/s",
            "200 ms, 100 KB/s", "last / first"]
    rows = []
    for name in SATIN:
        for policy in ("rs", "crs", "trawl"):
            times = [run.times(run.graph(name, SATIN[name]), net, policy) for net in NETS]
            kept = 100 * statistics.mean(times[0]) / statistics.mean(times[-1])
            rows.append([name, policy, "ours", *(efficiency(name, x) for x in times), f"{kept:.1f}"])
            if paper := TABLE_1.get((name, policy)):
                rows.append([name, policy, "paper", *paper, f"{100 * paper[-1] / paper[0]:.1f}"])
    return "Satin, Table I: efficiency in %", table(head, rows)


def satin_figure_2(run):
    """What the paper says of crs: sequential over speed-up where it gives that."""
    paper = {("1000 ms", "100 KB/s"): 167.1, ("100 ms", "1 KB/s"): 569.2, ("100 ms", "100 KB/s"): 149.3,
             ("100 ms", "20 KB/s"): SATIN["raytracer"] / 50.8}
    points = [(t, "100 KB/s") for t in ("1 ms", "10 ms", "100 ms", "300 ms", "1000 ms")]
    points += [("100 ms", f"{rate} KB/s") for rate in (1000, 50, 20, 10, 5, 2, 1)]
    near = [run.times(raytracer(run), "satin-1x64", policy) for policy in ("crs", "trawl")]
    rows = [["one cluster of 64", "", *(seconds(x) for x in near), 147.2,
             *(speedup("raytracer", x) for x in near), run.share(raytracer(run), "satin-1x64", near[1]),
             f"{SATIN['raytracer'] / 147.2:.1f}"]]
    for latency, rate in points:
        name = f"4x16-{latency}-{rate}".replace(" ", "").replace("/", "p")
        grid = (name, grids.wan("A sweep.", [16] * 4, latency, rate))
        times = [run.times(raytracer(run), grid, policy) for policy in ("crs", "trawl")]
        there = paper.get((latency, rate))
        rows.append([latency, rate, *(seconds(x) for x in times), f"{there:.1f}" if there else "",
                     *(speedup("raytracer", x) for x in times),
                     run.share(raytracer(run), grid, times[1]),
                     f"{SATIN['raytracer'] / there:.1f}" if there else ""])
    return ("Satin, figure 2: the raytracer on 4 x 16, by latency and by bandwidth",
            table(["one way", "bandwidth", "seconds: crs", "trawl", "paper's crs", "speed-up: crs",
                   "trawl", SHARE, "paper's crs"], rows))


def satin_figure_3(run):
    paper = {"satin-1x32": "288.9", "satin-16x2": "303.1"}
    names = ["satin-1x32", "satin-2x16", "satin-4x8", "satin-8x4", "satin-16x2", "satin-32x1"]
    rows = [[name[6:], *(seconds(run.times(raytracer(run), name, p)) for p in ("rs", "crs", "trawl")),
             paper.get(name, "")] for name in names]
    return ("Satin, figure 3: the raytracer on 32 nodes, seconds",
            table(["clusters", "rs", "crs", "trawl", "paper's crs"], rows))


UNEQUAL = {"satin-16+48": ("42.6", "54.3"), "satin-16+48-600KBps": ("53.6", "58.4"),
           "satin-8+8+8+40": ("45.8", "54.7"), "satin-4x16-200ms-100KBps": ("", "59.7")}


def satin_unequal(run):
    rows = []
    for name, there in UNEQUAL.items():
        times = [run.times(raytracer(run), name, p) for p in ("rs", "crs", "trawl")]
        rows.append([name[6:], *(speedup("raytracer", x) for x in times),
                     run.share(raytracer(run), name, times[-1]), *there])
    return ("Satin, section 3.3: the raytracer on unequal clusters, speed-up",
            table(["grid", "rs", "crs", "trawl", SHARE, "paper's rs", "paper's crs"], rows))


def satin_messages(run):
    """What crosses clusters, control messages and all: thousands, and MB."""
    policies = ("rs", "crs", "trawl")
    rows = []
    for name in UNEQUAL:
        found = [run.outcomes(raytracer(run), name, p) for p in policies]
        thousands = [statistics.mean(x.messages for x in each) / 1e3 for each in found]
        sizes = [statistics.mean(x.bytes for x in each) / 1e6 for each in found]
        rows.append([name[6:], *(f"{x:.1f}" for x in thousands),
                     *(f"{thousands[0] / x:.1f}" for x in thousands[1:]), *(f"{x:.1f}" for x in sizes)])
    return ('Satin, section 3.3: messages that cross clusters, thousands ("RS sends by far the most WAN '
            'messages", 3.4; "Compared to RS, CRS performs much better")',
            table(["grid", *policies, "rs / crs", "rs / trawl", *(f"MB: {p}" for p in policies)], rows))


FOUR = ("rs", "crs", "acrs", "trawl")
FIGURE_6 = {("raytracer", 4): (36.6, 42.4), ("raytracer", 8): (42.7, 52.1),
            ("raytracer", 9): (53.9, 60.1), ("integrate", 9): (47.9, 63.5)}


def satin_scenarios(run):
    """Mean and worst run of all scenarios in a program's last row."""
    rows = []
    for name in SATIN:
        graph, all_times = run.graph(name, SATIN[name]), {policy: [] for policy in FOUR}
        for number in range(1, 10):
            grid = f"satin-scenario-{number:02}"
            times = [run.times(graph, grid, policy) for policy in FOUR]
            for policy, each in zip(FOUR, times): all_times[policy] += each
            rows.append([name, number, *(speedup(name, x) for x in times),
                         run.share(graph, grid, times[-1]), *FIGURE_6.get((name, number), ("", ""))])
        rows.append([name, "all", *(speedup(name, x) for x in all_times.values()), "", "", ""])
    return ("Satin, figures 4 and 6: speed-up in scenarios 1 to 9 (our own links where the paper is silent)",
            table(["program", "scenario", *FOUR, SHARE, "paper's crs", "acrs"], rows))


def satin_table_3(run):
    """The paper has the raytracer only; the others need less of a link."""
    policies, rows = ("crs", "cmrs", "acrs", "trawl"), []
    paper = {("raytracer", 9): (53.9, 60.1), ("raytracer", 10): (19.9, 30.2),
             ("raytracer", 11): (26.4, 29.5), ("integrate", 9): (47.9, 63.5)}
    for name in ("integrate", "queens", "tsp", "raytracer"):
        graph = run.graph(name, SATIN[name])
        for number in (9, 10, 11):
            grid = f"satin-scenario-{number:02}"
            times = [run.times(graph, grid, p) for p in policies]
            rows.append([name, number, *(speedup(name, x) for x in times),
                         run.share(graph, grid, times[-1]), *paper.get((name, number), ("", ""))])
    return ("Satin, Table III: speed-up in scenarios 9, 10 and 11",
            table(["program", "scenario", *policies, SHARE, "paper's crs", "acrs"], rows))


def satin_seeds(run):
    """Scenario 10 run by run: a mean says little of it."""
    rows = []
    for policy in ("acrs", "trawl"):
        times = run.times(raytracer(run), "satin-scenario-10", policy)
        rows.append([policy, speedup("raytracer", times),
                     ", ".join(f"{SATIN['raytracer'] / x:.1f}" if x < math.inf else LEFT_OUT
                               for x in times)])
    return ("Satin, scenario 10: the raytracer's speed-up by seed",
            table(["policy", "mean (worst)", "seeds 1, 2, ..."], rows))


TABLES = {satin_table_1: 3, satin_table_3: 1, satin_seeds: 10, satin_figure_2: 1, satin_figure_3: 3,
          satin_unequal: 3, satin_messages: 3, satin_scenarios: 2}
