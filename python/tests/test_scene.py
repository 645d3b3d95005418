"""Scenes: values that can be compared, pickled and changed; wrong ones are refused with a hint."""

import pickle

import numpy as np
import pytest
from conftest import walker
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

import voxelastic as vx

BASE = vx.Scene(pitch=0.01, size=(4, 3, 2), materials=[vx.Material("soft"), vx.Material("muscle", actuated=True)])
INTEGERS = st.sampled_from([np.uint8, np.int8, np.uint16, np.int32, np.int64, np.uint64])


@given(INTEGERS.flatmap(lambda kind: hnp.arrays(kind, (4, 3, 2), elements=st.integers(0, 2))),
       st.sampled_from(["C", "F", "reversed", "sliced"]))
@settings(max_examples=60, deadline=None)
def test_any_integer_array_in_any_order(cells, order):
    if order == "F":
        given_cells = np.asfortranarray(cells)
    elif order == "reversed":
        given_cells = cells[::-1][::-1]
    elif order == "sliced":
        given_cells = np.repeat(cells, 2, axis=0)[::2]
    else:
        given_cells = cells
    scene = BASE.with_voxels(given_cells)
    assert np.array_equal(scene.voxels, cells)
    assert scene.voxel_count == np.count_nonzero(cells)
    again = pickle.loads(pickle.dumps(scene))
    assert again == scene and hash(again) == hash(scene)
    assert BASE.voxel_count == 0


@given(hnp.array_shapes(min_dims=0, max_dims=4, max_side=5))
@settings(max_examples=60, deadline=None)
def test_any_shape_fits_or_is_refused(shape):
    cells = np.ones(shape, dtype=np.uint8)
    fits = len(shape) == 3 and shape[0] <= 4 and shape[1] <= 3 and shape[2] <= 2
    if fits:
        assert BASE.with_voxels(cells).voxel_count == cells.size
    else:
        with pytest.raises(ValueError, match="three: x, y, z|not inside the workspace of 4 x 3 x 2"):
            BASE.with_voxels(cells)


def test_wrong_voxels_give_a_hint():
    full = np.ones((4, 3, 2))
    with pytest.raises(TypeError, match="integers"):
        BASE.with_voxels(full)
    with pytest.raises(ValueError, match="material"):
        BASE.with_voxels(np.full((4, 3, 2), 3))
    with pytest.raises(ValueError, match="0 to 2"):
        BASE.with_voxels(np.full((4, 3, 2), -1))
    with pytest.raises(ValueError, match="phase has shape"):
        BASE.with_voxels(full.astype(int), phase=np.zeros((4, 3)))
    with pytest.raises(ValueError, match="no numbers named \"phases\""):
        BASE.with_voxels(full.astype(int), phases=0.5)
    with pytest.raises(ValueError, match="no voxels"):
        BASE.compile()
    with pytest.raises(ValueError, match="poissons_ratio|Poisson"):
        vx.Scene(0.01, (1, 1, 1), [vx.Material("a", nu=0.7)])
    with pytest.raises(ValueError, match="at least one material"):
        vx.Scene(0.01, (1, 1, 1))
    with pytest.raises(ValueError, match="three"):
        vx.Scene(0.01, (1, 1), [vx.Material("a")])
    with pytest.raises(TypeError):
        vx.Scene()


def test_options_and_json():
    scene = walker()
    moon = scene.with_options(environment={"gravity": [0, 0, -1.62]})
    assert moon != scene
    assert vx.Scene.from_json(moon.json()) == moon
    assert moon.sim().run(dt=0.01) == "time"
    assert "56" not in repr(scene) and "52 voxels" in repr(scene)
    assert scene.materials == ["soft", "muscle"]
    assert len({scene, walker(), moon}) == 2


def test_files(tmp_path):
    scene = walker()
    path = tmp_path / "robot.json"
    scene.save(path)
    assert vx.load(path) == scene
    with pytest.raises(OSError, match="absent"):
        vx.load(tmp_path / "absent.json")
    (tmp_path / "bad.json").write_text("{")
    with pytest.raises(ValueError, match="bad.json:1"):
        vx.load(tmp_path / "bad.json")
    with pytest.raises(ValueError, match="dialect"):
        vx.load(path, dialect="klingon")


def test_handles_cannot_be_made_by_hand():
    from voxelastic import _core

    for kind in (_core.Scene, _core.Model, _core.Sim, _core.View, _core.Film, _core.Replay, _core.Batch):
        with pytest.raises(TypeError):
            kind()
    with pytest.raises(TypeError):
        _core.Sim.create(None, {})
    with pytest.raises(TypeError, match="no setting 'speed'"):
        _core.Sim.create(walker().compile()._core, {"speed": 1})
