#!/usr/bin/env -S python3 -B
"""Any program is simulated on a described grid: its result is that of a run without one, and replays are the same
to the last digit for the same seed."""
import json
import os
import re
import sys
import tempfile

from harness import expect, program, run, run_words

HERE = os.path.dirname(os.path.abspath(__file__))
GRIDS = os.path.join(HERE, "../../profiles/grids")
SCENE = os.path.join(HERE, "../../programs/raytracer/scenes/simple.scene")
PAGE = os.path.join(HERE, "../../lang/README.md")
PROGRAMS = [
    ["fib", 24], ["queens", 9], ["sum_euler", 1500], ["integrate", "--epsilon", 1e-7], ["tsp", "--random", 11],
    ["lin_solv", "--random", 30], ["raytracer", SCENE, "--width", 48, "--height", 48, "--output", "PICTURE"],
    ["barnes_hut", "plummer", "--bodies", 1000, "--steps", 2],
    ["heat", "--rows", 120, "--columns", 50, "--steps", 20, "--check"],
    ["word_count", PAGE, PAGE, "--check"], ["sample_sort", "--numbers", 20000, "--check"],
    ["galaxy", "--stars", 500, "--steps", 3], ["own_policy", 20000], ["own_policy", 20000, "--trawl:policy=ring"],
]
SIMULATED = re.compile(r"simulated: ([0-9.]+) s on (\d+) PEs")


def simulated(grid, words, *flags):
    result = run(0, *map(str, words), "--trawl:simulate=" + grid, *flags)
    expect(result.code == 0, "expected exit code 0", result)
    found = SIMULATED.search(result.err)
    expect(found is not None, "expected to be told of the simulation", result)
    return result, float(found[1]), int(found[2])


four = os.path.join(GRIDS, "four-and-four.json")
with tempfile.TemporaryDirectory() as folder:
    far = os.path.join(folder, "far.json")
    with open(far, "w") as file:
        file.write("""{"clusters": [{"name": "a", "pes": 3, "workers": 2}, {"name": "b", "pes": 2, "speed": 0.5}],
                       "between": {"latency": "20 ms", "bandwidth": "1 MB/s", "jitter": "1 ms"}}""")
    picture = os.path.join(folder, "picture.ppm")

    def drawn():
        if not os.path.exists(picture):
            return b""
        with open(picture, "rb") as file:
            content = file.read()
        os.remove(picture)  # or who draws nothing would not be noticed
        return content

    for words in PROGRAMS:
        words = [picture if word == "PICTURE" else word for word in words]
        plain, plain_picture = run(0, *map(str, words)), drawn()
        for grid, pes in (four, 8), (far, 5):
            result, seconds, of = simulated(grid, words)
            expect(result.out == plain.out, f"expected the result of {plain.command}:\n{plain.out}", result)
            expect(drawn() == plain_picture, "expected the same picture", result)
            expect(of == pes and seconds > 0, f"expected {pes} PEs", result)

    tree = ["trawl-replay", "--divide", "9,2,1ms", "--spread", 0.5]
    for policy in "random", "targeted", "rs", "crs", "cmrs", "acrs", "trawl":
        flags = ["--trawl:policy=" + policy, "--trawl:seed=7"]
        first, once, _ = simulated(far, tree, *flags)
        second, again, _ = simulated(far, tree, *flags)
        expect(once == again and first.out == second.out, f"expected {once} s again", second)
        if once * 7 < 0.25:
            sys.exit(f"FAILED: {policy} is faster than all PEs together")

    dying = os.path.join(folder, "dying.json")
    with open(dying, "w") as file:
        file.write("""{"clusters": [{"name": "a", "pes": 6, "latency": "1 ms"}],
                       "deaths": [{"pe": 5, "at": "80 ms"}, {"pe": 2, "at": "30 ms"}]}""")
    alive, whole, _ = simulated(four, tree)
    first, once, _ = simulated(dying, tree, "--trawl:stats=json")
    second, again, _ = simulated(dying, tree)
    expect(first.out == second.out == alive.out, f"expected {alive.out}", second)
    expect(once == again, f"expected {once} s again", second)
    told = json.loads(first.err[first.err.index("{"):first.err.rindex("}") + 1])
    expect([pe["pes_lost"] for pe in told["by_pe"] if pe] == 4 * [2], "expected two deaths", first)
    expect(told["total"]["pes_lost"] == 2, "expected each death to be counted once", first)
    expect(0 < told["by_pe"][0]["heap_bytes"] == told["total"]["heap_bytes"], "expected one heap", first)
    expect("on 6 PEs, of which 2 died" in second.err, "expected to be told of them", second)
    with open(dying, "w") as file:
        file.write("""{"clusters": [{"name": "a", "pes": 6, "latency": "1 ms"}],
                       "joins": [{"pe": 4, "at": "40 ms"}, {"pe": 5, "at": "60 ms"}],
                       "deaths": [{"pe": 4, "at": "80 ms"}]}""")
    result = run(0, "fib", 20, "--trawl:simulate=" + dying, "--trawl:recover=off")
    expect(result.code == 2 and "leave out --trawl:recover=off" in result.err, "expected a refusal", result)
    first, once, _ = simulated(dying, tree, "--trawl:stats=json")
    second, again, _ = simulated(dying, tree)
    expect(first.out == second.out == alive.out and once == again, "expected the same again", second)
    expect("on 6 PEs, of which 2 joined later, 1 died" in second.err, "expected to be told of them", second)
    told = json.loads(first.err[first.err.index("{"):first.err.rindex("}") + 1])["by_pe"]
    expect(told[5]["sparks_imported"] > 0, "expected that who joins has work", first)
    with open(dying, "w") as file:
        file.write("""{"clusters": [{"name": "a", "pes": 6, "latency": "1 ms"}],
                       "deaths": [{"pe": 5, "at": "80 ms"}, {"pe": 2, "at": "30 ms"}]}""")
    galaxy = ["barnes_hut", "plummer", "--bodies", 5000, "--steps", 6]
    early = os.path.join(folder, "early.json")
    with open(early, "w") as file:
        file.write("""{"clusters": [{"name": "a", "pes": 4, "latency": "50 us"}],
                       "deaths": [{"pe": 2, "at": "10 ms"}, {"pe": 3, "at": "25 ms"}]}""")
    for copies in "1", "8":
        result, _, _ = simulated(early, galaxy, "--trawl:copies=" + copies, "--trawl:copy-share=0")
        expect(result.out == simulated(four, galaxy)[0].out, "expected the same without deaths", result)
    result = run(0, *map(str, tree), "--trawl:simulate=" + dying, "--trawl:recover=off")
    expect(result.code != 0 and "PE 2 is lost" in result.err, "expected that it ends", result)

    result, seconds, _ = simulated(far, tree, "--trawl:stats=json")
    told = json.loads(result.err[result.err.index("{"):result.err.rindex("}") + 1])
    links = {(link["from"], link["to"]): link for link in told["links"]}
    expect(set(links) == {("a", "b"), ("b", "a")}, "expected the links' use", result)
    for link in links.values():
        expect(0 < link["busy_s"] < told["elapsed_s"], "expected to be busy for a part of the time", result)
        expect(abs(link["busy_s"] - link["bytes"] / 1e6) < 1e-3, "expected bytes at 1 MB/s", result)

    # PEs that only wait to be told that they may begin do nothing.
    slow = os.path.join(folder, "slow.json")
    with open(slow, "w") as file:
        file.write("""{"clusters": [{"name": "a", "pes": 2}, {"name": "b", "pes": 2}],
                       "between": {"latency": "1 s", "bandwidth": "1 MB/s"}}""")
    result, _, _ = simulated(slow, ["fib", 20], "--trawl:stats=json")
    told = json.loads(result.err[result.err.index("{"):result.err.rindex("}") + 1])
    for pe in told["by_pe"]:
        expect(pe["busy_time_s"] < 0.2, "expected idle PEs", result)

    # There is room for some hundred of these.
    many = os.path.join(folder, "many.json")
    with open(many, "w") as file:
        file.write("""{"clusters": [{"name": "a", "pes": 400}]}""")
    result = run(0, "queens", "11", "--trawl:simulate=" + many, "--trawl:stack-size=1T")
    expect(result.code == 1 and "stack" in result.err and result.err.count("\n") == 1, "expected a sentence", result)

    result = run(2, "fib", "10", "--trawl:simulate=" + far)
    expect(result.code == 2 and "start it without mpiexec" in result.err, "expected mpiexec to be refused", result)
    result = run_words(program("trawl-run"), "-n", "2", program("fib"), "10", "--trawl:simulate=" + far)
    expect(result.code == 2 and "start it without trawl-run" in result.err, "expected trawl-run to be refused", result)
    result = run(0, "fib", "10", "--trawl:simulate=" + far, "--trawl:grid=" + far)
    expect(result.code == 2 and "exclude each other" in result.err, "expected both to be refused", result)
    result = run(0, "fib", "10", "--trawl:simulate=" + folder)
    expect(result.code == 2 and "cannot read the grid file" in result.err, "expected the file to be missed", result)
print("all right")

large = os.path.join(GRIDS, "large-16384.json")
result = run_words("bash", "-c", f"ulimit -v 3000000; exec {program('fib')} 12 --trawl:simulate={large}")
expect(result.code == 1 and "there is not the memory to simulate 16384 PEs" in result.err, "expected one line", result)
