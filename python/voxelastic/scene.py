"""Scenes: what is to be simulated. They do not change; `with_...` gives another one."""

from __future__ import annotations

import dataclasses
import hashlib
import json
import os
import zlib
from typing import Any, Mapping, Optional, Sequence, Tuple, Union

import numpy as np

from . import _core


@dataclasses.dataclass(frozen=True)
class Material:
    """A material of the palette.

    name: unique in the scene.
    E: Young's modulus, Pa.  nu: Poisson's ratio, 0 to 0.49.  density: kg/m^3.
    expansion: coefficient of thermal expansion, 1/K.
    actuated: whether its voxels can be driven by targets (`sim.target`) or signals; gives it an expansion of 0.01/K
        unless it has one.
    friction: static and dynamic coefficient.  color: "#rrggbb".
    options: further keys of the scene format, e.g. {"law": "bilinear", "yield_stress": 1e4, ...}.
    """

    name: str
    E: float = 1e6
    nu: float = 0.3
    density: float = 1000.0
    expansion: float = 0.0
    actuated: bool = False
    friction: Tuple[float, float] = (1.0, 0.5)
    color: Optional[str] = None
    options: Mapping[str, Any] = dataclasses.field(default_factory=dict)

    def _json(self) -> dict:
        made = {
            "name": self.name,
            "youngs_modulus": float(self.E),
            "poissons_ratio": float(self.nu),
            "density": float(self.density),
            "expansion": float(self.expansion if self.expansion or not self.actuated else 0.01),
            "friction": {"static": float(self.friction[0]), "dynamic": float(self.friction[1])},
        }
        if self.color is not None:
            made["color"] = self.color
        elif self.actuated or self.expansion:
            made["color"] = "#c44e52"
        made.update(self.options)
        return made


@dataclasses.dataclass(frozen=True)
class Signal:
    """What drives the size of voxels over time: a wave of `amplitude` K (times the expansion) and `period` s.

    waveform: "sine", "square", "ramp" or "table" (with options={"table": [[time, value], ...]}).
    base, reference: K.  phase: cycles.
    """

    name: str = "temperature"
    amplitude: float = 0.0
    period: float = 1.0
    waveform: str = "sine"
    base: float = 0.0
    reference: float = 0.0
    phase: float = 0.0
    options: Mapping[str, Any] = dataclasses.field(default_factory=dict)

    def _json(self) -> dict:
        made = {f.name: getattr(self, f.name) for f in dataclasses.fields(self) if f.name != "options"}
        made.update(self.options)
        return made


@dataclasses.dataclass(frozen=True)
class Region:
    """Voxels that are held, moved or loaded, and a group for sensors.

    corner, size: a box, in voxels; or cells: a list of (i, j, k).
    fixed: "all", "clamp", or a list of "x", "y", "z", "rx", "ry", "rz".
    force: N, and torque: N m, shared by its voxels.  displacement: m.  ramp: s.
    """

    name: str
    corner: Optional[Sequence[float]] = None
    size: Optional[Sequence[float]] = None
    cells: Optional[Sequence[Sequence[int]]] = None
    fixed: Union[str, Sequence[str], None] = None
    force: Sequence[float] = (0.0, 0.0, 0.0)
    torque: Sequence[float] = (0.0, 0.0, 0.0)
    displacement: Sequence[float] = (0.0, 0.0, 0.0)
    ramp: float = 0.0
    options: Mapping[str, Any] = dataclasses.field(default_factory=dict)

    def _json(self) -> dict:
        made: dict = {"name": self.name, "ramp": float(self.ramp)}
        if self.cells is not None:
            made["cells"] = [[int(x) for x in cell] for cell in self.cells]
        elif self.corner is not None and self.size is not None:
            made["box"] = {"corner": [float(x) for x in self.corner], "size": [float(x) for x in self.size]}
        for key in ("force", "torque", "displacement"):
            made[key] = [float(x) for x in getattr(self, key)]
        if self.fixed is not None:
            made["fixed"] = self.fixed if isinstance(self.fixed, str) else list(self.fixed)
        made.update(self.options)
        return made


Numbers = Union[float, np.ndarray, Sequence]


class Scene:
    """A workspace of voxels, a palette of materials, regions, an environment and signals.

    pitch: side of a voxel, m.  size: voxels along x, y, z.
    materials: a list of Material; voxels hold their number, from 1; 0 is empty.
    floor: whether there is a floor at z = 0.  gravity: True for 9.81 m/s^2 downwards, a number, or a vector; default: True
        with a floor.
    collisions: whether voxels that are not linked touch each other.
    damping: ratios by name: bond, contact, ground.  elasticity: "solid" or "beam".
    stop: when a run of the scene itself ends, e.g. {"time": 5}.
    options: further keys of the scene format (docs/scene-format.md), merged into it.

    Scenes do not change, compare and hash by what they say, and can be pickled.
    """

    __slots__ = ("_core", "_json", "_model", "notes")

    def __init__(
        self,
        pitch: float,
        size: Sequence[int],
        materials: Sequence[Material] = (),
        *,
        floor: bool = False,
        gravity: Union[bool, float, Sequence[float], None] = None,
        collisions: bool = False,
        damping: Optional[Mapping[str, float]] = None,
        elasticity: str = "solid",
        regions: Sequence[Region] = (),
        signals: Sequence[Signal] = (),
        stop: Optional[Mapping[str, float]] = None,
        name: str = "",
        options: Optional[Mapping[str, Any]] = None,
    ):
        size = tuple(int(n) for n in size)
        if len(size) != 3:
            raise ValueError(f"size has {len(size)} numbers; it needs three: voxels along x, y, z")
        if gravity is None:
            gravity = bool(floor)
        if not isinstance(gravity, (bool, int, float)):
            gravity = [float(x) for x in gravity]
        made: dict = {
            "voxelastic": 1,
            "lattice": {"pitch": float(pitch), "size": list(size)},
            "materials": [m._json() for m in materials],
            "environment": {
                "gravity": gravity,
                "floor": bool(floor),
                "collisions": "grid" if collisions else "off",
                "elasticity": elasticity,
            },
        }
        if damping:
            made["environment"]["damping"] = dict(damping)
        if not signals and any(m.actuated or m.expansion for m in materials):
            signals = [Signal("control")]  # of amplitude 0: muscles rest until somebody drives them
        if signals:
            made["signals"] = [s._json() for s in signals]
        if regions:
            made["regions"] = [r._json() for r in regions]
        if stop:
            made["stop"] = dict(stop)
        if name:
            made["name"] = name
        for key, value in (options or {}).items():
            if isinstance(value, Mapping) and isinstance(made.get(key), dict):
                made[key] = {**made[key], **value}
            else:
                made[key] = value
        if not made["materials"]:
            raise ValueError("a scene needs at least one material")
        # a file must have voxels, which come later here: begin with all cells filled, where no part of it is given
        filled = "shapes" not in made and "layers" not in made
        if filled:
            made["shapes"] = [_everything(size, made["materials"][0]["name"])]
        core = _core.Scene.parse(json.dumps(made), "scene")
        if filled:
            core.set_voxels((0, 0, 0), size, np.zeros(size[0] * size[1] * size[2], dtype=np.uint16))
        self._adopt(core)

    def _adopt(self, core: "_core.Scene") -> None:
        self._core = core
        self._json = None
        self._model = None
        self.notes: Sequence[str] = ()

    @classmethod
    def _of(cls, core: "_core.Scene") -> "Scene":
        made = object.__new__(cls)
        made._adopt(core)
        return made

    @classmethod
    def from_json(cls, text: str) -> "Scene":
        """A scene from JSON text (docs/scene-format.md)."""
        return cls._of(_core.Scene.parse(text, "scene"))

    def json(self) -> str:
        """The scene as JSON text."""
        if self._json is None:
            self._json = self._core.json()
        return self._json

    def save(self, path: Union[str, os.PathLike]) -> None:
        """Writes the scene in the format that the end of the name says: .json, .vxa, ..."""
        self._core.save(path)

    # what it is

    @property
    def pitch(self) -> float:
        """Side of a voxel, m."""
        return self._core.info()[0]

    @property
    def size(self) -> Tuple[int, int, int]:
        """Voxels along x, y, z."""
        return self._core.info()[1]

    @property
    def voxel_count(self) -> int:
        """Voxels that are not empty."""
        return self._core.info()[2]

    @property
    def name(self) -> str:
        """Its name, for reports."""
        return self._core.info()[6]

    @property
    def materials(self) -> Sequence[str]:
        """Names of the materials; number 1 is the first."""
        return [m["name"] for m in json.loads(self.json()).get("materials", [])]

    @property
    def voxels(self) -> np.ndarray:
        """Material numbers, (nx, ny, nz) uint16, a copy."""
        nx, ny, nz = self.size
        flat = np.frombuffer(self._core.voxels(), dtype=np.uint16)
        return flat.reshape(nz, ny, nx).transpose(2, 1, 0).copy()

    # others made from it

    def with_voxels(self, voxels: np.ndarray, *, at: Sequence[int] = (0, 0, 0), phase: Optional[Numbers] = None,
                    amplitude: Optional[Numbers] = None, period: Optional[Numbers] = None,
                    **fields: Numbers) -> "Scene":
        """The same scene with other voxels.

        voxels: material numbers (0: empty) of any integer type, of shape (nx, ny, nz), or of a smaller box that begins
            at cell `at`.
        phase (cycles), amplitude and period (factors of the signal's): numbers of the same shape, or one for all.
        fields: other numbers of voxels by name: stiffness (Pa), size_end, ... (docs/scene-format.md).
        """
        array = np.asarray(voxels)
        if array.ndim != 3:
            raise ValueError(f"voxels have {array.ndim} dimensions; they need three: x, y, z")
        if array.dtype == bool:
            array = array.astype(np.uint16)
        if not np.issubdtype(array.dtype, np.integer):
            raise TypeError(f"voxels are of type {array.dtype}; material numbers are integers")
        if array.size and (array.min() < 0 or array.max() > 65535):
            raise ValueError(f"material numbers go from 0 to {self._core.info()[3]}, not {array.min()} to {array.max()}")
        at = tuple(int(n) for n in at)
        if len(at) != 3:
            raise ValueError("at needs three numbers: the cell where the box begins")
        core = self._core.copy()
        core.set_voxels(at, array.shape, _flat(array, np.uint16))
        numbers = {"phase": phase, "amplitude": amplitude, "period": period, **fields}
        for key, values in numbers.items():
            if values is None:
                continue
            try:
                full = np.broadcast_to(np.asarray(values, dtype=float), array.shape)
            except ValueError:
                raise ValueError(f"{key} has shape {np.shape(values)}, the voxels have {array.shape}") from None
            core.set_numbers(key, at, array.shape, _flat(full, np.float64))
        return Scene._of(core)

    def with_options(self, **options: Any) -> "Scene":
        """The same scene with parts of it replaced or merged, by the keys of the scene format:
        `scene.with_options(environment={"gravity": 1.62})`."""
        made = json.loads(self.json())
        for key, value in options.items():
            if isinstance(value, Mapping) and isinstance(made.get(key), dict):
                made[key] = {**made[key], **value}
            else:
                made[key] = value
        return Scene.from_json(json.dumps(made))

    # what is done with it

    def compile(self) -> "Model":
        """Checks and compiles it; the model is kept, so a second call costs nothing."""
        if self._model is None:
            self._model = Model(self, self._core.compile())
        return self._model

    def sim(self, **settings: Any) -> "Sim":
        """A new simulation: `scene.compile().sim(**settings)`."""
        return self.compile().sim(**settings)

    # as a value

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Scene) and (self is other or self.json() == other.json())

    def __hash__(self) -> int:
        return int.from_bytes(hashlib.blake2b(self.json().encode(), digest_size=8).digest(), "little") >> 2

    def __reduce__(self):
        # as a whole, so that a scene that has no voxels yet can travel too
        core = self._core.copy()
        nx, ny, nz = self.size
        core.set_voxels((0, 0, 0), (nx, ny, nz), np.ones(nx * ny * nz, dtype=np.uint16))
        return (_unpickle, (core.json(), zlib.compress(self._core.voxels(), 1), tuple(self.notes)))

    def __repr__(self) -> str:
        pitch, size, count, materials, signals, regions, name = self._core.info()
        title = f" {name!r}" if name else ""
        return (f"<voxelastic.Scene{title}: {count} voxels in {size[0]} x {size[1]} x {size[2]} of {pitch:g} m, "
                f"{materials} materials, {signals} signals, {regions} regions>")


class Model:
    """A compiled scene. Many simulations may share it, in any number of threads."""

    __slots__ = ("scene", "_core")

    def __init__(self, scene: Scene, core: "_core.Model"):
        self.scene = scene
        self._core = core

    def sim(self, *, precision: str = "double", threads: int = 1, dt_fraction: float = 0.9, audit: bool = False,
            bond_damping: str = "auto", device: str = "cpu") -> "Sim":
        """A new simulation at the start of its time.

        precision: "double", "single" or "fast".  threads: 0 for as many as it is worth.  dt_fraction: part of the
        largest stable time step.  audit: keep the energy account (steps take 1.1 to 1.5 times as long).
        bond_damping: "auto", "explicit" or "implicit".  device: "cpu", "cuda" (an NVIDIA GPU), "auto" (a GPU, if there is
        one) or "emulated" (the GPU's kernels on the CPU, slow): all give the same bits.
        """
        from .sim import Sim

        return Sim(self, dict(precision=precision, threads=threads, dt_fraction=dt_fraction, audit=audit,
                              bond_damping=bond_damping, device=device))

    @property
    def voxel_count(self) -> int:
        """Voxels."""
        return self._core.info()[0]

    @property
    def link_count(self) -> int:
        """Links."""
        return self._core.info()[1]

    @property
    def mass(self) -> float:
        """kg, of everything."""
        return self._core.info()[3]

    @property
    def hash(self) -> str:
        """Of everything that decides the motion, 16 hexadecimal digits."""
        return f"{self._core.info()[4]:016x}"

    def group(self, name: str) -> np.ndarray:
        """Numbers of the voxels of a region, (n,) int32."""
        return np.asarray(self._core.region(name))

    def __reduce__(self):
        return (_compile, (self.scene,))

    def __repr__(self) -> str:
        voxels, links, bodies, mass, number, size = self._core.info()
        return f"<voxelastic.Model {number:016x}: {voxels} voxels, {links} links, {bodies} bodies, {mass:.4g} kg>"


def _unpickle(text: str, voxels: bytes, notes: Sequence[str]) -> Scene:
    scene = Scene.from_json(text)
    scene._core.set_voxels((0, 0, 0), scene.size, np.frombuffer(zlib.decompress(voxels), dtype=np.uint16))
    scene.notes = notes
    return scene


def _everything(size: Sequence[int], material: str) -> dict:
    return {"box": {"corner": [0, 0, 0], "size": list(size)}, "material": material}


def _compile(scene: Scene) -> Model:
    return scene.compile()


def _flat(array: np.ndarray, dtype: Any) -> np.ndarray:
    """x fastest."""
    return np.ascontiguousarray(array.transpose(2, 1, 0), dtype=dtype).reshape(-1)


def load(path: Union[str, os.PathLike], dialect: str = "auto") -> Scene:
    """Reads a scene in any format that is known: JSON, .vxa, .vxc, meshes, grids ... `scene.notes` has remarks on what
    another program's file says that means something else, or nothing, here."""
    core, notes = _core.Scene.load(path, dialect)
    scene = Scene._of(core)
    scene.notes = tuple(notes)
    return scene
