"""Names of unit types in a recording's frames, and what happens to units there."""

from __future__ import annotations

import pathlib

import pytest
from recording_case import Case

import sc2bridge
from sc2bridge.v1 import bridge_pb2


def test_units_of_a_frame_are_found_by_the_names_of_its_match(tmp_path: pathlib.Path) -> None:
    description = bridge_pb2.MatchDescription(match_id="m1")
    description.game_info.map_name = "Cinder Fortress LE"
    description.data.units.add(unit_id=45, name="Mule")
    case = Case(description=description)
    case.step(0)
    path = tmp_path / "match.mcap"
    path.write_bytes(case.close().data)
    with sc2bridge.open_recording(path) as recording:
        frame, kept = recording[0], recording[0]
        assert len(frame.units.of_type("MULE")) == len(frame.units) == 12
        with pytest.raises(KeyError, match="no unit type SCV in this match"):
            frame.units.of_type("SCV")
    with sc2bridge.open_recording(path) as again:
        late = again[0]
    assert len(kept.units.of_type("MULE")) == 12
    assert len(late.units.of_type("SCV")) == 12, "of sc2bridge.ids: the file was closed before its names were read"


def test_events_of_units_are_found_in_a_recording(tmp_path: pathlib.Path) -> None:
    case = Case(perspectives=(1, 2))
    case.step(0)
    case.step(1)
    path = tmp_path / "match.mcap"
    path.write_bytes(case.close().data)
    with sc2bridge.open_recording(path) as recording:
        events = sc2bridge.UnitEvents(recording.describe(1))
        assert [len(events.update(frame).seen) for frame in recording] == [6, 0]
