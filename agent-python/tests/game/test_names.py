"""The game's constants by name, from the match's own tables."""

from __future__ import annotations

import pathlib
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sc2bridge import Match
from sc2bridge.game import names
from sc2bridge.s2clientprotocol import sc2api_pb2
from sc2bridge.v1 import bridge_pb2


def data_of(*abilities: dict[str, Any]) -> Any:
    data = sc2api_pb2.ResponseData()
    for ability in abilities:
        data.abilities.add(**ability)
    return data


TRAIN = {"ability_id": 524, "link_name": "CommandCenterTrain", "button_name": "SCV", "friendly_name": "Train SCV"}


@pytest.mark.parametrize("name", ["TRAIN_SCV", "Train SCV", "trainscv", "Train_Scv", "COMMANDCENTERTRAIN_SCV", 524])
def test_a_name_is_found_in_any_spelling(name: Any) -> None:
    found = names.abilities(data_of({"ability_id": 0}, TRAIN))
    assert found[name] == 524 and name in found
    assert (found[name].name, found[name].data.button_name, repr(found[name])) == (
        "TRAIN_SCV",
        "SCV",
        "<TRAIN_SCV 524>",
    )
    assert found.TRAIN_SCV is found["Train SCV"] and list(found) == ["TRAIN_SCV"] and len(found) == 1
    assert "TRAIN_SCV" in dir(found)


def test_an_unknown_name_is_an_error_with_a_similar_name() -> None:
    found = names.abilities(data_of(TRAIN))
    with pytest.raises(KeyError, match="there is no ability TRAIN_SVC in this match: did you mean TRAIN_SCV?"):
        found["TRAIN_SVC"]
    with pytest.raises(AttributeError, match="there is no ability TRIAN_SCV in this match: did you mean TRAIN_SCV?"):
        found.TRIAN_SCV
    with pytest.raises(KeyError, match="there is no ability 7 in this match"):
        found[7]
    assert "MARINE" not in found and 7 not in found and None not in found


def test_a_hint_names_nothing_twice() -> None:
    description = bridge_pb2.MatchDescription()
    for number, name in ((48, "Marine"), (49, "Marauder"), (50, "Medivac")):
        description.data.units.add(unit_id=number, name=name)
    with pytest.raises(KeyError, match=r"did you mean MARINE\?"):
        Match(description).unit_types["MARINE4"]


def test_a_shared_name_means_the_general_ability() -> None:
    shared = {"friendly_name": "Burrow", "button_name": "Burrow"}
    found = names.abilities(
        data_of(
            {"ability_id": 3, "link_name": "BurrowRoach", **shared, "remaps_to_ability_id": 9},
            {"ability_id": 4, "link_name": "BurrowDrone", **shared, "remaps_to_ability_id": 9, "available": True},
            {"ability_id": 9, "link_name": "BurrowDown", **shared},
            {"ability_id": 12, "link_name": "BurrowDown", **shared},
        )
    )
    assert found.BURROW == 9 and found.BURROWROACH_BURROW == 3 and found.BURROWDRONE_BURROW == 4
    assert found[12].name == "BURROW_12" and found["Burrow 12"] == 12


@given(st.lists(st.tuples(*[st.text("aB _", max_size=3)] * 3), max_size=8))
def test_every_named_ability_has_a_unique_name(rows: Any) -> None:
    data = data_of(
        *(
            {"ability_id": number, "friendly_name": friendly, "link_name": link, "button_name": button}
            for number, (friendly, link, button) in enumerate(rows)
        )
    )
    found = names.abilities(data)
    for name in found:
        assert found[name].name == name and found[int(found[name])] is found[name]
    named = [number for number, (friendly, link, button) in enumerate(rows) if friendly or button]
    assert sorted(int(each) for each in found.values()) == named


def test_an_id_is_a_number_everywhere() -> None:
    np = pytest.importorskip("numpy")
    scv = names.abilities(data_of(TRAIN)).TRAIN_SCV
    message = sc2api_pb2.Action()
    message.action_raw.unit_command.ability_id = scv
    assert message.action_raw.unit_command.ability_id == 524
    assert (np.array([523, 524], "u4") == scv).tolist() == [False, True]
    assert np.isin(np.array([523, 524], "u4"), [scv]).tolist() == [False, True]


def test_a_match_has_a_table_of_names_for_each_kind() -> None:
    description = bridge_pb2.MatchDescription()
    description.data.units.add(unit_id=48, name="Marine", ability_id=560)
    description.data.units.add(unit_id=49, name="Marine")
    description.data.upgrades.add(upgrade_id=15, name="Stimpack")
    description.data.buffs.add(buff_id=27, name="Stimpack")
    description.data.effects.add(effect_id=1, name="PsiStormPersistent", friendly_name="Psi Storm")
    match = Match(description)
    assert (match.unit_types.MARINE, match.unit_types["Marine 49"], match.unit_types[48].data.ability_id) == (
        48,
        49,
        560,
    )
    assert (match.upgrades.STIMPACK, match.buffs.STIMPACK) == (15, 27)
    assert match.effects.PSISTORMPERSISTENT == match.effects["Psi Storm"] == 1


def test_the_real_games_abilities_and_types_have_names(shared: pathlib.Path) -> None:
    data = sc2api_pb2.Response.FromString((shared / "data" / "real" / "data.pb").read_bytes()).data
    match = Match(bridge_pb2.MatchDescription(data=data))
    abilities = match.abilities
    assert (abilities.ATTACK, abilities.MOVE, abilities.TRAIN_SCV, abilities.SMART) == (3674, 3794, 524, 1)
    for verb in ("Patrol", "Stop", "HoldPosition", "Harvest Gather", "Harvest Return", "Effect Repair"):
        assert abilities[verb].data.ability_id > 3600, "the general one"
    assert (match.unit_types.MARINE, match.unit_types.COMMANDCENTER, match.upgrades.STIMPACK) == (48, 18, 15)
    assert abilities[match.unit_types.MARINE.data.ability_id].name == "TRAIN_MARINE"
    assert {18, 59, 86} < match.structures and 48 not in match.structures
