"""Simulations: views without copies that outlive them, control, sensors, checkpoints, threads, wrong use."""

import gc
import pickle
import threading

import numpy as np
import pytest
from conftest import MUSCLE, walker
from hypothesis import given, settings
from hypothesis import strategies as st

import voxelastic as vx
import voxelastic.__main__
from voxelastic import _core


def test_views_are_live_and_for_reading(sim):
    position = sim.position
    assert position.shape == (52, 3) and position.dtype == np.float64
    assert sim.position is position
    before = position.copy()
    sim.step(10)
    assert not np.array_equal(position, before)
    with pytest.raises(ValueError):
        position[0] = 0
    for name in _core.arrays:
        array = getattr(sim, name)
        assert len(array) in (52, len(sim.actuated))
        assert not array.flags.writeable
        assert not array.flags.owndata
    assert np.array_equal(sim.material[sim.actuated], np.full(len(sim.actuated), MUSCLE))
    assert np.allclose((sim.cell + 0.5) * 0.01, sim.start, rtol=1e-14)


@given(st.permutations(["position", "velocity", "target", "cell", "applied_force"]), st.booleans())
@settings(max_examples=25, deadline=None)
def test_a_view_outlives_its_sim(names, stepped):
    sim = walker().sim()
    if stepped:
        sim.step(3)
    views = [getattr(sim, name) for name in names]
    copies = [view.copy() for view in views]
    parts = [view[1:5] for view in views]
    del sim, views
    gc.collect()
    junk = [np.full(5000, 7.0) for _ in range(50)]  # would overwrite memory that was given back
    for part, copy in zip(parts, copies):
        assert np.array_equal(part, copy[1:5], equal_nan=True)
    del junk


def test_target_ramps_linearly_and_signal_comes_back(sim):
    assert np.isnan(sim.target).all()
    sim.run(dt=0.02)
    first = sim.growth[sim.actuated].copy()
    sim.target[:] = 1.2
    sim.run(dt=0.005)
    sim.run(dt=0.005)  # nothing new was asked for: it holds
    assert np.allclose(sim.growth[sim.actuated], 0.2, atol=0.02)
    assert not np.allclose(first, 0.2, atol=0.02)
    sim.target[0] = np.nan
    sim.run(dt=0.05)
    sim.set_targets(0.9, sim.actuated[:3], ramp=0.01)
    assert np.array_equal(sim.target[:3], [0.9] * 3)
    sim.set_targets(5.0, sim.actuated[:1], kind="temperature")
    assert sim.target[0] == pytest.approx(1.05)


def test_wrong_control_gives_a_hint(sim):
    soft = int(np.flatnonzero(sim.material == 1)[0])
    with pytest.raises(ValueError, match="is not actuated: its material"):
        sim.set_targets(1.0, [soft])
    with pytest.raises(ValueError, match="does not exist"):
        sim.set_targets(1.0, [10**6])
    with pytest.raises(ValueError, match="kind"):
        sim.set_targets(1.0, kind="colour")
    with pytest.raises(ValueError):
        sim.target[:] = np.ones(3)
    sim.target[0] = np.inf
    with pytest.raises(ValueError, match="infinite"):
        sim.run(dt=0.01)
    sim.target[0] = np.nan
    with pytest.raises(ValueError, match="above 0"):
        sim.run(dt=-1)
    with pytest.raises(ValueError, match="finite"):
        sim.run(until=float("nan"))
    with pytest.raises(ValueError):
        sim.step(-1)
    with pytest.raises(TypeError):
        sim.step("many")
    with pytest.raises(AttributeError):
        sim.force = 0
    with pytest.raises(ValueError):
        sim.velocity = np.ones((3, 3))
    with pytest.raises(ValueError, match="not finite"):
        sim.velocity = np.nan


def test_bulk_in(sim):
    sim.velocity = (0.5, 0, 0)
    assert np.allclose(sim.velocity[:, 0], 0.5)
    sim.position = sim.position + (0, 0, 0.1)
    before = sim.center_of_mass
    sim.applied_force = np.full((52, 3), (0.0, 0.0, 0.02))  # twice the weight of a voxel: up
    sim.run(dt=0.05)
    assert sim.center_of_mass[2] > before[2]
    sim.reset()
    assert not sim.applied_force.any()
    assert np.array_equal(sim.position, sim.start)


def test_sensors(sim):
    sim.run(dt=0.3)
    n = sim.voxel_count
    strain = sim.sense("strain")
    assert strain.shape == (n, 3) and np.abs(strain).max() > 1e-4
    both = sim.sense("strain", "touch", group="actuated")
    assert both.shape == (len(sim.actuated), 4)
    assert np.array_equal(both[:, :3], strain[sim.actuated])
    out = np.empty(both.size)
    assert sim.sense("strain", "touch", group="actuated", out=out) is out
    assert np.array_equal(out.reshape(both.shape), both)
    feet = sim.sense("touch_floor", group="feet")
    assert feet.shape == (6, 3)
    contacts = sim.contacts()
    assert contacts.dtype == vx.CONTACT and (contacts["other"] == -1).any()
    floor = contacts[contacts["other"] == -1]
    assert floor["force"][:, 2].sum() == pytest.approx(sim.sense("touch_floor")[:, 2].sum())
    mass = sim.model.mass
    assert np.allclose(sim.sense("center"), sim.center_of_mass)
    assert sim.sense("center", group=sim.material == MUSCLE).shape == (3,)
    assert mass == pytest.approx(52e-3)
    with pytest.raises(ValueError, match="no sense 'smell'; there are: strain"):
        sim.sense("smell")
    with pytest.raises(ValueError, match="which sense"):
        sim.sense()
    with pytest.raises(ValueError, match="alone"):
        sim.sense("center", "strain")
    with pytest.raises(ValueError, match="out has shape"):
        sim.sense("strain", out=np.empty(3))
    with pytest.raises(ValueError, match="type 'f'"):
        sim.sense("strain", out=np.empty((n, 3), dtype=np.float32))
    with pytest.raises(TypeError, match="contiguous"):
        sim.sense("strain", out=np.empty((3, n)).T)
    with pytest.raises(KeyError, match="no region named 'tail'"):
        sim.sense("strain", group="tail")
    with pytest.raises(ValueError, match="does not exist"):
        sim.sense("strain", group=[n])
    with pytest.raises(ValueError, match="mask"):
        sim.sense("strain", group=np.ones(3, dtype=bool))
    with pytest.raises(TypeError, match="integers"):
        sim.sense("strain", group=[0.5])


@given(st.lists(st.integers(0, 51), max_size=30), st.sampled_from(["velocity", "orientation", "volume", "size"]))
@settings(max_examples=40, deadline=None)
def test_groups_pick_rows(numbers, sense):
    sim = walker().sim()
    sim.step(5)
    whole = sim.sense(sense)
    assert np.array_equal(sim.sense(sense, group=numbers), whole[np.array(numbers, dtype=int)])


def test_checkpoints_and_pickles(sim):
    sim.target[:] = 1.1
    sim.run(dt=0.013)
    saved = sim.save()
    twin = pickle.loads(pickle.dumps(sim))
    assert twin.hash == sim.hash
    assert np.array_equal(twin.target, sim.target)
    sim.run(dt=0.05)
    twin.run(dt=0.05)
    assert twin.hash == sim.hash
    sim.load(saved)
    sim.run(dt=0.05)
    assert sim.hash == twin.hash
    with pytest.raises(ValueError, match="damaged"):
        sim.load(saved[:-1])
    with pytest.raises(ValueError, match="another scene"):
        walker(1).sim().load(saved)


def test_threads_run_at_once_and_are_kept_apart():
    sims = [walker(seed).sim() for seed in range(4)]
    alone = [walker(seed).sim() for seed in range(4)]
    for one in alone:
        one.run(dt=0.1)
    threads = [threading.Thread(target=one.run, kwargs=dict(dt=0.1)) for one in sims]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert [one.hash for one in sims] == [one.hash for one in alone]
    # the same simulation in two threads: refused, not raced
    shared = walker().sim()
    thread = threading.Thread(target=shared.run, kwargs=dict(dt=3.0))
    thread.start()
    refused = 0
    while thread.is_alive():
        for use in (lambda: shared.step(1), lambda: shared.hash, lambda: shared.sense("strain"), shared.reset,
                    lambda: shared.save(), lambda: shared.picture(32, 32)):
            try:
                use()
            except RuntimeError as error:
                assert "another thread" in str(error)
                refused += 1
    thread.join()
    assert refused > 0


def test_faults_are_exceptions(sim):
    sim.velocity = np.random.default_rng(0).normal(0, 1e5, (52, 3))
    with pytest.raises(vx.Diverged, match="voxel"):
        sim.step(100)
    assert "FAILED" in repr(sim) and sim.fault
    with pytest.raises(vx.Diverged):
        sim.run(dt=0.1)
    sim.reset()
    sim.run(dt=0.01)


def test_bodies_that_change(sim):
    sim.run(dt=0.1)
    lame = sim.without([int(v) for v in np.flatnonzero((sim.cell[:, 0] == 0) & (sim.cell[:, 2] == 0))])
    assert lame.voxel_count == 50
    assert lame.time == sim.time
    keep = ~((sim.cell[:, 0] == 0) & (sim.cell[:, 2] == 0))
    assert np.array_equal(lame.position, sim.position[keep])
    lame.run(dt=0.1)
    sim.break_link(0, "z")
    sim.run(dt=0.01)
    with pytest.raises(ValueError, match="no link along z"):
        sim.break_link(0, "z")
    with pytest.raises(ValueError, match="axis"):
        sim.break_link(0, "w")


def test_edits(sim):
    sim.set_gravity((0, 0, 0))
    sim.set_damping(1, 1, 1, 0.1)
    sim.set_signal("temperature", 0.0, 5.0, 0.5)
    sim.set_load("feet", (0.1, 0, 0))
    with pytest.raises(KeyError, match="no signal named 'heat'"):
        sim.set_signal("heat", 0.0, 5.0, 0.5)
    sim.run(dt=0.01)


def test_pictures(sim, tmp_path):
    frame = sim.picture(64, 48, path=tmp_path / "one.png")
    assert frame.shape == (48, 64, 3) and frame.std() > 5
    assert (tmp_path / "one.png").read_bytes().startswith(b"\x89PNG")
    with pytest.raises(ValueError, match="16 to 8192"):
        sim.picture(1, 1)
    with pytest.raises(ValueError):
        sim.picture(64, 48, color="smell")
    with sim.film(tmp_path / "walk.gif", every=0.05, width=64, height=48):
        sim.run(dt=0.2)
    assert (tmp_path / "walk.gif").read_bytes().startswith(b"GIF")
    if _core.replays:
        sim.replay(tmp_path / "walk.html", time=0.1)
        assert "<html" in (tmp_path / "walk.html").read_text()[:2000].lower()
    # filming does not change the motion
    twin = walker().sim()
    twin.run(dt=0.2)
    filmed = walker().sim()
    with filmed.film(tmp_path / "again.gif", every=0.03, width=64, height=48):
        filmed.run(dt=0.2)
    assert twin.hash == filmed.hash


def test_solvers():
    if not _core.solvers:
        pytest.skip("this build has no solvers")
    bar = vx.Scene(0.01, (6, 2, 2), [vx.Material("rubber", E=1e6)], gravity=True,
                   regions=[vx.Region("wall", corner=(0, 0, 0), size=(1, 2, 2), fixed="all")])
    bar = bar.with_voxels(np.ones((6, 2, 2), dtype=int))
    found = vx.equilibrium(bar)
    assert found.status == "stable" and found.sim.position[-1, 2] < found.sim.start[-1, 2]
    own = vx.modes(bar, 3)
    assert own.frequency.shape == (3,) and own.shape.shape == (3, 24, 6)
    assert (np.diff(own.frequency) >= -1e-9).all() and own.frequency[0] > 0


def test_validate():
    if voxelastic.__main__.program() is None:
        pytest.skip("this build has no program")
    report = vx.validate(["link"])
    assert {row["verdict"] for row in report["rows"]} == {"pass"}
    with pytest.raises(RuntimeError, match="no case"):
        vx.validate(["nothing"])
