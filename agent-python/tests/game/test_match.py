"""The match as one perspective sees it, and the units of a frame one by one."""

from __future__ import annotations

from typing import Any

import pytest
from columns_case import columns_of
from events_case import BUILDINGS, Sequence, Step

from sc2bridge import Match, MatchEnd
from sc2bridge.s2clientprotocol import sc2api_pb2
from sc2bridge.units import Units
from sc2bridge.v1 import bridge_pb2

CONTENTS = [("observation", "proto"), ("columns", "proto"), ("columns", "json"), ("observation", "json")]


def description() -> Any:
    match = bridge_pb2.MatchDescription(match_id="m1", map_name="Salt Basin LE", realtime=True, perspectives=[2])
    match.players.add(player_id=1, kind="PLAYER_KIND_COMPUTER", race="PLAYER_RACE_ZERG", difficulty="Easy")
    match.players.add(player_id=2, kind="PLAYER_KIND_AGENT", race="PLAYER_RACE_TERRAN")
    match.players.add(player_id=3, kind="PLAYER_KIND_OBSERVER")
    for x in (20.5, 100.5):
        match.game_info.start_raw.start_locations.add(x=x, y=50.5)
    return match


def test_a_match_shows_its_player_and_its_opponents() -> None:
    match = Match(description(), 2)
    assert match.player is not None and match.player.race == "Terran"
    assert [(each.player_id, each.difficulty) for each in match.opponents] == [(1, "Easy")]
    assert (match.match_id, match.map_name, match.realtime, len(match.players)) == ("m1", "Salt Basin LE", True, 3)
    assert match.HasField("game_info") and Match(description(), 0).player is None
    assert match == Match(description(), 2) != Match(description(), 1)
    with pytest.raises(AttributeError):
        match.weather
    assert repr(match) == "<Match m1 on Salt Basin LE, player 2>"
    assert {"map_name", "game_info", "realtime", "players", "result", "unit_types"} <= set(dir(match))


def test_a_notebook_shows_who_plays_and_no_markup_of_others() -> None:
    told = description()
    told.players[0].name = "<script>\x1b"
    match = Match(told, 2)
    shown = match._repr_html_()
    assert "Salt Basin LE, as player 2 sees it<" in shown and "<td>Zerg</td><td>Easy</td>" in shown
    assert "&lt;script&gt;\\x1b" in shown and "<script" not in shown and "\x1b" not in shown
    match.end = MatchEnd("m1", 1, 1, "finished", results=[sc2api_pb2.PlayerResult(player_id=2, result=1)])
    assert "as player 2 sees it, victory<" in match._repr_html_()


def test_a_frame_knows_the_names_of_its_match() -> None:
    told = description()
    told.data.units.add(unit_id=9, name="SCV")
    match = Match(told, 2)
    frames = Sequence("columns", "proto")
    for step in range(2):
        frame = frames.frame(Step([{"tag": 3, "unit_type": 9}, {"tag": 4, "unit_type": 45}]))
        assert [unit.tag for unit in frame.units.of_type("SCV")] == [4], "of sc2bridge.ids"
        match.register_frame(frame)
        assert [unit.tag for unit in frame.units.of_type("SCV")] == [3], step


@pytest.mark.parametrize(("content", "encoding"), CONTENTS)
def test_a_player_starts_at_the_town_hall_of_the_first_frame(content: str, encoding: str) -> None:
    refinery = {"tag": 3, "unit_type": BUILDINGS[0], "alliance": 1, "ideal_harvesters": 3}
    hall = {
        "tag": 100,
        "unit_type": BUILDINGS[0],
        "alliance": 1,
        "ideal_harvesters": 16,
        "pos": {"x": 100.5, "y": 50.5},
    }
    other = {"tag": 19, "unit_type": BUILDINGS[0], "alliance": 4, "ideal_harvesters": 20}
    frames = Sequence(content, encoding)
    match = Match(description(), 2).register_frame(frames.frame(Step([refinery, hall, other])))
    assert match.start_location == (100.5, 50.5)
    assert match.start_locations == [(20.5, 50.5), (100.5, 50.5)] and match.enemy_start_locations == [(20.5, 50.5)]
    nowhere = Match(description(), 2).register_frame(frames.frame(Step([])))
    assert nowhere.start_location is None and len(nowhere.enemy_start_locations) == 2
    assert Match(description(), 0).register_frame(frames.frame(Step([hall]))).start_location is None


@pytest.mark.parametrize(("number", "word"), [(1, "victory"), (2, "defeat"), (3, "tie"), (4, "undecided")])
def test_a_match_shows_its_result(number: Any, word: str) -> None:
    match = Match(description(), 2)
    assert match.result is None
    end = bridge_pb2.MatchEnd(match_id="m1", aborted=True)
    match.end = MatchEnd.of(end)
    assert match.result is None
    end.results.add(player_id=1, result=5 - number)
    end.results.add(player_id=2, result=number)
    match.end = MatchEnd.of(end)
    assert match.result == word


def test_a_table_gives_its_units_one_by_one() -> None:
    observation = sc2api_pb2.ResponseObservation()
    units = observation.observation.raw_data.units
    units.add(tag=7, unit_type=45, pos={"x": 1.5, "y": 2.5, "z": 3}, health=40, is_flying=True)
    units[0].orders.add(ability_id=16)
    units.add(tag=2**60, unit_type=18)
    for table in (Units.from_observation(observation), Units.from_columns(columns_of(observation).SerializeToString())):
        first, second = table
        assert (first.tag, first.unit_type, first.health, first.is_flying) == (7, 45, 40.0, True)
        assert first.pos == (1.5, 2.5, 3.0) and first.position == (1.5, 2.5) and type(first.tag) is int
        assert first.orders.ability_id.tolist() == [16] and len(second.orders) == 0
        assert second.tag == 2**60 and second.health == 0 and not second.present("health") and first.present("health")
        assert table[-1] == second == table[1] != first and {first, second} == {table[1], table[0]}
        assert table[::-1][0].tag == 2**60 and [unit.tag for unit in table[table.is_flying]] == [7]
        with pytest.raises(AttributeError, match="a unit has no 'mana': dir.unit. shows"):
            first.mana
        for row in (2, -3):
            with pytest.raises(IndexError, match=f"row {row} does not exist: there are 2 rows"):
                table[row]
        assert repr(first) == "<Unit 7 of type 45 at (1.5, 2.5)>"


@pytest.mark.parametrize(("content", "encoding"), CONTENTS)
def test_common_reads_only_the_players_numbers(content: str, encoding: str) -> None:
    frame = Sequence(content, encoding).frame(Step([]))
    assert frame.common.minerals == 0
    if encoding == "json":
        assert frame._observation is None, "that alone was read"
