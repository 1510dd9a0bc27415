"""The native backend with signals, other processes and many environments."""

from __future__ import annotations

import contextlib
import multiprocessing
import os
import pathlib
import signal
import subprocess
import sys
import time
from typing import Any

import numpy as np
import pytest

gymnasium = pytest.importorskip("gymnasium", reason="gymnasium is not installed")

import sc2bridge.gym  # Registers the environment.
from sc2bridge.gym import MatchEnv

pytestmark = [pytest.mark.slow, pytest.mark.usefixtures("native")]

GIVEN = {"scenario": "3m", "opponent": "computer:terran:VeryHard"}

LOOP = """
import sys, numpy, gymnasium, sc2bridge.gym
envs = gymnasium.make_vec("sc2bridge/Match-v0", num_envs=16, threads=2, backend="native", actions=sys.argv[1],
    scenario="3m", opponent="computer:terran:VeryHard")
envs.reset(seed=1)
try:
    while True:
        envs.step(numpy.ones(envs.action_space.shape, int))
        print(flush=True)
except KeyboardInterrupt:
    envs.reset(seed=1)
    envs.close()
    print("interrupted")
"""


def vector(actions: str, **more: Any) -> Any:
    return gymnasium.make_vec(
        "sc2bridge/Match-v0", num_envs=2, backend="native", threads=2, actions=actions, **GIVEN, **more
    )


def play(actions: str) -> bytes:
    """Plays a few steps, and returns the last observation."""
    envs = vector(actions)
    envs.reset(seed=1)
    for _ in range(5):
        observed = envs.step(np.ones(envs.action_space.shape, int))[0]
    found = b"".join(each.tobytes() for each in observed.values())
    envs.close()
    return found


def wait_for_threads(count: int) -> None:
    """Waits until this process has this number of threads of environments. The system removes ended threads later."""
    end, found = time.monotonic() + 20, -1
    while found != count:
        assert time.monotonic() < end, f"{found} threads, not {count}"
        time.sleep(0.01)
        found = 0
        for path in pathlib.Path("/proc/self/task").glob("*/comm"):
            with contextlib.suppress(OSError):  # The thread may have ended.
                found += path.read_text().strip().startswith("sc2bridge")


@pytest.mark.parametrize("actions", ["multi_discrete", "discrete"])
def test_ctrl_c_interrupts_the_steps(actions: str) -> None:
    command = [sys.executable, "-c", LOOP, actions]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        process.stdout.readline()  # The steps have begun.
        process.send_signal(signal.SIGINT)
        output, errors = process.communicate(timeout=60)
    assert process.returncode == 0 and output.strip() == "interrupted" and not errors


@pytest.mark.parametrize("actions", ["multi_discrete", "discrete"])
def test_a_spawned_process_plays_the_same_matches(actions: str) -> None:
    with multiprocessing.get_context("spawn").Pool(1) as pool:
        assert pool.apply_async(play, [actions]).get(60) == play(actions)


@pytest.mark.parametrize("create", [lambda: MatchEnv(**GIVEN, backend="native"), lambda: vector("discrete")])
def test_a_forked_process_gets_an_error(create: Any) -> None:
    env = create()
    env.reset(seed=1)
    for use in (env.reset, lambda: env.step(np.zeros(env.action_space.shape, int))):
        child = os.fork()
        if child == 0:
            try:
                use()
            except RuntimeError as error:
                os._exit(0 if "fork" in str(error) else 2)
            finally:
                os._exit(1)
        assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
    env.close()


def test_200_environments_leave_no_thread() -> None:
    wait_for_threads(0)
    for number in range(200):
        envs = vector("discrete" if number % 50 == 0 else "multi_discrete")
        envs.reset(seed=number)
        envs.step(np.ones(envs.action_space.shape, int))
        envs.close()
    wait_for_threads(0)
