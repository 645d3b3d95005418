"""A sweep: how far a walker gets, by the stiffness of its body and the period of its muscles.

    python3 design_study.py [--folder study] [--side 5]

Writes a table (study.csv) and a plot (study.png).
"""

import argparse
import os

import numpy as np

import voxelastic as vx
from voxelastic.env import quadruped


def make_scene(stiffness, period):
    base = vx.Scene(pitch=0.01, size=(6, 4, 4),
                    materials=[vx.Material("soft", E=stiffness), vx.Material("muscle", E=stiffness, actuated=True)],
                    signals=[vx.Signal("pulse", amplitude=15, period=period)], floor=True, collisions=True)
    body = quadruped()
    phase = np.zeros(body.shape)
    phase += 0.25 * np.arange(6)[:, None, None]  # a wave along the body
    return base.with_voxels(body, phase=phase)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--folder", default="study")
    parser.add_argument("--side", type=int, default=5, help="values of each")
    options = parser.parse_args()
    os.makedirs(options.folder, exist_ok=True)
    stiffness = np.geomspace(3e4, 1e6, options.side)
    periods = np.geomspace(0.1, 0.6, options.side)
    grid = [(e, t) for e in stiffness for t in periods]
    results = sorted(vx.evaluate([make_scene(e, t) for e, t in grid], time=1.5, fitness="distance", progress=True),
                     key=lambda r: r.index)
    distance = np.array([r.fitness for r in results]).reshape(options.side, options.side)
    with open(os.path.join(options.folder, "study.csv"), "w", encoding="utf-8") as file:
        file.write("stiffness_Pa,period_s,distance_m,hash\n")
        for (e, t), r in zip(grid, results):
            file.write(f"{e:g},{t:g},{r.fitness:.6g},{r.hash}\n")
    best = grid[int(np.nanargmax(distance))]
    print(f"furthest: {1e3 * np.nanmax(distance):.1f} mm in 1.5 s at {best[0]:.3g} Pa and {best[1]:.3g} s")
    try:
        import matplotlib
    except ImportError:
        print("no plot: matplotlib is not installed")
        return
    matplotlib.use("Agg")
    import matplotlib.pyplot as plt

    figure, axes = plt.subplots(figsize=(6, 4.5))
    mesh = axes.pcolormesh(periods, stiffness, 1e3 * distance, shading="nearest")
    axes.set_xscale("log")
    axes.set_yscale("log")
    axes.set_xlabel("period (s)")
    axes.set_ylabel("Young's modulus (Pa)")
    figure.colorbar(mesh, label="distance in 1.5 s (mm)")
    figure.savefig(os.path.join(options.folder, "study.png"), dpi=120, bbox_inches="tight")


if __name__ == "__main__":
    main()
