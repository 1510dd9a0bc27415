"""`sc2bridge/Match-v0`, on the simulated game."""

from __future__ import annotations

import os
import pathlib
import signal
from typing import Any

import pytest
from gym_case import arguments, digest, processes

gymnasium = pytest.importorskip("gymnasium", reason="gymnasium is not installed")
np = pytest.importorskip("numpy")

import sc2bridge.gym
from sc2bridge.gym import MatchEnv, MatchVectorEnv, SidesEnv, UnitsEnv

pytestmark = pytest.mark.slow


def play(env: Any, seed: int, steps: int) -> list[bytes]:
    """Random actions of a seed, to the end of the episode at most."""
    observation, info = env.reset(seed=seed)
    env.action_space.seed(seed)
    seen = [digest(observation)]
    for _ in range(steps):
        mask = info["action_mask"]
        action = env.action_space.sample(mask=tuple(mask) if mask.ndim == 2 else mask)
        observation, reward, terminated, truncated, info = env.step(action)
        seen += [digest(observation), np.float64(reward).tobytes(), info["action_mask"].tobytes()]
        if terminated or truncated:
            break
    return seen


@pytest.mark.parametrize("observation", ["units", "planes", "columns"])
@pytest.mark.parametrize("actions", ["discrete", "multi_discrete"])
@pytest.mark.filterwarnings("ignore:.*Box observation space.*")
def test_gymnasium_finds_nothing_wrong(observation: str, actions: str, monkeypatch: pytest.MonkeyPatch) -> None:
    from gymnasium.utils.env_checker import check_env

    monkeypatch.setattr("webbrowser.open", lambda address: True)
    env = gymnasium.make("sc2bridge/Match-v0", observation=observation, actions=actions, **arguments())
    try:
        check_env(env.unwrapped, skip_render_check=actions == "discrete", skip_close_check=True)
    finally:
        env.close()


@pytest.mark.parametrize("actions", ["discrete", "multi_discrete"])
def test_a_seed_gives_the_same_bytes_in_the_same_bridge_and_in_another(actions: str) -> None:
    runs = []
    for _ in range(2):
        env = MatchEnv(actions=actions, **arguments())
        try:
            runs += [play(env, 5, 30), play(env, 5, 30)]
        finally:
            env.close()
    assert len(runs[0]) > 20 and all(run == runs[0] for run in runs)


def test_a_game_that_is_killed_truncates_the_episode_and_the_next_plays_on_another() -> None:
    env = MatchEnv(actions="multi_discrete", **arguments())
    try:
        whole = play(env, 3, 10)
        before = processes(env)
        games = [pid for pid, args in before.items() if "-quitWhenAlone" in args and not args.startswith("/bin/sh")]
        assert games
        for pid in games:
            os.kill(pid, signal.SIGKILL)
        for _ in range(5):
            _, _, terminated, truncated, info = env.step([0, 0, 0])
            if truncated or terminated:
                break
        assert truncated and not terminated and "simulated game" in info["failure"]
        assert play(env, 3, 10) == whole and not set(games) & set(processes(env))
    finally:
        env.close()


def test_a_bridge_that_is_killed_truncates_the_episode_and_is_replaced() -> None:
    env = MatchEnv(actions="multi_discrete", **arguments())
    try:
        whole = play(env, 3, 10)
        bridge = env._matches.bridge
        assert bridge is not None
        os.killpg(bridge._launched.process._process.pid, signal.SIGKILL)
        _, _, terminated, truncated, info = env.step([0, 0, 0])
        assert truncated and not terminated and info["failure"]
        assert play(env, 3, 10) == whole
    finally:
        env.close()


def test_without_shared_memory_no_match_that_was_played_is_kept() -> None:
    env = MatchEnv(actions="multi_discrete", **arguments())
    env._matches._uses_shared_memory = False
    try:
        for seed in range(4):
            env.reset(seed=seed)
            bridge = env._matches.bridge
            assert bridge is not None and list(bridge._core._subscriptions.values()) == [
                frames._core for frames in env._matches._frames
            ]
    finally:
        env.close()


def test_without_shared_memory_frames_arrive_over_grpc(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(
        "sc2bridge.gym.matches.connect", lambda url, token: sc2bridge.connect("shm:not-there", token=token)
    )
    env = MatchEnv(actions="multi_discrete", **arguments())
    try:
        assert play(env, 3, 10) and env._matches._connection is env._matches.bridge
    finally:
        env.close()


@pytest.mark.skipif(os.name == "nt", reason="the made-up program is a script of a shell")
def test_a_match_that_cannot_start_is_not_tried_again(tmp_path: pathlib.Path) -> None:
    program, starts = tmp_path / "bridge", tmp_path / "starts"
    program.write_text(f"#!/bin/sh\necho start >> {starts}\necho 'sc2bridge: there is no map Nope' >&2\nexit 1\n")
    program.chmod(0o755)
    given = {"executable": str(program), "map_name": "Nope"}
    for begin in (
        lambda: MatchEnv(**given),
        lambda: MatchEnv(actions="multi_discrete", **given).reset(),
        lambda: SidesEnv(**given).reset(),
        lambda: UnitsEnv("3m", "computer:terran:VeryHard", **given).reset(),
        lambda: MatchVectorEnv(1, **given),
    ):
        starts.write_text("")
        with pytest.raises(sc2bridge.LaunchError, match="the bridge ended with exit code 1: there is no map Nope"):
            begin()
        assert starts.read_text() == "start\n"


def test_many_environments_step_in_processes_of_their_own() -> None:
    make = lambda: gymnasium.make("sc2bridge/Match-v0", actions="multi_discrete", **arguments())  # noqa: E731
    envs = gymnasium.vector.AsyncVectorEnv([make] * 2)
    try:
        observations, _ = envs.reset(seed=[1, 1])
        assert observations["units"].shape == (2, 6, 15)
        for _ in range(3):
            observations, rewards, *_ = envs.step(np.ones((2, 3), np.int64))
        assert (observations["units"][0] == observations["units"][1]).all() and rewards.shape == (2,)
    finally:
        envs.close()


def check_parallel(env: Any, random: Any) -> dict[str, Any]:
    """An episode by PettingZoo's parallel API: what its parallel_api_test looks at. Returns the last infos."""
    observations, infos = env.reset(seed=2)
    assert env.agents == env.possible_agents == list(observations) == list(infos)
    while env.agents:
        agents = list(env.agents)
        chosen = {}
        for agent in agents:
            space = env.observation_space(agent)
            assert space is env.observation_space(agent) and space.contains(observations[agent])
            mask = observations[agent]["action_mask"]
            assert np.array_equal(infos[agent]["action_mask"], mask)
            assert env.action_space(agent) is env.action_space(agent)
            pick = lambda row: random.choice(np.flatnonzero(row))  # noqa: E731
            chosen[agent] = np.array([pick(row) for row in mask]) if isinstance(mask, tuple) else pick(mask)
            assert env.action_space(agent).contains(chosen[agent])
        observations, rewards, terminated, truncated, infos = env.step(chosen)
        for told in (observations, rewards, terminated, truncated, infos):
            assert set(told) == set(agents)
        ended = {agent for agent in agents if terminated[agent] or truncated[agent]}
        assert set(env.agents) == set(agents) - ended
    return infos


def test_units_are_agents_with_the_masks_that_they_have_to_keep() -> None:
    env = UnitsEnv(**arguments())
    try:
        env.reset(seed=1)
        info = env.get_env_info()
        assert info["n_agents"] == 3 and info["n_actions"] == 9
        assert info["obs_shape"] == info["state_shape"] == 6 * len(env.features)
        assert env.features[-1] == "Marine" and env.get_state().reshape(6, -1)[:, -1].tolist() == [1] * 6
        assert env.get_state().shape == env.state().shape == (info["state_shape"],) and len(env.get_obs()) == 3
        for mask in env.get_avail_actions():  # A living unit has other actions than doing nothing.
            assert mask[0] == 0 and any(mask)
        infos = check_parallel(env, np.random.default_rng(1))
        assert all(result["result"] for result in infos.values())
        assert info["episode_limit"] == 60 and env.get_stats()["battles_game"] == 1
        env.reset(seed=2)
        steps, over = 0, False
        while not over:
            actions = [np.flatnonzero(row)[-1] for row in env.get_avail_actions()]
            _, over, told = env.step(actions)
            steps += 1
        with pytest.raises(gymnasium.error.ResetNeeded):
            env.step([1, 1, 1])
        stats = env.get_stats()
        assert steps <= env.episode_limit and stats["battles_game"] == 2
        assert told["battle_won"] == (told["dead_enemies"] == 3) and not env.agents
    finally:
        env.close()


@pytest.mark.parametrize("actions", ["discrete", "multi_discrete"])
def test_two_sides_of_a_match_are_agents_time_after_time(actions: str) -> None:
    given = arguments()
    del given["opponent"]
    env = SidesEnv(actions=actions, **given)
    try:
        for _ in range(2):  # The second time, a match with played steps is left for a new one.
            infos = check_parallel(env, np.random.default_rng(1))
            results = [infos[agent]["result"] for agent in ("player_1", "player_2")]
            assert sorted(results) in (["defeat", "victory"], ["tie", "tie"])
        mirrored = env.reset(seed=2)[0]
        assert mirrored["player_1"]["observation"]["units"].any() and mirrored["player_2"]["observation"]["units"].any()
    finally:
        env.close()


def test_a_killed_game_is_the_end_for_both_sides() -> None:
    given = arguments()
    del given["opponent"]
    env = SidesEnv(actions="multi_discrete", **given)
    try:
        env.reset(seed=1)
        for pid, args in processes(env).items():
            if "-quitWhenAlone" in args and not args.startswith("/bin/sh"):
                os.kill(pid, signal.SIGKILL)
                break
        while env.agents:
            _, _, terminated, truncated, infos = env.step({agent: [0, 0, 0] for agent in env.agents})
        assert all(terminated[agent] != truncated[agent] for agent in env.possible_agents)
        assert all(
            infos[agent]["failure"] and "result" in infos[agent] for agent in env.possible_agents if truncated[agent]
        )
        assert any(truncated.values())
    finally:
        env.close()


def test_if_one_of_many_cannot_start_the_others_are_closed(monkeypatch: pytest.MonkeyPatch) -> None:
    closed: list[MatchEnv] = []
    made = iter(range(3))

    def make(**given: Any) -> MatchEnv:
        if next(made) == 1:
            raise sc2bridge.LaunchError("no port")
        env = MatchEnv(actions="multi_discrete", **given)
        monkeypatch.setattr(env, "close", lambda: closed.append(env))
        return env

    monkeypatch.setattr("sc2bridge.gym.vector.MatchEnv", make)
    with pytest.raises(sc2bridge.LaunchError, match="no port"):
        MatchVectorEnv(3, **arguments())
    assert len(closed) == 2


def test_a_batch_equals_its_single_matches_and_restarts_ended_ones() -> None:
    envs = MatchVectorEnv(2, actions="multi_discrete", **arguments())
    alone = MatchEnv(actions="multi_discrete", **arguments())
    try:
        together, _ = envs.reset(seed=[3, 4])
        single, info = alone.reset(seed=4)
        over = np.zeros(2, bool)
        for _ in range(200):
            assert all((together[name][1] == single[name]).all() for name in single)
            action = np.array([np.flatnonzero(row)[-1] for row in info["action_mask"]])
            envs.send(np.array([[0, 0, 0], action]))
            single, reward, terminated, truncated, info = alone.step(action)
            together, rewards, *ended, infos = envs.recv()
            assert rewards[1] == reward and (ended[0][1], ended[1][1]) == (terminated, truncated)
            over = ended[0] | ended[1]
            if over[1]:
                break
        assert over[1] and infos["result"][1] == info["result"]
        together, rewards, *ended, _ = envs.step(np.zeros((2, 3), np.int64))
        assert rewards[1] == 0 and not ended[0][1] and together["mask"][1].all()
    finally:
        envs.close()
        alone.close()
