"""Tables in Markdown, and what stands in their cells: means, the worst of the seeds in brackets."""
import math
import statistics

from reproduce.programs import SATIN

SHARE = "trawl, % of attainable"
LEFT_OUT = "left out"


def table(head, rows):
    lines = ["| " + " | ".join(head) + " |", "|" + "---|" * len(head)]
    return "\n".join(lines + ["| " + " | ".join(str(cell) for cell in row) + " |" for row in rows])


def mean_and_worst(values, worst):
    if not all(0 < x < math.inf for x in values): return LEFT_OUT
    return f"{statistics.mean(values):.1f} ({worst(values):.1f})"


def efficiency(name, times, pes=64):
    """In %."""
    return mean_and_worst([100 * SATIN[name] / pes / time for time in times], min)


def speedup(name, times):
    return mean_and_worst([SATIN[name] / time for time in times], min)


def seconds(times):
    return mean_and_worst(times, max)


def percent(whole, times):
    """What share of the time a whole would be."""
    return f"{100 * whole / statistics.mean(times):.1f}"
