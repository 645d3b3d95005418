"""Evolves walking robots: bodies of soft and muscle voxels and the phases of their muscles.

    python3 evolve.py [--generations 200] [--folder evolved] [--seed 1]

It can be killed at any time: started again, it goes on with the generation it was in and ends with the same best robot, because the
random numbers of a generation depend on nothing but its number. The folder gets the state, a plot of the fitness (evolve.png) and a
replay of the best robot (best.html) that opens in any browser.
"""

import argparse
import os

import numpy as np

import voxelastic as vx

SIZE = (5, 4, 3)
SECONDS = 1.0
PARENTS, CHILDREN = 12, 36

BASE = vx.Scene(
    pitch=0.01, size=SIZE,
    materials=[vx.Material("soft", E=1e5, color="#4c72b0"), vx.Material("muscle", E=1e5, actuated=True)],
    signals=[vx.Signal("pulse", amplitude=20, period=0.2)],  # K; with 0.01/K: 20 % of the size
    floor=True, collisions=True)
PLACES = np.stack(np.meshgrid(*(np.arange(n) for n in SIZE), indexing="ij"), axis=-1)


def random_robot(rng):
    return rng.integers(0, 3, SIZE).astype(np.uint8), rng.random(SIZE)


def connected(body):
    """The largest piece: what is not linked to it is left out."""
    names = np.zeros(SIZE, dtype=int)
    best = np.zeros(SIZE, dtype=bool)
    for seed in zip(*np.nonzero(body)):
        if names[seed]:
            continue
        piece, queue = [], [seed]
        names[seed] = 1
        while queue:
            cell = queue.pop()
            piece.append(cell)
            for axis in range(3):
                for side in (-1, 1):
                    near = list(cell)
                    near[axis] += side
                    near = tuple(near)
                    if 0 <= near[axis] < SIZE[axis] and body[near] and not names[near]:
                        names[near] = 1
                        queue.append(near)
        if len(piece) > best.sum():
            best[:] = False
            best[tuple(np.array(piece).T)] = True
    return np.where(best, body, 0).astype(np.uint8)


def mutate(body, phase, rng):
    body, phase = body.copy(), phase.copy()
    kind = rng.integers(4)
    if kind == 0:  # some muscles beat earlier or later
        phase += 0.2 * rng.normal(size=SIZE) * (rng.random(SIZE) < 0.2)
    elif kind == 1:  # a wave through the body
        phase += (PLACES @ rng.normal(0, 0.1, 3))
    elif kind == 2:  # phases come closer to those of their neighbours
        smooth = np.exp(2j * np.pi * phase)
        for axis in range(3):
            smooth = smooth + 0.5 * (np.roll(smooth, 1, axis) + np.roll(smooth, -1, axis))
        phase = np.angle(smooth) / (2 * np.pi)
    if kind == 3 or rng.random() < 0.3:  # a box of cells becomes something else
        first = [rng.integers(n) for n in SIZE]
        last = [f + 1 + rng.integers(2) for f in first]
        body[tuple(slice(f, t) for f, t in zip(first, last))] = rng.integers(3)
    return body, np.mod(phase, 1.0)


def scene_of(body, phase):
    return BASE.with_voxels(connected(body), phase=phase)


class Evolution:
    """Parents, best first, and the best fitness of every generation."""

    def __init__(self, folder, seed):
        self.path = os.path.join(folder, "state.npz")
        self.seed = seed
        self.generation = 0
        self.bodies, self.phases, self.fitness, self.hashes, self.history = [], [], [], [], []
        if os.path.exists(self.path):
            with np.load(self.path) as state:
                if int(state["seed"]) == seed:
                    self.generation = int(state["generation"])
                    self.bodies, self.phases = list(state["bodies"]), list(state["phases"])
                    self.fitness, self.hashes = list(state["fitness"]), [str(h) for h in state["hashes"]]
                    self.history = list(state["history"])

    def save(self):
        """Beside, then renamed: there is always a whole file."""
        beside = self.path + ".new.npz"
        np.savez(beside, seed=self.seed, generation=self.generation, bodies=self.bodies, phases=self.phases,
                 fitness=self.fitness, hashes=self.hashes, history=self.history)
        os.replace(beside, self.path)

    def step(self):
        rng = np.random.default_rng([self.seed, self.generation])
        if self.generation == 0:
            children = [random_robot(rng) for _ in range(CHILDREN)]
        else:
            children = [mutate(self.bodies[i], self.phases[i], rng) for i in rng.integers(len(self.bodies), size=CHILDREN)]
        run = vx.evaluate([scene_of(*child) for child in children], time=SECONDS, fitness="distance", progress=True)
        results = sorted(run, key=lambda r: r.index)
        if run.interrupted:
            raise KeyboardInterrupt
        good = [r for r in results if r.ok]
        bodies = self.bodies + [children[r.index][0] for r in good]
        phases = self.phases + [children[r.index][1] for r in good]
        fitness = self.fitness + [r.fitness for r in good]
        hashes = self.hashes + [r.hash for r in good]
        order = np.argsort(-np.array(fitness), kind="stable")[:PARENTS]
        self.bodies, self.phases = [bodies[i] for i in order], [phases[i] for i in order]
        self.fitness, self.hashes = [fitness[i] for i in order], [hashes[i] for i in order]
        self.history.append(self.fitness[0])
        self.generation += 1
        self.save()


def plot(history, path):
    import matplotlib

    matplotlib.use("Agg")
    import matplotlib.pyplot as plt

    figure, axes = plt.subplots(figsize=(6, 4))
    axes.plot(np.arange(1, len(history) + 1), 1e3 * np.array(history))
    axes.set_xlabel("generation")
    axes.set_ylabel(f"distance of the best in {SECONDS:g} s (mm)")
    axes.grid(alpha=0.3)
    figure.savefig(path, dpi=120, bbox_inches="tight")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--generations", type=int, default=200)
    parser.add_argument("--folder", default="evolved")
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    os.makedirs(options.folder, exist_ok=True)
    evolution = Evolution(options.folder, options.seed)
    if evolution.generation:
        print(f"going on after generation {evolution.generation}")
    while evolution.generation < options.generations:
        evolution.step()
        print(f"generation {evolution.generation}: best {1e3 * evolution.fitness[0]:.1f} mm", flush=True)
    first, last = evolution.history[0], evolution.history[-1]
    print(f"random robots went {1e3 * first:.1f} mm at best, evolved ones {1e3 * last:.1f} mm: {last / first:.1f} times as far")
    print(f"best robot {evolution.hashes[0]}")
    try:
        plot(evolution.history, os.path.join(options.folder, "evolve.png"))
    except ImportError:
        print("no plot: matplotlib is not installed")
    sim = scene_of(evolution.bodies[0], evolution.phases[0]).sim()
    sim.replay(os.path.join(options.folder, "best.html"), time=2.0)


if __name__ == "__main__":
    main()
