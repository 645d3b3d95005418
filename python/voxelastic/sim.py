"""Simulations."""

from __future__ import annotations

import math
import os
from typing import Any, Dict, List, Mapping, Optional, Sequence, Tuple, Union

import numpy as np

from . import _core
from .scene import Model, Scene

#: A contact of `Sim.contacts()`: voxel, other (-1: the floor), position (m), force on voxel (N).
CONTACT = np.dtype([("voxel", np.int32), ("other", np.int32), ("position", np.float64, 3), ("force", np.float64, 3)])

_MOST = 2**62


def _array(name: str, doc: str, settable: bool = False):
    def get(self: "Sim") -> np.ndarray:
        found = self._arrays.get(name)
        if found is None:
            found = self._arrays[name] = np.asarray(self._core.array(name))
        return found

    def put(self: "Sim", values: Any) -> None:
        width = 4 if name == "orientation" else 3
        full = np.empty((self.voxel_count, width))
        full[...] = values
        self._core.set_array(name, full)

    return property(get, put if settable else None, doc=doc)


class Sim:
    """A simulation: step it, read it, drive it.

    Arrays (`position`, `velocity`, ...) are live: they are the simulation's own memory, show the state after the last
    step, and stay valid as long as they are used, even after the Sim is gone. They are for reading; assign to set all
    voxels at once: `sim.velocity = (1, 0, 0)`.

    One thread at a time may use a Sim; different ones may run at the same time, because stepping lets go of the
    interpreter.
    """

    __slots__ = ("model", "settings", "_core", "_arrays", "_senses", "_films", "__weakref__")

    def __init__(self, model: Model, settings: Optional[Mapping[str, Any]] = None, *, _core_sim: Any = None):
        self.model = model
        self.settings = dict(settings or {})
        self._core = _core_sim if _core_sim is not None else _core.Sim.create(model._core, self.settings)
        self._arrays: Dict[str, np.ndarray] = {}
        self._senses: Dict[Any, Any] = {}
        self._films: List[Any] = []

    # time

    @property
    def time(self) -> float:
        """s."""
        return self._core.time()

    @property
    def steps(self) -> int:
        """Steps done."""
        return self._core.info()[0]

    @property
    def dt(self) -> float:
        """The time step in use, s."""
        return self._core.info()[1]

    def step(self, steps: int = 1) -> None:
        """Does that many steps. Targets that were written hold from the next step on. Raises Diverged."""
        self._core.step(steps)

    def run(self, dt: Optional[float] = None, *, until: Optional[float] = None, steps: int = _MOST) -> str:
        """Runs for `dt` s, or until the time `until`, exactly (the last step is shortened); without both, as the scene's
        own stop condition says. Targets that were written are reached at the end, linearly. Returns why it ended:
        "time", "cycles", "not finished" (after `steps` steps) ... Raises Diverged; Ctrl-C is heard.
        """
        if dt is None and until is None:
            stop = self._core.run(0.0, 0.0, steps, True)
            return stop
        now = self._core.time()
        if until is None:
            if not dt > 0:
                raise ValueError(f"dt is {dt} s; it must be above 0")
            until = now + dt
        if self._films:
            return self._run_filmed(now, until, steps)
        return self._core.run(until, max(until - now, 0.0), steps, False)

    def _run_filmed(self, now: float, until: float, steps: int) -> str:
        # pictures are taken at the ends of steps: the motion is that without them
        ramp = max(until - now, 0.0)
        while True:
            due = min(film._next for film in self._films)
            some = max(1, math.ceil((min(due, until) - now) / self.dt - 1e-6))
            reason = self._core.run(until, ramp, min(some, steps), False)
            steps -= some
            now = self._core.time()
            for film in self._films:
                film._look(now)
            if reason != "not finished" or steps <= 0:
                return reason

    def reset(self) -> None:
        """Back to the start: state, targets, forces and every edit."""
        self._core.reset()

    # arrays

    position = _array("position", "m, (voxels, 3).", True)
    orientation = _array("orientation", "Unit quaternions w, x, y, z, body to world, (voxels, 4).", True)
    velocity = _array("velocity", "m/s, (voxels, 3).", True)
    spin = _array("spin", "rad/s, world axes, (voxels, 3).", True)
    force = _array("force", "N, total of the last step, (voxels, 3).")
    moment = _array("moment", "N m, total of the last step, (voxels, 3).")
    contact_force = _array("contact_force", "N, by the floor and other voxels in the last step, (voxels, 3).")
    growth = _array("growth", "Size in pitches, minus 1, (voxels,).")
    pressure = _array("pressure", "Pa, positive in tension, (voxels,).")
    stuck = _array("stuck", "Not 0: held on the floor by static friction, (voxels,) uint8.")
    applied_force = _array("applied_force", "N; assign to push every voxel until it is changed, (voxels, 3).", True)
    start = _array("start", "m, positions at the start, (voxels, 3).")
    cell = _array("cell", "Lattice coordinates i, j, k, (voxels, 3) int32.")
    material = _array("material", "Number in the palette, from 1, (voxels,) uint16.")
    body = _array("body", "Which connected piece, from 0, (voxels,) int32.")
    fixed = _array("fixed", "Bits of held degrees of freedom: x 1, y 2, z 4, turns 8, 16, 32, (voxels,) uint8.")
    actuated = _array("actuated", "Numbers of the voxels that can change their size, (actuated,) int32.")

    @property
    def voxel_count(self) -> int:
        """Voxels."""
        return len(self.material)

    @property
    def target(self) -> np.ndarray:
        """Sizes asked of the actuated voxels, in pitches (1: at rest; NaN: the signal rules), (actuated,), to be written:
        `sim.target[:] = u`. The next run(dt) reaches them linearly within dt, the next step() at once."""
        found = self._arrays.get("target")
        if found is None:
            found = self._arrays["target"] = np.asarray(self._core.target())
        return found

    @target.setter
    def target(self, values: Any) -> None:
        self.target[...] = values

    def set_targets(self, values: Any, voxels: Optional[Sequence[int]] = None, *, ramp: float = 0.0,
                    kind: str = "size") -> None:
        """Takes voxels (all actuated ones by default) to sizes in pitches, or to temperatures in K (kind="temperature"),
        linearly within `ramp` s from now."""
        kinds = {"size": 1, "temperature": 2}
        if kind not in kinds:
            raise ValueError(f"kind is {kind!r}; it must be 'size' or 'temperature'")
        numbers = None if voxels is None else self._voxels(voxels)
        count = len(self.actuated) if numbers is None else len(numbers)
        full = np.empty(count)
        full[...] = values
        self._core.set_targets(kinds[kind], numbers, full, float(ramp))

    # sensors

    def _voxels(self, group: Any) -> Optional[np.ndarray]:
        """Voxel numbers of a group: None, a region's name, "actuated", numbers or a mask."""
        if group is None:
            return None
        if isinstance(group, str):
            return self.actuated if group == "actuated" else self.model.group(group)
        array = np.asarray(group)
        if array.dtype == bool:
            if array.shape != (self.voxel_count,):
                raise ValueError(f"a mask of voxels has shape ({self.voxel_count},), not {array.shape}")
            return np.flatnonzero(array).astype(np.int32)
        if array.size and not np.issubdtype(array.dtype, np.integer):
            raise TypeError(f"voxel numbers are integers, not {array.dtype}")
        return np.ascontiguousarray(array, dtype=np.int32).reshape(-1)

    def sense(self, *senses: str, group: Any = None, out: Optional[np.ndarray] = None) -> np.ndarray:
        """Reads sensors of a group of voxels: all (None), "actuated", the voxels of a region by its name, numbers, or a mask.

        Senses, with numbers per voxel: strain (3, along the voxel's axes), volume (1), size (1), position (3, m),
        velocity (3, m/s), velocity_own (3, m/s, in the voxel's axes), spin (3, rad/s), orientation (4), touch_floor (3,
        N), touch_bodies (3, N), touch (1: the floor, 2: a body, 3: both). One sense gives an array (voxels, width),
        several are put side by side. center and center_velocity (3) are of the group as a whole and stand alone.

        out: where to put it, float64; of that shape, or flat.
        """
        key = (senses, group if group is None or isinstance(group, str) else None)
        plan = self._senses.get(key) if key[1] is not None or group is None else None
        if plan is None:
            plan = self._plan(senses, group)
            if group is None or isinstance(group, str):
                self._senses[key] = plan
        numbers, rows, width, parts, whole = plan
        if whole:
            result = np.empty(3) if out is None else out
            self._core.sense(parts[0][0], numbers, result)
            return result
        if out is None:
            result = np.empty((rows, width))
        elif out.size != rows * width:
            raise ValueError(f"out has shape {out.shape}; ({rows}, {width}) or as many numbers flat are needed")
        else:
            result = out
        if len(parts) == 1:
            self._core.sense(parts[0][0], numbers, result)
            return result
        table = result.reshape(rows, width)
        for number, first, last, room in parts:
            self._core.sense(number, numbers, room)
            table[:, first:last] = room
        return result

    def _plan(self, senses: Tuple[str, ...], group: Any):
        if not senses:
            raise ValueError("which sense? There are: " + ", ".join(_core.senses))
        for name in senses:
            if name not in _core.senses:
                raise ValueError(f"there is no sense {name!r}; there are: " + ", ".join(_core.senses))
        numbers = self._voxels(group)
        rows = self.voxel_count if numbers is None else len(numbers)
        whole = senses[0].startswith("center")
        if any(name.startswith("center") for name in senses) and len(senses) > 1:
            raise ValueError("center and center_velocity are of the whole group: ask for them alone")
        parts = []
        width = 0
        for name in senses:
            number, own = _core.senses[name]
            parts.append((number, width, width + own, np.empty((rows, own)) if len(senses) > 1 else None))
            width += own
        return numbers, rows, width, parts, whole

    def contacts(self) -> np.ndarray:
        """What touched during the last step: an array of CONTACT, floor first."""
        return np.frombuffer(self._core.contacts(), dtype=CONTACT)

    # figures

    @property
    def center_of_mass(self) -> np.ndarray:
        """m, (3,)."""
        return np.array(self._core.center())

    @property
    def energy(self) -> Dict[str, float]:
        """The energy account of the last step, J, by name; work and losses with audit=True only."""
        return self._core.energy()

    @property
    def hash(self) -> str:
        """Of the state, 16 hexadecimal digits: equal bits give equal hashes."""
        return f"{self._core.hash():016x}"

    @property
    def fault(self) -> Optional[str]:
        """Why it cannot go on, or None."""
        return self._core.info()[6] or None

    # edits

    def set_gravity(self, gravity: Sequence[float]) -> None:
        """m/s^2, a vector."""
        self._core.edit("gravity", 0, *(float(x) for x in gravity))

    def set_damping(self, stretch: float, rotation: float, contact: float, ground: float) -> None:
        """The four damping ratios."""
        self._core.edit("damping", 0, stretch, rotation, contact, ground)

    def set_load(self, region: str, force: Sequence[float], torque: Sequence[float] = (0, 0, 0)) -> None:
        """Total force, N, and torque, N m, of a region."""
        self._core.edit("load", self.model._core.find("region", region), *map(float, force), *map(float, torque))

    def set_displacement(self, region: str, displacement: Sequence[float], ramp: float = 0.0) -> None:
        """Where a region's fixed translations are taken to, m from the start, within `ramp` s."""
        self._core.edit("displacement", self.model._core.find("region", region), *map(float, displacement), ramp)

    def set_signal(self, signal: str, base: float, amplitude: float, period: float) -> None:
        """K, K and s of a signal; its phase runs on."""
        self._core.edit("signal", self.model._core.find("signal", signal), base, amplitude, period)

    def break_link(self, voxel: int, axis: Union[int, str]) -> None:
        """Cuts the link along an axis (0, 1, 2 or "x", "y", "z") that starts at a voxel."""
        number = "xyz".find(axis) if isinstance(axis, str) and len(axis) == 1 else axis
        if number not in (0, 1, 2):
            raise ValueError(f"axis is {axis!r}; it must be 'x', 'y' or 'z'")
        self._core.edit("break", int(voxel), float(number))

    def carried_to(self, scene: Scene, **settings: Any) -> "Sim":
        """A simulation of a changed scene that goes on from here: voxels that stayed keep pose and motion."""
        other = scene.compile().sim(**{**self.settings, **settings})
        other._core.carry(self._core)
        return other

    def without(self, voxels: Any) -> "Sim":
        """A simulation that goes on without some voxels (numbers, a mask, or a region's name)."""
        numbers = self._voxels(voxels)
        cells = self.model.scene.voxels
        for i, j, k in self.cell[numbers if numbers is not None else slice(None)]:
            cells[i, j, k] = 0
        return self.carried_to(self.model.scene.with_voxels(cells))

    # checkpoints

    def save(self) -> bytes:
        """Everything that changes, as bytes."""
        return self._core.save()

    def load(self, checkpoint: bytes) -> None:
        """Goes on from what save() gave, in a simulation of the same scene and settings."""
        self._core.load(checkpoint)

    # pictures

    def picture(self, width: int = 640, height: int = 480, *, color: str = "material", azimuth: Optional[float] = None,
                elevation: Optional[float] = None, zoom: float = 1.0, dark: bool = False, legend: bool = False,
                path: Union[str, os.PathLike, None] = None) -> np.ndarray:
        """A picture of the simulation as it is, (height, width, 3) uint8; written to `path` (PNG) too if that is given.

        color: what voxels are coloured by: "material", "strain", "stress", "displacement", "speed", ...
        azimuth, elevation: of the eye, rad.
        """
        film = _core.Film.create(self._core, self.model.scene._core, color)
        film.take()
        look = _look(width, height, azimuth, elevation, zoom, dark, legend)
        if path is not None:
            film.save(look, path, 0.0, 1.0)
        return np.frombuffer(film.draw(look, 1e300), dtype=np.uint8).reshape(height, width, 3)

    def film(self, path: Union[str, os.PathLike], every: float = 0.02, **look: Any) -> "_Film":
        """Films what run() does from now on, every so many s; as a context manager, or until close(). The end of the name
        decides: .html (a replay for the browser), .mp4 (by ffmpeg), .gif, or a folder of pictures."""
        return _Film(self, path, every, look)

    def replay(self, path: Union[str, os.PathLike], time: float = 2.0, controller: Any = None,
               every: float = 0.01) -> None:
        """Runs on for `time` s, with a controller if there is one, and writes a replay (HTML) of it."""
        self._play(path, time, controller, every, {})

    def video(self, path: Union[str, os.PathLike], time: float = 2.0, controller: Any = None, every: float = 0.01,
              **look: Any) -> None:
        """Runs on for `time` s and writes a video (.mp4 by ffmpeg, .gif, or a folder of PNG). `look` as of picture()."""
        self._play(path, time, controller, every, look)

    def _play(self, path: Any, time: float, controller: Any, every: float, look: Mapping[str, Any]) -> None:
        end = self.time + time
        with _Film(self, path, 1.0 / 30.0, look, end):
            if controller is None:
                self.run(until=end)
                return
            begin = self.time
            calls = max(1, math.ceil(time / every - 1e-9))
            for call in range(calls):
                controller(self)
                self.run(until=min(begin + (call + 1) * every, end))

    # as an object

    def __enter__(self) -> "Sim":
        return self

    def __exit__(self, *details: Any) -> None:
        pass

    def __reduce__(self):
        return (_restore, (self.model.scene, self.settings, self.save()))

    def __repr__(self) -> str:
        steps, dt, isa, threads, size, fault, message = self._core.info()
        state = f", FAILED: {message}" if message else ""
        return (f"<voxelastic.Sim: {self.voxel_count} voxels, {len(self.actuated)} actuated, {self.time:.6g} s after {steps} "
                f"steps of {dt:.3g} s{state}>")


def _restore(scene: Scene, settings: Mapping[str, Any], checkpoint: bytes) -> Sim:
    sim = Sim(scene.compile(), settings)
    sim.load(checkpoint)
    return sim


def _look(width: int, height: int, azimuth: Optional[float], elevation: Optional[float], zoom: float, dark: bool,
          legend: bool) -> tuple:
    return (int(width), int(height), 4, -1.0 if azimuth is None else float(azimuth),
            0.45 if elevation is None else float(elevation), float(zoom), bool(dark), bool(legend), 0)


class _Film:
    """What run() leaves of its motion."""

    def __init__(self, sim: Sim, path: Any, every: float, look: Mapping[str, Any], until: float = 0.0):
        self._sim = sim
        self._path = os.fspath(path)
        self._every = float(every)
        if not self._every > 0:
            raise ValueError(f"every is {every} s; it must be above 0")
        settings = dict(width=640, height=480, azimuth=None, elevation=None, zoom=1.0, dark=False, legend=True)
        self._color = look.get("color", "material")
        self._speed = look.get("speed", 1.0)
        unknown = set(look) - set(settings) - {"color", "speed"}
        if unknown:
            raise TypeError(f"a film has no setting {sorted(unknown)[0]!r}; there are {', '.join(settings)}, color, speed")
        settings.update({key: value for key, value in look.items() if key in settings})
        self._settings = _look(**settings)
        self._replay = None
        self._film = None
        scene = sim.model.scene._core
        if self._path.endswith(".html"):
            self._replay = _core.Replay.create(sim._core, scene, until)
        else:
            self._film = _core.Film.create(sim._core, scene, self._color)
            self._film.take()
        self._next = self._replay.next() if self._replay is not None else sim.time + self._every
        sim._films.append(self)

    def _look(self, now: float) -> None:
        if now < self._next:
            return
        if self._replay is not None:
            self._replay.observe()
            self._next = self._replay.next()
            if not self._next > now:
                self._next = now + self._every
        else:
            self._film.take()
            self._next = now + self._every

    def close(self) -> None:
        """Writes it."""
        if self not in self._sim._films:
            return
        self._sim._films.remove(self)
        if self._replay is not None:
            self._replay.write(self._path)
        else:
            self._film.save(self._settings, self._path, 1.0 / self._every, self._speed)

    def __enter__(self) -> "_Film":
        return self

    def __exit__(self, kind: Any, *details: Any) -> None:
        if kind is None:
            self.close()
        elif self in self._sim._films:
            self._sim._films.remove(self)
