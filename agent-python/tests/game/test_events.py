"""Unit events, compared with a simple oracle for any tables and any kind of arrival."""

from __future__ import annotations

import pathlib
from typing import Any

import pytest
from events_case import BUILDINGS, Oracle, Sequence, Step, Told, match_of, steps
from hypothesis import given
from hypothesis import strategies as st

from sc2bridge._protocol.envelope import Envelope
from sc2bridge.errors import MalformedMessageError
from sc2bridge.game.events import MISSING_LOOPS, Changes, UnitEvents
from sc2bridge.game.frame import Frame

CONTENTS = [("observation", "proto"), ("columns", "proto"), ("columns", "json"), ("observation", "json")]


def told_of(changes: Changes) -> Told:
    """The events in the oracle's form."""
    for gone in changes.destroyed:
        assert gone.position == gone.pos[:2]
    return {
        "destroyed": [
            (one.tag, one.unit_type, one.owner, one.pos, one.health, one.presumed) for one in changes.destroyed
        ],
        "created": changes.created.tag.tolist(),
        "type_changed": list(zip(changes.type_changed.tag.tolist(), changes.previous_types.tolist())),
        "damaged": list(zip(changes.damaged.tag.tolist(), changes.damage.tolist())),
        "started": changes.started.tag.tolist(),
        "finished": changes.finished.tag.tolist(),
        "upgrades": changes.upgrades,
        "seen": changes.seen.tag.tolist(),
    }


@given(steps(), st.sampled_from((1, 1, 0)))
def test_events_equal_those_of_a_slow_comparison(told: list[Step], perspective: int) -> None:
    match, oracle = match_of(perspective), Oracle(perspective)
    ways = [(Sequence(content, encoding, perspective), UnitEvents(match)) for content, encoding in CONTENTS[:3]]
    for step in told:
        expected = None
        for frames, events in ways:
            frame = frames.frame(step)
            if expected is None:
                expected = oracle.update(step, frame.step, frame.game_loop)
            changes = events.update(frame)
            assert told_of(changes) == expected
            assert changes.begun == (step is told[0] or step.way in ("seeked", "back"))


def unit(tag: int, kind: int = 1, **more: Any) -> dict[str, Any]:
    return {"tag": tag, "unit_type": kind, "alliance": 1, "owner": 1, "health": 40, "build_progress": 1, **more}


def tell(*told: Step, **sequence: Any) -> list[Told]:
    """The events of each step, without the empty ones."""
    frames, events = Sequence(**sequence), UnitEvents(match_of())
    every = [told_of(events.update(frames.frame(step))) for step in told]
    return [{name: each for name, each in one.items() if each} for one in every]


def test_the_first_frame_reports_only_enemies() -> None:
    hall, begun, enemy = unit(3, BUILDINGS[0]), unit(4, BUILDINGS[0], build_progress=0.2), unit(5, alliance=4, owner=2)
    there = Step([unit(1), unit(2), hall, begun, enemy], upgrades=[7])
    seeked = Step(there.units, upgrades=[7], way="seeked")
    ready = Step([hall, unit(4, BUILDINGS[0])], upgrades=[7])
    told = tell(there, there, seeked, seeked, ready)
    assert told == [{"seen": [5]}, {}, {"seen": [5]}, {"seen": [5]}, {"finished": [4]}]


def test_a_building_is_reported_when_it_starts_finishes_and_morphs() -> None:
    drone, begun = unit(1), unit(1, BUILDINGS[0], build_progress=0.1, health=9, health_max=200)
    ready = unit(1, BUILDINGS[0], health=200, health_max=200)
    grown = unit(1, BUILDINGS[1], health=200, health_max=300)
    assert tell(*(Step([each]) for each in (drone, begun, ready, ready, grown)))[1:] == [
        {"started": [1]},
        {"finished": [1]},
        {},
        {"type_changed": [(1, BUILDINGS[0])]},
    ]
    # It was already finished when seen after skipped frames, so it counts as no morph of the drone.
    assert tell(Step([drone]), Step([ready], way="skipped"))[1] == {"finished": [1]}


def test_damage_is_lost_health_and_not_a_morph() -> None:
    whole = unit(1, health=40, shield=20)
    hurt = unit(1, health=45, shield=5)  # It regenerated meanwhile. The damage is not reduced by that.
    other = unit(1, kind=2, health=30, shield=5, health_max=30)
    assert tell(Step([whole]), Step([hurt]), Step([other]))[1:] == [{"damaged": [(1, 15)]}, {"type_changed": [(1, 1)]}]


def test_a_death_in_skipped_frames_is_reported_once() -> None:
    both = [unit(1), unit(2, alliance=4, owner=2, health=7)]
    told = tell(
        Step(both),
        Step([], way="skipped", skipped_dead=[2, 99]),  # 99 was never seen.
        Step([], dead=[1, 2]),
        Step([], way="skipped", skipped_dead=[1]),
    )
    assert [[gone[0] for gone in each.get("destroyed", [])] for each in told] == [[], [2], [1], []]
    assert told[1]["destroyed"] == [(2, 1, 2, (2.5, 3.5, 3.0), 7.0, False)]


@pytest.mark.parametrize("way", ["lost", "cut"])
def test_units_that_stay_missing_after_lost_frames_count_as_dead(way: str) -> None:
    three = [unit(1), unit(2), unit(3), unit(4, alliance=4, owner=2)]
    lost = Step([unit(2)], way=way, passengers=[3])
    later = Step([unit(2)], loops=MISSING_LOOPS - 1)
    told = tell(Step(three), lost, later, Step([unit(2)]), Step([unit(1), unit(2), unit(3)]))
    assert [each.get("destroyed", []) for each in told[:3]] == [[], [], []]
    assert [(gone[0], gone[-1]) for gone in told[3]["destroyed"]] == [(1, True)]
    assert told[4] == {"created": [1]}  # It was not dead after all. Unit 3 was only inside a transport.


def test_a_unit_that_goes_out_of_sight_is_not_dead() -> None:
    told = tell(Step([unit(1)]), *[Step([], loops=MISSING_LOOPS)] * 4, Step([unit(1, health=30)]))
    assert told[1:] == [{}, {}, {}, {}, {"damaged": [(1, 10)]}]


def test_another_match_resets_the_events() -> None:
    events = UnitEvents(match_of())
    frames = Sequence()
    events.update(frames.frame(Step([unit(1)])))
    frame = frames.frame(Step([unit(2)]))
    other = Frame(Envelope("m2", 1, frame.step, frame.game_loop), frame.raw, "proto", 0, 0)
    changes = events.update(other)
    assert changes.begun and not len(changes.created)


@pytest.mark.parametrize("raw", ['{"deadUnits": ["x"]}', '{"deadUnits": 5}', "7"])
def test_events_in_json_that_cannot_be_read_are_malformed(raw: str) -> None:
    text = (
        f'{{"frame": {{"matchId": "m1", "columns": {{"rest": {{"observation": {{"rawData": {{"event": {raw}}}}}}}}}}}}}'
    )
    frame = Frame(Envelope("m1", 1, 5, 5, payload="columns", content="columns"), text, "json", 0, len(text))
    with pytest.raises(MalformedMessageError, match="step 5: its events cannot be read"):
        UnitEvents(match_of()).update(frame)


def test_the_first_frame_of_a_real_match_reports_no_events(shared: pathlib.Path) -> None:
    from sc2bridge.game.match import Match
    from sc2bridge.s2clientprotocol import sc2api_pb2
    from sc2bridge.v1 import bridge_pb2

    real = shared / "data" / "real"
    data = sc2api_pb2.Response.FromString((real / "data.pb").read_bytes()).data
    for file in sorted(real.rglob("*/observation.pb")):
        match = Match(bridge_pb2.MatchDescription(match_id="m1", data=data), 1)
        frame = Frame(Envelope("m1", 1), file.read_bytes(), "proto", 0, 0)
        changes = UnitEvents(match).update(frame)
        assert not any(map(len, (changes.created, changes.finished, changes.destroyed, changes.seen)))
        # Twelve workers (and, for Zerg, larvae and an overlord) and a town hall, which is the start location.
        buildings = [unit for unit in frame.units.own if unit.unit_type in match.structures]
        assert len(frame.units.own) >= 13
        assert [match.register_frame(frame).start_location] == [one.position for one in buildings]
