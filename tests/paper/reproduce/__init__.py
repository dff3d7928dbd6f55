"""The papers' tables, by replay on simulated grids: what `run` is made of."""
