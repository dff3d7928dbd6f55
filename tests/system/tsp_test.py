#!/usr/bin/env -S python3 -B
"""tsp: published optima, the same tour however it was found, TSPLIB files of all kinds, bad and damaged
ones."""
import itertools
import os
import random
import tempfile

from harness import FABRICS, expect, program, run, run_words

HERE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "tsplib")
OPTIMA = {"burma14": 3323, "ulysses16": 6859, "gr17": 2085, "gr21": 2707, "ulysses22": 7013,
          "gr24": 1272, "att48": 10628}  # as published with TSPLIB


def file_of(name):
    return os.path.join(HERE, name + ".tsp")


def length_of(result):
    expect(result.code == 0 and result.out.startswith("length "), "expected a length", result)
    return int(result.out.split()[1])


def tour_of(result):
    return [int(city) for city in result.out.splitlines()[1].split()[1:]]


# ---- right, and the same everywhere

runs = 0
for name, optimum in OPTIMA.items():
    alone = run(0, "tsp", file_of(name), "--check")
    expect(length_of(alone) == optimum, f"{name}'s shortest tour is {optimum}", alone)
    expect(run(0, "tsp", file_of(name), "--sequential").out == alone.out, "sequentially the same", alone)
    for pes in 2, 3:
        result = run(pes, "tsp", file_of(name))
        expect(result.code == 0 and result.out == alone.out, f"expected {alone.out}", result)
        runs += 1

# --starts 1: the bound has far to fall, and what is known of it differs from PE to PE.
HARD = [["--random", 45, "--seed", 3, "--starts", 1], ["--random", 50, "--seed", 1, "--starts", 1],
        [file_of("att48"), "--starts", 1]]
for words in HARD:
    expected = run(0, "tsp", *words, "--sequential")
    for pes in 1, 2, 3, 4, 8:
        for policy in "random", "targeted":
            for packets in [], ["--trawl:packet-size=64", "--trawl:thunks-per-packet=1"]:
                result = run(pes, "tsp", *words, *packets, f"--trawl:policy={policy}",
                             f"--trawl:workers={1 + pes % 2}",
                             env=FABRICS["tcp" if pes == 3 else "shared memory"])
                expect(result.code == 0 and result.out == expected.out, f"expected {expected.out}", result)
                runs += 1

# ---- against exact dynamic programming (--check), over random problems

for cities in range(1, 17):
    for seed in range(3):
        result = run(0, "tsp", "--random", cities, "--seed", seed, "--starts", 1 + seed, "--check")
        expect(result.code == 0, "expected exit code 0", result)
        tour = tour_of(result)
        expect(sorted(tour) == list(range(1, cities + 1)) and tour[0] == 1, "expected a tour", result)
        expect(cities < 3 or tour[1] < tour[-1], "expected the tour's canonical direction", result)

folder = tempfile.TemporaryDirectory()


def tsp(text, *words, pes=0):
    file = os.path.join(folder.name, "file.tsp")
    with open(file, "wb") as out:
        out.write(text if isinstance(text, bytes) else text.encode())
    return run(pes, "tsp", file, *words)


def matrix(n, form, pairs, far):
    numbers = "\n".join(str(far(*pair)) for pair in pairs)
    return (f"TYPE : TSP\nDIMENSION : {n}\nEDGE_WEIGHT_TYPE : EXPLICIT\nEDGE_WEIGHT_FORMAT : {form}\n"
            f"EDGE_WEIGHT_SECTION\n{numbers}\nEOF\n")


# Many tours of the same length: all distances alike, and a grid of places.
SAME = matrix(12, "UPPER_ROW", itertools.combinations(range(12), 2), lambda a, b: 7)
GRID = ("DIMENSION: 16\nEDGE_WEIGHT_TYPE: EUC_2D\nNODE_COORD_SECTION\n"
        + "".join(f"{4 * x + y + 1} {10 * x} {10 * y}\n" for x in range(4) for y in range(4)))
for text, optimum in (SAME, 84), (GRID, 160):
    expected = tsp(text, "--check")
    expect(length_of(expected) == optimum, f"expected {optimum}", expected)
    for pes in 1, 2, 4:
        result = tsp(text, "--starts", "1", pes=pes)
        again = tsp(text, "--starts", "1", "--sequential")
        expect(result.code == 0 and result.out == again.out, f"expected {again.out}", result)

# ---- every format of a matrix, every kind of distance

n = 7
FORMATS = {
    "FULL_MATRIX": [(a, b) for a in range(n) for b in range(n)],
    "UPPER_ROW": [(a, b) for a in range(n) for b in range(a + 1, n)],
    "LOWER_ROW": [(a, b) for a in range(n) for b in range(a)],
    "UPPER_DIAG_ROW": [(a, b) for a in range(n) for b in range(a, n)],
    "LOWER_DIAG_ROW": [(a, b) for a in range(n) for b in range(a + 1)],
    "UPPER_COL": [(a, b) for b in range(n) for a in range(b)],
    "LOWER_COL": [(a, b) for b in range(n) for a in range(b + 1, n)],
    "UPPER_DIAG_COL": [(a, b) for b in range(n) for a in range(b + 1)],
    "LOWER_DIAG_COL": [(a, b) for b in range(n) for a in range(b, n)],
}
dice = random.Random(1)
far = {pair: dice.randrange(1, 1000) for pair in itertools.combinations(range(n), 2)}
shortest = min(sum(far[tuple(sorted(pair))] for pair in zip((0, *rest), (*rest, 0)))
               for rest in itertools.permutations(range(1, n)))
for form, pairs in FORMATS.items():
    text = matrix(n, form, pairs, lambda a, b: far.get((min(a, b), max(a, b)), 0))
    result = tsp(text, "--check")
    expect(length_of(result) == shortest, f"expected {shortest}", result)
# Three cities have one tour, so its length is what the distances are.
for kind, length in ("EUC_2D", 3 + 2 + 1), ("CEIL_2D", 3 + 2 + 2), ("ATT", 1 + 1 + 1):
    text = (f"DIMENSION: 3\nEDGE_WEIGHT_TYPE: {kind}\nNODE_COORD_SECTION\n"
            "1 0 0\n3 2.9 .0\n2 +1.3e0 0\n")  # 1.3, 1.6 and 2.9 apart
    result = tsp(text, "--check")
    expect(length_of(result) == length, f"expected {length}", result)

# ---- the tour in a file

kept = os.path.join(folder.name, "kept.tour")
result = run(2, "tsp", file_of("gr17"), "--tour", kept)
with open(kept) as file:
    written = file.read().split("TOUR_SECTION\n")[1]
expect(written == "\n".join(map(str, tour_of(result))) + "\n-1\nEOF\n", "expected the tour in a file", result)
piped = run(2, "tsp", file_of("gr17"), "--tour", "-")
expect(piped.out.split("TOUR_SECTION\n")[1] == written and piped.out.startswith("NAME: "),
       "expected the file alone on standard output", piped)
expect(not os.path.exists("-"), "expected no file of that name", piped)

# ---- what can't be used

HEAD = "TYPE: TSP\nDIMENSION: 3\nEDGE_WEIGHT_TYPE: EXPLICIT\nEDGE_WEIGHT_FORMAT: LOWER_ROW\n"
BAD = [  # a file, and what the line must name
    ("", "DIMENSION"),
    ("\0\1\2", "understood"),
    ("DIMENSION: 3\n", "EDGE_WEIGHT_SECTION"),
    ("DIMENSION: 0\n", "'0'"),
    ("DIMENSION: 201\n", "'201'"),
    ("DIMENSION: 99999999999999999999\n", "DIMENSION"),
    ("DIMENSION: 3\nDIMENSION: 4\n", "second DIMENSION"),
    ("DIMENSION: 3x\n", "3x"),
    ("TYPE: ATSP\n", "ATSP"),
    ("EDGE_WEIGHT_TYPE: XRAY1\n", "XRAY1"),
    ("NODE_COORD_SECTION\n1 1 1\n", "before the DIMENSION"),
    ("FIXED_EDGES_SECTION\n", "FIXED_EDGES_SECTION"),
    (HEAD, "EDGE_WEIGHT_SECTION"),
    (HEAD + "EDGE_WEIGHT_SECTION\n1 2\n", "too early"),
    (HEAD + "EDGE_WEIGHT_SECTION\n1 2 3 4\n", "'4'"),
    (HEAD + "EDGE_WEIGHT_SECTION\n1 2 x\n", "'x'"),
    (HEAD + "EDGE_WEIGHT_SECTION\n1 2 -3\n", "-3"),
    (HEAD + "EDGE_WEIGHT_SECTION\n1 2 2.5\n", "2.5"),
    (HEAD + "EDGE_WEIGHT_SECTION\n1 2 20000001\n", "20000001"),
    (HEAD + "EDGE_WEIGHT_SECTION\n1 2 nan\n", "nan"),
    (HEAD.replace("LOWER_ROW", "FUNCTION") + "EDGE_WEIGHT_SECTION\n1 2 3\n", "FUNCTION"),
    (HEAD.replace("LOWER_ROW", "FULL_MATRIX") + "EDGE_WEIGHT_SECTION\n0 1 2 1 0 3 9 3 0\n", "1 and 3"),
    ("DIMENSION: 2\nEDGE_WEIGHT_TYPE: EUC_2D\nNODE_COORD_SECTION\n1 1 1\n1 2 2\n", "twice"),
    ("DIMENSION: 2\nEDGE_WEIGHT_TYPE: EUC_2D\nNODE_COORD_SECTION\n1 1 1\n3 2 2\n", "called 3"),
    ("DIMENSION: 2\nEDGE_WEIGHT_TYPE: EUC_2D\nNODE_COORD_SECTION\n1 1 1\n2 2 1e300\n", "1e+300"),
    ("DIMENSION: 2\nEDGE_WEIGHT_TYPE: EUC_2D\n", "NODE_COORD_SECTION"),
]


def refused(result, named=""):
    expect(result.code == 2 and result.out == "", "expected exit code 2", result)
    expect(result.err.count("\n") == 1 and named in result.err, f"expected a line that names {named}", result)


for text, named in BAD:
    refused(tsp(text), named)
refused(tsp(BAD[-2][0], pes=2), BAD[-2][1])
for words, named in [([], "--random"), ([file_of("gr17"), "--random", 5], "--random"),
                     (["/no/such/file"], "/no/such/file"), (["/"], "directory"), (["/dev/zero"], "it is no text"),
                     (["--random", 201], "--random"), (["--random", -1], "--random"),
                     (["--random", 5, "--seed", -1], "--seed"), (["--random", 5, "--starts", 0], "--starts")]:
    refused(run(0, "tsp", *words), named)
refused(run(0, "tsp", "--random", 5, "--tour", "/no/such/place"), "/no/such/place")
refused(run_words("sh", "-c", f"yes | {program('tsp')} /dev/stdin"), "more than 16000000 bytes")

# ---- damaged files: an answer or a refusal, never anything else

sources = [open(file_of(name), "rb").read() for name in ("burma14", "gr17")]
FUZZED = 40
for i in range(FUZZED):
    text = bytearray(sources[i % 2])
    for _ in range(dice.randrange(1, 6)):
        at = dice.randrange(len(text))
        change = dice.randrange(4)
        if change == 0:
            text[at] = dice.randrange(256)
        elif change == 1:
            del text[at:at + dice.randrange(1, 40)]
        elif change == 2:
            text[at:at] = dice.choice([b"9" * 30, b"-1", b"\n", b"1e308", b" nan ", b"EOF\n", b"\0", b":"])
        else:
            del text[at:]
        if not text:
            break
    result = tsp(bytes(text))
    expect(result.code in (0, 2), "expected exit code 0 or 2", result)
    expect(result.code == 0 or result.err.count("\n") == 1, "expected one line on standard error", result)
print(f"{runs} runs, all right; {FUZZED} damaged files")
