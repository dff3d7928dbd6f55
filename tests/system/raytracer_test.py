#!/usr/bin/env -S python3 -B
"""The raytracer: pictures against closed forms, the same bytes however they are computed, files in
and out, and scenes that make no sense."""
import math
import os
import random
import struct
import tempfile
import zlib

from harness import expect, run

SCENES = os.path.join(os.path.dirname(__file__), "../../programs/raytracer/scenes")
folder = tempfile.TemporaryDirectory()


def path(name):
    return os.path.join(folder.name, name)


def write(name, content):
    with open(path(name), "wb") as out:
        out.write(content if isinstance(content, bytes) else content.encode())
    return path(name)


def read_ppm(file):
    with open(file, "rb") as data:
        magic, size, most, pixels = data.read().split(b"\n", 3)
    assert (magic, most) == (b"P6", b"255")
    width, height = map(int, size.split())
    assert len(pixels) == 3 * width * height
    return width, height, pixels


def read_png(file):
    data = open(file, "rb").read()
    assert data[:8] == b"\x89PNG\r\n\x1a\n"
    at, packed = 8, b""
    while at < len(data):
        size, kind = struct.unpack(">I4s", data[at:at + 8])
        body = data[at + 8:at + 8 + size]
        if kind == b"IHDR":
            width, height, *form = struct.unpack(">IIBBBBB", body)
            assert form == [8, 2, 0, 0, 0]
        elif kind == b"IDAT":
            packed += body
        at += 12 + size
    lines = zlib.decompress(packed)
    row, above, pixels = 3 * width, bytes(3 * width), b""
    for y in range(height):
        filtered, line = lines[y * (row + 1)], bytearray(lines[y * (row + 1) + 1:(y + 1) * (row + 1)])
        for i in range(row):
            left, corner = (line[i - 3], above[i - 3]) if i >= 3 else (0, 0)
            up = above[i]
            guess = left + up - corner
            paeth = min((left, up, corner), key=lambda c: abs(guess - c))
            line[i] = (line[i] + (0, left, up, (left + up) // 2, paeth)[filtered]) & 255
        above = bytes(line)
        pixels += above
    return width, height, pixels


def draw(scene, *args, pes=0, width=48, height=32, samples=1):
    out = path("out.ppm")
    if os.path.exists(out):
        os.remove(out)  # or who draws nothing would not be noticed
    result = run(pes, "raytracer", scene, "--width", width, "--height", height, "--samples", samples,
                 "--output", out, "--trawl:silence=600", *args)
    expect(result.code == 0 and result.out == "", "a picture", result)
    return read_ppm(out)


# ---- closed forms ------------------------------------------------------------------------------

def screen(light):
    light = min(max(light, 0), 1)
    return 255 * (12.92 * light if light <= 0.0031308 else 1.055 * light ** (1 / 2.4) - 0.055)


def expect_picture(name, text, light_of, least_sure):
    """light_of(direction) gives the light of a camera ray, or None where that is a matter of rounding.
    The camera is at 0 0 5 and looks along -z with an angle of 50 degrees."""
    width, height = 64, 48
    scene = write(name, "camera from 0 0 5 to 0 0 0 angle 50\n" + text)
    _, _, pixels = draw(scene, width=width, height=height)
    half = math.tan(math.radians(25))
    sure = 0
    for y in range(height):
        for x in range(width):
            d = ((2 * (x + 0.5) - width) / height * half, (1 - 2 * (y + 0.5) / height) * half, -1)
            size = math.sqrt(sum(c * c for c in d))
            light = light_of(tuple(c / size for c in d))
            if light is None:
                continue
            sure += 1
            got = pixels[3 * (y * width + x):][:3]
            for c in range(3):
                if abs(got[c] - screen(light[c])) > 1:
                    raise SystemExit(f"FAILED: {name}: pixel {x}, {y} is {list(got)}, "
                                     f"expected {[screen(c) for c in light]}")
    assert sure >= least_sure * width * height, (name, sure)


def lit_sphere(d):
    along = -5 * d[2]  # to the point nearest to the middle of a sphere of radius 1.5 at 0 0 0
    inside = 1.5 ** 2 - (25 - along ** 2)
    if abs(inside) < 1e-3:
        return None
    if inside < 0:
        return 0.1, 0.3, 0.9
    t = along - math.sqrt(inside)
    p = [t * d[0], t * d[1], 5 + t * d[2]]
    n = [c / 1.5 for c in p]
    way = [3 - p[0], 4 - p[1], 6 - p[2]]
    slope = sum(a * b for a, b in zip(n, way)) / math.sqrt(sum(c * c for c in way))
    return [c * (0.05 + 0.8 * max(slope, 0)) for c in (0.9, 0.5, 0.2)]


expect_picture("sphere.scene", "sky 0.1 0.3 0.9\nambient 0.05 0.05 0.05\nlight at 3 4 6 color 0.8 0.8 0.8"
               "\nmaterial m color 0.9 0.5 0.2\nsphere at 0 0 0 radius 1.5 material m\n", lit_sphere, 0.95)


def two_skies(up):
    up = max(up, 0)
    return [a * (1 - up) + b * up for a, b in zip((0.9, 0.6, 0.1), (0.1, 0.2, 0.8))]


SKIES = "sky 0.9 0.6 0.1  0.1 0.2 0.8\n"
expect_picture("sky.scene", SKIES, lambda d: two_skies(d[1]), 1)
# A mirror across the view, tilted: d - 2 (d.n) n with n = (0, 0.6, 0.8).
expect_picture("mirror.scene", SKIES + "material m reflect 1\nplane at 0 0 -9 normal 0 3 4 material m\n",
               lambda d: two_skies(d[1] - 2 * (0.6 * d[1] + 0.8 * d[2]) * 0.6)
               if 0.6 * d[1] + 0.8 * d[2] < -0.1 else None, 0.8)
# Glass that does not bend light can't be seen.
expect_picture("nothing.scene", SKIES + "material m color 1 1 1 refract 1 ior 1\n"
               "sphere at 0.2 0.1 0 radius 1.2 material m\n", lambda d: two_skies(d[1]), 1)
# The front of a block of glass, by Fresnel's equations: the sky is the same on either side.
def pane(d):
    inside = math.sqrt(1 - (1 - d[2] ** 2) / 2.25)
    across = (-d[2] / 1.5 - inside) / (-d[2] / 1.5 + inside)
    within = (inside / 1.5 + d[2]) / (inside / 1.5 - d[2])
    mirrored = (across ** 2 + within ** 2) / 2
    return 0.5 * (mirrored + (1 - mirrored) * 0.5), 0.5, 0.5


expect_picture("pane.scene", "sky 0.5 0.5 0.5\nmaterial m color 0.5 1 1 refract 1\n"
               "plane at 0 0 0 normal 0 0 1 material m\n", pane, 1)


def board(d):
    if abs(d[1]) < 0.1:
        return None
    if d[1] > 0:
        return 0, 0, 0
    x, z = -2 * d[0] / d[1] / 1.5, (5 - 2 * d[2] / d[1]) / 1.5
    if min(abs(x - round(x)), abs(z - round(z))) < 1e-3:
        return None
    return (0.2, 0.4, 0.6) if (math.floor(x) + math.floor(z)) % 2 else (0.8, 0.1, 0.3)


expect_picture("board.scene", "ambient 1 1 1\nmaterial m color 0.8 0.1 0.3 checker 0.2 0.4 0.6 square 1.5\n"
               "plane at 0 -2 0 normal 0 1 0 material m\n", board, 0.7)


# A triangle before a light: what is behind it is in its shadow, by similar triangles.
def shadow(d):
    t = -10 / d[2]
    x, y = t * d[0], t * d[1]  # on the wall z = -5, which the camera sees past the triangle at z = -4
    near = [c * 9 / -d[2] for c in d[:2]]
    seen = near[0] > 0.1 and near[1] > 0.1 and near[0] + near[1] < 1
    def edge(p):
        return min(abs(p[0] - 0.1), abs(p[1] - 0.1), abs(p[0] + p[1] - 1))
    # The light at 0.5 -3 5: ten ninths as far from it, seen from the light.
    hit = [0.5 + (x - 0.5) * 0.9, -3 + (y + 3) * 0.9]
    if edge(near) < 0.01 or edge(hit) < 0.01:
        return None
    if seen:
        return 0.5, 0, 0
    dark = hit[0] > 0.1 and hit[1] > 0.1 and hit[0] + hit[1] < 1
    way = (0.5 - x, -3 - y, 10)
    return 3 * [0 if dark else 10 / math.sqrt(sum(c * c for c in way))]


# (The triangle has its own light, by its sky-less mirror: none. It shows what is behind the camera.)
expect_picture("shadow.scene", "sky 0.5 0 0\nlight at 0.5 -3 5\nmaterial wall color 1 1 1\n"
               "material m reflect 1\nplane at 0 0 -5 normal 0 0 1 material wall\n"
               "triangle 0.1 0.1 -4  0.9 0.1 -4  0.1 0.9 -4 material m\n", shadow, 0.9)

# ---- meshes ------------------------------------------------------------------------------------

HEAD = ("camera from 1 2 6 to 0 0 0\nsky 0.5 0.7 0.9\nambient 0.1 0.1 0.1\nlight at 3 5 4\n"
        "material m color 0.8 0.4 0.3 specular 0.5\n")
CORNERS = ["-1 0 1", "1 0 1", "1.5 1 -1", "-1.5 1.2 -1"]
plain = draw(write("plain.scene", HEAD + "".join(
    f"triangle {CORNERS[a]}  {CORNERS[b]}  {CORNERS[c]}  material m\n" for a, b, c in ((0, 1, 2), (0, 2, 3)))))
VERTICES = "".join(f"v {corner}\n" for corner in CORNERS)
for i, faces in enumerate(("f 1 2 3 4\n", "f 1 2 3\nf 1 3 4\n", "f -4 -3 -2 -1\n",
                           "vt 0 0\nf 1/1 2/1 3/1 4/1\n", "o x\ns off\nf 1/ 2 3 4")):
    write("mesh.obj", VERTICES + faces)
    mesh = draw(write("mesh.scene", HEAD + "mesh mesh.obj material m\n"))
    expect(mesh == plain, f"mesh {i} looks like its triangles", mesh[:2])
write("mesh.obj", VERTICES + "vn 0 1 0\nvn 0.6 0.8 0\nf 1//1 2//1 3//2 4//2\n")
expect(draw(path("mesh.scene")) != plain, "normals are looked at", "")

# ---- the same bytes, however computed ----------------------------------------------------------

for name in ("simple", "knot", "flakes"):
    scene = os.path.join(SCENES, name + ".scene")
    size = {"width": 90, "height": 61, "samples": 2}
    alone = draw(scene, "--sequential", **size)
    expect(alone[:2] == (90, 61) and len(set(alone[2])) > 50, "a picture of something", name)
    for simd in ("portable", "avx2", "avx512"):
        result = run(0, "raytracer", scene, "--simd", simd, "--width", 4, "--height", 4,
                     "--output", path("out.ppm"))
        if result.code == 2 and "processor" in result.err:
            continue
        expect(draw(scene, "--sequential", "--simd", simd, **size) == alone, f"{name} by {simd}", "")
    for pes, policy, *more in [
            (1, "targeted"), (2, "targeted"), (3, "random"), (4, "targeted", "--tile", "4"), (8, "random"),
            (0, "random", "--trawl:workers=4"), (2, "random", "--trawl:workers=3", "--tile", "8"),
            (8, "targeted", "--trawl:packet-size=0", "--trawl:thunks-per-packet=0", "--tile", "12"),
            (3, "targeted", "--trawl:packet-size=200", "--check"), (2, "random", "--tile", "4096"),
            (2, "targeted", "--trawl:thread-limit=1", "--trawl:low-watermark=5")]:
        words = [f"--trawl:policy={policy}", *more]
        expect(draw(scene, *words, pes=pes, **size) == alone, f"{name} on {pes} PEs {words}", "")

# ---- files -------------------------------------------------------------------------------------

scene = os.path.join(SCENES, "simple.scene")
ppm = draw(scene, samples=2)
result = run(2, "raytracer", scene, "--width", 48, "--height", 32, "--output", path("out.png"))
expect(result.code == 0 and read_png(path("out.png")) == ppm, "the same as PNG", result)
os.symlink("/dev/full", path("full.png"))
os.symlink("/dev/full", path("full.ppm"))
for bad, cause in [(["--output", path("full.png")], "full.png: can't be written: No space left"),
                   (["--output", path("full.ppm")], "full.ppm: can't be written: No space left"),
                   (["--output", path("x.jpg")], ".png or .ppm"),
                   (["--output", path("no/x.png")], "No such file"),
                   (["--output", path("no/x.ppm")], "No such file"),
                   (["--output", path("x.png"), "--tile", 6], "multiple of 4"),
                   (["--output", path("x.png"), "--width", 0], "--width"),
                   (["--output", path("x.png"), "--width", 32768, "--height", 32768], "pixels"),
                   (["--output", path("x.png"), "--samples", 1000000], "--samples"),
                   (["--output", path("x.png"), "--depth", "33"], "--depth"),
                   (["--output", path("x.png"), "--simd", "mmx"], "--simd")]:
    result = run(0, "raytracer", scene, *bad)
    expect(result.code == 2 and cause in result.err, f"refused for {cause}", result)
    lines = 2 if "No space" in cause else 1
    expect(result.err.count("\n") == lines, "refused before drawing, which says how long it took", result)

# ---- scenes that make no sense -----------------------------------------------------------------

MESHES = {"range.obj": VERTICES + "f 1 2 5\n", "zero.obj": VERTICES + "f 0 1 2\n",
          "back.obj": VERTICES + "f -5 1 2\n", "corner.obj": VERTICES + "f 1 2 x\n",
          "two.obj": VERTICES + "f 1 2\n", "slashes.obj": VERTICES + "f 1// 2 3\n", "normal.obj": VERTICES + "vn 0 1 0\nf 1//1 2//1 3//2\n",
          "nan.obj": "v 0 0 nan\n", "none.obj": "# nothing\n", "line.obj": "v 0 0 0\nv 1 1 1\nv 2 2 2\nf 1 2 3\n",
          "huge.obj": VERTICES + "f 1 2 99999999999999999999\n", "far.obj": "v 1e7 0 0\n"}
for name, content in MESHES.items():
    write(name, content)
CAMERA = "camera from 0 0 5 to 0 0 0\nmaterial m\n"
for text, line, cause in [
        ("spher at 0 0 0\n", 3, "spher"), ("sphere at 0 0\n", 3, "missing"), ("sphere at 0 0 a\n", 3, "number"),
        ("sphere at 0 0 0 radius 1\n", 3, "material is missing"),
        ("sphere at 0 0 0 material x\n", 3, "no material x"),
        ("sphere radius 1 material m\n", 3, "at is missing"),
        ("sphere at 0 0 0 radius -1 material m\n", 3, "-1"), ("sphere at 0 0 nan material m\n", 3, "nan"),
        ("sphere at 0 0 inf material m\n", 3, "inf"), ("sphere at 0 0 1e30 material m\n", 3, "1e30"),
        ("sphere at 0 0 1e999 material m\n", 3, "1e999"), ("sphere at 0 0 0 radius 1 radius 1\n", 3, "twice"),
        ("\n\ntriangle 0 0 0  1 1 1  2 2 2  material m\n", 5, "one line"),
        ("triangle 0 0 0  0 0 0  2 2 2  material m\n", 3, "one line"),
        ("triangle 0 0 0  1 0 0  0 1 0  material m glossy\n", 3, "glossy"),
        ("triangle 0 0 0  1 0 0  0 1\n", 3, "missing"),
        ("plane at 0 0 0 normal 0 0 0 material m\n", 3, "length"),
        ("material m\n", 3, "already"), ("material n refract 0.6 reflect 0.6\n", 3, "more than 1"),
        ("material n shine 1.5\n", 3, "whole"), ("material n square 1\n", 3, "checker"), ("material\n", 3, "name"),
        ("camera from 0 0 1 to 0 0 0\n", 3, "already"), ("light\n", 3, "at is missing"),
        ("light at 0 0 0 color 1 1 -1\n", 3, "-1"), ("image 0 10\n", 3, "0"), ("image 10 999999999999999\n", 3, "999"),
        ("image 10 99999999999999999999\n", 3, "999"), ("flake at 0 0 0 levels 99 material m\n", 3, "99"),
        ("sky 1\n", 3, "missing"), ("ambient 0 0 0 0\n", 3, "too much"),
        ("mesh\n", 3, "missing"), ("mesh no.obj material m\n", 3, "No such file"),
        ("mesh /dev/zero material m\n", 3, "it is no text"),
        ("mesh . material m\n", 3, "directory"), ("mesh line.obj material m\n", 3, "area"),
        ("mesh back.obj material m scale 0\n", 3, "0"), ("\x1b[31m\n", 3, "?[31m"), ("sphere\0\n", 3, "?"),
        ("# only a comment", None, None)]:
    result = run(0, "raytracer", write("bad.scene", CAMERA + text), "--width", 4, "--height", 4,
                 "--output", path("out.ppm"))
    if line is None:
        expect(result.code == 0, "a scene of nothing", result.err)
    else:
        expect(result.code == 2 and result.err.count("\n") == 1 and cause in result.err and
               result.err.startswith(f"raytracer: {path('bad.scene')}:{line}: "), f"{cause} in {text!r}", result)
for name, line in [("range.obj", 5), ("zero.obj", 5), ("back.obj", 5), ("corner.obj", 5), ("two.obj", 5), ("slashes.obj", 5),
                   ("normal.obj", 6), ("nan.obj", 1), ("none.obj", 1), ("huge.obj", 5), ("far.obj", 1)]:
    result = run(0, "raytracer", write("bad.scene", CAMERA + f"mesh {name} material m\n"))
    expect(result.code == 2 and result.err.startswith(f"raytracer: {path(name)}:{line}: "), name, result)
for text, cause in [("", "no camera"), ("camera from 0 0 0 to 0 0 0\n", "looks"),
                    ("camera from 0 1 0 to 0 0 0\n", "up"), ("camera from 0 0 1\n", "to is missing"),
                    ("camera from 0 0 1 to 0 0 0 angle 180\n", "180")]:
    result = run(2, "raytracer", write("bad.scene", text))
    expect(result.code == 2 and cause in result.err and "bad.scene:" in result.err, cause, result)
for file in (path("no.scene"), folder.name, ""):
    result = run(0, "raytracer", file)
    expect(result.code == 2 and result.err.startswith("raytracer: "), "no scene", result)

# ---- mutated files -----------------------------------------------------------------------------

random.seed(4)
WORDS = ["nan", "-1", "1e38", "0", "1e-30", "sphere", "material", "at", "#", "\n", "mesh mesh.obj material m",
         "99999999999", "f 1 2 3", "-9", "/", "//", "\0", "\xff", "flake", "levels 7"]


def mutated(text):
    text = list(text)
    for _ in range(random.choice((1, 1, 1, 2, 5))):
        at = random.randrange(len(text))
        kind = random.choice((0, 1, 2, 3, 4, 4, 4, 4, 4))
        if kind == 0:
            text[at] = chr(random.randrange(256))
        elif kind == 1:
            del text[at:at + random.randint(1, 30)]
        elif kind == 2:
            text[at:at] = " " + random.choice(WORDS) + " "
        elif kind == 3:
            text[at:at] = text[at // 2:at // 2 + random.randint(1, 80)]
        else:
            digits = [i for i, c in enumerate(text) if c.isdigit()]
            text[random.choice(digits)] = random.choice("01234567890123456789.-e")
        if len(text) < 50:
            break
    return "".join(text).encode("latin-1")


SEEDS = [open(os.path.join(SCENES, name + ".scene")).read() for name in ("simple", "flakes")]
SEEDS.append(HEAD + "triangle 0 0 0  1 0 0  0 1 0  material m\nmesh mesh.obj material m scale 2 turn 9 smooth\n")
OBJ = VERTICES + "vn 0 1 0\nvn 0.6 0.8 0\nf 1//1 2//1 3//2 4//2\nf 1 2 3\nf -1 -2 -3\n"
counts = {}
for i in range(60):
    write("mesh.obj", mutated(OBJ) if i % 3 == 2 else OBJ)
    scene = write("fuzz.scene", SEEDS[2] if i % 3 == 2 and i % 2 else mutated(random.choice(SEEDS)))
    result = run(0, "raytracer", scene, "--width", 8, "--height", 8, "--samples", 1, "--sequential",
                 "--output", path("out.ppm"))
    counts[result.code] = counts.get(result.code, 0) + 1
    if result.code not in (0, 2) or (result.code == 2 and result.err.count("\n") != 1):
        print(open(scene, "rb").read(), open(path("mesh.obj"), "rb").read(), sep="\n")
    expect(result.code in (0, 2), "a mutated scene is drawn or refused", result)
    expect(result.code == 0 or result.err.count("\n") == 1, "a refusal is one line", result)
expect(min(counts.get(0, 0), counts.get(2, 0)) > 5, "both kinds", counts)
print("pictures as expected; mutated scenes, by exit code:", counts)
