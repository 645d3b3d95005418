"""Answers without time stepping, and validation."""

from __future__ import annotations

import dataclasses
import json
import os
import subprocess
import tempfile
from typing import Any, Dict, Optional, Sequence

import numpy as np

from . import _core
from .__main__ import program as _program
from .scene import Scene
from .sim import Sim


@dataclasses.dataclass(frozen=True)
class Equilibrium:
    """A static answer. sim: the simulation in it, to be read or stepped on.  status: "stable", "buckled", "unstable" or
    "relaxed".  residual: unbalanced force over the largest.  energy: J."""

    sim: Sim
    status: str
    iterations: int
    residual: float
    energy: float
    message: str


@dataclasses.dataclass(frozen=True)
class Modes:
    """Natural modes. frequency: Hz, (count,).  shape: x, y, z and turns about them, (count, voxels, 6); unit kinetic
    energy at unit speed.  rigid: how many of the first are rigid motions."""

    frequency: np.ndarray
    shape: np.ndarray
    rigid: int


def _sim_of(scene: Any) -> Sim:
    return scene if isinstance(scene, Sim) else scene.sim()


def _need_solvers() -> None:
    if not _core.solvers:
        raise RuntimeError("this build has no solvers: they need CHOLMOD and ARPACK (docs/solvers.md)")


def equilibrium(scene: Any) -> Equilibrium:
    """The static equilibrium of a scene, or of a Sim, which is taken there."""
    _need_solvers()
    sim = _sim_of(scene)
    return Equilibrium(sim=sim, **_core.equilibrium(sim._core))


def modes(scene: Any, count: int = 6) -> Modes:
    """The lowest natural modes of a scene at its start, or of a Sim as it is."""
    _need_solvers()
    sim = _sim_of(scene)
    frequency, shape, rigid = _core.modes(sim._core, count)
    values = np.frombuffer(frequency)
    return Modes(values, np.frombuffer(shape).reshape(len(values), 6, -1).transpose(0, 2, 1), rigid)


def validate(cases: Sequence[str] = (), program: Optional[str] = None) -> Dict[str, Any]:
    """Compares the engine with reference cases (docs/validation.md) by the program `voxelastic`: the one of the package,
    of the variable VOXELASTIC, or named here. Returns its report; `cases` are names of `voxelastic validate --list`."""
    found = program or _program()
    if not found:
        raise FileNotFoundError("the program voxelastic came not with the package and is not on the PATH; name it: validate(program=...)")
    with tempfile.TemporaryDirectory() as folder:
        done = subprocess.run([found, "validate", "-o", folder, *cases], capture_output=True, text=True)
        report = os.path.join(folder, "validation.json")
        if not os.path.exists(report):
            raise RuntimeError(done.stderr.strip() or f"voxelastic validate ended with {done.returncode}")
        with open(report, encoding="utf-8") as file:
            return json.load(file)
