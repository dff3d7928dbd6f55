"""What is recorded, and how long one processor took in the papers."""
import os
import pathlib

import make_grids as grids

ROOT = pathlib.Path(__file__).resolve().parents[3]
SCENE = str(ROOT / "programs/raytracer/scenes/simple.scene")
PICTURE = [SCENE, "--width", "1024", "--height", "683", "--tile", "4", "--output", "PICTURE"]

# Seconds of one sequential processor: of Satin's programs by Table I's single cluster of 64 and its
# efficiency, of Grid-GUM2's so that perfect is what Grid-GUM2 took.
SATIN = {"integrate": 71.8 * 64 * 0.996, "queens": 157.6 * 64 * 0.925, "tsp": 101.6 * 64 * 0.904,
         "raytracer": 147.8 * 64 * 0.942}
GUM = {"queens": (668, 333, 310), "sum_euler": (570, 343, 279), "lin_solv": (217, 306, 180),
       "raytracer_list": (1340, 814, 572)}
FOUR_AND_FOUR = 4 * (grids.FAST + grids.SLOW)

RECORDED = {
    "queens": ["queens", "13"],
    "tsp": ["tsp", "--random", "90", "--seed", "4", "--starts", "5"],
    "raytracer": ["raytracer", *PICTURE, "--samples", "16", "--area", "512"],
    "raytracer_list": ["raytracer", *PICTURE, "--samples", "4"],
    "sum_euler": ["sum_euler", "12000"],
    "lin_solv": ["lin_solv", "--random", "400", "--bits", "32", "--seed", "1", "--output", os.devnull],
}
# As long as the paper's.
GENERATED = {"integrate": ["--divide", "17,2,35ms", "--spread", "0.5"]}
# Scaled like recordings.
TREES = {"tree": ["--divide", "13,2,35ms", "--spread", "0.5"],
         "unbalanced": ["--uts-binomial", "2000,8,0.124,10ms"]}
