"""Environments on new versions of the game: `sc2bridge simulate --patch-day`."""

from __future__ import annotations

import subprocess
from collections.abc import Iterator

import pytest
from gym_case import arguments

gymnasium = pytest.importorskip("gymnasium", reason="gymnasium is not installed")

import sc2bridge.gym  # noqa: F401  It registers the environments.

pytestmark = pytest.mark.slow


@pytest.fixture
def game() -> Iterator[str]:
    """The address of a game. Each of its matches has another version."""
    command = [arguments()["executable"], "simulate", "-listen", "127.0.0.1", "-port", "0", "--patch-day", "1"]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
    assert process.stdout is not None
    try:
        yield f"127.0.0.1:{int(process.stdout.readline().split()[-1])}"
    finally:
        process.kill()
        process.communicate()


@pytest.mark.parametrize(
    ("observation", "actions"),
    [
        ("units", "discrete"),
        pytest.param("planes", "multi_discrete", marks=pytest.mark.long),
        pytest.param("columns", "multi_discrete", marks=pytest.mark.long),
    ],
)
@pytest.mark.parametrize("matches", [3, pytest.param(334, marks=[pytest.mark.long, pytest.mark.timeout(1800)])])
def test_episodes_continue_on_new_versions_of_the_game(observation: str, actions: str, matches: int, game: str) -> None:
    given = dict(arguments(), options=["--attach", game], observation=observation, actions=actions)
    env = gymnasium.make("sc2bridge/Match-v0", disable_env_checker=True, **given)
    sizes = set()
    try:
        for seed in range(matches):
            seen, info = env.reset(seed=seed)
            sizes.add(env.unwrapped.side.map_size)
            env.action_space.seed(seed)
            for _ in range(3):
                mask = info["action_mask"]
                action = env.action_space.sample(mask=tuple(mask) if mask.ndim == 2 else mask)
                seen, _, terminated, truncated, info = env.step(action)
                assert env.observation_space.contains(seen)
                assert not (terminated or truncated), info
    finally:
        env.close()
    assert len(sizes) > 1
