"""The papers' figures, drawn from the tables of the page: ours as lines, the papers' own numbers as rings."""
import math
import re
from dataclasses import dataclass
from typing import Callable

COLOURS = ["#0072B2", "#D55E00", "#009E73", "#CC79A7", "#56B4E9"]  # of Okabe and Ito
WIDTH, HEIGHT, LEFT, TOP, GAP = 260, 190, 52, 62, 40


@dataclass
class Panel:
    title: str
    x: int  # a column
    ours: dict  # columns by name
    theirs: dict  # the papers': columns by the name of ours that they stand beside
    rows: Callable = lambda row: True
    order: Callable = lambda row: 0  # as they stand


@dataclass
class Picture:
    panels: list
    what: str
    logarithmic: bool = False


def of_program(name):
    return Panel(name, 1, {"rs": 2, "crs": 3, "acrs": 4, "trawl": 5}, {"crs": 7, "acrs": 8},
                 lambda row: row[0] == name and row[1] != "all")


CRS = {"crs": 5, "trawl": 6}
PICTURES = {
    "satin_figure_2": Picture(
        [Panel("by ms, one way, at 100 KB/s", 0, CRS, {"crs": 8}, lambda row: row[1] == "100 KB/s"),
         Panel("by KB/s, at 100 ms", 1, CRS, {"crs": 8}, lambda row: row[0] == "100 ms",
               lambda row: -number(row[1].split()[0]))], "speed-up on 4 x 16 PEs"),
    "satin_figure_3": Picture(
        [Panel("32 PEs, by clusters", 0, {"rs": 1, "crs": 2, "trawl": 3}, {"crs": 4})], "seconds"),
    "satin_scenarios": Picture([of_program(name) for name in ("integrate", "queens", "tsp", "raytracer")],
                               "speed-up on 64 PEs, by scenario"),
    "gum_by_pes": Picture(
        [Panel("by PEs, fast and slow in turns", 0,
               {"random": 1, "limit 1": 2, "targeted": 3, "trawl": 4, "perfect": 5}, {})], "seconds", True),
}


def number(cell):
    """Of "54.2 (50.7)", the mean; nothing: a gap."""
    found = re.match(r"[\d.]+", cell)
    return float(found[0]) if found else None


def rows_of(lines):
    """Of a table in Markdown, without its head."""
    return [[cell.strip() for cell in line.strip("|").split("|")] for line in lines.splitlines()[2:]]


def nice(most):
    """Ticks from 0."""
    step = next(s * 10 ** p for p in range(-3, 9) for s in (1, 2, 5) if most / (s * 10 ** p) <= 5)
    return [i * step for i in range(math.ceil(most / step) + 1)]


def scale(values, logarithmic):
    """Ticks, and what makes a height of a value, from 0 to 1."""
    if not logarithmic:
        ticks = nice(max(values))
        return ticks, lambda value: value / ticks[-1]
    powers = range(math.floor(math.log10(min(values))), math.ceil(math.log10(max(values))))
    ticks = [s * 10 ** p for p in powers for s in (1, 2, 5)] + [10 ** (powers[-1] + 1)]
    ticks = [tick for tick in ticks if min(values) / 2 <= tick <= max(values) * 2]
    low, high = math.log(ticks[0]), math.log(ticks[-1])
    return ticks, lambda value: (math.log(value) - low) / (high - low)


def draw_panel(panel, rows, left, ticks, height_of):
    y = lambda value: TOP + HEIGHT * (1 - height_of(value))
    x = lambda at: left + 12 + at * (WIDTH - 24) / max(1, len(rows) - 1)
    out = [f'<text x="{left}" y="{TOP - 8}" font-size="12">{panel.title}</text>']
    for tick in ticks:
        out.append(f'<path d="M{left} {y(tick):.1f}h{WIDTH}" stroke="#ddd"/>')
        out.append(f'<text x="{left - 6}" y="{y(tick) + 4:.1f}" text-anchor="end">{tick:g}</text>')
    out += [f'<text x="{x(at):.1f}" y="{TOP + HEIGHT + 16}" text-anchor="middle">{row[panel.x].split()[0]}</text>'
            for at, row in enumerate(rows)]
    for colour, (name, column) in zip(COLOURS, panel.ours.items()):
        known = [(at, number(row[column])) for at, row in enumerate(rows)]
        for ends in zip(known, known[1:]):
            if any(value is None for _, value in ends): continue
            line = " ".join(f"{x(at):.1f},{y(value):.1f}" for at, value in ends)
            out.append(f'<polyline points="{line}" fill="none" stroke="{colour}" stroke-width="1.5"/>')
        out += [f'<circle cx="{x(at):.1f}" cy="{y(value):.1f}" r="2" fill="{colour}"/>'
                for at, value in known if value is not None]
        theirs = [(at, number(row[panel.theirs[name]])) for at, row in enumerate(rows)] if name in panel.theirs else []
        out += [f'<circle cx="{x(at):.1f}" cy="{y(value):.1f}" r="5" fill="none" stroke="{colour}" stroke-width="1.5"/>'
                for at, value in theirs if value is not None]
    return out


def svg(picture, table):
    shown = [sorted(filter(panel.rows, table), key=panel.order) for panel in picture.panels]
    values = [number(row[column]) for panel, rows in zip(picture.panels, shown) for row in rows
              for column in (*panel.ours.values(), *panel.theirs.values())]
    ticks, height_of = scale([value for value in values if value is not None], picture.logarithmic)
    names = picture.panels[0].ours
    width, height = LEFT + max(len(shown) * (WIDTH + GAP), 84 * len(names)), TOP + HEIGHT + 34
    out = [f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}" font-family="sans-serif" '
           'font-size="11"><rect width="100%" height="100%" fill="white"/>',
           f'<text x="8" y="16" font-size="13">{picture.what}</text>']
    for i, name in enumerate(names):
        out.append(f'<path d="M{LEFT + 84 * i} 32h18" stroke="{COLOURS[i]}" stroke-width="2"/>'
                   f'<text x="{LEFT + 84 * i + 23}" y="36">{name}</text>')
    for i, (panel, rows) in enumerate(zip(picture.panels, shown)):
        out += draw_panel(panel, rows, LEFT + i * (WIDTH + GAP), ticks, height_of)
    return "\n".join([*out, "</svg>", ""])


def link(name):
    """Below the table of that name on the page."""
    rings = any(panel.theirs for panel in PICTURES[name].panels)
    return f"![{PICTURES[name].what}, drawn from the table{'; rings: the paper' if rings else ''}]({name}.svg)"


def draw(page, folder):
    """All pictures of the tables that a page has."""
    for part in re.split(r"^## ", page, flags=re.M):
        name = re.search(r"^Seeds: .*\(`(\w+)`\)", part, flags=re.M)
        table = re.search(r"^\|.*\n(?:\|.*\n?)+", part, flags=re.M)
        if name and name[1] in PICTURES:
            (folder / f"{name[1]}.svg").write_text(svg(PICTURES[name[1]], rows_of(table[0])))
