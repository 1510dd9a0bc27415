"""`sc2bridge.ids`, which the build makes from the simulated game's tables, has the same names as a match."""

from __future__ import annotations

import enum
import pathlib
from typing import Any

import pytest
from conftest import ROOT

import sc2bridge
from sc2bridge import ids
from sc2bridge.game import names
from sc2bridge.s2clientprotocol import sc2api_pb2

FACTS = ROOT / "bridge-csharp/src/Sc2Bridge.Simulator/Facts"
ENUMS: dict[str, type[enum.IntEnum]] = {
    "unit_types": ids.UnitTypeId,
    "abilities": ids.AbilityId,
    "upgrades": ids.UpgradeId,
    "buffs": ids.BuffId,
    "effects": ids.EffectId,
}


def rows(*tables: str) -> list[dict[str, str]]:
    found = []
    for table in tables:
        lines = (FACTS / table).read_text().splitlines()
        head, *rest = [line.split("\t") for line in lines if line and not line.startswith("#")]
        found += [dict(zip(head, [*line, *[""] * len(head)])) for line in rest]
    return found


def data_of_the_tables() -> Any:
    """The answer of a game that has exactly what the tables have."""
    data = sc2api_pb2.ResponseData()
    for row in rows("units.tsv", "Named/units.tsv"):
        data.units.add(unit_id=int(row["id"]), name=row["name"], available=row["available"] != "no")
    for row in rows("abilities.tsv"):
        ability = data.abilities.add(ability_id=int(row["id"]), available=row["available"] != "no")
        ability.link_name, ability.button_name, ability.friendly_name = row["link"], row["button"], row["friendly"]
        if row["remaps_to"]:
            ability.remaps_to_ability_id = int(row["remaps_to"])
    for row in rows("upgrades.tsv", "Named/upgrades.tsv"):
        data.upgrades.add(upgrade_id=int(row["id"]), name=row["name"])
    for row in rows("buffs.tsv"):
        data.buffs.add(buff_id=int(row["id"]), name=row["name"])
    for row in rows("effects.tsv"):
        data.effects.add(effect_id=int(row["id"]), name=row["name"], friendly_name=row["friendly"])
    return data


def tables_of(data: Any) -> dict[str, names.Names[Any]]:
    return {
        "unit_types": names.unit_types(lambda: data),
        "abilities": names.abilities(data),
        "upgrades": names.upgrades(data),
        "buffs": names.buffs(data),
        "effects": names.effects(data),
    }


@pytest.mark.parametrize("kind", ENUMS)
def test_each_id_has_the_name_that_a_match_gives_it(kind: str) -> None:
    table = tables_of(data_of_the_tables())[kind]
    found = {int(member): member.name.lstrip("_") for member in ENUMS[kind]}
    assert len(found) > 10
    assert found == {int(each): each.name for each in table.values()}
    for alias, member in ENUMS[kind].__members__.items():
        assert table[alias] == member


@pytest.mark.parametrize("kind", ENUMS)
def test_the_ids_equal_those_of_the_real_game(kind: str, shared: pathlib.Path) -> None:
    data = sc2api_pb2.Response.FromString((shared / "data" / "real" / "data.pb").read_bytes()).data
    table = tables_of(data)[kind]
    newer = (
        4109 if kind == "abilities" else 1 << 32
    )  # From this id on, the tables are of a newer version than the message.
    known = [member for member in ENUMS[kind] if member in table and member < newer]
    assert len(known) > 10
    for member in known:
        row = table[member].data
        texts = [getattr(row, name, "") for name in ("name", "friendly_name")]
        texts.append(
            f"{getattr(row, 'link_name', '')} {getattr(row, 'button_name', '') or getattr(row, 'link_name', '')}"
        )
        assert names._normalized(member.name) in {
            names._normalized(f"{text} {end}") for text in texts for end in ("", int(member))
        }


def test_ids_have_the_names_of_python_sc2() -> None:
    assert (ids.UnitTypeId.MARINE, ids.UnitTypeId.SIEGETANKSIEGED) == (48, 32)
    assert ids.AbilityId.ATTACK == 3674 and ids.AbilityId.COMMANDCENTERTRAIN_SCV is ids.AbilityId.TRAIN_SCV
    assert (ids.UpgradeId.STIMPACK, ids.BuffId.STIMPACK, ids.EffectId.PSISTORMPERSISTENT) == (15, 27, 1)
    assert sc2bridge.ids is ids and "ids" in dir(sc2bridge)
