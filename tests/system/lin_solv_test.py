#!/usr/bin/env -S python3 -B
"""lin_solv: known and random systems against exact fractions here, singular ones, unlucky primes,
1 to 8 PEs, a collector that runs all the time, and files that make no sense."""
import os
import random
import tempfile
from fractions import Fraction

from harness import expect, run

rng = random.Random(2026)
folder = tempfile.TemporaryDirectory()


def path(name):
    return os.path.join(folder.name, name)


def write(text, name="system.txt"):
    with open(path(name), "w" if isinstance(text, str) else "wb") as file:
        file.write(text)
    return path(name)


def plain(rows):
    return "\n".join([str(len(rows))] + [" ".join(map(str, row)) for row in rows]) + "\n"


def solution(rows):
    """By Gauss and Jordan on fractions; None if the matrix is singular."""
    rows = [[Fraction(x) for x in row] for row in rows]
    n = len(rows)
    for c in range(n):
        pivot = next((i for i in range(c, n) if rows[i][c] != 0), None)
        if pivot is None:
            return None
        rows[c], rows[pivot] = rows[pivot], rows[c]
        rows[c] = [x / rows[c][c] for x in rows[c]]
        for i in range(n):
            if i != c and rows[i][c] != 0:
                rows[i] = [x - rows[i][c] * y for x, y in zip(rows[i], rows[c])]
    return "".join(f"{row[n]}\n" for row in rows)


def expect_solved(rows, *flags, pes=0):
    expected = solution(rows)
    result = run(pes, "lin_solv", write(plain(rows)), *flags)
    if expected is None:
        expect_refused(result, "singular")
    else:
        expect(result.code == 0 and result.out == expected, f"expected\n{expected}", result)


def expect_refused(result, *named):
    lines = result.err.replace("\r", "\n").splitlines()
    expect(result.code == 2 and result.out == "" and len(lines) == 1, "expected one line, code 2", result)
    for name in named:
        expect(name in lines[0], f"expected '{name}' to be named", result)


# ---- known systems -----------------------------------------------------------------------------

expect_solved([[2, 1, 5], [1, -3, -8]])
expect_solved([[-7, 21]])
expect_solved([[3, 0]])
result = run(0, "lin_solv", write("2\n+010 0 0020\n0 1 -0\n"))
expect(result.out == "2\n0\n", "expected decimal numbers", result)
expect_solved([[0, 2, 1], [4, 0, 1]])
MARKET = "%%MatrixMarket matrix {}\n% a comment\n\n{}\n"
RIGHT = write("3 4 5", "right.txt")
for kind, body, rows in [
    ("array integer general", "3 3\n1 2 3\n4 5 6\n7 8 10", [[1, 4, 7, 3], [2, 5, 8, 4], [3, 6, 10, 5]]),
    ("array integer symmetric", "3 3\n1 2 3\n4 5\n6", [[1, 2, 3, 3], [2, 4, 5, 4], [3, 5, 6, 5]]),
    ("coordinate integer general", "3 3 4\n1 2 5\n2 1 -6\n3 3 7\n3 1 1", [[0, 5, 0, 3], [-6, 0, 0, 4], [1, 0, 7, 5]]),
    ("coordinate integer symmetric", "3 3 3\n3 1 5\n2 2 9\n3 3 1", [[0, 0, 5, 3], [0, 9, 0, 4], [5, 0, 1, 5]]),
]:
    for right in RIGHT, write(MARKET.format("array integer general", "3 1\n3\n4\n5"), "right.mtx"):
        result = run(0, "lin_solv", write(MARKET.format(kind, body)), "--rhs", right, "--check")
        expect(result.code == 0 and result.out == solution(rows), solution(rows), result)
skew = write(MARKET.format("array integer skew-symmetric", "2 2\n3"))
result = run(0, "lin_solv", skew, "--rhs", write("6 9", "right.txt"))
expect(result.out == "3\n-2\n", "expected 3, -2", result)

# ---- random ones: sizes around a block, rows and columns of zeros, long entries ------------------

for trial in range(60):
    n = rng.choice([1, 2, 3, 4, 5, 7, 8, 9, 12, 15, 16, 17, 24, 25])
    bits = rng.choice([1, 2, 8, 31, 32, 50, 51, 52, 63, 64, 65, 200, 1000]) if n < 17 else 31
    zeros = rng.choice([0, 0, 0.3, 0.7])
    rows = [[0 if rng.random() < zeros else rng.randrange(-2**bits, 2**bits + 1) for _ in range(n + 1)]
            for _ in range(n)]
    if trial % 6 == 5 and n > 1:  # the last row depends on the first two
        rows[-1] = [3 * a - 5 * b for a, b in zip(rows[0], rows[1])]
    expect_solved(rows, *rng.choice([[], ["--check"], ["--sequential"], ["--instructions", "portable"]]))

# ---- unlucky primes ----------------------------------------------------------------------------


def is_prime(n):
    d, s = n - 1, 0
    while d % 2 == 0:
        d, s = d // 2, s + 1
    for a in 2, 3, 5, 7, 11, 13, 17, 19, 23, 29, 31, 37:
        x = pow(a, d, n)
        if x not in (1, n - 1) and all((x := x * x % n) != n - 1 for _ in range(s - 1)):
            return False
    return True


def our_prime(index):
    """What prime_number() in residues.cpp takes."""
    return next(p for p in range(2**52 - 2048 * index - 1, 0, -2) if is_prime(p))


PRIMES = [our_prime(i) for i in range(9)]
big = 1
for p in PRIMES[:6]:
    big *= p
expect_solved([[PRIMES[0], 1]])
expect_solved([[big, 1]])
expect_solved([[big, 2 * big, 7], [0, 5, 9]])
expect_solved([[PRIMES[0], 1, 3], [PRIMES[1], 1, 4]])
expect_solved([[PRIMES[i] if i == j else (i * j) % 3 * big for j in range(9)] + [i + 1] for i in range(9)])
expect_solved([[p * PRIMES[0], p] for p in PRIMES[:1]])
expect_solved([[big if i == j else 0 for j in range(9)] + [1] for i in range(9)], "--sequential")

# ---- singular matrices -------------------------------------------------------------------------

expect_refused(run(0, "lin_solv", write("1\n0 0\n")), "singular")
for pes in 0, 2:
    rows = [[rng.randrange(-2**31, 2**31) for _ in range(31)] for _ in range(30)]
    rows[17] = [a + b - 7 * c for a, b, c in zip(rows[0], rows[29], rows[5])]
    expect_refused(run(pes, "lin_solv", write(plain(rows))), "singular")
    expect_refused(run(pes, "lin_solv", write(plain(rows)), "--sequential"), "singular")

# Said before memory is taken for them: more rows than entries, each of which is two in a mirrored matrix.
write("1 2 3", "right.txt")
for kind, body, entries in [("general", "20000 20000 0", 0), ("general", "3 3 2\n1 1 1\n2 2 1", 2),
                            ("symmetric", "20000 20000 9999" + "\n2 1 5" * 9999, 9999), ("skew-symmetric", "3 3 1\n2 1 5", 1)]:
    matrix = write(MARKET.format(f"coordinate integer {kind}", body))
    expect_refused(run(0, "lin_solv", matrix, "--rhs", RIGHT), f"singular: {entries} entries")
mirrored = write(MARKET.format("coordinate integer symmetric", "2 2 1\n2 1 5"))
result = run(0, "lin_solv", mirrored, "--rhs", write("15 10", "right.txt"))
expect(result.out == "2\n3\n", "expected 2, 3", result)

# ---- the same however it was computed ----------------------------------------------------------

ours = ["lin_solv", "--random", "60", "--bits", "40", "--seed", "7"]
alone = run(0, *ours, "--sequential")
expect(alone.code == 0 and alone.out.count("\n") == 60, "expected 60 lines", alone)
VARIED = [
    [], ["--check"], ["--instructions", "portable"], ["--trawl:workers=2"],
    ["--trawl:packet-size=0"], ["--trawl:packet-size=100", "--trawl:thunks-per-packet=0"],
    ["--trawl:heap=1M"], ["--trawl:heap=1M", "--trawl:workers=2", "--trawl:packet-size=0"],
    ["--trawl:thread-limit=1"], ["--trawl:low-watermark=0"],
]
runs = 0
for pes in 0, 1, 2, 3, 4, 8:
    for policy in "random", "targeted":
        for flags in VARIED if pes in (0, 2, 3) else VARIED[:2]:
            result = run(pes, *ours, f"--trawl:policy={policy}", *flags)
            expect(result.code == 0 and result.out == alone.out, "expected the sequential result", result)
            runs += 1
for instructions in "best", "portable", "avx2", "avx512":
    for words in ["60", "--bits", "40", "--seed", "7"], ["150", "--bits", "1", "--seed", "3"]:
        words = ["lin_solv", "--random", *words]
        result = run(0, *words, "--check", "--instructions", instructions)
        if result.code != 0:
            expect_refused(result, "this processor doesn't have these instructions")
            expect(instructions.startswith("avx"), "expected it to run anywhere", result)
        else:
            expect(result.out == run(0, *words).out, "expected the same result", result)
other = run(0, *ours[:-1], "8")
expect(other.code == 0 and other.out != alone.out, "expected another seed to matter", other)
result = run(2, *ours, "--output", path("out"))
with open(path("out")) as file:
    expect(result.code == 0 and result.out == "" and file.read() == alone.out, "expected it in the file", result)

# ---- bad input ---------------------------------------------------------------------------------

GOOD = "2\n1 2 3\n4 5 6\n"
WRONG = [  # file, what the line must name
    ("", "ends"), ("   \n \n", "ends"), ("0\n", "number of rows"), ("-2\n1 2 3\n4 5 6\n", "-2"),
    ("nan\n", "nan"), ("2.0\n1 2 3\n4 5 6\n", "2.0"), ("1e3\n", "1e3"), ("20001\n", "20001"),
    ("9" * 40, "9999"), ("2\n1 2 3\n4 5\n", "ends"), ("2\n1 2 3\n4 5 6 7\n", "'7'"),
    ("2\n1 2 x\n4 5 6\n", "line 2"), ("2\n1 2 3\n4 5 -\n", "'-'"), ("2\n1 2 3\n4 5 0x6\n", "0x6"),
    ("2\n1 2 inf\n4 5 6\n", "inf"), ("2\n1 2 3\n4 5 6.5\n", "6.5"), ("2\n1 2 3\n4 5 6\nend\n", "end"),
    ("2\n1 2 3\n4 5 --6\n", "--6"), ("1\n1 " + "7" * 10001 + "\n", "10001"), ("20000\n1 2 3\n", "short"),
    ("\0\0\0", "???"), ("2\n1 0 010\n0 1 0x1\n", "0x1"), ("2\n1 2 3\n4 5 6\n\x1b[2J", "?[2J"),
]
for text, named in WRONG:
    expect_refused(run(0, "lin_solv", write(text)), named)
BAD_MARKET = [
    ("array integer", "2 2\n1 2 3 4", "MatrixMarket"), ("array real general", "2 2\n1 2 3 4", "real"),
    ("array complex general", "2 2\n1 2 3 4", "complex"), ("array integer hermitian", "2 2\n1 2 3", "hermitian"),
    ("coordinate pattern general", "2 2 1\n1 1", "pattern"), ("vector integer general", "2 2\n1 2 3 4", "vector"),
    ("array integer general", "2 3\n1 2 3 4 5 6", "square"), ("array integer general", "2 2\n1 2 3", "ends"),
    ("array integer general", "2 2\n1 2 3 4 5", "'5'"), ("coordinate integer general", "2 2 2\n3 1 5 1 1 5", "row is 3"),
    ("coordinate integer general", "2 2 2\n1 0 5 1 1 5", "column is 0"), ("coordinate integer general", "2 2 2\n1 1 5 1 1 5", "twice"),
    ("coordinate integer general", "2 2 5\n1 1 5", "entries is 5"), ("coordinate integer symmetric", "2 2 1\n1 2 5", "triangle"),
    ("coordinate integer skew-symmetric", "2 2 1\n1 1 5", "triangle"), ("array integer general", "20000 20000\n1", "short"),
    ("coordinate integer general", "2 2 3\n1 1 5", "9 numbers"), ("coordinate integer general", "2 2 -1\n", "-1"), ("array integer general", "-2 -2\n", "-2"),
]
write("3 4", "right.txt")
for kind, body, named in BAD_MARKET:
    expect_refused(run(0, "lin_solv", write(MARKET.format(kind, body)), "--rhs", RIGHT), named)
market = write(MARKET.format("array integer general", "2 2\n1 2 3 4"), "good.mtx")
for right in "3", "3 4 5", "3 x", "", MARKET.format("array integer general", "2 2\n1 2 3 4"):
    expect_refused(run(0, "lin_solv", market, "--rhs", write(right, "right.txt")), "right.txt")
good = write(GOOD, "good.txt")
for words in [
    [], ["--check"], [path("missing")], [folder.name], [market], [good, "--rhs", good], [good, good],
    [good, "--random", "5"], ["--random", "0"], ["--random", "-1"], ["--random", "nan"], ["--random", "20001"],
    ["--random", "5", "--bits", "0"], ["--random", "5", "--bits", "-3"], ["--random", "5", "--seed", "x"],
    ["--random", "5", "--rhs", good], [good, "--seed", "3"], [market, "--rhs", path("missing")],
    [good, "--output", path("no/such/folder")], [good, "--output", folder.name], [good, "--instructions", "mmx"],
    ["--random", "20000", "--bits", "30000"], ["--random", "5", "--sequential", "--check"],
]:
    expect_refused(run(0, "lin_solv", *words))
expect_refused(run(0, "lin_solv", "/dev/zero"), "it is no text")
expect_refused(run(0, "lin_solv", market, "--rhs", "/dev/zero"), "it is no text")
# Asking whether a file can be written makes none, and leaves what is in it.
singular = write("1\n0 0\n")
expect_refused(run(0, "lin_solv", singular, "--output", path("none")), "singular")
expect_refused(run(0, "lin_solv", singular, "--output", write("old", "kept.txt")), "singular")
expect(not os.path.exists(path("none")) and open(path("kept.txt")).read() == "old", "expected no trace", "")
full = run(0, "lin_solv", good, "--output", "/dev/full")
expect(full.code == 2 and "/dev/full" in full.err, "expected to be told that nothing was written", full)

# ---- mutated files: solved, refused or found singular, never a crash -----------------------------

SEEDS = [plain([[rng.randrange(-99, 99) for _ in range(5)] for _ in range(4)]), GOOD,
         MARKET.format("array integer general", "2 2\n1 2 3 4"),
         MARKET.format("coordinate integer symmetric", "3 3 4\n1 1 5\n2 1 -6\n3 3 7\n2 2 1")]
PIECES = [b"", b"-", b"+", b" ", b"\n", b"7", b"-4", b"12", b" 3 ", b"05", b"\0", b"\xff", b"%", b"9" * 30, b"e9", b".", b"nan", b"0", b"1 1 1"]
codes = {0: 0, 2: 0}
for trial in range(40):
    seed = rng.choice(SEEDS)
    text = bytearray(seed.encode())
    for _ in range(rng.randrange(1, 4)):
        at = rng.randrange(len(text) + 1)
        text[at:at + rng.randrange(0, 3)] = rng.choice(PIECES)
    right = ["--rhs", write("1 2 3" if "coordinate" in seed else "1 2", "right.txt")] if "%" in seed else []
    result = run(0, "lin_solv", write(bytes(text), "mutated"), *right)
    expect(result.code in codes, f"expected exit code 0 or 2 for {bytes(text)}", result)
    expect(result.code == 0 or result.err.count("\n") == 1, f"expected one line for {bytes(text)}", result)
    codes[result.code] += 1
expect(min(codes.values()) > 0, f"expected some of both: {codes}", result)
print(f"{runs} runs of one system; {codes[2]} mutated files refused, {codes[0]} taken: all right")
