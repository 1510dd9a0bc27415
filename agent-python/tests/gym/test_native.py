"""The native backend: the same bytes as the bridge backend, wrong arguments, threads and processes."""

from __future__ import annotations

import contextlib
import gc
import os
import pathlib
import time
from typing import Any, Optional

import numpy as np
import pytest
from gym_case import arguments, assert_same

gymnasium = pytest.importorskip("gymnasium", reason="gymnasium is not installed")

import sc2bridge.gym  # Registers the environment.
from sc2bridge import library
from sc2bridge.gym import native as native_module, scenario
from sc2bridge.gym.vector import MatchVectorEnv

pytestmark = [pytest.mark.slow, pytest.mark.usefixtures("native")]

EAST, FIRST_TARGET = 4, 6


def native_envs(count: int = 2, **kwargs: Any) -> Any:
    given = {"scenario": "3m", "opponent": "computer:terran:VeryHard", "actions": "multi_discrete", **kwargs}
    return gymnasium.make_vec("sc2bridge/Match-v0", num_envs=count, backend="native", **given)


def legal_actions(masks: Any, random: Any, step: int) -> Any:
    """Random legal actions. In half of the time, units attack or heal if they can, or else go east to the enemy."""
    if step // 100 % 2 == 0:
        return (random.random(masks.shape) * masks).argmax(2)
    targets = masks[:, :, FIRST_TARGET:]
    otherwise = np.where(masks[:, :, EAST] == 1, EAST, masks.argmax(2))
    return np.where(targets.any(2), FIRST_TARGET + targets.argmax(2), otherwise)


def play_both(name: Optional[str], opponent: str, episodes: int, **more: Any) -> set[str]:
    """Plays episodes on both backends, at least 200 steps, and compares everything. Returns the results that occurred."""
    given = {"scenario": name, "opponent": opponent, "actions": "multi_discrete", **more}
    bridge, native = MatchVectorEnv(2, **arguments(**given)), native_envs(**given)
    random, results, ended, step = np.random.default_rng(3), set(), 0, 0
    try:
        assert bridge.observation_space == native.observation_space
        assert bridge.action_space == native.action_space and bridge.metadata["autoreset_mode"]
        assert bridge.metadata["autoreset_mode"] == native.metadata["autoreset_mode"]
        expected, found = bridge.reset(seed=7), native.reset(seed=7)
        while True:
            for number, (one, other) in enumerate(zip(expected, found)):
                assert_same(one, other, f"{name}, step {step}, value {number}:")
            results.update(filter(None, expected[-1].get("result", ())))
            ended += int(expected[2].sum()) if step else 0
            if ended >= episodes and step >= 200:
                return results
            actions = legal_actions(expected[-1]["action_mask"], random, step)
            expected, found, step = bridge.step(actions), native.step(actions), step + 1
    finally:
        bridge.close()
        native.close()


@pytest.mark.parametrize(
    "name, opponent, reward",
    [
        ("3m", "computer:terran:VeryHard", None),
        ("MMM", "computer:terran:VeryHard", "score"),
        ("10gen_protoss", "computer:protoss:Medium:Macro", "result"),
    ],
)
def test_both_backends_give_the_same_bytes(name: str, opponent: str, reward: Optional[str]) -> None:
    assert play_both(name, opponent, 16, reward=reward)


def test_both_backends_give_the_same_bytes_for_victories_and_defeats() -> None:
    assert play_both("3m", "computer:terran:VeryEasy", 80) >= {"victory", "defeat"}


@pytest.mark.parametrize(
    "map_name, race, opponent, more",
    [
        ("Cinder Fortress", "terran", "computer:zerg:VeryHard", {}),
        ("Cinder Fortress LE", "zerg", "computer:protoss:VeryHard", {"reward": "score", "rows": (5, 200, 300)}),
    ],
)
def test_both_backends_give_the_same_bytes_on_melee_maps(map_name: str, race: str, opponent: str, more: Any) -> None:
    play_both(None, opponent, 0, map_name=map_name, race=race, **more)


@pytest.mark.long
@pytest.mark.timeout(1200)
@pytest.mark.parametrize("file", sorted(scenario.FOLDER.glob("*.json")), ids=lambda file: str(file.stem))
def test_both_backends_give_the_same_bytes_in_every_scenario(file: pathlib.Path) -> None:
    assert play_both(file.stem, f"computer:{scenario.races(file.stem)[1]}:VeryHard", 100)


@pytest.mark.long
@pytest.mark.timeout(2400)
@pytest.mark.parametrize("map_name", ["Cinder Fortress", "Salt Basin", "Four Winds"])
def test_both_backends_give_the_same_bytes_in_whole_matches(map_name: str) -> None:
    opponent = "computer:zerg:CheatInsane"  # It wins soon.
    assert play_both(None, opponent, 100, map_name=map_name, race="terran", repeat=32) == {"defeat"}


def test_more_threads_play_the_same_matches_and_a_seed_begins_the_same_match_again() -> None:
    played = []
    for threads in (1, 4):
        envs = native_envs(5, threads=threads, copy=True)
        for _ in range(2):
            result: Any = envs.reset(seed=[3, 1, 4, 1, 5])
            steps = [result]
            for step in range(40):
                result = envs.step(legal_actions(result[-1]["action_mask"], np.random.default_rng(step), 0))
                steps.append(result)
            played.append(steps)
        envs.close()
    for other in played[1:]:
        for one, same in zip(played[0], other):
            for x, y in zip(one, same):
                assert_same(x, y, "a repeated match")
    units = played[0][0][0]["units"]
    assert units[1].tobytes() == units[3].tobytes()  # Both have the seed 1.
    assert any(step[0]["units"][0].tobytes() != step[0]["units"][1].tobytes() for step in played[0])


def test_step_returns_views_and_with_copy_new_arrays() -> None:
    envs, copies = native_envs(), native_envs(copy=True)
    none = np.zeros(envs.action_space.shape, int)
    observed, first = envs.reset(seed=1)[0], copies.reset(seed=1)[0]
    begun = {name: array.tobytes() for name, array in first.items()}
    for env in (envs, copies):
        for _ in range(5):
            now = env.step(none)[0]
    assert all(now_view is observed[name] for name, now_view in envs.step(none)[0].items())
    assert {name: array.tobytes() for name, array in first.items()} == begun
    assert observed["player"].tobytes() != begun["player"] and not np.shares_memory(now["units"], first["units"])
    envs.close()
    copies.close()


@pytest.mark.parametrize(
    "wrong, message",
    [
        ({"map_name": "Cinder Fortress LE"}, "map_name 'Cinder Fortress LE': leave it out with a scenario"),
        ({"scenario": None, "map_name": "Oxide"}, "there is no map 'Oxide': give one of .*Cinder Fortress LE"),
        ({"render_mode": "human"}, "render_mode 'human' needs a bridge: leave render_mode out, or .*bridge"),
        ({"game": "real"}, "game 'real' needs a bridge"),
        ({"out": "x"}, "out 'x' needs a bridge"),
        ({"options": ["--rate", "2"]}, "options .* needs a bridge"),
        ({"actions": "discrete", "out": "x"}, "out 'x' needs a bridge"),
        ({"opponent": "api:terran"}, "opponent 'api:terran' needs a bridge"),
        ({"watch": 1}, "watch 1: give a whole number from 0 to 0"),
        ({"watch": 0, "game": "real"}, "game 'real' needs a bridge"),
        ({"actions": "x"}, "actions 'x': choose discrete, multi_discrete"),
        ({"opponent": "computer:zerg:Easy"}, "needs the race terran"),
        ({"scenario": "4m"}, "no such file or scenario"),
        ({"rows": (2000, 3, 0)}, "rows: give a whole number from 0 to 1000"),
        ({"repeat": 0}, "repeat 0"),
        ({"threads": 0}, "threads 0"),
        ({"threads": 0, "actions": "discrete"}, "threads 0"),
        ({"backend": "x"}, "backend 'x': choose bridge, native"),
    ],
)
def test_a_wrong_argument_is_refused_with_a_remedy(wrong: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        given = {"scenario": "3m", "opponent": "computer:terran:Easy", "actions": "multi_discrete", "backend": "native"}
        gymnasium.make_vec("sc2bridge/Match-v0", num_envs=1, **{**given, **wrong})


def test_a_wrong_action_steps_no_match() -> None:
    envs = native_envs(copy=True)
    with pytest.raises(gymnasium.error.ResetNeeded):
        envs.step(np.zeros((2, 3), int))
    envs.reset(seed=1)
    for wrong, message in (
        (np.full((2, 3), 9), "action 9 for unit 0 of match 0: choose 0 to 8"),
        (np.array([[0, 0, 0], [0, -1, 0]]), "action -1 for unit 1 of match 1"),
        (np.full((2, 3), 0.5), "whole numbers"),
        (np.zeros((1, 3), int), r"shape \(1, 3\): give numbers of shape \(2, 3\)"),
    ):
        with pytest.raises(ValueError, match=message):
            envs.step(wrong)
    assert envs.step(np.zeros((2, 3)))[-1]["game_loop"].tolist() == [8, 8]
    envs.close()
    with pytest.raises(gymnasium.error.ClosedEnvironmentError):
        envs.step(np.zeros((2, 3), int))


def test_a_wrong_action_does_not_change_the_next_match_of_another_environment() -> None:
    tried, plain = (native_envs(4, opponent="computer:terran:VeryEasy", copy=True) for _ in range(2))
    found, expected = tried.reset(seed=1), plain.reset(seed=1)
    wrong, ends = np.full((4, 3), 99), 0
    for step in range(2000):
        over = np.array(found[2]) if step else np.zeros(4, bool)
        if over.any() and not over.all():
            ends += 1
            with pytest.raises(ValueError, match="action 99"):
                tried.step(wrong)
        actions = legal_actions(expected[-1]["action_mask"], np.random.default_rng(step), step)
        found, expected = tried.step(actions), plain.step(actions)
        for name in found[0]:
            assert_same(expected[0][name], found[0][name], name)
        if ends > 3:
            break
    assert ends > 3
    tried.close()
    plain.close()


def test_a_match_that_fails_is_truncated_and_the_others_continue(monkeypatch: pytest.MonkeyPatch) -> None:
    envs, none = native_envs(copy=True), np.ones((2, 3), int)
    envs.reset(seed=1)
    step = envs._library.step

    def fail(*given: Any) -> None:
        step(*given)
        envs._results[1] = native_module._FAILED  # As the library does.
        raise library._MatchFailedError("match 1: no memory")

    monkeypatch.setattr(envs._library, "step", fail)
    _, rewards, terminated, truncated, infos = envs.step(none)
    assert (terminated | truncated).tolist() == truncated.tolist() == [False, True]
    assert infos["failure"].tolist() == [None, "match 1: no memory"] and infos["result"].tolist() == [None, ""]
    monkeypatch.undo()
    _, _, _, truncated, infos = envs.step(none)
    assert not truncated.any() and "failure" not in infos
    envs.close()


def test_an_environment_that_is_deleted_is_closed() -> None:
    envs = native_envs()
    close = envs._close
    del envs
    gc.collect()
    assert not close.alive


def test_without_a_library_the_error_says_how_to_get_it(
    tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(library.VARIABLE, str(tmp_path / "missing.so"))
    with pytest.raises(
        FileNotFoundError,
        match="missing.so: install the wheel.*tools/set-up --part library.*SC2BRIDGE_NATIVE_LIBRARY",
    ):
        library.find_library()
    # An installed package looks only next to its own modules.
    monkeypatch.delenv(library.VARIABLE)
    monkeypatch.setattr(library, "__file__", str(tmp_path / "site-packages/sc2bridge/library.py"))
    with pytest.raises(FileNotFoundError, match=r"site-packages.sc2bridge.\w+\.\w+: install the wheel"):
        library.find_library()
    (tmp_path / "text.so").write_text("no library")
    with pytest.raises(RuntimeError, match="text.so is not the native library"):
        library.Library(tmp_path / "text.so")


def test_a_forked_process_gets_an_error() -> None:
    envs = native_envs()
    envs.reset(seed=1)
    child = os.fork()
    if child == 0:
        try:
            envs.step(np.zeros((2, 3), int))
        except RuntimeError as error:
            os._exit(0 if "fork" in str(error) else 2)
        finally:
            os._exit(1)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
    envs.close()


def wait_for_threads(count: int) -> None:
    """Waits until this process has this number of threads of the library, because the system removes ended threads later."""
    end, found = time.monotonic() + 20, -1
    while found != count:
        assert time.monotonic() < end, f"{found} threads, not {count}"
        time.sleep(0.01)
        found = 0
        for path in pathlib.Path("/proc/self/task").glob("*/comm"):
            with contextlib.suppress(OSError):  # The thread may have ended.
                found += path.read_text().strip() == "sc2bridge"


def test_close_ends_the_threads() -> None:
    wait_for_threads(0)
    envs = native_envs(4, threads=4)
    envs.reset(seed=1)
    wait_for_threads(3)
    envs.close()
    wait_for_threads(0)


def test_an_interrupted_step_loses_no_end_and_repeats_no_seed(monkeypatch: pytest.MonkeyPatch) -> None:
    envs = native_envs(4, repeat=100_000).unwrapped  # Each step ends all matches.
    none, step = np.zeros(envs.action_space.shape, int), envs._library.step

    def interrupted(*arguments: Any) -> None:
        step(*arguments)
        raise KeyboardInterrupt

    envs.reset(seed=1)
    seeds = {tuple(envs._seeds.tolist())}
    monkeypatch.setattr(envs._library, "step", interrupted)
    with pytest.raises(KeyboardInterrupt):
        envs.step(none)  # All matches end.
    with pytest.raises(KeyboardInterrupt):
        envs.step(none)  # All matches begin.
    seeds.add(tuple(envs._seeds.tolist()))
    monkeypatch.undo()
    assert envs.step(none)[2].all()
    assert not envs.step(none)[2].any()
    seeds.add(tuple(envs._seeds.tolist()))
    assert len(seeds) == 3
    envs.close()
