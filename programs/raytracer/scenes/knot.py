#!/usr/bin/env python3
"""Writes knot.obj: a tube around a trefoil knot, 160 rings of 12 corners, quadrilaterals."""
from math import cos, pi, sin, sqrt

RINGS, SIDES, RADIUS = 160, 12, 0.36


def knot(t):
    return [sin(t) + 2 * sin(2 * t), cos(t) - 2 * cos(2 * t), -sin(3 * t)]


def unit(v):
    size = sqrt(sum(x * x for x in v))
    return [x / size for x in v]


def cross(a, b):
    return [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]


with open("knot.obj", "w") as out:
    print("# A trefoil knot, made by knot.py", file=out)
    for ring in range(RINGS):
        t = 2 * pi * ring / RINGS
        middle = knot(t)
        ahead = unit([b - a for a, b in zip(knot(t - 1e-4), knot(t + 1e-4))])
        aside = unit(cross(ahead, [0, 0, 1]))  # the knot is never upright
        across = cross(ahead, aside)
        for side in range(SIDES):
            a = 2 * pi * side / SIDES
            print("v", *(f"{m + RADIUS * (cos(a) * x + sin(a) * y):.3f}"
                         for m, x, y in zip(middle, aside, across)), file=out)
    for ring in range(RINGS):
        for side in range(SIDES):
            corners = [(ring, side), (ring, side + 1), (ring + 1, side + 1), (ring + 1, side)]
            print("f", *(r % RINGS * SIDES + s % SIDES + 1 for r, s in corners), file=out)
