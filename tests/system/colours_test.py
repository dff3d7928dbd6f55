#!/usr/bin/env -S python3 -B
"""Colours that stand beside each other in the report can be told apart, also by those who see two of the three primaries."""
import itertools
import os
import re
import sys

PAGE = os.path.join(os.path.dirname(__file__), "..", "..", "profiles", "report", "page")
# Machado, Oliveira and Fernandes (2009), severity 1.
SEEN_BY = {
    "most": [[1, 0, 0], [0, 1, 0], [0, 0, 1]],
    "protanopes": [[0.152286, 1.052583, -0.204868], [0.114503, 0.786281, 0.099216], [-0.003882, -0.048116, 1.051998]],
    "deuteranopes": [[0.367322, 0.860646, -0.227968], [0.280085, 0.672501, 0.047413], [-0.011820, 0.042940, 0.968881]],
    "tritanopes": [[1.255528, -0.076749, -0.178779], [-0.078411, 0.930809, 0.147602], [0.004733, 0.691367, 0.303900]],
}
FAR_ENOUGH = 15  # CIE 1976; 2.3 is what can just be noticed


def read(name):
    with open(os.path.join(PAGE, name), encoding="utf-8") as file:
        return file.read()


def lab(colour, matrix):
    """CIELAB of an sRGB colour seen through a matrix (linear light, D65)."""
    parts = [int(colour[i:i + 2], 16) / 255 for i in (1, 3, 5)]
    linear = [part / 12.92 if part <= .04045 else ((part + .055) / 1.055) ** 2.4 for part in parts]
    r, g, b = (min(1, max(0, sum(m * c for m, c in zip(row, linear)))) for row in matrix)
    xyz = ((.4124 * r + .3576 * g + .1805 * b) / .9505, .2126 * r + .7152 * g + .0722 * b,
           (.0193 * r + .1192 * g + .9505 * b) / 1.089)
    x, y, z = (t ** (1 / 3) if t > .008856 else 7.787 * t + 16 / 116 for t in xyz)
    return 116 * y - 16, 500 * (x - y), 200 * (y - z)


def palettes():
    light, dark = read("page.css").split("prefers-color-scheme: dark", 1)
    found = [dict(re.findall(r"--([\w-]+): (#[0-9a-f]{6})", text)) for text in (light, dark)]
    return {"light": found[0], "dark": found[0] | found[1]}


def groups():
    """Names of the colours of each bar, and of the functions in the timeline."""
    bars = re.findall(r"\.\.\.bar\((.*?)\]\)\);", read("sections.js"), re.DOTALL)
    found = [re.findall(r"'--([\w-]+)'", bar) for bar in bars]
    return found + [[f"f{i}" for i in range(7)] + ["other"]]


failed = False
for theme, colours in palettes().items():
    for group in groups():
        if len(group) < 3 or len(set(group)) < len(group):
            sys.exit(f"colours_test: a bar has one colour twice, or was not found: {group}")
        for (a, b), (people, matrix) in itertools.product(itertools.combinations(group, 2), SEEN_BY.items()):
            apart = sum((p - q) ** 2 for p, q in zip(lab(colours[a], matrix), lab(colours[b], matrix))) ** .5
            if apart < FAR_ENOUGH:
                print(f"colours_test: {theme}: --{a} and --{b} are {apart:.0f} apart as seen by {people}", file=sys.stderr)
                failed = True
if len(groups()) < 3:
    sys.exit(f"colours_test: expected two bars and the functions, found {groups()}")
sys.exit(1 if failed else 0)
