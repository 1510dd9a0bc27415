"""Tests an agent with a recording. In this folder, run `pytest`, or in a clone `pytest -p pytest_sc2bridge`."""

from __future__ import annotations

import pytest
from scout import Scout

from sc2bridge import Recording

pytestmark = pytest.mark.recording("../../recordings/sample.mcap")


def test_the_scout_queries_every_ten_seconds(sc2bridge_recording: Recording) -> None:
    assert list(sc2bridge_recording.play(Scout, to_loop=500).agent.longest_paths) == [0, 224, 448]


def test_every_query_finds_a_path(sc2bridge_recording: Recording) -> None:
    assert all(130 < path < 140 for path in sc2bridge_recording.play(Scout).agent.longest_paths.values())


def test_the_scout_queries_paths_of_units_that_walk(sc2bridge_recording: Recording) -> None:
    query = sc2bridge_recording.play(Scout, to_loop=0).queries[0]
    units = sc2bridge_recording[0].units
    walking = units[(units.owner <= 2) & ~units.is_flying & (units.orders.counts > 0)]
    assert len(query.request.query.pathing) == len(walking) == 24
    assert query.recorded_step == query.step  # The answer was recorded in the same step.
