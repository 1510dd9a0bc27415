"""Matches on the simulated game by SMAC's interface, and by the runners of PyMARL2 and SMACv2.

`SC2BRIDGE_PYMARL2` may name a clone of hijkzzz/pymarl2 at 8ccac7c5, `SC2BRIDGE_SMACV2` one of oxwhirl/smacv2 at 577ab5a2. Their files run
as they are; only the environment that they import is the bridge's.
"""

from __future__ import annotations

import os
import pathlib
import runpy
import signal
import sys
import types
from collections import Counter
from collections.abc import Iterator
from typing import Any

import pytest

pytest.importorskip("gymnasium", reason="gymnasium is not installed")
np = pytest.importorskip("numpy")

from gym_case import arguments, processes
from test_smac import TERRAN

from sc2bridge.gym import smac
from sc2bridge.gym.smac import StarCraft2Env, StarCraftCapabilityEnvWrapper

pytestmark = pytest.mark.slow


def given(**more: Any) -> dict[str, Any]:
    """The arguments of an environment of SMAC's, on the simulated game."""
    return {name: each for name, each in arguments().items() if name in ("game", "executable")} | more


def play(env: Any, random: Any) -> tuple[float, dict[str, Any], int]:
    """An episode of random actions, as SMAC's random_agents.py."""
    obs, state = env.reset()
    assert len(obs) == env.n_agents and state.shape == (env.get_state_size(),)
    total, steps, over = 0.0, 0, False
    while not over:
        assert all(each.dtype == np.float32 and each.shape == (env.get_obs_size(),) for each in env.get_obs())
        assert env.get_state().shape == (env.get_state_size(),)
        actions = [random.choice(np.flatnonzero(env.get_avail_agent_actions(row))) for row in range(env.n_agents)]
        reward, over, info = env.step(actions)
        total, steps = total + reward, steps + 1
        assert np.isfinite(env.get_state()).all() and np.isfinite(env.get_obs()).all()
    assert set(info) == {"battle_won", "dead_allies", "dead_enemies"}
    return total, info, steps


@pytest.mark.parametrize(
    ("name", "episodes"),
    [("3m", 3), ("2s3z", 1), ("MMM", 1), ("10gen_terran", 2), ("10gen_zerg", 1), ("10gen_protoss", 1)],
)
def test_episodes_end_within_their_limit_and_are_counted(name: str, episodes: int) -> None:
    random, env = np.random.default_rng(1), StarCraft2Env(name, seed=1, **given())
    try:
        ends = [play(env, random) for _ in range(episodes)]
        assert all(steps <= env.episode_limit and 0 <= total <= 20 for total, _, steps in ends)
        stats = env.get_stats()
        assert stats["battles_game"] == episodes and stats["restarts"] == 0
        assert stats["battles_won"] == sum(info["battle_won"] for _, info, _ in ends)
    finally:
        env.close()


def test_attacking_the_weakest_in_range_wins_with_a_reward_of_twenty() -> None:
    env = StarCraft2Env("3m", seed=1, **given())
    try:
        env.reset()
        total, over = 0.0, False
        while not over:
            available = np.array(env.get_avail_actions())
            enemies = env.get_state_dict()["enemies"]
            weakest = min((row for row in range(3) if enemies[row, 0] > 0), key=lambda row: enemies[row, 0])
            # East until an enemy is in range.
            actions = [
                0
                if row[0]
                else 6 + weakest
                if row[6 + weakest]
                else int(np.flatnonzero(row)[-1])
                if row[6:].any()
                else 4
                for row in available
            ]
            reward, over, info = env.step(actions)
            total += reward
        assert info["battle_won"] and info["dead_enemies"] == 3 and total == pytest.approx(20, abs=0.5)
        with pytest.raises(RuntimeError, match="the episode is over: call reset"):
            env.step([1, 1, 1])
        assert env.get_stats()["win_rate"] == 1
    finally:
        env.close()


def test_an_action_that_is_not_available_is_an_error_and_nothing_is_sent() -> None:
    env = StarCraft2Env("3m", seed=1, **given())
    try:
        with pytest.raises(RuntimeError, match="no match is running: call reset"):
            env.step([1, 1, 1])
        env.reset()
        assert env.render("rgb_array").shape == (180, 180, 3)
        with pytest.raises(ValueError, match="save_replay: no recordings: give out=FOLDER"):
            env.save_replay()
        for wrong in ([1, 1, 6], [1, 1, 0], [1, 1, 9], [1, 1, -1]):
            with pytest.raises(ValueError, match=f"unit 2 cannot perform action {wrong[2]}: choose one of \\[1, 2, "):
                env.step(wrong)
        with pytest.raises(ValueError, match="2 actions: give 3, one for each unit"):
            env.step([1, 1])
        assert env.step([1, 1, 1])[1] is False
    finally:
        env.close()


@pytest.mark.parametrize("killed", ["bridge", "-quitWhenAlone"])
def test_a_bridge_or_a_game_that_is_killed_ends_the_episode_and_is_replaced(killed: str) -> None:
    env = StarCraft2Env("3m", seed=1, **given())
    try:
        env.reset()
        for pid, words in processes(env).items():
            if killed in words.split() and not words.startswith("/bin/sh"):
                os.kill(pid, signal.SIGKILL)
        over = False
        while not over:
            reward, over, info = env.step([1 if row[1] else 0 for row in env.get_avail_actions()])
        assert (reward, info) == (0.0, {}) and env.get_stats()["restarts"] == 1
        env.reset()
        assert env.step([1, 1, 1])[1] is False
    finally:
        env.close()


def test_each_match_has_random_teams_and_places() -> None:
    env = StarCraftCapabilityEnvWrapper(capability_config=TERRAN, map_name="10gen_terran", seed=3, **given())
    try:
        seen = set()
        for _ in range(8):
            env.reset()
            kinds = env.get_unit_types()
            assert len(kinds) == 21 and set(kinds) <= {48, 51, 54} and set(kinds[:10]) != {54}
            assert not Counter(kinds[:10]) - Counter(kinds[10:])
            seen.add((tuple(kinds), env.get_state()[:40].tobytes()))
            assert env.get_capabilities().reshape(10, 3).sum() == 10
        assert len(seen) == 8
    finally:
        env.close()


@pytest.fixture
def pymarl(monkeypatch: pytest.MonkeyPatch) -> Iterator[Any]:
    """torch, with PyMARL2's modules in reach."""
    clone = os.environ.get("SC2BRIDGE_PYMARL2")
    if not clone:
        pytest.skip("no clone of hijkzzz/pymarl2 (set SC2BRIDGE_PYMARL2)")
    torch = pytest.importorskip("torch")
    monkeypatch.syspath_prepend(str(pathlib.Path(clone) / "src"))
    starcraft: Any = types.ModuleType("envs.starcraft")
    starcraft.StarCraft2Env = StarCraft2Env
    others: Any = types.ModuleType("envs.stag_hunt")
    others.StagHunt = object  # It needs pygame.
    monkeypatch.setitem(sys.modules, "envs.starcraft", starcraft)
    monkeypatch.setitem(sys.modules, "envs.stag_hunt", others)
    yield torch
    # The next test imports them again.
    for name, module in list(sys.modules.items()):
        if str(getattr(module, "__file__", "")).startswith(str(pathlib.Path(clone))):
            del sys.modules[name]


@pytest.mark.parametrize("name", ["3m", pytest.param("8m", marks=pytest.mark.long)])
@pytest.mark.parametrize("runner", ["episode", "parallel"])
@pytest.mark.parametrize("episodes", [1, pytest.param(10, marks=pytest.mark.long)])
def test_pymarl2s_runners_play_and_its_learner_learns(name: str, runner: str, episodes: int, pymarl: Any) -> None:
    from components.episode_buffer import ReplayBuffer  # type: ignore[import-not-found]
    from components.transforms import OneHot  # type: ignore[import-not-found]
    from controllers.n_controller import NMAC  # type: ignore[import-not-found]
    from learners.nq_learner import NQLearner  # type: ignore[import-not-found]

    made = __import__(f"runners.{runner}_runner", fromlist=["runner"])
    yaml = pytest.importorskip("yaml")
    source = pathlib.Path(os.environ["SC2BRIDGE_PYMARL2"]) / "src" / "config"
    words: dict[str, Any] = {}
    for file in ("default.yaml", "envs/sc2.yaml", "algs/qmix.yaml"):
        words.update(yaml.safe_load((source / file).read_text()))
    words.update(batch_size_run=1 if runner == "episode" else 2, device="cpu", use_cuda=False, batch_size=2)
    words["env_args"].update(map_name=name, seed=1, **given())
    args = types.SimpleNamespace(**words)
    logged: dict[str, float] = {}
    logger = types.SimpleNamespace(log_stat=lambda name, value, step: logged.update({name: float(value)}))
    plays = (made.EpisodeRunner if runner == "episode" else made.ParallelRunner)(args, logger)
    try:
        info = plays.get_env_info()
        args.n_agents, args.n_actions = info["n_agents"], info["n_actions"]
        args.state_shape, args.obs_shape = info["state_shape"], info["obs_shape"]
        scheme = {
            "state": {"vshape": info["state_shape"]},
            "obs": {"vshape": info["obs_shape"], "group": "agents"},
            "actions": {"vshape": (1,), "group": "agents", "dtype": pymarl.long},
            "avail_actions": {"vshape": (info["n_actions"],), "group": "agents", "dtype": pymarl.int},
            "probs": {"vshape": (info["n_actions"],), "group": "agents", "dtype": pymarl.float},
            "reward": {"vshape": (1,)},
            "terminated": {"vshape": (1,), "dtype": pymarl.uint8},
        }
        groups, preprocess = {"agents": args.n_agents}, {
            "actions": ("actions_onehot", [OneHot(out_dim=args.n_actions)])
        }
        buffer = ReplayBuffer(scheme, groups, 16, info["episode_limit"] + 1, preprocess=preprocess, device="cpu")
        mac = NMAC(buffer.scheme, groups, args)
        plays.setup(scheme=scheme, groups=groups, preprocess=preprocess, mac=mac)
        learner = NQLearner(mac, buffer.scheme, logger, args)
        for _ in range(max(episodes, 2) // plays.batch_size):
            with pymarl.no_grad():
                buffer.insert_episode_batch(plays.run(test_mode=False))
        sample = buffer.sample(2)
        learner.train(sample[:, : sample.max_t_filled()], plays.t_env, 1)
        assert plays.t_env > 0 and 0 <= logged["return_mean"] <= 20 and np.isfinite(logged["loss_td"])
        assert {"battle_won_mean", "dead_allies_mean", "dead_enemies_mean"} <= set(logged)
    finally:
        plays.close_env()
        for process in getattr(plays, "ps", []):
            process.join(30)


@pytest.mark.long
def test_smacv2s_example_plays_its_ten_episodes(monkeypatch: pytest.MonkeyPatch) -> None:
    clone = os.environ.get("SC2BRIDGE_SMACV2")
    if not clone:
        pytest.skip("no clone of oxwhirl/smacv2 (set SC2BRIDGE_SMACV2)")
    made: list[Any] = []

    class Simulated(StarCraftCapabilityEnvWrapper):
        def __init__(self, **kwargs: Any) -> None:
            super().__init__(**kwargs, **given())
            made.append(self)

    logging = types.SimpleNamespace(set_verbosity=lambda level: None, DEBUG=0)
    env = types.ModuleType("smacv2.env")
    vars(env).update(StarCraft2Env=StarCraft2Env, MultiAgentEnv=smac.MultiAgentEnv)
    wrapper = types.ModuleType("smacv2.env.starcraft2.wrapper")
    vars(wrapper).update(StarCraftCapabilityEnvWrapper=Simulated)
    absl = types.ModuleType("absl")
    vars(absl).update(logging=logging)
    for name, module in (
        ("absl", absl),
        ("smacv2", types.ModuleType("smacv2")),
        ("smacv2.env", env),
        ("smacv2.env.starcraft2", types.ModuleType("smacv2.env.starcraft2")),
        ("smacv2.env.starcraft2.wrapper", wrapper),
    ):
        monkeypatch.setitem(sys.modules, name, module)
    monkeypatch.setattr("time.sleep", lambda seconds: None)
    try:
        runpy.run_path(str(pathlib.Path(clone) / "smacv2" / "examples" / "random_agents.py"), run_name="__main__")
        assert made[0].get_stats()["battles_game"] == 10
    finally:
        for each in made:
            each.close()
