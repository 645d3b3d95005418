"""Reset/step environments in the shape of Gymnasium, for three tasks in three dimensions: Walk, Climb, Carry.

Gymnasium is used where it is installed (then these are gymnasium.Env and spaces are its own) and not needed.

An action is a number from -1 to 1 per muscle: its size goes to 1 + 0.2 action within the control interval. An observation has,
for every muscle, its strain along x, y, z and whether it touches, then the velocity of the robot's centre of mass (m/s), its
height (m) and what the task adds. Everything is deterministic: the seed decides only the start (small pushes of the voxels).
"""

from __future__ import annotations

import concurrent.futures
from typing import Any, Callable, Dict, List, Optional, Sequence, Tuple

import numpy as np

from .scene import Material, Scene

try:
    import gymnasium

    _Base: Any = gymnasium.Env
    Box: Any = gymnasium.spaces.Box
except ImportError:
    _Base = object

    class Box:  # type: ignore[no-redef]
        """Numbers between two limits: what environments need of gymnasium.spaces.Box."""

        def __init__(self, low: float, high: float, shape: Tuple[int, ...], dtype: Any = np.float64):
            self.low = np.full(shape, low, dtype=dtype)
            self.high = np.full(shape, high, dtype=dtype)
            self.shape = shape
            self.dtype = np.dtype(dtype)
            self._random = np.random.default_rng()

        def seed(self, seed: Optional[int] = None) -> None:
            """Makes sample() repeatable."""
            self._random = np.random.default_rng(seed)

        def sample(self) -> np.ndarray:
            """A point by lot (by a normal distribution where there are no limits)."""
            if not np.isfinite(self.low).all():
                return self._random.normal(size=self.shape).astype(self.dtype)
            return self._random.uniform(self.low, self.high).astype(self.dtype)

        def contains(self, x: Any) -> bool:
            """Whether x is such a point."""
            x = np.asarray(x)
            return x.shape == self.shape and bool(np.all(x >= self.low) and np.all(x <= self.high))

        def __repr__(self) -> str:
            return f"Box({self.low.flat[0]}, {self.high.flat[0]}, {self.shape}, {self.dtype})"


SOFT, MUSCLE, GROUND, LOAD = 1, 2, 3, 4


def quadruped() -> np.ndarray:
    """The usual robot: a back of 6 x 4 x 2 voxels on four legs, legs and lower back of muscle, (6, 4, 4)."""
    cells = np.zeros((6, 4, 4), dtype=np.uint16)
    cells[:, :, 2:] = SOFT
    cells[:, :, 2] = MUSCLE
    for i in (0, 1, 4, 5):
        for j in (0, 3):
            cells[i, j, :2] = MUSCLE
    return cells


class Env(_Base):
    """What the three tasks share. A task sets the scene, adds to the observation and gives rewards.

    body: the robot, material numbers (1 soft, 2 muscle), (nx, ny, nz); the quadruped by default.
    seconds: how long an episode lasts.  every: s from one action to the next.  render_size: (width, height).
    """

    metadata = {"render_modes": ["rgb_array"], "render_fps": 50}
    extra = 0  # numbers that a task adds to the observation

    def __init__(self, body: Optional[np.ndarray] = None, *, seconds: float = 4.0, every: float = 0.02,
                 render_mode: Optional[str] = "rgb_array", render_size: Tuple[int, int] = (480, 360)):
        if render_mode not in (None, "rgb_array"):
            raise ValueError(f"render_mode is {render_mode!r}; there is 'rgb_array'")
        self.render_mode = render_mode
        self.render_size = render_size
        self.seconds = float(seconds)
        self.every = float(every)
        self.body = np.asarray(quadruped() if body is None else body, dtype=np.uint16)
        if self.body.ndim != 3 or not (self.body == MUSCLE).any():
            raise ValueError("a body has three dimensions and at least one muscle (2)")
        self.scene = self._scene(self.body)
        self.sim = self.scene.sim()
        self._robot = np.flatnonzero((self.sim.material == SOFT) | (self.sim.material == MUSCLE)).astype(np.int32)
        muscles = len(self.sim.actuated)
        self._sensed = np.empty((muscles, 4))
        self.action_space = Box(-1.0, 1.0, (muscles,), np.float64)
        self.observation_space = Box(-np.inf, np.inf, (4 * muscles + 4 + self.extra,), np.float64)
        self._random = np.random.default_rng()

    # what tasks say

    def _scene(self, body: np.ndarray) -> Scene:
        size = self._size(body)
        cells = np.zeros(size, dtype=np.uint16)
        nx, ny, nz = body.shape
        cells[:nx, 1:1 + ny, :nz] = body
        self._furnish(cells, body)
        return Scene(0.01, size, [
            Material("soft", E=1e5), Material("muscle", E=1e5, actuated=True),
            Material("ground", E=1e6, color="#8c8c8c", options={"fixed": True, "unmeasured": True}),
            Material("load", E=1e5, density=500, color="#dd8452", options={"unmeasured": True}),
        ], floor=True, collisions=True, name=type(self).__name__.lower()).with_voxels(cells)

    def _size(self, body: np.ndarray) -> Tuple[int, int, int]:
        return (body.shape[0], body.shape[1] + 2, body.shape[2])

    def _furnish(self, cells: np.ndarray, body: np.ndarray) -> None:
        pass

    def _more(self) -> Sequence[float]:
        return ()

    def _progress(self) -> float:
        """m; its growth is the reward."""
        return float(self.sim.sense("center", group=self._robot)[0])

    def _over(self) -> bool:
        return False

    # Gymnasium's shape

    def reset(self, *, seed: Optional[int] = None, options: Optional[Dict[str, Any]] = None) -> Tuple[np.ndarray, dict]:
        """Back to the start; the seed decides small pushes. Returns observation and info."""
        if seed is not None:
            self._random = np.random.default_rng(seed)
        self.sim.reset()
        free = np.isin(np.arange(self.sim.voxel_count), self._robot)[:, None]
        self.sim.velocity = 1e-3 * self._random.normal(size=(self.sim.voxel_count, 3)) * free
        self._last = self._progress()
        return self._observe(), {"time": 0.0}

    def step(self, action: Any) -> Tuple[np.ndarray, float, bool, bool, dict]:
        """One control interval. Returns observation, reward (mm of progress), terminated, truncated, info."""
        action = np.asarray(action, dtype=float)
        if action.shape != self.action_space.shape:
            raise ValueError(f"the action has shape {action.shape}, the action space {self.action_space.shape}")
        self.sim.target[:] = 1.0 + 0.2 * np.clip(action, -1.0, 1.0)
        fault = None
        try:
            self.sim.run(dt=self.every)
        except RuntimeError as error:
            fault = str(error)
        now = self._progress() if fault is None else self._last
        reward = 1e3 * (now - self._last)
        self._last = now
        terminated = fault is not None or self._over()
        truncated = self.sim.time >= self.seconds - 1e-9
        info = {"time": self.sim.time, "progress": now}
        if fault is not None:
            info["fault"] = fault
        return self._observe(), reward, terminated, truncated, info

    def _observe(self) -> np.ndarray:
        self.sim.sense("strain", "touch", group="actuated", out=self._sensed)
        np.minimum(self._sensed[:, 3], 1.0, out=self._sensed[:, 3])
        center = self.sim.sense("center", group=self._robot)
        velocity = self.sim.sense("center_velocity", group=self._robot)
        return np.concatenate([self._sensed.reshape(-1), velocity, center[2:], np.asarray(self._more(), dtype=float)])

    def render(self) -> Optional[np.ndarray]:
        """A picture of now, (height, width, 3) uint8."""
        return None if self.render_mode is None else self.sim.picture(*self.render_size)

    def close(self) -> None:
        """Nothing needs closing; it is there because wrappers call it."""


class Walk(Env):
    """Get as far as possible along x."""


class Climb(Env):
    """Get onto a step two voxels high, two voxels ahead: reward is progress along x and, twice, upwards."""

    extra = 1  # distance to the step, m

    def _size(self, body: np.ndarray) -> Tuple[int, int, int]:
        return (body.shape[0] + 2 + 12, body.shape[1] + 2, max(body.shape[2], 2))

    def _furnish(self, cells: np.ndarray, body: np.ndarray) -> None:
        cells[body.shape[0] + 2:, :, :2] = GROUND

    def _more(self) -> Sequence[float]:
        front = float(self.sim.position[self._robot, 0].max())
        return ((self.body.shape[0] + 2) * 0.01 - front,)

    def _progress(self) -> float:
        center = self.sim.sense("center", group=self._robot)
        return float(center[0] + 2.0 * center[2])


class Carry(Env):
    """Carry a box along x on the back; it is over when the box falls below half the robot's height."""

    extra = 3  # where the box is, from the robot's centre, m

    def _size(self, body: np.ndarray) -> Tuple[int, int, int]:
        return (body.shape[0], body.shape[1] + 2, body.shape[2] + 3)

    def _furnish(self, cells: np.ndarray, body: np.ndarray) -> None:
        nx, ny, nz = body.shape
        cells[nx // 2 - 1:nx // 2 + 1, 1 + ny // 2 - 1:1 + ny // 2 + 1, nz + 1:nz + 3] = LOAD

    def _box(self) -> np.ndarray:
        return self.sim.sense("center", group=self.sim.material == LOAD)

    def _more(self) -> Sequence[float]:
        return self._box() - self.sim.sense("center", group=self._robot)

    def _progress(self) -> float:
        return float(self._box()[0])

    def _over(self) -> bool:
        return bool(self._box()[2] < 0.005 * self.body.shape[2])


class VectorEnv:
    """Several environments at once, on threads: stepping lets go of the interpreter. An environment that is over is reset by the
    next step, as `info["reset"]` tells."""

    def __init__(self, make: Callable[[], Env], count: int, threads: int = 0):
        self.envs: List[Env] = [make() for _ in range(count)]
        self.num_envs = count
        self.single_action_space = self.envs[0].action_space
        self.single_observation_space = self.envs[0].observation_space
        self._over = np.zeros(count, dtype=bool)
        self._pool = concurrent.futures.ThreadPoolExecutor(threads or None)

    def reset(self, *, seed: Optional[int] = None) -> Tuple[np.ndarray, List[dict]]:
        """All of them; environment i gets seed + i."""
        seeds = [None if seed is None else seed + i for i in range(self.num_envs)]
        made = list(self._pool.map(lambda env, own: env.reset(seed=own), self.envs, seeds))
        self._over[:] = False
        return np.stack([m[0] for m in made]), [m[1] for m in made]

    def step(self, actions: Any) -> Tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray, List[dict]]:
        """Observations (n, ...), rewards, terminated and truncated (n,), infos."""
        if len(actions) != self.num_envs:
            raise ValueError(f"{len(actions)} actions for {self.num_envs} environments")
        made = list(self._pool.map(self._one, range(self.num_envs), actions))
        self._over = np.array([m[2] or m[3] for m in made])
        return (np.stack([m[0] for m in made]), np.array([m[1] for m in made]), np.array([m[2] for m in made]),
                np.array([m[3] for m in made]), [m[4] for m in made])

    def _one(self, index: int, action: Any):
        if self._over[index]:
            observation, info = self.envs[index].reset()
            return observation, 0.0, False, False, {**info, "reset": True}
        return self.envs[index].step(action)

    def close(self) -> None:
        """Ends the threads."""
        self._pool.shutdown()
