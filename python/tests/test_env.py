"""Environments: spaces fit, seeds repeat, episodes end, many at once are the same as one by one."""

import numpy as np
import pytest

from voxelastic.env import Carry, Climb, VectorEnv, Walk


@pytest.mark.parametrize("task", [Walk, Climb, Carry])
def test_episode(task):
    env = task(seconds=0.2)
    observation, info = env.reset(seed=5)
    assert env.observation_space.contains(observation)
    env.action_space.seed(1)
    states = []
    for _ in range(2):
        env.reset(seed=5)
        env.action_space.seed(1)
        total, calls, over = 0.0, 0, False
        while not over:
            action = env.action_space.sample()
            assert env.action_space.contains(action)
            observation, reward, terminated, truncated, info = env.step(action)
            assert env.observation_space.contains(observation) and np.isfinite(observation).all()
            total += reward
            calls += 1
            over = terminated or truncated
        states.append((env.sim.hash, total, calls))
    assert states[0] == states[1]
    assert calls == 10 or terminated
    env.reset(seed=6)
    assert env.sim.hash != states[0][0]
    assert env.render().shape == (360, 480, 3)
    with pytest.raises(ValueError, match="the action has shape"):
        env.step(np.zeros(2))


def test_a_box_that_falls_ends_it():
    env = Carry(seconds=1.0)
    env.reset(seed=0)
    env.sim.position = env.sim.position + np.where((env.sim.material == 4)[:, None], (0.0, 0.2, -0.05), 0.0)
    *_, terminated, truncated, info = env.step(np.zeros(env.action_space.shape))
    assert terminated and not truncated


def test_the_step_bears(tmp_path):
    """Put above the step, the robot stands on it."""
    env = Climb(seconds=1.0)
    env.reset(seed=0)
    robot = (env.sim.material <= 2)[:, None]
    env.sim.position = env.sim.position + np.where(robot, (0.10, 0.0, 0.0205), 0.0)
    for _ in range(15):
        env.step(np.zeros(env.action_space.shape))
    assert env.sim.position[env._robot, 2].min() > 0.02
    assert (env.sim.sense("touch_bodies", group=env._robot)[:, 2] > 0).any()


def test_many_at_once():
    many = VectorEnv(lambda: Walk(seconds=0.06), 3)
    one = Walk(seconds=0.06)
    observations, _ = many.reset(seed=10)
    actions = np.random.default_rng(0).uniform(-1, 1, (4, 3) + one.action_space.shape)
    one.reset(seed=11)
    for call in range(3):
        observations, rewards, terminated, truncated, infos = many.step(actions[call])
        observation, reward, *_ = one.step(actions[call][1])
        assert np.array_equal(observation, observations[1]) and reward == rewards[1]
    assert truncated.all()
    *_, infos = many.step(actions[3])
    assert all(info["reset"] for info in infos)
    many.close()
