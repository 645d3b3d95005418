"""What driving from Python costs, beside C. Usage: drive.py PROGRAM [REPEATS [ROBOTS]], with the program made from drive.c (target
bench_drive) and the package on PYTHONPATH. Prints medians."""

import math
import os
import statistics
import subprocess
import sys
import tempfile
import time

import numpy as np

import voxelastic as vx

PROGRAM = sys.argv[1]
REPEATS = int(sys.argv[2]) if len(sys.argv) > 2 else 5
ROBOTS = int(sys.argv[3]) if len(sys.argv) > 3 else 2000


def program(*args):
    return subprocess.run([PROGRAM, *map(str, args)], check=True, capture_output=True, text=True).stdout.split()


def block(side, amplitude):
    base = vx.Scene(0.01, (side,) * 3, [vx.Material("muscle", E=1e5, actuated=True)], floor=True, collisions=True,
                    signals=[vx.Signal("temperature", amplitude=100 * amplitude, period=0.5)])
    return base.with_voxels(np.ones((side,) * 3, dtype=int)).sim()


def controlled(sim, strain, touch):
    sim.reset()
    target = sim.target
    begun = time.process_time()
    for call in range(200):
        sim.sense("strain", out=strain)
        sim.sense("touch", out=touch)
        wave = 1.0 + 0.1 * math.sin(12.566 * sim.time)
        np.multiply(strain[:, 0], 0.01, out=target)
        target += 0.001 * touch
        target += wave
        sim.run(until=0.01 * (call + 1))
    return (time.process_time() - begun) / sim.steps


def control():
    sim = block(10, 0.1)
    strain, touch = np.empty((1000, 3)), np.empty(1000)
    rows = []
    for _ in range(REPEATS):  # one after the other, so that a slow moment of the machine meets all three
        plain, c = map(float, program("control", 1))
        sim.reset()
        begun = time.process_time()
        sim.run(until=2.0)
        own = (time.process_time() - begun) / sim.steps
        rows.append((c / plain - 1, controlled(sim, strain, touch) / own - 1, plain, own))
    c, python, plain, own = (statistics.median(column) for column in zip(*rows))
    print(f"control of 1000 muscles at 100 Hz: {100 * c:.1f} % of stepping in C, {100 * python:.1f} % in Python "
          f"({1e6 * plain:.1f} and {1e6 * own:.1f} us a step)")


def step():
    sim = block(1, 0.0)
    times = []
    for _ in range(REPEATS):
        begun = time.process_time()
        for _ in range(20000):
            sim.step()
        times.append((time.process_time() - begun) / 20000)
    c = statistics.median(map(float, program("step", REPEATS)))
    python = statistics.median(times)
    print(f"a step of one voxel: {1e6 * c:.2f} us from C, {1e6 * python:.2f} us from Python: {1e6 * (python - c):.2f} us more")


def batch():
    rng = np.random.default_rng(1)
    base = vx.Scene(0.01, (4, 3, 3), [vx.Material("soft", E=1e5), vx.Material("muscle", E=1e5, actuated=True)], floor=True,
                    collisions=True, signals=[vx.Signal("temperature", amplitude=10, period=0.25)])
    scenes = [base.with_voxels(rng.integers(1, 3, (4, 3, 3)), phase=rng.random((4, 3, 3))) for _ in range(ROBOTS)]
    ratios = []
    with tempfile.TemporaryDirectory() as folder:
        files = []
        for i, scene in enumerate(scenes):
            files.append(os.path.join(folder, f"{i}.json"))
            scene.save(files[-1])
        for _ in range(max(1, REPEATS // 2)):
            seconds, *hashes = program("batch", 0, *files)
            begun = time.perf_counter()
            results = sorted(vx.evaluate(scenes, time=1.0), key=lambda r: r.index)
            python = time.perf_counter() - begun
            assert [r.hash for r in results] == hashes
            ratios.append((float(seconds) / python, float(seconds), python))
    ratio, c, python = sorted(ratios)[len(ratios) // 2]
    print(f"{ROBOTS} robots: {ROBOTS / c:.0f}/s by the C batch, {ROBOTS / python:.0f}/s by evaluate(): {ratio:.3f}; hashes equal")


control()
step()
batch()
