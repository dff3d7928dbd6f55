"""The skeletons paper (Alt, Mueller and Gorlatch), section 5: barnes_hut itself, simulated on their machines."""
import json
import math
import sys

import make_grids as grids
from reproduce.cells import table

# Figure 4: processors of warp, fire and conde; seconds of a step on the first and on all, by the text.
PROCESSORS = [(1, 0, 0), (2, 0, 0), (2, 2, 0), (2, 4, 0), (2, 8, 0), (2, 8, 2), (2, 8, 6), (2, 8, 12)]
PAPER = {(1, 0, 0): 315, (2, 8, 12): 26}
MANY, STEPS = 200_000, 5
# Figure 5: in steps 5 to 8 of 15 one of three has this share of its speed.
FEW, ITERATIONS, FIRST_SLOW, FIRST_FREE, STRANGER, SHARE = 10_000, 15, 5, 9, 1, 0.5
# A PC's seconds for one: as warp's, by bodies times levels of the tree and by the clock.
PC = 315 / 20 * (math.log(1e4) / math.log(2e5)) * 2.8 / 1.7


def barnes_hut(run, grid, bodies, steps, balanced=False):
    return run.simulated(grid, "barnes_hut", "plummer", "--bodies", str(bodies), "--steps", str(steps),
                         "--theta", "0.25", "--report", "1000", balanced=balanced)


def alone(run, bodies):
    """Seconds of a step on one processor of this machine."""
    grid = ("skeletons-alone", grids.skeleton_servers((1, 0, 0)))
    one, more = (barnes_hut(run, grid, bodies, steps).seconds for steps in (1, 1 + STEPS))
    if math.inf in (one, more): sys.exit("barnes_hut on one PE took too long for the rest to be scaled by it")
    return (more - one) / STEPS


def skeletons_figure_4(run):
    rows = []
    speed = alone(run, MANY) / PAPER[PROCESSORS[0]]
    first = None
    for each in PROCESSORS:
        grid = ("skeletons-" + "-".join(map(str, each)), grids.skeleton_servers(each, speed, shared=True))
        one, more = (barnes_hut(run, grid, MANY, steps).seconds for steps in (2, 2 + STEPS))
        step = (more - one) / STEPS
        first = first or step
        worth = sum(count * own for count, own in zip(each, grids.SERVERS.values()))
        rows.append([" + ".join(map(str, each)), f"{step:.1f}", f"{first / step:.2f}", f"{worth:.2f}",
                     f"{100 * first / step / worth:.0f}",
                     f"{PAPER[PROCESSORS[0]] / PAPER[each]:.1f}" if each in PAPER else ""])
    return ("The skeletons paper, figure 4: barnes_hut, 200,000 bodies, on three servers, steps 3 to "
            f"{2 + STEPS}",
            table(["warp + fire + conde", "a step, s", "speed-up", "of at most", "%", "paper"], rows))


def steps(run, speed, changes):
    """Of three PCs: when each step's decision was made, and who had how much of the work until then."""
    grid = ("skeletons-pcs", grids.skeleton_workstations(speed, changes))
    made = json.loads(barnes_hut(run, grid, FEW, ITERATIONS, balanced=True).said or "[]")
    return [(each["time"], [part["before"] for part in sorted(each["shares"], key=lambda part: part["pe"])])
            for each in made]


def skeletons_figure_5(run):
    speed = alone(run, FEW) / PC
    changes, rows = [], []
    for step, share in ((FIRST_SLOW, SHARE), (FIRST_FREE, 1)):
        before = steps(run, speed, changes)
        if not before: continue
        changes = [*changes, {"pe": STRANGER, "at": f"{before[step - 2][0]:.3f} s", "speed": share}]
    before = 0
    for step, (end, shares) in enumerate(steps(run, speed, changes), 1):
        slow = FIRST_SLOW <= step < FIRST_FREE
        rows.append([step, f"{100 * SHARE:.0f} % of PE {STRANGER}" if slow else "", f"{end - before:.2f}",
                     *(f"{100 * x:.1f}" for x in shares)])
        before = end
    return ("The skeletons paper, figure 5: barnes_hut, 10,000 bodies on three PEs, of which one is slowed "
            "(paper: balanced again in step 6, and in step 10)",
            table(["step", "slowed to", "s", *(f"PE {i}, % of the work" for i in range(3))], rows))


TABLES = {skeletons_figure_4: 1, skeletons_figure_5: 1}
