#!/usr/bin/env -S python3 -B
"""Programs give the same answer when the collector runs at every few allocations, whatever moves between PEs."""
import json
import os
import tempfile

from harness import expect, run

HERE = os.path.dirname(os.path.abspath(__file__))
SCENES = os.path.join(HERE, "../../programs/raytracer/scenes")

PROGRAMS = [
    ["fib", "20"],
    ["queens", "9"],
    ["sum_euler", "1500", "--chunk", "20"],
    ["integrate", "--to", "100", "--epsilon", "1e-5"],
    ["lin_solv", "--random", "60", "--bits", "20", "--seed", "3"],
    ["tsp", os.path.join(HERE, "tsplib/gr17.tsp")],
    ["barnes_hut", "plummer", "--bodies", "300", "--steps", "1"],
    ["raytracer", os.path.join(SCENES, "flakes.scene"), "--width", "64", "--height", "48"],
]
SETTINGS = [
    (0, 2, 1),
    (2, 1, 1),
    (3, 1, 3, "--trawl:packet-size=1"),
    (2, 2, 2, "--trawl:policy=random", "--trawl:thunks-per-packet=0"),
]
FEWER = {"barnes_hut": 50}  # skeletons make very many allocations: collections at so many times fewer of them
LEAST = 20  # collections of a run, or it was no torture

with tempfile.TemporaryDirectory() as folder:
    figures = os.path.join(folder, "figures.json")
    picture = os.path.join(folder, "picture.ppm")

    def answer(pes, words, *flags):
        """What it prints, or draws."""
        words = [*words, "--output", picture] if words[0] == "raytracer" else words
        result = run(pes, *words, *flags, timeout=300)
        expect(result.code == 0, "expected exit code 0", result)
        if words[0] != "raytracer":
            return result.out, result
        with open(picture, "rb") as drawn:
            content = drawn.read()
        os.remove(picture)  # or who draws nothing would not be noticed
        return content, result

    for words in PROGRAMS:
        right, _ = answer(0, words, "--sequential")
        for pes, workers, every, *flags in SETTINGS:
            flags.append(f"--trawl:collect-every={every * FEWER.get(words[0], 1)}")
            found, result = answer(pes, words, *flags, f"--trawl:workers={workers}", f"--trawl:stats-file={figures}",
                                   "--trawl:stats=json")
            with open(figures) as file:
                collections = json.load(file)["total"]["gc_count"]
            expect(found == right, "expected the same answer as without Trawl", result)
            expect(collections >= LEAST, f"expected {LEAST} collections, not {collections}", result)
            print(f"{words[0]} on {pes} PEs of {workers} {flags}: {collections} collections, {result.seconds:.1f} s")
