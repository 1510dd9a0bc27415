"""Names of ids, and outcomes of matches, from recordings."""

from __future__ import annotations

import pathlib
from typing import Any

import pytest
from recording_case import Case, whole

from sc2bridge.data import Recordings, dataframes, names, outcomes
from sc2bridge.v1 import bridge_pb2


def described() -> Any:
    match = bridge_pb2.MatchDescription(match_id="m1", map_name="Salt Basin LE", seed=4, step_size=1)
    match.players.add(player_id=1, kind="PLAYER_KIND_AGENT", race="PLAYER_RACE_TERRAN")
    match.players.add(player_id=2, kind="PLAYER_KIND_COMPUTER", race="PLAYER_RACE_ZERG", difficulty="Easy")
    match.ping.game_version = "5.0.14"
    match.game_info.map_name = "Salt Basin LE"
    match.data.units.add(unit_id=45, name="SCV")
    match.data.abilities.add(ability_id=3674, friendly_name="Attack")
    match.data.upgrades.add(upgrade_id=15, name="Stimpack")
    match.data.buffs.add(buff_id=27, name="Stimpack")
    return match


@pytest.fixture
def recordings(tmp_path: pathlib.Path) -> Recordings:
    """A won match, and one that was cut off before its end."""
    case = Case(perspectives=(1, 2), description=described())
    for step in range(5):
        case.step(step)
    end = bridge_pb2.MatchEnd(match_id="m1", step=4, game_loop=4, reason=bridge_pb2.END_REASON_FINISHED)
    end.results.add(player_id=1, result=1)
    end.results.add(player_id=2, result=2)
    case.match(end=end)
    (tmp_path / "a.mcap").write_bytes(case.close(end=False).data)
    (tmp_path / "b.mcap").write_bytes(whole(5, end=False).data)
    return Recordings(tmp_path)


def test_ids_have_names_in_one_call(recordings: Recordings) -> None:
    found = names(recordings)
    assert found.unit_types == {45: "SCV"} and found.abilities == {3674: "ATTACK"}
    assert found.upgrades == {15: "STIMPACK"} and found.buffs == {27: "STIMPACK"}


def test_outcomes_are_rows_of_a_table(recordings: Recordings) -> None:
    won, lost, unknown = outcomes(recordings)
    assert (won["part"], won["perspective"], won["map_name"], won["seed"]) == (0, 1, "Salt Basin LE", 4)
    assert (won["race"], won["opponents"], won["game_version"]) == ("Terran", "computer Zerg Easy", "5.0.14")
    assert (won["result"], won["winner"], won["reason"], won["game_loop"]) == ("victory", 1, "finished", 4)
    assert (lost["part"], lost["result"], lost["winner"]) == (1, "defeat", 1)
    assert (unknown["result"], unknown["winner"], unknown["reason"]) == (None, None, None)
    assert won.keys() == lost.keys() == unknown.keys()
    assert recordings.match(1).player_id == 2


def test_tables_of_pandas_have_names(recordings: Recordings) -> None:
    pytest.importorskip("pandas")
    first, *_ = dataframes(recordings, columns=["health"], names=True)
    assert list(first.columns[-3:]) == ["health", "unit_type", "name"]
    assert first.name.dtype == "category" and set(first.name) == {"SCV"}
    assert "name" not in next(dataframes(recordings)).columns
    with pytest.raises(ValueError, match="only the table units has unit types"):
        next(dataframes(recordings, "players", names=True))
