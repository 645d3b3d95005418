"""Trains a small neural controller to walk, by a simple evolution strategy: a hundred times a second it reads strain and touch of every
muscle and sets their sizes.

    python3 closed_loop.py [--generations 15] [--folder trained] [--processes 2]

All muscles share one network (strain along x, y, z, touch, place in the body, and two oscillators in; size out), so that it does
not depend on their number. Robots run in processes, because controllers in Python take turns in one.
"""

import argparse
import concurrent.futures
import multiprocessing
import os

import numpy as np

import voxelastic as vx
from voxelastic.env import quadruped

INPUTS, HIDDEN = 9, 8
WEIGHTS = INPUTS * HIDDEN + HIDDEN + HIDDEN + 1
SECONDS, EVERY = 2.0, 0.01


def make_scene():
    base = vx.Scene(pitch=0.01, size=(6, 4, 4),
                    materials=[vx.Material("soft", E=1e5, color="#4c72b0"), vx.Material("muscle", E=1e5, actuated=True)],
                    floor=True, collisions=True)
    return base.with_voxels(quadruped())


class Network:
    """A controller; what it needs of a robot is worked out once per simulation."""

    def __init__(self, weights):
        first, bias, second, last = np.split(weights, np.cumsum([INPUTS * HIDDEN, HIDDEN, HIDDEN]))
        self.first, self.bias, self.second, self.last = first.reshape(INPUTS, HIDDEN), bias, second, last

    def __call__(self, sim):
        place = sim.cell[sim.actuated] / 3.0 - 1.0
        inputs = np.empty((len(place), INPUTS))
        sensed = sim.sense("strain", "touch", group="actuated")
        inputs[:, :3] = 10.0 * sensed[:, :3]
        inputs[:, 3] = sensed[:, 3] > 0
        inputs[:, 4:7] = place
        inputs[:, 7] = np.sin(2 * np.pi * 4 * sim.time)
        inputs[:, 8] = np.cos(2 * np.pi * 4 * sim.time)
        hidden = np.tanh(inputs @ self.first + self.bias)
        sim.target[:] = 1.0 + 0.2 * np.tanh(hidden @ self.second + self.last)


def distance(weights):
    """m along x of one robot, in this process."""
    result = vx.Evaluator(time=SECONDS, fitness="x", controller=Network(weights), every=EVERY)(make_scene())
    return result.fitness if result.ok else 0.0


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--generations", type=int, default=15)
    parser.add_argument("--folder", default="trained")
    parser.add_argument("--processes", type=int, default=os.cpu_count())
    options = parser.parse_args()
    os.makedirs(options.folder, exist_ok=True)
    rng = np.random.default_rng(0)
    mean = rng.normal(0, 0.3, WEIGHTS)
    spread, pairs, best = 0.3, 8, -np.inf
    champion = mean
    context = multiprocessing.get_context("forkserver")
    with concurrent.futures.ProcessPoolExecutor(options.processes, mp_context=context) as pool:
        for generation in range(options.generations):
            noise = rng.normal(size=(pairs, WEIGHTS))
            tries = np.concatenate([mean + spread * noise, mean - spread * noise])
            fitness = np.array(list(pool.map(distance, tries)))
            if fitness.max() > best:
                best, champion = fitness.max(), tries[fitness.argmax()]
            gain = fitness[:pairs] - fitness[pairs:]
            mean = mean + 0.3 * (gain / (fitness.std() + 1e-12)) @ noise / pairs
            print(f"generation {generation + 1}: mean {1e3 * fitness.mean():.1f} mm, best so far {1e3 * best:.1f} mm", flush=True)
    np.save(os.path.join(options.folder, "weights.npy"), champion)
    make_scene().sim().replay(os.path.join(options.folder, "walk.html"), time=SECONDS, controller=Network(champion), every=EVERY)


if __name__ == "__main__":
    main()
