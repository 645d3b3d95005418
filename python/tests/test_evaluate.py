"""Populations: the same hashes as alone, controllers, faults, Ctrl-C, executors."""

import concurrent.futures
import math
import multiprocessing
import os
import signal
import subprocess
import sys

import numpy as np
import pytest
from conftest import walker

import voxelastic as vx


def wave(sim):
    """A controller without memory."""
    sim.target[:] = 1 + 0.1 * np.sin(30 * sim.time + np.arange(len(sim.target)))


def height(sim):
    return sim.center_of_mass[2]


def alone(scene, time, controller=None, every=0.01):
    sim = scene.sim()
    if controller is None:
        sim.run(until=time)
    else:
        for call in range(round(time / every)):
            controller(sim)
            sim.run(until=(call + 1) * every)
    return sim


def test_same_as_alone():
    scenes = [walker(seed) for seed in range(8)]
    results = sorted(vx.evaluate(scenes, time=0.1, threads=2), key=lambda r: r.index)
    for result, scene in zip(results, scenes):
        sim = alone(scene, 0.1)
        assert result.ok and result.hash == sim.hash and result.scene is scene
        way = sim.center_of_mass[:2] - np.average(sim.start[:, :2], axis=0)
        assert result.fitness == pytest.approx(np.hypot(*way), rel=1e-9)


def test_a_device_gives_the_same():
    scenes = [walker(seed) for seed in range(6)]
    here = [r.hash for r in sorted(vx.evaluate(scenes, time=0.02, device="cpu"), key=lambda r: r.index)]
    there = [r.hash for r in sorted(vx.evaluate(scenes, time=0.02, device="emulated"), key=lambda r: r.index)]
    assert here == there
    sim = scenes[0].sim(device="emulated")
    sim.run(until=0.02)
    assert sim.hash == here[0]


def test_controlled_same_as_alone():
    scenes = [walker(seed) for seed in range(4)]
    results = sorted(vx.evaluate(scenes, time=0.1, controller=wave, every=0.01, fitness=height), key=lambda r: r.index)
    for result, scene in zip(results, scenes):
        sim = alone(scene, 0.1, wave)
        assert result.hash == sim.hash
        assert result.fitness == height(sim)


def test_a_controller_may_end_it_and_keep_its_sim():
    kept = []

    def stop_soon(sim):
        kept.append(sim)
        return sim.time < 0.02

    (result,) = vx.evaluate([walker()], time=1.0, controller=stop_soon)
    assert result.reason == "stopped" and result.time == pytest.approx(0.02)
    assert kept[0].hash == result.hash  # it is ours now
    kept[0].run(dt=0.01)
    view = kept[0].position
    kept.clear()
    assert np.isfinite(view).all()


def test_faults_stay_with_their_design():
    def blow(sim):
        if sim.voxel_count == 52 and sim.time > 0.015:
            sim.velocity = np.random.default_rng(0).normal(0, 1e5, (52, 3))

    cells = walker(1).voxels
    cells[0, 0, 0] = 0
    scenes = [walker(0), walker(1).with_voxels(cells), walker(0).with_voxels(np.zeros((5, 4, 4), dtype=int))]
    results = {r.index: r for r in vx.evaluate(scenes, time=0.05, controller=blow)}
    assert "m/s" in results[0].error and math.isnan(results[0].fitness)
    assert results[1].ok
    assert "no voxels" in results[2].error


def test_exceptions_of_python_code_come_out():
    def broken(sim):
        raise ZeroDivisionError("in the controller")

    with pytest.raises(ZeroDivisionError, match="in the controller"):
        list(vx.evaluate([walker()] * 3, time=0.1, controller=broken))
    with pytest.raises(KeyError):
        list(vx.evaluate([walker()], time=0.01, fitness=lambda sim: {}["x"]))


def test_wrong_use_gives_a_hint():
    with pytest.raises(TypeError, match="element 1 is of type int"):
        vx.evaluate([walker(), 3], time=1)
    with pytest.raises(ValueError, match="fitness 'beauty' is not known; there are distance"):
        vx.evaluate([walker()], time=1, fitness="beauty")
    with pytest.raises(ValueError, match="device"):
        vx.evaluate([walker()], time=1, device="abacus")
    with pytest.raises(ValueError, match="threads"):
        vx.evaluate([walker()], time=1, threads=-2)
    with pytest.raises(ValueError, match="every"):
        vx.evaluate([walker()], time=1, controller=wave, every=0)
    with pytest.raises(TypeError, match="no setting 'speed'"):
        vx.evaluate([walker()], time=1, speed=3)
    (result,) = vx.evaluate([walker()])
    assert "when to stop" in result.error
    assert list(vx.evaluate([], time=1)) == []


def test_left_early():
    for result in vx.evaluate([walker(seed) for seed in range(50)], time=0.5):
        break
    assert result.ok


CTRL_C = """
import os, signal, sys, threading, time
sys.path[:0] = {path!r}
from conftest import walker
import voxelastic as vx
threading.Timer(1.0, os.kill, (os.getpid(), signal.SIGINT)).start()
run = vx.evaluate([walker(seed) for seed in range(10)] + [walker(0)] * 100000, time=0.2)
results = list(run)
assert run.interrupted and 0 < len(results) < 100010, len(results)
assert all(r.ok for r in results)
print("returned", len(results))
"""


def test_ctrl_c_returns_what_is_done():
    folder = os.path.dirname(__file__)
    text = CTRL_C.format(path=[folder, os.path.dirname(os.path.dirname(vx.__file__))])
    done = subprocess.run([sys.executable, "-c", text], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith("returned")


def test_process_pool():
    scenes = [walker(seed) for seed in range(6)]
    here = {r.index: r.hash for r in vx.evaluate(scenes, time=0.05, controller=wave)}
    context = multiprocessing.get_context("forkserver")
    with concurrent.futures.ProcessPoolExecutor(2, mp_context=context) as pool:
        there = {r.index: r.hash for r in vx.evaluate(scenes, time=0.05, controller=wave, executor=pool)}
        each = [r.hash for r in pool.map(vx.Evaluator(time=0.05, controller=wave), scenes)]
    assert there == here and each == [here[i] for i in range(6)]
