"""Tests of an agent against a recording: `pytest` in this folder, or `pytest -p pytest_sc2bridge` on a checkout."""

from __future__ import annotations

import pytest
from scout import Scout

from sc2bridge import Recording

pytestmark = pytest.mark.recording("../../recordings/sample.mcap")


def test_it_asks_each_ten_seconds(sc2bridge_recording: Recording) -> None:
    assert list(sc2bridge_recording.play(Scout, to_loop=500).agent.ways) == [0, 224, 448]


def test_there_is_a_way(sc2bridge_recording: Recording) -> None:
    assert all(130 < way < 140 for way in sc2bridge_recording.play(Scout).agent.ways.values())


def test_it_asks_for_those_who_can_walk(sc2bridge_recording: Recording) -> None:
    query = sc2bridge_recording.play(Scout, to_loop=0).queries[0]
    units = sc2bridge_recording[0].units
    walking = units[(units.owner <= 2) & ~units.is_flying & (units.orders.counts > 0)]
    assert len(query.request.query.pathing) == len(walking) == 24
    assert query.recorded_step == query.step  # So the answer is of that very step.
