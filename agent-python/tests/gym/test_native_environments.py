"""Environments with the native backend: the same values as with the bridge, byte for byte, and errors."""

from __future__ import annotations

import pathlib
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from gym_case import arguments, assert_same, digest

gymnasium = pytest.importorskip("gymnasium", reason="gymnasium is not installed")

import sc2bridge.gym  # Registers the environment.
from sc2bridge.gym import MatchEnv, SidesEnv, UnitsEnv
from sc2bridge.gym.smac import StarCraft2Env, StarCraftCapabilityEnvWrapper

pytestmark = [pytest.mark.slow, pytest.mark.usefixtures("native")]

TEAMS = {
    "n_units": 5,
    "n_enemies": 5,
    "team_gen": {
        "dist_type": "weighted_teams",
        "unit_types": ["marine", "medivac"],
        "weights": [0.7, 0.3],
        "observe": True,
    },
    "start_positions": {"dist_type": "surrounded_and_reflect", "p": 0.5, "n_enemies": 5, "map_x": 32, "map_y": 32},
}


def play_both(create: Callable[..., Any], choose: Callable[[Any, Any], Any], steps: int, **given: Any) -> int:
    """Plays on both backends, and compares everything. choose: an action, for a random generator and the last values.
    Returns how many episodes ended."""
    bridge, native = create(**arguments(**given)), create(**given, backend="native")
    random, ends = np.random.default_rng(5), 0
    try:
        for name in ("observation", "action"):
            one, other = (getattr(env, f"{name}_spaces", getattr(env, f"{name}_space", 0)) for env in (bridge, native))
            assert one == other, name
        seed = {} if isinstance(bridge, StarCraft2Env) else {"seed": 3}
        expected, found = bridge.reset(**seed), native.reset(**seed)
        for step in range(steps):
            assert_same(expected, found, f"step {step}:")
            assert_same(all_arrays(bridge), all_arrays(native), f"step {step}, arrays:")
            if is_over(expected):
                ends += 1
                expected, found = bridge.reset(), native.reset()
            else:
                action = choose(random, (bridge, expected))
                expected, found = bridge.step(action), native.step(action)
        return ends
    finally:
        bridge.close()
        native.close()


def is_over(values: Any) -> bool:
    """Whether `reset` is needed. A vector environment never needs it."""
    if len(values) == 3:  # SMAC
        return bool(values[1])
    ended = values[2:4] if len(values) == 5 else ()
    return any(any(each.values()) if isinstance(each, dict) else np.ndim(each) == 0 and each for each in ended)


def all_arrays(env: Any) -> list[Any]:
    """The results of SMAC's methods."""
    names = ("get_obs", "get_state", "get_avail_actions", "get_visibility_matrix", "get_unit_types", "get_capabilities")
    return [getattr(env, name)() for name in names if hasattr(env, name)]


def legal_choices(random: Any, masks: Any) -> Any:
    return (random.random(np.shape(masks)) * masks).argmax(-1)


def choose_by_mask(random: Any, last: Any) -> Any:
    return legal_choices(random, last[1][-1]["action_mask"])


def choose_for_agents(random: Any, last: Any) -> Any:
    """An action for each agent: a number, or a number for each row."""
    masks = {agent: info["action_mask"] for agent, info in last[1][-1].items()}
    return {agent: legal_choices(random, np.array(mask)) for agent, mask in masks.items()}


def choose_for_smac(random: Any, last: Any) -> Any:
    return legal_choices(random, np.array(last[0].get_avail_actions())).tolist()


@pytest.mark.parametrize(
    "given",
    [
        {"actions": "discrete"},
        {"actions": "discrete", "scenario": "MMM", "observation": "planes", "reward": "score"},
        {
            "actions": "multi_discrete",
            "scenario": "2s3z",
            "opponent": "computer:protoss:Easy",
            "observation": "columns",
        },
        {"actions": "discrete", "scenario": None, "map_name": "Salt Basin", "opponent": "computer:zerg:Medium"},
        {
            "actions": "multi_discrete",
            "scenario": None,
            "race": "protoss",
            "opponent": "computer:terran:Hard:Rush",
            "observation": "planes",
            "reward": lambda before, after, result: float(after.game_loop - before.game_loop),
        },
    ],
    ids=["3m", "planes", "columns", "melee", "own reward"],
)
def test_match_env_is_the_same_on_both_backends(given: dict[str, Any]) -> None:
    usual = {"scenario": "3m", "opponent": "computer:terran:VeryHard", "repeat": 16}
    play_both(MatchEnv, choose_by_mask, 150, **{**usual, **given})


@pytest.mark.parametrize(
    "given", [{"actions": "discrete"}, {"actions": "multi_discrete", "reward": lambda before, after, result: 0.5}]
)
def test_a_vector_of_other_environments_is_the_same_on_both_backends(given: Any) -> None:
    def create(**more: Any) -> Any:
        return gymnasium.make_vec("sc2bridge/Match-v0", num_envs=3, vectorization_mode="vector_entry_point", **more)

    play_both(create, choose_by_mask, 60, scenario="3m", opponent="computer:terran:VeryHard", **given)


@pytest.mark.parametrize("actions", ["multi_discrete", "discrete"])
def test_a_bridge_plays_the_watched_match_too(actions: str, tmp_path: pathlib.Path) -> None:
    program = arguments()["executable"]
    given = {"scenario": "3m", "opponent": "computer:terran:VeryHard", "actions": actions, "executable": program}
    envs = gymnasium.make_vec("sc2bridge/Match-v0", num_envs=3, backend="native", watch=1, out=str(tmp_path), **given)
    last, random, ends = envs.reset(seed=2), np.random.default_rng(1), 0
    while ends == 0 or last[-1]["game_loop"][1] < 40:
        mirror = envs._mirror._env
        assert digest(mirror.side._observe()) == digest({name: each[1] for name, each in last[0].items()})
        last = envs.step(choose_by_mask(random, (envs, last)))
        ends += last[2][1]
    assert envs.unwrapped.web_address.startswith("ws")
    envs.close()
    assert len(list(tmp_path.rglob("*.mcap"))) >= ends


def test_the_training_goes_on_if_the_bridge_of_the_watched_match_fails(caplog: pytest.LogCaptureFixture) -> None:
    program = arguments()["executable"]
    given = {"scenario": "3m", "opponent": "computer:terran:VeryHard", "actions": "multi_discrete"}
    for executable in (["false"], program):
        envs = gymnasium.make_vec(
            "sc2bridge/Match-v0", num_envs=2, backend="native", watch=0, executable=executable, **given
        )
        caplog.clear()
        envs.reset(seed=2)
        if executable is program:
            assert not caplog.records
            envs._mirror._env._matches.bridge._launched.process._process.kill()
        for _ in range(30):
            infos = envs.step(np.ones((2, 3), int))[-1]
        assert infos["game_loop"].all() and envs.unwrapped.web_address is None
        assert len([each for each in caplog.records if "training goes on" in each.message]) == 1
        envs.close()


def test_units_env_is_the_same_on_both_backends() -> None:
    assert play_both(UnitsEnv, choose_for_agents, 200, scenario="3m", opponent="computer:terran:VeryHard") > 1


def test_sides_env_is_the_same_on_both_backends() -> None:
    scenario = {"scenario": "3m", "actions": "multi_discrete", "opponent": None}
    melee = {"map_name": "Cinder Fortress", "races": ("terran", "zerg"), "actions": "discrete", "scenario": None}
    for given in (scenario, melee):
        play_both(lambda opponent=None, **more: SidesEnv(**more), choose_for_agents, 60, **given)


def test_environments_refuse_what_needs_a_bridge() -> None:
    smac = StarCraft2Env(map_name="3m", backend="native")
    smac.reset()
    assert smac.render("rgb_array").ndim == 3
    with pytest.raises(ValueError, match="render_mode 'human' needs a bridge"):
        smac.render("human")
    smac.full_restart()
    smac.reset()
    smac.close()
    for create, wrong in (
        (lambda **given: StarCraft2Env(map_name="3m", **given), {"replay_dir": "x"}),
        (lambda **given: UnitsEnv("3m", "computer:terran:Easy", **given), {"render_mode": "human"}),
        (SidesEnv, {"options": ["--rate", "2"]}),
        (MatchEnv, {"opponent": "api:terran"}),
    ):
        with pytest.raises(ValueError, match='needs a bridge: leave .* out, or use backend="bridge"'):
            create(backend="native", **wrong)


def test_an_episode_is_truncated_if_the_library_fails(monkeypatch: pytest.MonkeyPatch) -> None:
    env = MatchEnv(scenario="3m", opponent="computer:terran:Easy", actions="multi_discrete", backend="native")
    env.reset(seed=1)
    call = env._matches._library.call

    def fail(name: str, *given: Any) -> None:
        if name == "match_step":
            raise RuntimeError("the library failed: no memory")
        call(name, *given)

    monkeypatch.setattr(env._matches._library, "call", fail)
    _, reward, terminated, truncated, info = env.step([1, 1, 1])
    assert (reward, terminated, truncated) == (0, False, True)
    assert info["failure"] == "the library failed: no memory (INTERNAL)"
    monkeypatch.undo()
    env.reset(seed=1)
    assert env.step([1, 1, 1])[4]["game_loop"] == 8
    env.close()


def test_smac_is_the_same_on_both_backends() -> None:
    def smac(scenario: Any = None, opponent: Any = None, **given: Any) -> Any:
        return StarCraft2Env(seed=4, map_name="MMM", **given)

    def smac2(scenario: Any = None, opponent: Any = None, **given: Any) -> Any:
        return StarCraftCapabilityEnvWrapper(seed=4, map_name="10gen_terran", capability_config=TEAMS, **given)

    assert play_both(smac, choose_for_smac, 150)
    assert play_both(smac2, choose_for_smac, 150)
