"""Populations: many scenes on all processors, or over the processes of any executor."""

from __future__ import annotations

import dataclasses
import math
import sys
import time as clock
from typing import Any, Callable, Dict, Iterable, Iterator, List, Optional, Sequence, Union

from . import _core
from .scene import Model, Scene
from .sim import Sim

Fitness = Union[str, Callable[[Sim], float]]
Controller = Callable[[Sim], Any]


@dataclasses.dataclass(frozen=True)
class Result:
    """What became of one scene.

    index: its place among the scenes.  fitness: NaN if it failed.  hash: of the last state.  steps, time (s): how far it
    came.  reason: why it ended.  error: what went wrong, or None.  seconds: wall time.
    """

    index: int
    fitness: float
    hash: str
    steps: int
    time: float
    reason: str
    error: Optional[str]
    seconds: float
    scene: Optional[Scene] = dataclasses.field(default=None, repr=False, compare=False)

    @property
    def ok(self) -> bool:
        """Whether it came to its end."""
        return self.error is None


class Evaluator:
    """What is done with a scene, as a picklable callable: `executor.map(Evaluator(time=5), scenes)` works with process
    pools, mpi4py's and Dask's executors. Takes one scene or a list of them."""

    def __init__(self, time: float = 0.0, fitness: Fitness = "distance", controller: Optional[Controller] = None,
                 every: float = 0.01, settings: Optional[Dict[str, Any]] = None):
        self.time = float(time)
        self.fitness = fitness
        self.controller = controller
        self.every = float(every)
        self.settings = dict(settings or {})

    def __call__(self, scene: Union[Scene, Sequence[Scene]]) -> Union[Result, List[Result]]:
        one = isinstance(scene, Scene)
        made = sorted(Evaluation([scene] if one else list(scene), self, threads=1), key=lambda r: r.index)
        made = [dataclasses.replace(r, scene=None) for r in made]
        return made[0] if one else made


def _chunks(scenes: List[Scene], size: int) -> Iterator[List[Scene]]:
    for first in range(0, len(scenes), size):
        yield scenes[first:first + size]


class Evaluation:
    """Results as they come, in the order in which they end. After Ctrl-C it gives what is done and ends; `interrupted` is
    then True."""

    def __init__(self, scenes: Sequence[Scene], work: Evaluator, threads: int = 0, progress: bool = False,
                 executor: Any = None):
        self.scenes = list(scenes)
        for place, scene in enumerate(self.scenes):
            if not isinstance(scene, Scene):
                raise TypeError(f"element {place} is of type {type(scene).__name__}; scenes are needed")
        if work.controller is not None and not work.every > 0:
            raise ValueError(f"every is {work.every} s; it must be above 0")
        if not (work.time >= 0 and math.isfinite(work.time)):
            raise ValueError(f"time is {work.time} s; it must be finite and not negative")
        if work.controller is not None and not callable(work.controller):
            raise TypeError("the controller must be a callable that takes a Sim")
        self.work = work
        self.interrupted = False
        self.done = 0
        self._progress = progress
        self._begun = clock.monotonic()
        self._told = 0.0
        self._best = -math.inf
        self._iterator = self._over_executor(executor) if executor is not None else self._over_threads(threads)

    def __len__(self) -> int:
        return len(self.scenes)

    def __iter__(self) -> Iterator[Result]:
        return self

    def __next__(self) -> Result:
        return next(self._iterator)

    def _enter(self, index: int, core: Any) -> Sim:
        scene = self.scenes[index]
        model = scene._model or Model(scene, scene._core.compile())
        return Sim(model, self.work.settings, _core_sim=core)

    def _over_threads(self, threads: int) -> Iterator[Result]:
        work = self.work
        calls = work.controller is not None or callable(work.fitness)
        batch = _core.Batch.create([s._core for s in self.scenes], {"audit": False, **work.settings}, work.time, work.every,
                                   threads, work.fitness, work.controller, self._enter if calls else None)
        return self._results(batch)

    def _results(self, batch: Any) -> Iterator[Result]:
        over = False
        while not over:
            try:
                over = batch.wait(0.02 if self.done == 0 else 0.1)
            except KeyboardInterrupt:
                self._stop(batch)
                over = True
            raised = None
            for row in batch.take():
                index, code, reason, cancelled, stopped, fitness, state, steps, time, seconds, message, error = row
                if cancelled:
                    continue
                if error is not None:
                    raised = error
                    continue
                self._note(fitness)
                try:
                    yield Result(index, fitness, f"{state:016x}", steps, time, "stopped" if stopped else reason,
                                 message or None, seconds, self.scenes[index])
                except GeneratorExit:
                    batch.cancel()
                    raise
            if raised is not None:
                batch.cancel()
                raise raised
            try:
                self._tell(batch.counts()[3], over)
            except KeyboardInterrupt:
                self._stop(batch)

    def _stop(self, batch: Any) -> None:
        self.interrupted = True
        batch.cancel()
        batch.wait(-1.0)

    def _over_executor(self, executor: Any) -> Iterator[Result]:
        """In groups, so that sending costs little; results come as they are done."""
        size = max(1, min(32, len(self.scenes) // 64 or 1))
        groups = list(_chunks(self.scenes, size))
        futures = [executor.submit(self.work, group) for group in groups]
        try:
            for place, future in enumerate(futures):
                for result in future.result():
                    index = place * size + result.index
                    self._note(result.fitness)
                    yield dataclasses.replace(result, index=index, scene=self.scenes[index])
                self._tell(0, place + 1 == len(futures))
        except KeyboardInterrupt:
            self.interrupted = True
        finally:
            for future in futures:
                future.cancel()

    # progress

    def _note(self, fitness: float) -> None:
        self.done += 1
        if fitness > self._best:
            self._best = fitness

    def _tell(self, failed: int, over: bool) -> None:
        now = clock.monotonic()
        if not self._progress or (now - self._told < 0.2 and not over):
            return
        self._told = now
        rate = self.done / max(now - self._begun, 1e-9)
        left = (len(self.scenes) - self.done) / rate if rate > 0 else math.inf
        best = f", best {self._best:.4g}" if self._best > -math.inf else ""
        bad = f", {failed} failed" if failed else ""
        sys.stderr.write(f"\r{self.done}/{len(self.scenes)}  {rate:.1f}/s, {left:.0f} s left{best}{bad}   ")
        if over:
            sys.stderr.write("\n")
        sys.stderr.flush()


def evaluate(scenes: Iterable[Scene], time: float = 0.0, fitness: Fitness = "distance", *,
             controller: Optional[Controller] = None, every: float = 0.01, threads: int = 0, device: str = "auto",
             progress: bool = False, executor: Any = None, **settings: Any) -> Evaluation:
    """Simulates many scenes and judges them; iterate over the results, which come as they end.

    time: s of each (0: as the scene's own stop condition says).
    fitness: "distance", "x", "y", "z" (m, of the centre of mass), "formula" (the scene's), or a callable that takes the Sim
        at its end and returns a number.
    controller: called with the Sim at the start and every `every` s of simulated time; what it writes to `sim.target` is
        reached linearly until the next call. Returning False ends the run. It is called for several robots in turn: what it
        remembers must be kept per Sim.
    threads: 0 for all processors.  device: "cpu", "cuda" or "auto" (a GPU, if there is one); on a GPU thousands are
        stepped together.
    executor: anything with `submit`, as of concurrent.futures, mpi4py.futures or Dask: the work is done by its processes.
    settings: of the simulations, see Model.sim().

    Scenes that fail are results with an error and do not touch the others. An exception of Python code ends the evaluation.
    Every scene gives the same hash as if it were run alone, whatever runs it.
    """
    return Evaluation(list(scenes), Evaluator(time, fitness, controller, every, {**settings, "device": device}), threads, progress, executor)
