#!/usr/bin/env python3
"""Writes the papers' grids: make_grids.py FOLDER; with --check, says which files there differ.

run takes its sweeps from here too. What a paper gives is in the code next to where it says so; what
it does not give is assumed, and the grid's "about" says that."""
import json
import pathlib
import random
import sys

# The paper's cluster is Pentium Pros with Myrinet, whose numbers it does not give.
MYRINET = {"latency": "20 us", "bandwidth": "50 MB/s"}


def clusters(sizes, **more):
    return [{"name": str(i + 1), "pes": size, **MYRINET, **more} for i, size in enumerate(sizes)]


def wan(about, sizes, latency, bandwidth, **more):
    return {"about": about, "clusters": clusters(sizes),
            "between": {"latency": latency, "bandwidth": bandwidth}, **more}


def link(one, other, latency=None, bandwidth=None, **more):
    grid_link = {"between": [str(one), str(other)], **more}
    if latency: grid_link["latency"] = latency
    if bandwidth: grid_link["bandwidth"] = bandwidth
    return grid_link


# ---- Satin, Tables I and sections 3.2 and 3.3 -----------------------------------------------------

def single(pes=64):
    return {"about": f"Satin's single cluster of {pes} nodes (3.1). What is between two nodes is "
                     "assumed.", "clusters": clusters([pes])}


def four_wans():
    for round_trip, one_way in (("20ms", "10 ms"), ("200ms", "100 ms")):
        for rate in ("1 MB/s", "100 KB/s"):
            name = f"satin-4x16-{round_trip}-{rate.replace('/', 'p').replace(' ', '')}"
            yield name, wan(f"Satin's Table I: 4 clusters of 16, {round_trip[:-2]} ms round trip, "
                            f"{rate}.", [16] * 4, one_way, rate)


def many_clusters():
    for count in (1, 2, 4, 8, 16, 32):
        about = f"Satin's figure 3: 32 nodes in {count} clusters, 100 ms one way, 100 KB/s."
        if count == 1: yield "satin-1x32", {**single(32), "about": about}
        else: yield f"satin-{count}x{32 // count}", wan(about, [32 // count] * count, "100 ms",
                                                       "100 KB/s")


def unequal_clusters():
    about = "Satin's section 3.3: clusters of {}, 100 ms one way, {}."
    yield "satin-16+48", wan(about.format("16 and 48", "100 KB/s"), [16, 48], "100 ms", "100 KB/s")
    yield "satin-16+48-600KBps", wan(about.format("16 and 48", "600 KB/s"), [16, 48], "100 ms",
                                     "600 KB/s")
    yield "satin-8+8+8+40", wan(about.format("8, 8, 8 and 40", "100 KB/s"), [8, 8, 8, 40], "100 ms",
                                "100 KB/s")


# ---- Satin's scenarios, section 3.4 ---------------------------------------------------------------

PAIRS = [(1, 2), (1, 3), (1, 4), (2, 3), (2, 4), (3, 4)]
LATENCIES = ["20 ms", "200 ms", "100 ms", "50 ms", "150 ms", "80 ms"]
BANDWIDTHS = ["400 KB/s", "50 KB/s", "100 KB/s", "200 KB/s", "80 KB/s", "150 KB/s"]
UNEQUAL = [link(*pair, *values) for pair, *values in zip(PAIRS, LATENCIES, BANDWIDTHS)]
MISSING = [link(1, 3, missing=True), link(2, 4, missing=True)]
EVERY_SECOND = {"every": "1 s", "bandwidth": [0.1, 1], "latency": [1, 10], "seed": 1}
BUSY = {"period": "3 s", "changes": [{"at": "2 s", "latency": "300 ms", "bandwidth": "1 KB/s"}]}


def replaced(links, others):
    """Those of `others` instead of the links between the same clusters."""
    ends = [each["between"] for each in others]
    return [each for each in links if each["between"] not in ends] + others


def scenario(number, about, links, assumed=True, **more):
    text = f"Satin's scenario {number} (3.4): {about}."
    if assumed: text += " The paper gives no numbers where links differ: they are assumed."
    return f"satin-scenario-{number:02}", wan(text, [16] * 4, "100 ms", "100 KB/s", links=links,
                                             **more)


def scenarios():
    yield scenario(1, "all latencies 100 ms, bandwidths differ",
                   [link(*pair, None, rate) for pair, rate in zip(PAIRS, BANDWIDTHS)])
    yield scenario(2, "all bandwidths 100 KB/s, latencies differ",
                   [link(*pair, time) for pair, time in zip(PAIRS, LATENCIES)])
    yield scenario(3, "latencies and bandwidths differ", UNEQUAL)
    yield scenario(4, "like 3, but between 1 and 4 every third second 1 KB/s and 300 ms",
                   replaced(UNEQUAL, [link(1, 4, "100 ms", "100 KB/s", **BUSY)]))
    yield scenario(5, "like 3, and every second all links take random shares of their values",
                   UNEQUAL, random_changes=EVERY_SECOND)
    yield scenario(6, "100 ms and 100 KB/s, two links missing; which is assumed", MISSING, False)
    yield scenario(7, "like 3, two links missing", replaced(UNEQUAL, MISSING))
    yield scenario(8, "like 5, two links missing", replaced(UNEQUAL, MISSING),
                   random_changes=EVERY_SECOND)
    yield scenario(9, "as the NWS recorded it. That recording is not to be had; this one is made "
                   "with its character (trace() in tests/paper/make_grids.py)",
                   [link(*pair, **trace(i)) for i, pair in enumerate(PAIRS)], False)
    yield scenario(10, "asymmetrical: 1 KB/s between 1 and 2",
                   [link(1, 2, None, "1 KB/s")], False)
    yield scenario(11, "symmetrical: 1 KB/s between 1 and 2, and between 3 and 4",
                   [link(1, 2, None, "1 KB/s"), link(3, 4, None, "1 KB/s")], False)


# DAS: four universities a few milliseconds from each other, about 1 MB/s to be had on a good link.
NWS = [(2, 1200), (3, 900), (5, 250), (3, 700), (4, 500), (4, 350)]  # ms, KB/s


def trace(number, seconds=300, step=10):
    """What NWS sees of a link: a value every 10 s that returns to its mean (first-order regression
    of logarithms), and now and then somebody else's transfer for some time, which leaves a tenth of
    the bandwidth or less and multiplies the latency. It comes again after five minutes."""
    dice = random.Random(f"NWS {number}")
    latency, bandwidth = NWS[number]
    level, busy, changes = 0.0, 0, []
    for at in range(0, seconds, step):
        level = 0.7 * level + dice.gauss(0, 0.25)
        if busy: busy -= 1
        elif dice.random() < 0.08: busy = dice.randint(1, 4)
        rate = bandwidth * 2.718281828 ** min(level, 0.5) * (dice.uniform(0.01, 0.1) if busy else 1)
        late = latency * (dice.uniform(5, 40) if busy else dice.uniform(1, 1.5))
        changes.append({"at": f"{at} s", "latency": f"{late:.1f} ms", "bandwidth": f"{rate:.1f} KB/s"})
    return {"period": f"{seconds} s", "changes": changes}


# ---- Grid-GUM2, and its future work ---------------------------------------------------------------

FAST, SLOW = 0.3, 0.1148  # 1395 and 534 MHz; two cores are enough for four of each to be rehearsed
LAN = {"latency": "50 us", "bandwidth": "100 MB/s"}


def four_and_four():
    about = ("Grid-GUM2's heterogeneous cluster (section 4): four PEs of 1395 MHz and four of 534 MHz. "
             "One fast PE is 0.3 of this machine, so that two cores are enough for all to be rehearsed.")
    return fast_and_slow(about, 4, 4)


def fast_and_slow(about, fast, slow):
    """As many as that of Grid-GUM2's PEs."""
    made = [{"name": name, "pes": pes, "speed": speed, **LAN}
            for name, pes, speed in (("fast", fast, FAST), ("slow", slow, SLOW)) if pes]
    grid = {"about": about, "clusters": made}
    if len(made) > 1: grid["between"] = {"latency": "200 us", "bandwidth": "10 MB/s"}
    return grid


def clusters_of_four_and_four():
    """A cluster of the paper's is four fast PEs and four slow ones: here it is two clusters near each
    other. Once four and four have no latency to vary."""
    for count in (2, 4, 8):
        for latency in ("100 us", "1 ms", "10 ms", "100 ms", "1 s"):
            made, links = [], []
            for i in range(count):
                for name, speed in (("fast", FAST), ("slow", SLOW)):
                    made.append({"name": f"{name} {i + 1}", "pes": 4, "speed": speed, **LAN})
                links.append({"between": [f"fast {i + 1}", f"slow {i + 1}"], "latency": "200 us",
                              "bandwidth": "10 MB/s"})
            yield f"four-and-four-{count}-{latency.replace(' ', '')}", {
                "about": f"Grid-GUM2's future work: {count} times four fast and four slow PEs, "
                         f"{latency} from each other. Bandwidths are assumed.",
                "clusters": made, "between": {"latency": latency, "bandwidth": "1 MB/s"},
                "links": links}


# Of a processor: by their figure are not given; 2.8 GHz Pentium 4, 1.2 GHz and 900 MHz UltraSparc III+
# are taken by the clock, an UltraSparc to do 1.5 times as much with one cycle.
SERVERS = {"warp": 1, "fire": 0.64, "conde": 0.48}


def skeleton_servers(processors=(2, 8, 12), speed=1, shared=False):
    """The skeletons paper, section 5: two servers in Muenster, one in Berlin, with so many processors:
    each a PE, or, shared, all of a server one PE's workers."""
    inside = {"latency": "1 us", "bandwidth": "1 GB/s"}
    made = [{"name": name, **({"pes": 1, "workers": count} if shared else {"pes": count}),
             "speed": speed * own, **inside}
            for (name, own), count in zip(SERVERS.items(), processors) if count]
    grid = {"about": "The skeletons paper's servers: warp (2 processors) and fire (8) in Muenster, "
                     "conde (12) in Berlin; 3.2 MB/s and 1.1 MB/s as measured there. Speeds and "
                     "latencies are assumed.", "clusters": made}
    if len(made) > 1:
        grid["between"] = {"latency": "5 ms", "bandwidth": "1.1 MB/s"}
        grid["links"] = [{"between": ["warp", "fire"], "latency": "200 us", "bandwidth": "3.2 MB/s"}]
    return grid


def skeleton_workstations(speed, changes):
    """The skeletons paper, section 5: three alike on a LAN."""
    return {"about": "The skeletons paper's three PCs. The network is assumed.",
            "clusters": [{"name": "pc", "pes": 3, "speed": speed, "latency": "100 us",
                          "bandwidth": "10 MB/s"}], "speed_changes": changes}


# ---- the heterogeneous Barnes-Hut report -----------------------------------------------------------

# Of a GHC machine, by the report's sums: 1.66 of one GHC and one linux, 3.23 of two each, 4.87 with
# three, two and an ECE, 7.19 with four, two, an ECE and an HH.
CMU_SPEEDS = {"ghc": 1, "linux": 0.63, "ece": 0.61, "hh": 1.32}
CMU_MIXES = {2: {"ghc": 1, "linux": 1}, 4: {"ghc": 2, "linux": 2},
             6: {"ghc": 3, "linux": 2, "ece": 1}, 8: {"ghc": 4, "linux": 2, "ece": 1, "hh": 1}}
# On so much of this machine galaxy takes as long as the report's program does on one core of it.
CMU_GHC = 0.08
CMU_NETWORK = {"latency": "100 us", "bandwidth": "100 MB/s"}


def cmu(mix, ghc=CMU_GHC, network=None, **more):
    """All PEs say that they are as fast as a GHC machine: what they really are shows in the run."""
    made, changes, first = [], [], 0
    for kind, pes in mix.items():
        made.append({"name": kind, "pes": pes, "speed": ghc, **(network or CMU_NETWORK)})
        changes += [{"pe": pe, "at": "0 s", "speed": CMU_SPEEDS[kind]}
                    for pe in range(first, first + pes) if CMU_SPEEDS[kind] != 1]
        first += pes
    about = ", ".join(f"{pes} {kind}" for kind, pes in mix.items())
    grid = {"about": f"The heterogeneous Barnes-Hut report's machines ({about}): which are slower, or "
                     "faster, nobody is told. Latencies and bandwidths are assumed.", "clusters": made}
    if len(made) > 1: grid["between"] = {"latency": "400 us", "bandwidth": "100 MB/s"}
    if changes: grid["speed_changes"] = changes
    return grid | more


def large():
    for pes, size in ((64, 16), (1024, 64), (16384, 256), (65536, 1024)):
        yield f"large-{pes}", wan(f"{pes} PEs in clusters of {size}; all is assumed.",
                                  [size] * (pes // size), "10 ms", "10 MB/s")


def shipped():
    yield "satin-1x64", single()
    yield from four_wans()
    yield from many_clusters()
    yield from unequal_clusters()
    yield "satin-4x16-1s", wan("Satin's figure 2: 4 clusters of 16, 1 s one way, 100 KB/s.",
                               [16] * 4, "1 s", "100 KB/s")
    yield from scenarios()
    yield "four-and-four", four_and_four()
    yield from clusters_of_four_and_four()
    yield "three-servers", skeleton_servers()
    yield "cmu-ghc-8", cmu({"ghc": 8})
    for pes, mix in CMU_MIXES.items(): yield f"cmu-mixed-{pes}", cmu(mix)
    yield from large()


def text_of(grid):
    """JSON with a line for every cluster, link and change of speed."""
    parts = []
    for name, value in grid.items():
        if name in ("clusters", "links", "speed_changes"):
            lines = ",\n".join("    " + json.dumps(each) for each in value)
            parts.append(f'  "{name}": [\n{lines}\n  ]')
        else: parts.append(f'  "{name}": {json.dumps(value)}')
    return "{\n" + ",\n".join(parts) + "\n}\n"


def main():
    arguments = [each for each in sys.argv[1:] if each != "--check"]
    if len(arguments) != 1: sys.exit(__doc__.splitlines()[0])
    folder = pathlib.Path(arguments[0])
    if "--check" in sys.argv:
        texts = {f"{name}.json": text_of(grid) for name, grid in shipped()}
        there = {path.name: path.read_text() for path in folder.glob("*.json")}
        wrong = sorted(name for name in texts.keys() | there.keys()
                       if texts.get(name) != there.get(name))
        if wrong: sys.exit(f"not as {sys.argv[0]} writes them: {', '.join(wrong)}")
    else:
        for name, grid in shipped(): (folder / f"{name}.json").write_text(text_of(grid))


if __name__ == "__main__": main()
