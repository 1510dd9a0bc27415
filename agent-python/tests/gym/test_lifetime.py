"""Matches do not add to the memory of an environment, and processes end with their environment."""

from __future__ import annotations

import contextlib
import gc
import os
import pathlib
import select
import time
from collections.abc import Iterable
from typing import Any

import pytest
from gym_case import arguments, processes

pytest.importorskip("gymnasium", reason="gymnasium is not installed")
pytest.importorskip("numpy")

from test_env import play

from sc2bridge.gym import MatchEnv, MatchVectorEnv, SidesEnv, UnitsEnv
from sc2bridge.gym.smac import StarCraft2Env

pytestmark = pytest.mark.slow
reads_proc = pytest.mark.skipif(not os.path.isdir("/proc/self"), reason="reads the memory of processes from /proc")


def kib(pids: Iterable[int]) -> int:
    """The resident memory of these processes."""
    status = [pathlib.Path(f"/proc/{pid}/status").read_text() for pid in pids]
    return sum(int(line.split()[1]) for each in status for line in each.splitlines() if line.startswith("VmRSS"))


@reads_proc
@pytest.mark.parametrize(("first", "resets"), [(30, 60), pytest.param(300, 1000, marks=pytest.mark.long)])
def test_resets_without_shared_memory_leave_memory_as_it_was(
    first: int, resets: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    # A large cache of the processor lets .NET keep tens of MB of garbage. With 4 MiB, memory shows only what is kept.
    monkeypatch.setenv("DOTNET_GCgen0size", "400000")
    env = MatchEnv(actions="multi_discrete", **arguments())
    env._matches._uses_shared_memory = False
    try:
        for seed in range(first):  # Until the collectors have found their sizes.
            env.reset(seed=seed)
        own, others = kib([os.getpid()]), kib(processes(env))
        for seed in range(resets):
            env.reset(seed=seed)
        now = kib([os.getpid()]), kib(processes(env))
        assert now[0] < own + 4_096, f"Python: {own} KiB, then {now[0]}"
        assert now[1] < others * 1.15 + 20_000, f"the bridge and its game: {others} KiB, then {now[1]}"
    finally:
        env.close()


@reads_proc
@pytest.mark.long
def test_a_hundred_episodes_leave_memory_and_processes_as_they_were() -> None:
    env = MatchEnv(actions="multi_discrete", **arguments())
    try:
        for seed in range(60):  # Until the collector has found its size.
            play(env, seed, 40)
        pids = processes(env)
        memory = kib(pids)
        for seed in range(100):
            play(env, seed, 40)
        assert processes(env) == pids and kib(pids) < memory * 1.15 + 20_000
    finally:
        env.close()


@pytest.mark.skipif(not hasattr(os, "pidfd_open"), reason="waits for processes that are not its own, as Linux can")
@pytest.mark.parametrize("kind", ["match", "discrete", "without shared memory", "units", "sides", "vector", "smac"])
def test_an_environment_that_is_dropped_unclosed_ends_its_processes(kind: str) -> None:
    given = arguments()
    one_side = {name: each for name, each in given.items() if name != "opponent"}
    launch = {name: given[name] for name in ("game", "executable")}
    env: Any = {
        "match": lambda: MatchEnv(actions="multi_discrete", **given),
        "discrete": lambda: MatchEnv(**given),
        "without shared memory": lambda: MatchEnv(actions="multi_discrete", **given),
        "units": lambda: UnitsEnv(**given),
        "sides": lambda: SidesEnv(**one_side),
        "vector": lambda: MatchVectorEnv(2, actions="multi_discrete", **given),
        "smac": lambda: StarCraft2Env("3m", **launch),
    }[kind]()
    if kind == "without shared memory":
        env._matches._uses_shared_memory = False
    env.reset()
    owners = env.envs if kind == "vector" else [env._env if kind == "units" else env]
    pids = [pid for owner in owners for pid in processes(owner)]
    assert len(pids) >= 2 * len(owners)  # A bridge and a game.
    with contextlib.ExitStack() as files:
        ends = {os.pidfd_open(pid) for pid in pids}
        for end in ends:
            files.callback(os.close, end)
        with pytest.warns(ResourceWarning, match="was not closed"):
            del env, owners
            gc.collect()
        late = time.monotonic() + 60
        while ends and (ended := select.select(ends, (), (), max(late - time.monotonic(), 0))[0]):
            ends.difference_update(ended)
        assert not ends, f"{len(ends)} of {len(pids)} processes go on"
