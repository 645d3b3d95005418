"""What the tests share: a walker with muscles, small enough to be quick."""

import numpy as np
import pytest

import voxelastic as vx

SOFT, MUSCLE = 1, 2


def walker(seed=0, **options):
    """A table on four legs; every voxel soft or muscle by lot, with phases by lot."""
    base = vx.Scene(
        pitch=0.01, size=(5, 4, 4),
        materials=[vx.Material("soft", E=1e5), vx.Material("muscle", E=1e5, actuated=True)],
        signals=[vx.Signal("temperature", amplitude=10.0, period=0.25)], floor=True, collisions=True,
        regions=[vx.Region("feet", corner=(0, 0, 0), size=(5, 4, 1))], **options)
    rng = np.random.default_rng(seed)
    cells = rng.integers(1, 3, (5, 4, 4)).astype(np.uint8)
    cells[2:4, :, :2] = 0
    cells[:, 1:3, :2] = 0
    return base.with_voxels(cells, phase=rng.random((5, 4, 4)))


@pytest.fixture
def scene():
    return walker()


@pytest.fixture
def sim(scene):
    return scene.sim()
