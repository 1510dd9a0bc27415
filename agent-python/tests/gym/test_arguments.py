"""Wrong arguments of environments and wrong actions: one clear error."""

from __future__ import annotations

from typing import Any

import pytest

pytest.importorskip("gymnasium", reason="gymnasium is not installed")
np = pytest.importorskip("numpy")

from gym_case import OWN, arguments, frame_of

from sc2bridge.gym import MatchEnv, MatchVectorEnv, SidesEnv, UnitsEnv
from sc2bridge.gym.actions import UnitActions
from sc2bridge.gym.slots import Slots

NO_PROGRAM = {"executable": "/there/is/no/program"}


@pytest.mark.parametrize(
    ("wrong", "kind", "text"),
    [
        ({"scenari": "3m"}, TypeError, "there is no argument 'scenari': did you mean scenario"),
        ({"opponents": "x"}, TypeError, "there is no argument 'opponents': did you mean opponent"),
        ({"wait": 2}, TypeError, "wait: leave this argument out"),
        ({"scenario": "corridr"}, ValueError, "scenario corridr: .* did you mean corridor?"),
        ({"scenario": 3}, TypeError, "scenario 3: give a scenario's name or the path"),
        ({"opponent": "computer:zreg:Easy"}, ValueError, "there is no race 'zreg': did you mean Zerg?"),
        ({"opponent": "computer:zerg:Esay"}, ValueError, "there is no difficulty 'Esay': did you mean Easy?"),
        ({"opponent": "computer:zerg:Easy:Marco"}, ValueError, "there is no build 'Marco': did you mean Macro?"),
        ({"opponent": "computer:zerg"}, ValueError, "give computer:RACE:DIFFICULTY"),
        ({"opponent": "agent:zerg"}, ValueError, "use SidesEnv for both sides"),
        ({"opponent": 7}, ValueError, "give computer:RACE:DIFFICULTY"),
        ({"race": "terrn"}, ValueError, "race 'terrn': did you mean terran?"),
        ({"observation": "unit"}, ValueError, "observation 'unit': did you mean units?"),
        ({"observation": 3}, TypeError, "observation 3: choose units, .* methods space and of"),
        ({"actions": "discret"}, ValueError, "actions 'discret': did you mean discrete?"),
        ({"actions": None}, TypeError, "actions None: choose discrete, multi_discrete"),
        ({"reward": "figth"}, ValueError, "reward 'figth': did you mean fight?"),
        ({"reward": 3}, TypeError, "reward 3: choose result, score, fight, or give a function"),
        ({"repeat": 0}, ValueError, "repeat 0: give a whole number from 1"),
        ({"repeat": 2.5}, ValueError, "repeat 2.5: give a whole number"),
        ({"rows": 3}, ValueError, "rows 3: give three numbers"),
        ({"rows": (3, -1, 0)}, ValueError, "rows: enemies -1: give a whole number from 0"),
        ({"cells": 0}, ValueError, "cells 0: give a whole number from 1"),
        (
            {"abilities": "Attack"},
            TypeError,
            "abilities 'Attack' is a string: give a list of strings, such as abilities=\\['Attack'\\]",
        ),
        ({"options": "--disable-fog"}, TypeError, "options '--disable-fog' is a string: give a list"),
        ({"options": [3]}, TypeError, "options \\[3\\]: give a list of strings"),
        (
            {"scenario": "2s3z", "opponent": "computer:zerg:Easy"},
            ValueError,
            "opponent 'computer:zerg:Easy': scenario 2s3z needs the race protoss, not zerg",
        ),
        ({"scenario": "3m", "race": "zerg"}, ValueError, "race 'zerg': scenario 3m needs the race terran, not zerg"),
    ],
)
def test_every_wrong_argument_is_one_clear_error_of_the_constructor(wrong: Any, kind: Any, text: str) -> None:
    with pytest.raises(kind, match=text):
        MatchEnv(**{**NO_PROGRAM, **wrong})
    if not {"opponent", "opponents", "race"} & set(wrong):
        with pytest.raises(kind, match=text):
            SidesEnv(**{**NO_PROGRAM, **wrong})
    with pytest.raises(kind, match=text):
        MatchVectorEnv(2, **{**NO_PROGRAM, **wrong})
    if not {"observation", "actions"} & set(wrong):
        with pytest.raises(kind, match=text):
            UnitsEnv(**{"scenario": "3m", "opponent": "computer:terran:Easy", **NO_PROGRAM, **wrong})


@pytest.mark.parametrize(
    ("races", "kind", "text"),
    [
        ("terran", TypeError, "races 'terran' is a string"),
        (("terran",), ValueError, "give 2 strings"),
        (("terran", "zreg"), ValueError, "race 'zreg': did you mean zerg?"),
    ],
)
def test_wrong_races_are_one_clear_error(races: Any, kind: Any, text: str) -> None:
    with pytest.raises(kind, match=text):
        SidesEnv(races=races, **NO_PROGRAM)


def test_a_scenario_sets_the_races_of_the_players() -> None:
    units = UnitsEnv("2s3z", "computer:protoss:VeryHard", **NO_PROGRAM)
    assert units._env._matches._launch["players"] == ["agent:protoss", "computer:protoss:VeryHard"]
    assert SidesEnv(scenario="2s3z", **NO_PROGRAM)._matches._launch["players"] == ["agent:protoss"] * 2
    with pytest.raises(ValueError, match=r"races\[1\]: scenario 3m needs the race terran, not zerg"):
        SidesEnv(races=("terran", "zerg"), scenario="3m", **NO_PROGRAM)
    with pytest.raises(ValueError, match="opponent 'computer:zerg:Easy': scenario 3m needs the race terran, not zerg"):
        MatchEnv(scenario="3m", **NO_PROGRAM)


@pytest.mark.parametrize("number", [0, -1, 1.5, "2"])
def test_a_wrong_number_of_environments_is_one_clear_error(number: Any) -> None:
    with pytest.raises(ValueError, match="num_envs .* give a whole number from 1"):
        MatchVectorEnv(number, **NO_PROGRAM)


@pytest.mark.parametrize(
    ("action", "text"),
    [
        ([9, 0, 0], "action 9 for unit 0: choose 0 to 8"),
        ([0, 0, -1], "action -1 for unit 2: choose 0 to 8"),
        ([0, 1.5, 0], "action 1.5 for unit 1: choose 0 to 8"),
        ([0, float("nan"), 0], "action nan for unit 1: choose 0 to 8"),
        ([0, 0], "give 3 numbers, one for each own row"),
        (0, "give 3 numbers"),
        (None, "give 3 numbers"),
        (["1", "1", "1"], "give 3 numbers"),
    ],
)
@pytest.mark.filterwarnings("ignore:invalid value encountered in cast")
def test_an_action_that_is_not_in_the_space_is_one_clear_error(action: Any, text: str) -> None:
    slots = Slots(3, 3, 0)
    frame = frame_of({"alliance": OWN, "pos": (5, 5)})
    slots.assign(frame.units)
    frames: Any = None  # Nothing may be sent.
    with pytest.raises(ValueError, match=text):
        UnitActions(slots, 3).act(action, frame.units, frames)


@pytest.mark.slow
def test_a_wrong_action_is_an_error_and_no_match_continues() -> None:
    given = arguments()
    sides = SidesEnv(actions="discrete", **{name: each for name, each in given.items() if name != "opponent"})
    envs = MatchVectorEnv(2, actions="multi_discrete", **given)
    try:
        envs.reset(seed=1)
        loops = [env.frame.game_loop for env in envs.envs]
        with pytest.raises(ValueError, match="action 9 for unit 2: choose 0 to 8"):
            envs.step(np.array([[1, 1, 1], [1, 1, 9]]))
        with pytest.raises(ValueError, match="1 actions: give 2"):
            envs.step(np.array([[1, 1, 1]]))
        _, _, _, _, infos = envs.step(np.array([[1, 1, 1], [1, 1, 1]]))
        assert [loop + 8 for loop in loops] == infos["game_loop"].tolist()
        sides.reset(seed=1)
        many = int(sides.action_space("player_2").n)
        with pytest.raises(ValueError, match=f"action {many}: choose 0 to {many - 1}"):
            sides.step({"player_1": 0, "player_2": many})
        with pytest.raises(ValueError, match="there is no action for player_2"):
            sides.step({"player_1": 0})
        _, _, terminated, truncated, _ = sides.step({"player_1": 0, "player_2": 0})
        assert not any([*terminated.values(), *truncated.values()])
    finally:
        envs.close()
        sides.close()
