"""The analysis in a recording."""

from __future__ import annotations

import io
import json
import pathlib
from typing import Any

import pytest
from recording_case import Case

import sc2bridge

FIGHT = {
    "first_loop": 112,
    "last_loop": 336,
    "x": 20.5,
    "y": 30,
    "ahead": 2,
    "sides": [
        {
            "player_id": 1,
            "minerals": 150,
            "vespene": 25,
            "damaged": 1,
            "lost": [{"unit_type": 48, "name": "Marine", "count": 2}],
        },
        {"player_id": 2, "minerals": 0, "vespene": 0, "damaged": 3, "lost": []},
    ],
}
PLAYER = {
    "player_id": 1,
    "is_observed": True,
    "bases": [
        {
            "name": "Nexus",
            "x": 1,
            "y": 2.5,
            "seen_loop": 500,
            "is_expansion": True,
            "finished_loop": 900,
            "lost_loop": None,
        }
    ],
    "supply_blocks": [{"first_loop": 1, "last_loop": 2}],
    "floating": [{"resource": "minerals", "first_loop": 3, "last_loop": 4, "most": 1400}],
    "idle_production": 3.5,
    "idle_workers": None,
    "errors": [{"kind": "NotEnoughFood", "refused": 2, "failed": 1}],
}
ANALYSIS = {"rules": 1, "first_loop": 0, "last_loop": 2240, "fights": [FIGHT], "players": [PLAYER]}


def recorded(folder: pathlib.Path, analysis: Any) -> sc2bridge.Recording:
    """analysis: the text of the attachment, or its content; None for a recording without it."""
    case = Case(io.BytesIO())
    case.step(0)
    if analysis is not None:
        case.end_chunk()
        text = analysis if isinstance(analysis, str) else json.dumps(analysis)
        case.writer.attachment("analysis", "application/json", text.encode())
    path = folder / "match.mcap"
    path.write_bytes(case.close().data)
    return sc2bridge.open_recording(path)


def test_an_analysis_has_fights_and_players(tmp_path: pathlib.Path) -> None:
    newer = {**ANALYSIS, "more": [1]}
    with recorded(tmp_path, newer) as recording:
        found = recording.analysis()
        assert len(recording) == 1
    (fight,), (player,) = found.fights, found.players
    assert (found.rules, found.seconds) == (1, 100.0)
    assert (fight.seconds, fight.x, fight.y, fight.ahead) == (10.0, 20.5, 30, 2)
    assert [side.value for side in fight.sides] == [175, 0]
    assert (fight.sides[0].lost[0].name, fight.sides[0].lost[0].count) == ("Marine", 2)
    assert (player.is_observed, player.idle_production, player.idle_workers) == (True, 3.5, None)
    assert (player.bases[0].name, player.bases[0].finished_loop, player.bases[0].lost_loop) == ("Nexus", 900, None)
    assert (player.supply_blocks[0].last_loop, player.floating[0].most) == (2, 1400)
    assert (player.errors[0].kind, player.errors[0].refused, player.errors[0].failed) == ("NotEnoughFood", 2, 1)


def test_a_recording_without_an_analysis_says_how_to_add_one(tmp_path: pathlib.Path) -> None:
    with recorded(tmp_path, None) as recording:
        with pytest.raises(LookupError, match=r"`sc2bridge inspect .*match\.mcap --fights` adds the analysis"):
            recording.analysis()


@pytest.mark.parametrize(
    "analysis",
    [
        [],
        {},
        {**ANALYSIS, "fights": None},
        {**ANALYSIS, "fights": [None]},
        {**ANALYSIS, "last_loop": "2240"},
        {**ANALYSIS, "fights": [{**FIGHT, "x": float("nan")}]},
        {**ANALYSIS, "fights": [{**FIGHT, "sides": [1]}]},
        {**ANALYSIS, "players": [{**PLAYER, "is_observed": 1}]},
        "[" * 100_000,
        json.dumps(ANALYSIS) + " " * (4 << 20),
    ],
)
def test_an_attachment_that_is_not_an_analysis_is_one_error(tmp_path: pathlib.Path, analysis: Any) -> None:
    with recorded(tmp_path, analysis) as recording:
        with pytest.raises(sc2bridge.RecordingError, match="the attachment analysis .* --fights` replaces it"):
            recording.analysis()
