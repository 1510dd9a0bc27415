"""The contents of an environment's arrays, without a game."""

from __future__ import annotations

import re
from typing import Any

import pytest

pytest.importorskip("gymnasium", reason="gymnasium is not installed")
np = pytest.importorskip("numpy")

from conftest import ROOT
from gym_case import ENEMY, NEUTRAL, OWN, frame_of

from sc2bridge.game.frame import Frame
from sc2bridge.gym.actions import FIRST_MOVE, FIRST_TARGET, UnitActions
from sc2bridge.gym.observations import FEATURES, PLAYER, UnitTable
from sc2bridge.gym.slots import Slots
from sc2bridge.gym.units import SEEN_FEATURES

NORTH, EAST = FIRST_MOVE, FIRST_MOVE + 2


def observed(frame: Frame, slots: Slots) -> dict[str, Any]:
    slots.assign(frame.units)
    found: dict[str, Any] = UnitTable().of(frame, slots, (10, 20))
    assert {name: (each.shape, each.dtype) for name, each in found.items()} == {
        name: (each.shape, each.dtype) for name, each in UnitTable().space(slots).items()
    }
    return found


def test_a_row_has_the_features_of_its_unit() -> None:
    slots = Slots(2, 1, 1)
    found = observed(
        frame_of(
            {"alliance": NEUTRAL, "unit_type": 9, "pos": (10, 0)},
            {
                "alliance": OWN,
                "unit_type": 48,
                "pos": (5, 5),
                "ordered": True,
                "weapon_cooldown": 11.2,
                "is_flying": True,
            },
            {"alliance": ENEMY, "unit_type": 105, "pos": (2, 20), "weapon_cooldown": 90},
        ),
        slots,
    )
    own, none, enemy, neutral = (dict(zip(FEATURES, row)) for row in found["units"].tolist())
    assert (own["own"], own["enemy"], own["neutral"]) == (1, 0, 0)
    assert (own["x"], own["y"], own["health"], own["weapon_cooldown"]) == (0.5, 0.25, 0.5, 0.5)
    assert (own["ordered"], own["flying"], own["cos_facing"]) == (1, 1, 1)
    assert not any(none.values())
    assert (enemy["enemy"], enemy["ordered"], enemy["y"], enemy["weapon_cooldown"]) == (1, 0, 1, 1)
    assert (neutral["neutral"], neutral["x"]) == (1, 1)
    assert found["types"].tolist() == [48, 0, 105, 9] and found["mask"].tolist() == [1, 0, 1, 1]
    assert found["player"].tolist() == [50, 0, 0, 0, 0, 0, 0, 7]


@pytest.mark.parametrize("cloak, is_cloaked", [(0, 0), (1, 1), (2, 1), (3, 0), (4, 0)])
def test_a_unit_is_cloaked_if_the_game_reports_it(cloak: int, is_cloaked: int) -> None:
    found = observed(frame_of({"alliance": OWN, "cloak": cloak}), Slots(1, 0, 0))
    assert found["units"][0, FEATURES.index("cloaked")] == is_cloaked


def test_an_observation_allows_no_units_and_more_units_than_rows() -> None:
    assert not observed(frame_of(), Slots(2, 2, 2))["units"].any()
    found = observed(frame_of(*[{"alliance": OWN, "unit_type": number} for number in range(5, 9)]), Slots(2, 0, 0))
    assert found["types"].tolist() == [5, 6]


def test_the_reference_documents_each_feature_in_its_order() -> None:
    text = (ROOT / "docs" / "reference" / "environments.md").read_text(encoding="utf-8")
    rows = [line.split(" | ") for line in text.splitlines() if line.startswith("| `")]
    named = [row[0].strip("| `") for row in rows if row[1] in ("0 or 1", "0 to 1", "-1 to 1")]
    assert tuple(named) == (*FEATURES, *SEEN_FEATURES)
    told = text.partition("The 8 numbers of `player`")[2].partition("## ")[0]
    assert [name for name in re.findall("`([a-z_]+)`", told)] == list(PLAYER)


class Taken:
    """The commands that a subscription receives."""

    def __init__(self) -> None:
        self.actions: list[Any] = []

    def act(self, actions: list[Any]) -> int:
        self.actions += actions
        return 1


@pytest.mark.parametrize("dtype", [np.int64, np.uint8, np.int8, np.float32])
def test_action_numbers_are_moves_and_targets_of_the_rows(dtype: Any) -> None:
    slots = Slots(3, 2, 0)
    actions: Any = UnitActions(slots, 3)
    actions._stop, actions._move, actions._attack, actions._healers, actions._heal = 4, 16, 23, [54], 386
    frame = frame_of(
        {"alliance": OWN, "pos": (5, 5)},
        {"alliance": OWN, "pos": (6, 6), "unit_type": 54},
        {"alliance": OWN, "pos": (7, 7)},
        {"alliance": ENEMY, "pos": (8, 8)},
    )
    slots.assign(frame.units)
    taken: Any = Taken()
    for numbers in (
        [0, 0, 0],
        [EAST, FIRST_TARGET, FIRST_TARGET],
        [1, 0, NORTH],
        [0, 0, FIRST_TARGET + 1],
    ):
        actions.act(np.array(numbers, dtype), frame.units, taken)
    orders = [each.action_raw.unit_command for each in taken.actions]
    assert [(list(each.unit_tags), each.ability_id) for each in orders] == [
        *[([1], 16), ([2], 386), ([3], 23)],
        *[([1], 4), ([3], 16)],
    ]
    assert (orders[0].target_world_space_pos.x, orders[0].target_world_space_pos.y) == (7, 5)
    assert (orders[1].target_unit_tag, orders[2].target_unit_tag) == (1, 4)
    assert (orders[4].target_world_space_pos.x, orders[4].target_world_space_pos.y) == (7, 9)
