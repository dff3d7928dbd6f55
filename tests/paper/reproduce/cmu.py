"""The heterogeneous Barnes-Hut report (Zou and Lam): galaxy itself, simulated on machines like theirs."""
import math
import re

import make_grids as grids
from reproduce.cells import LEFT_OUT, table

# The report's stars; of its 100 steps three batches, as simulating costs.
STARS, STEPS, CONVERGING = 50_000, 30, 60
# What the report's text has of its figures: speed-ups of 50,000 stars and 100 steps.
PAPER_RING, PAPER_ONE_MACHINE, PAPER_NAIVE = {8: "3.14"}, {8: "3.34"}, {2: "1.5 at most, of any number"}
EQUIVALENT = {2: 1.66, 4: 3.23, 6: 4.87, 8: 7.19}
ONE_MACHINE = {"latency": "1 us", "bandwidth": "5 GB/s"}


class Galaxy:
    """What a run said of itself."""

    def __init__(self, outcome):
        steps = re.search(r"steps: ([0-9.]+) s, tree ([0-9.]+), forces ([0-9.]+), communication "
                          r"([0-9.-]+)", outcome.said)
        self.seconds, self.tree, self.forces, self.communication = (
            map(float, steps.groups()) if steps else (math.inf,) * 4)
        self.batches = [(float(imbalance), [int(x) for x in re.findall(r"(\d+) \(", nodes)])
                        for imbalance, nodes in re.findall(r"imbalance ([0-9.]+) %; .*?:(.*)",
                                                           outcome.said)]


def named(nodes, ghc=grids.CMU_GHC, network=None, mix=None, **more):
    """A grid of so many GHC machines, or of another mix."""
    mix = mix or {"ghc": nodes}
    name = "-".join(f"{pes}{kind}" for kind, pes in mix.items())
    extra = "".join(f"-{key}" for key in more)
    where = "" if network is None else "-one-machine"
    return f"cmu-{name}-{ghc}{where}{extra}", grids.cmu(mix, ghc, network, **more)


def galaxy(run, grid, *flags, stars=STARS, steps=STEPS):
    return Galaxy(run.simulated(grid, "galaxy", "--stars", str(stars), "--steps", str(steps), "--report",
                                "--declared", *flags))


def ratio(one, other):
    return LEFT_OUT if math.inf in (one, other) else f"{one / other:.2f}"


def percent(share):
    return LEFT_OUT if math.isinf(share) else f"{share:.1f}"


def crowded(nodes, ghc):
    """The simulator has links, not network cards: the coordinator's links have their share of its card."""
    rate = f"{100 / (nodes - 1):.6g} MB/s"
    made = [{"name": str(i), "pes": 1, "speed": ghc, **grids.CMU_NETWORK} for i in range(nodes)]
    links = [{"between": ["0", str(i)], "bandwidth": rate} for i in range(1, nodes)]
    return f"cmu-crowded-{nodes}-{ghc}", {
        "about": "The report's coordinator sends to all and receives from all by one card.",
        "clusters": made, "between": grids.CMU_NETWORK, "links": links}


def cmu_sync(run):
    rows = []
    for ghc, what in ((grids.CMU_GHC, "theirs"), (1, "ours")):
        alone = galaxy(run, named(1, ghc))
        for nodes in (2, 4, 6, 8):
            naive = galaxy(run, crowded(nodes, ghc), "--sync", "naive")
            ring = galaxy(run, named(nodes, ghc))
            rows.append([what, nodes, ratio(alone.seconds, naive.seconds), percent(naive.communication),
                         ratio(alone.seconds, ring.seconds), percent(ring.communication),
                         *((PAPER_NAIVE.get(nodes, ""), PAPER_RING.get(nodes, ""))
                           if what == "theirs" else ("", ""))])
    return ("The heterogeneous Barnes-Hut report, figures 2 and 3: speed-up by one and round a ring, and the "
            "share of communication",
            table(["as fast as", "GHC nodes", "naive", "%", "ring", "%", "report's naive", "ring"], rows))


UNSORTED_STEPS = 10


def cmu_sorting(run):
    rows, names = [], {1: "1", 10: "10", 50: "50", 0: "never"}
    for network, where, paper in ((None, "apart", PAPER_RING), (ONE_MACHINE, "in one machine",
                                                                PAPER_ONE_MACHINE)):
        best = galaxy(run, named(1))
        for batch, name in names.items():
            steps = {50: 50, 0: UNSORTED_STEPS}.get(batch, STEPS)
            flags = ["--batch", str(batch)]
            alone = galaxy(run, named(1), *flags, steps=steps)
            eight = galaxy(run, named(8, network=network), *flags, steps=steps)
            each = [100 * x / steps for x in (alone.seconds, eight.seconds, eight.forces, eight.tree)]
            rows.append([where, name, *(LEFT_OUT if math.isinf(x) else f"{x:.2f}" for x in each),
                         ratio(each[0], each[1]), ratio(100 * best.seconds / STEPS, each[1]),
                         paper[8] if batch == 10 else ""])
    return ("The report's batches: sorted every so many steps; seconds of 100 steps, projected, on 1 and on 8 GHC nodes, and "
            "speed-up over itself alone and over 10 alone",
            table(["8 nodes", "sorted every", "1 node, s", "8 nodes, s", "of it forces", "tree", "speed-up",
                   "over 10's", "report's"], rows))


BALANCES = ("even", "prefix", "prefix-time", "time")


def cmu_mixes(run):
    rows, alone = [], galaxy(run, named(1))
    for nodes, mix in grids.CMU_MIXES.items():
        same = galaxy(run, named(nodes))
        mixed = [galaxy(run, f"cmu-mixed-{nodes}", "--balance", each) for each in BALANCES]
        rows.append([", ".join(f"{pes} {kind}" for kind, pes in mix.items()), EQUIVALENT[nodes],
                     f"{sum(pes * grids.CMU_SPEEDS[kind] for kind, pes in mix.items()):.2f}",
                     ratio(alone.seconds, same.seconds),
                     *(ratio(alone.seconds, each.seconds) for each in mixed), PAPER_RING.get(nodes, "")])
    return ("The report's mixes of machines: speed-up over one GHC node",
            table(["nodes", "worth, the report", "here", "as many GHC, time", *BALANCES,
                   "report's, GHC"], rows))


def cmu_convergence(run):
    rows = []
    for what, grid in (("8 GHC", named(8)), ("the mix of 8", "cmu-mixed-8")):
        batches = galaxy(run, grid, steps=CONVERGING).batches
        for i, (imbalance, stars) in enumerate(batches):
            rows.append([what, i + 1, f"{imbalance:.1f}", *stars])
    return ("The report's convergence: how much longer than the mean node the slowest computes, in %, and each "
            "node's stars, by batch (report: balanced by batch 3)",
            table(["nodes", "batch", "imbalance", *(f"node {i}" for i in range(8))], rows))


def cmu_balance(run):
    rows, alone = [], galaxy(run, named(1))
    for nodes in (2, 4, 6, 8):
        grid = named(nodes, mix={"ghc": nodes // 2, "linux": nodes // 2})
        times = [galaxy(run, grid, "--balance", each).seconds for each in BALANCES]
        rows.append([nodes, *(ratio(alone.seconds, each) for each in times), ratio(times[0], times[-1])])
    return ("The report's balanced and imbalanced: as many GHC nodes as linux, speed-up over one GHC node "
            "(report: balanced is consistently better)",
            table(["nodes", *BALANCES, "time over even"], rows))


SIZES = {1000: 30, 2000: 30, 5000: 30, 10_000: 30, 50_000: 30, 100_000: 10, 500_000: 3, 1_000_000: 2,
         5_000_000: 1}


def cmu_sizes(run):
    rows = []
    for stars, steps in SIZES.items():
        cells = []
        for ghc in (grids.CMU_GHC, 1):
            alone = galaxy(run, named(1, ghc), stars=stars, steps=steps)
            eight = galaxy(run, named(8, ghc), stars=stars, steps=steps)
            cells += [ratio(alone.seconds, eight.seconds), percent(eight.communication)]
        rows.append([stars, steps, *cells])
    return ("The report's sizes: speed-up on 8 GHC nodes, and the share of communication in % (report: speed-up "
            "grows; communication is latency-bound below 5000 stars, its share falls sharply above 500,000)",
            table(["stars", "steps", "theirs: speed-up", "communication", "ours: speed-up",
                   "communication"], rows))


TABLES = {cmu_sync: 1, cmu_sorting: 1, cmu_mixes: 1, cmu_convergence: 1, cmu_balance: 1, cmu_sizes: 1}
