#!/usr/bin/env -S python3 -B
"""barnes_hut: closed forms, direct summation, the same bits on any grid, files of all formats, and of none."""
import json
import math
import os
import random
import shlex
import struct
import tempfile

from harness import BIN, FABRICS, expect, mpiexec, run, run_words

FOLDER = tempfile.TemporaryDirectory(prefix="barnes_hut_")
SINGLE = 2e-6  # what single precision can do to a force


def path(name):
    return os.path.join(FOLDER.name, name)


def write(name, content):
    with open(path(name), "wb" if isinstance(content, bytes) else "w") as file:
        file.write(content)
    return path(name)


def bodies_text(bodies):
    return "".join(" ".join(repr(float(v)) for v in body) + "\n" for body in bodies)


def read(name):
    with open(path(name)) as file:
        return [[float(v) for v in line.split()] for line in file if not line.startswith("#")]


def barnes_hut(*args, pes=0, env=None, out=None):
    """Runs it; gives the bodies at the end too, if `out` is the file for them."""
    if out and os.path.exists(path(out)):
        os.remove(path(out))  # or who writes nothing would not be noticed
    result = run(pes, "barnes_hut", *args, *(["--out", path(out)] if out else []), env=env)
    expect(result.code == 0, "expected exit code 0", result)
    return (result, read(out)) if out else result


def table(result):
    """The report's rows: step, time, energy, dE/E, momentum, angular momentum, virial ratio."""
    return [[float(v) for v in line.split()] for line in result.out.splitlines()[1:]]


def near(value, expected, limit, what, result):
    expect(abs(value - expected) <= limit, f"{what} is {value}, not {expected} within {limit}", result)


# ---- closed forms ------------------------------------------------------------------------------

# Two bodies on a circle: after a period they are where they began. In units where a square is no
# square, to find out whether the program depends on them.
for length, mass, kernel in (1, 1, "best"), (1e12, 1e-9, "best"), (1e-9, 1e15, "portable"):
    heavy, light = 0.75 * mass, 0.25 * mass
    speed = math.sqrt(mass / length)
    two = write("two.txt", bodies_text([(heavy, -0.25 * length, 0, 0, 0, -0.25 * speed, 0),
                                        (light, 0.75 * length, 0, 0, 0, 0.75 * speed, 0)]))
    steps = 2000
    period = 2 * math.pi * length / speed
    result, end = barnes_hut(two, "--softening", 0, "--steps", steps, "--dt", repr(period / steps),
                             "--report", steps // 4, "--kernel", kernel, out="two_end.txt")
    near(end[1][1], 0.75 * length, 1e-4 * length, "x after a period", result)
    near(end[1][2], 0, 1e-3 * length, "y after a period", result)
    near(end[0][1] * heavy, -end[1][1] * light, 1e-6 * length * mass, "the centre of mass", result)
    for _, _, energy, change, momentum, angular, virial in table(result):
        near(energy, -heavy * light / length / 2, 1e-4 * mass * mass / length, "the energy", result)
        near(change, 0, 1e-5, "its change", result)
        near(angular, heavy * light * speed * length / mass, 1e-5 * mass * speed * length,
             "the angular momentum", result)
        near(virial, 1, 1e-3, "the virial ratio", result)
        near(momentum, 0, 1e-5 * mass * speed, "the momentum", result)

# A uniform sphere: inside, the acceleration is -M r / R^3; from rest, after a short time t, all have
# come nearer by the factor 1 - t^2 / 2 R^3.
steps, dt, radius = 4, 0.05, 2.4
_, begin = barnes_hut("sphere", "--bodies", 20000, "--steps", 0, out="sphere_0.txt")
result, end = barnes_hut("sphere", "--bodies", 20000, "--steps", steps, "--dt", dt, "--softening", 0.05,
                         out="sphere_1.txt")
shrunk = [math.dist(b[1:4], (0, 0, 0)) / math.dist(a[1:4], (0, 0, 0)) for a, b in zip(begin, end)]
near(sum(shrunk) / len(shrunk), 1 - (steps * dt) ** 2 / 2 / radius ** 3, 2e-4, "the mean shrinking",
     result)
first, last = table(result)[0], table(result)[-1]
near(first[2], -0.25, 0.003, "the energy of a cold sphere", result)
near(last[3], 0, 1e-4, "the change of energy", result)

# Plummer's sphere: energy -1/4 and equilibrium, within what 20,000 random bodies are; both conserved.
for words in [], ["--quadrupole"]:
    result = barnes_hut("plummer", "--bodies", 20000, "--steps", 20, "--report", 5, *words)
    for _, _, energy, change, momentum, _, virial in table(result):
        near(energy, -0.25, 0.01, "the energy", result)
        near(virial, 1, 0.03, "the virial ratio", result)
        near(change, 0, 1e-4, "the change of energy", result)
        near(momentum, 0, 1e-4, "the momentum", result)

# ---- direct summation --------------------------------------------------------------------------


def velocities_by_hand(bodies, softening, dt):
    """After half a step of a leapfrog and back: velocities are -a(x) dt / 2 apart from those at rest."""
    pulled = []
    for i, (_, x, y, z, *_) in enumerate(bodies):
        a = [0.0, 0.0, 0.0]
        for j, (m, u, v, w, *_) in enumerate(bodies):
            d = (u - x, v - y, w - z)
            r2 = sum(c * c for c in d)
            if i != j and r2 > 0:
                f = m / (r2 + softening ** 2) ** 1.5
                a = [s + f * c for s, c in zip(a, d)]
        pulled.append([dt * s for s in a])
    return pulled


# With steps so short that nobody moves, velocities are accelerations; theta 0 is every pair.
dice = random.Random(2)
for kernel in "portable", "best":
    for n in 1, 2, 3, 9, 17, 150:
        for softening in 0, 0.1:
            cloud = [(dice.random(), *(dice.gauss(0, 1) for _ in range(3)), 0, 0, 0) for _ in range(n)]
            dt = 1e-9
            result, end = barnes_hut(write("cloud.txt", bodies_text(cloud)), "--theta", 0, "--steps", 1,
                                     "--dt", dt, "--softening", softening, "--kernel", kernel,
                                     out="cloud_end.txt")
            for got, expected in zip(end, velocities_by_hand(cloud, softening, dt), strict=True):
                size = max(math.dist(expected, (0, 0, 0)), dt)
                near(math.dist(got[4:], expected) / size, 0, 50 * SINGLE, "the error of a force", result)

# --check compares with direct summation in the program, and with the sequential run.
for input in "plummer", "sphere", "galaxies":
    for words in [], ["--quadrupole"], ["--theta", 0.2], ["--theta", 1], ["--kernel", "portable"]:
        barnes_hut(input, "--bodies", 4000, "--steps", 2, "--check", *words, pes=2)

# ---- the same bits -----------------------------------------------------------------------------

for words in ["galaxies", "--bodies", 6000], ["plummer", "--bodies", 3000, "--quadrupole"]:
    words += ["--steps", 3, "--report", 1]
    alone, bodies = barnes_hut(*words, "--sequential", out="alone.txt")
    runs = [(pes, {}, []) for pes in (0, 1, 2, 3, 4, 8)]
    runs += [(2, {}, ["--trawl:workers=2"]), (0, {}, ["--trawl:workers=3"])]
    runs += [(3, FABRICS["tcp"], [])]
    runs += [(3, {}, [f"--trawl:policy={policy}"]) for policy in ("random", "targeted")]
    runs += [(3, {}, ["--trawl:packet-size=0", "--trawl:thunks-per-packet=0"])]
    runs += [(2, {}, ["--trawl:thread-limit=1"]), (2, {}, ["--trawl:low-watermark=4"])]
    for pes, env, flags in runs:
        result, same = barnes_hut(*words, *flags, pes=pes, env=env, out="same.txt")
        expect(same == bodies and result.out == alone.out, "other bits than the sequential run", result)

# However many boxes: what is not sent, nobody looks at.
for boxes in 1, 3, 1000:
    barnes_hut("galaxies", "--bodies", 3000, "--steps", 2, "--boxes", boxes, "--check", pes=3)

# Bodies live with their PEs: none has much more than its share, and the main PE sends no more than others do. (What lives
# is what the last collection has found, in the midst of a step at times: who has more than others has it in each run,
# however many steps it has.)
memory = [math.inf] * 4
for tries in range(12):
    result = barnes_hut("plummer", "--bodies", 400000, "--theta", 1, "--steps", 1 + tries % 3, "--trawl:workers=1",
                        "--trawl:stats=json", pes=4, env=FABRICS["tcp"])
    by_pe = json.loads(result.err[result.err.index("{"):])["by_pe"]
    sent = [pe["message_bytes"] for pe in by_pe]
    expect(sent[0] < 1.25 * max(sent[1:]), f"the PEs sent {sent} bytes", result)
    memory = [min(before, pe["live_bytes"]) for before, pe in zip(memory, by_pe)]
    if max(memory) < sum(memory) / 2.5: break
else:
    expect(False, f"the PEs have {memory} bytes", result)

# ---- bodies at the same place, far away, without mass -------------------------------------------

HARD = {
    "one": [(1, 0.5, 0.25, 0, 1, 0, 0)],
    "all at one point": [(1, 3, 2, 1, 0, 0, 0)] * 3000,
    "two points": [(1, 0, 0, 0, 0, 0, 0)] * 400 + [(2, 1, 0, 0, 0, 0, 0)] * 400,
    "nothing has mass": [(0, i, 0, 0, 0, 0, 1) for i in range(50)],
    "one has mass": [(i == 7, i, i * i, 0, 0, 0, 0) for i in range(50)],
    "on a line": [(1, i, 0, 0, 0, 0, 0) for i in range(1000)],
    "one far away": [(1, math.cos(i), math.sin(i), 0, 0, 0, 0) for i in range(500)] + [(1, 1e9, 0, 0, 0, 0, 0)],
    "nearly at one point": [(1, 1 + i * 1e-16, 1, 1, 0, 0, 0) for i in range(200)],
}
for name, bodies in HARD.items():
    file = write("hard.txt", bodies_text(bodies))
    for words in [], ["--quadrupole"], ["--softening", 0]:
        result, end = barnes_hut(file, "--steps", 2, "--dt", 1e-3, *words, out="hard_end.txt", pes=2)
        expect(len(end) == len(bodies), f"{name}: bodies are gone", result)
        expect(all(math.isfinite(v) for body in end for v in body), f"{name}: not a number", result)
        if "one" in name.split()[:1] and len(bodies) == 1:
            expect(end[0][4:] == [1, 0, 0], "one body alone is pulled", result)
        if name == "all at one point":
            expect(end == read("hard.txt"), "bodies at one point pull each other", result)

# Softening so long that its square is no number in the units of the bodies' cube: forces are m d / s^3.
for gap in 1e-7, 1e-22, 1e-200:
    for words in [], ["--quadrupole"], ["--kernel", "portable"]:
        file = write("two.txt", bodies_text([(3, 0, 0, 0, 0, 0, 0), (1, gap, 0, 0, 0, 0, 0)]))
        result, end = barnes_hut(file, "--steps", 1, "--dt", 1e-6, *words, out="two_end.txt")
        near(end[0][4] / gap, 1, 50 * SINGLE, "the speed of one over the gap", result)
        near(end[1][4] / gap, -3, 50 * SINGLE, "the speed of the other over the gap", result)
        near(table(result)[0][2], -3 / 0.01, 1e-3, "the energy", result)
barnes_hut("plummer", "--softening", 1e22, "--steps", 2, "--check", pes=2)
result = barnes_hut(write("two.txt", bodies_text([(1, 0, 0, 0, 0, 0, 0), (1, 1e-310, 0, 0, 0, 0, 0)])), "--steps", 1)
expect(all(math.isfinite(v) for row in table(result) for v in row), "not a number", result)

# Where pulls cancel each other out, what is left of them is no measure.
line = write("line.txt", bodies_text([(1, i, 0, 0, 0, 0, 0) for i in range(101)]))
barnes_hut(line, "--steps", 0, "--check")

# Out of the range of numbers in a step that is not reported.
far = write("far.txt", bodies_text([(1e50, 0, 0, 0, 0, 0, 0), (1e50, 1e-160, 0, 0, 0, 0, 0)]))
for words in ["--sequential"], [], ["--phases"], ["--report", 1]:
    result = run(0 if "--sequential" in words else 2, "barnes_hut", far, "--softening", 0, "--steps", 3, "--dt", 1,
                 "--report", 1000, *words)
    expect(result.code == 2 and result.err.startswith("barnes_hut: "), "expected a sentence", result)

# ---- unlike hosts ------------------------------------------------------------------------------

# PE 1 takes its processor for one without vectors; a kernel that all have runs.
ours = [os.path.join(BIN, "barnes_hut"), "plummer", "--bodies", 4000, "--steps", 2, "--theta", 0.3]
has_vectors = "(portable)" not in barnes_hut("plummer", "--steps", 0).err
for kernel, refused_there in ("best", has_vectors), ("portable", False):
    words = [*ours, "--kernel", kernel]
    result = run_words(*mpiexec(1), *words, ":", "-n", 1, "env", "GLIBC_TUNABLES=glibc.cpu.hwcaps=-AVX512F,-AVX2", *words)
    expect(result.code == refused_there and ("give --kernel" in result.err) == refused_there,
           f"--kernel {kernel}: expected a refusal" if refused_there else f"--kernel {kernel}: expected none", result)

# ---- formats -----------------------------------------------------------------------------------

_, bodies = barnes_hut("galaxies", "--bodies", 999, "--steps", 1, out="a.txt")
for name in "b.txt", "c.csv", "d":
    barnes_hut(path("a.txt"), "--steps", 0, "--out", path(name))
    result, back = barnes_hut(path(name), "--steps", 0, out="back.txt")
    expect(back == bodies, f"{name}: not what was written", result)
for pes in 0, 2:
    piped = run_words("bash", "-c", f"{shlex.join([*mpiexec(pes), os.path.join(BIN, 'barnes_hut')])} {path('a.txt')} "
                                    "--steps 0 --out /dev/fd/3 3>&1 >/dev/null | cat")
    with open(path("b.txt")) as file:
        expect(piped.out == file.read(), "expected what a file gets", piped)
barnes_hut(path("a.txt"), "--steps", 0, "--out", path("e.tipsy"))
result, single = barnes_hut(path("e.tipsy"), "--steps", 0, out="single.txt")
expect(single == [[struct.unpack("f", struct.pack("f", v))[0] for v in body] for body in bodies],
       "Tipsy: not what was written, in single precision", result)
barnes_hut(path("e.tipsy"), "--steps", 0, "--out", path("f.std"))
with open(path("e.tipsy"), "rb") as a, open(path("f.std"), "rb") as b:
    tipsy = a.read()
    # Potentials of single-precision bodies differ in their last bits; all else is the same.
    expect(tipsy[:32 + 28] == b.read()[:32 + 28], "Tipsy: read and written, it is another file", result)
expect(struct.unpack(">diiiii", tipsy[:28]) == (1 / 128, 999, 3, 0, 999, 0), "Tipsy: the head", result)

# Of either byte order, with and without padding, and gas, dark matter and stars.
for order in "<", ">":
    for padding in b"", b"\0\0\0\0":
        content = struct.pack(order + "diiiii", 2.5, 3, 3, 1, 1, 1) + padding
        for floats, k in (12, 1), (9, 2), (11, 3):
            content += struct.pack(order + f"{floats}f", k, k, 0, 0, 0, k, 0, *[9] * (floats - 7))
        result, end = barnes_hut(write("kinds.std", content), "--steps", 0, out="kinds.txt")
        expect(end == [[k, k, 0, 0, 0, k, 0] for k in (1, 2, 3)], "kinds of particles", result)
        expect(table(result)[0][1] == 2.5, "the time", result)

file = write("mixed", "# time 1.5\n\nmass,x,y,z,vx,vy,vz\r\n+1, 0 0\t0 , 0 0 1e-1 # first\n2.5e0,1,0,0,0,0,0\n")
result, end = barnes_hut(file, "--steps", 0, out="mixed_end")
expect(end == [[1, 0, 0, 0, 0, 0, 0.1], [2.5, 1, 0, 0, 0, 0, 0]], "text of mixed style", result)
expect(table(result)[0][1] == 1.5, "the time", result)

# ---- pictures ----------------------------------------------------------------------------------

barnes_hut("galaxies", "--bodies", 2000, "--steps", 4, "--frames", path("frames/new"), "--frame-every", 2,
           "--frame-pixels", 64, pes=2)
frames = sorted(os.listdir(path("frames/new")))
expect(frames == [f"frame_{i:05}.png" for i in range(3)], f"the pictures are {frames}", "")
for frame in frames:
    with open(path(f"frames/new/{frame}"), "rb") as file:
        head = file.read(24)
    expect(head[:8] == b"\x89PNG\r\n\x1a\n" and struct.unpack(">II", head[16:]) == (64, 64), frame, head)

# ---- bad input ---------------------------------------------------------------------------------


def refused(words, cause, pes=0):
    result = run(pes, "barnes_hut", *words)
    lines = result.err.splitlines()
    expect(result.code == 2 and len(lines) == 1 and lines[0].startswith("barnes_hut: ") and cause in lines[0],
           f"expected one line with '{cause}' and exit code 2", result)


GOOD = "1 0 0 0 0 0 0\n"
for content, line, cause in [
        (GOOD + "1 2 3\n", 2, "3 numbers"), (GOOD + "\n" + GOOD.strip() + " 5\n", 3, "8 numbers"),
        ("1 0 0 0 0 0 x\n", 1, "'x' is no number"), ("1 0 0 nan 0 0 0\n", 1, "not a number"),
        (GOOD + "1 0 0 inf 0 0 0\n", 2, "infinite"), ("-1 0 0 0 0 0 0\n", 1, "negative"),
        ("1 0 0 1e60 0 0 0\n", 1, "too large"), ("1 0 0 1e999 0 0 0\n", 1, "out of range"),
        ("1,0,0,,0,0,0\n", 1, "'' is no number"), ("1,0,0,0,0,0,0,\n", 1, "8 numbers"),
        (GOOD + "mass x y z vx vy vz\n", 2, "no number"), ("x y z mass vx vy vz\n", 1, "no number"),
        ("1 0 0 0 0 0 0x\n", 1, "no number"), ("\x1b[31m 0 0 0 0 0 0\n", 1, "'?[31m'"),
        ("# time nan\n" + GOOD, 1, "time"), ("# time soon\n" + GOOD, 1, "no number")]:
    refused([write("bad.txt", content)], f"bad.txt:{line}: ")
    refused([path("bad.txt")], cause)
for content in "", "\n\n", "# nothing\n", "mass,x,y,z,vx,vy,vz\n":
    refused([write("empty.csv", content)], "empty.csv: there are no bodies in it", pes=2)
refused([path("missing.txt")], "missing.txt: No such file")
refused([FOLDER.name], "it is a directory")
refused(["/dev/zero"], "it is no text")
for content, cause in [(b"", "too short"), (b"x" * 31, "no Tipsy file"), (tipsy[:-1], "its head speaks"),
                       (tipsy + b"\0", "its head speaks"), (tipsy[:16] + b"\xff" * 4 + tipsy[20:], "negative"),
                       (tipsy[:32] + struct.pack(">f", math.nan) + tipsy[36:], "particle 1: "),
                       (struct.pack(">diiiii", 0, 0, 3, 0, 0, 0) + b"\0" * 4, "no bodies")]:
    refused([write("bad.std", content)], cause)
for words in ["--theta", 2], ["--theta", "nan"], ["--bodies", 0], ["--softening", -1], ["--kernel", "fast"], \
        ["--steps", "many"], ["--dt", "nan"], ["--softening", "nan"]:
    refused(["plummer", *words], "")
refused(["plummer", "--steps", 0, "--bodies", 9, "--frames", write("file", "") + "/sub"], "sub")
result = run(0, "barnes_hut", write("far.txt", "1 1e39 0 0 0 0 0\n1 0 0 0 0 0 0\n"), "--steps", 0, "--out", path("far.std"))
expect(result.code == 2 and "single precision" in result.err, "expected it not to fit into Tipsy's numbers", result)
# Said before computing, which would say how long it took; what was in the file stays.
refused(["plummer", "--bodies", 9, "--out", path("no/such/x.csv")], "No such file")
refused(["plummer", "--bodies", 9, "--out", FOLDER.name], "directory")
refused([path("missing.txt"), "--out", write("kept.csv", GOOD)], "missing.txt")
expect(open(path("kept.csv")).read() == GOOD, "what was in the file is gone", "")

# Whatever the bytes: bodies, or one line.
for seed in range(40):
    dice = random.Random(seed)
    if seed % 2:
        content = bytearray("".join(f"1 {i} 0 0 0 {i} 0\n" for i in range(5)).encode())
        name = "fuzz.txt"
    else:
        content = bytearray(tipsy[:32 + 5 * 36])
        content[8:28] = struct.pack(">iiiii", 5, 3, 0, 5, 0)
        name = "fuzz.std"
    for _ in range(dice.randrange(1, 6)):
        at = dice.randrange(len(content))
        change = dice.randrange(3)
        if change == 0:
            content[at] = dice.randrange(256)
        elif change == 1:
            del content[at:at + dice.randrange(8)]
        else:
            content[at:at] = dice.choice([b"-", b"e", b",", b"\n", b"\0", b"nan", b"9" * 400])
    result = run(0, "barnes_hut", write(name, bytes(content)), "--steps", 0)
    if result.code != 0:
        expect(result.code == 2 and len(result.err.splitlines()) == 1, "expected bodies or one line", result)

# ---- where the time goes -----------------------------------------------------------------------

plain = barnes_hut("plummer", "--bodies", 500, "--steps", 2)
timed = barnes_hut("plummer", "--bodies", 500, "--steps", 2, "--phases")
expect("of a step: sorting " in timed.err, "expected the phases' times", timed)
expect("of a step: " not in plain.err, "expected no phases without the flag", plain)
expect(timed.out == plain.out, "expected the same bits", timed)

print("all right")
