"""Quantitative simulation of multi-material soft bodies on a voxel lattice.

    import voxelastic as vx
    scene = vx.Scene(pitch=0.01, size=(6, 6, 4), materials=[vx.Material("soft", E=1e5)], floor=True, gravity=True)
    scene = scene.with_voxels(numpy.ones((6, 6, 4), dtype="uint8"))
    with scene.sim() as sim:
        sim.run(dt=0.1)
        print(sim.position.mean(axis=0))

Units are SI throughout: m, kg, s, N, Pa, K, rad, J. Arrays are NumPy's, without copies. Voxels are numbered in lattice
order, x fastest, as in `sim.cell`.
"""

from . import _core
from ._core import Diverged, Error
from .evaluate import Evaluation, Evaluator, Result, evaluate
from .scene import Material, Model, Region, Scene, Signal, load
from .sim import CONTACT, Sim
from .solve import Equilibrium, Modes, equilibrium, modes, validate

__version__ = _core.version
__all__ = [
    "CONTACT", "Diverged", "Equilibrium", "Error", "Evaluation", "Evaluator", "Material", "Model", "Modes", "Region",
    "Result", "Scene", "Signal", "Sim", "equilibrium", "evaluate", "load", "modes", "validate",
]
