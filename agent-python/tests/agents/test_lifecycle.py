"""An agent over several matches: its calls and their order. Each start has an end."""

from __future__ import annotations

from typing import Any

import pytest
from events_case import BUILDINGS, Step, match_of, observation_of
from fake_bridge import GrpcBridge, Match

from sc2bridge import Agent
from sc2bridge.agents.runner import CONNECTION_LOST, RunOptions, run

UNITS = [
    {"tag": 1, "unit_type": 1, "alliance": 1, "health": 40, "build_progress": 1},
    {"tag": 2, "unit_type": BUILDINGS[0], "alliance": 1, "health": 90, "build_progress": 1, "ideal_harvesters": 16},
]
LATER = [
    {"tag": 1, "unit_type": 2, "alliance": 1, "health": 40, "build_progress": 1},
    {"tag": 2, "unit_type": BUILDINGS[0], "alliance": 1, "health": 80, "build_progress": 1},
    {"tag": 3, "unit_type": BUILDINGS[1], "alliance": 1, "health": 9, "build_progress": 0.1},
    {"tag": 9, "unit_type": 3, "alliance": 4, "health": 9, "build_progress": 1},
]
OBSERVATIONS = [
    observation_of(Step(UNITS), 0),
    observation_of(Step(LATER), 1),
    observation_of(Step(LATER[1:3], dead=[1, 9], upgrades=[5]), 2),
]


class Diary(Agent):
    can_act = True
    entries: list[str] = []  # noqa: RUF012 - shared, so that the test can read it.

    def write(self, what: str) -> None:
        Diary.entries.append(what)

    def on_start(self, match: Any) -> None:
        self.write(f"start {match.match_id} at {match.start_location} of {self.match.player_id}")
        self.chat_send("glhf")

    def on_seek(self, frame: Any) -> None:
        self.write(f"seek {frame.step}")

    def on_step(self, frame: Any) -> None:
        self.write(f"step {frame.step}")

    def on_end(self, end: Any) -> None:
        self.write(f"end {end.match_id} {end} {end.aborted} {self.match.result}")

    def on_unit_created(self, unit: Any) -> None:
        self.write(f"created {unit.tag}")

    def on_unit_destroyed(self, unit: Any) -> None:
        self.write(f"destroyed {unit.tag} of type {unit.unit_type}")

    def on_unit_took_damage(self, unit: Any, amount: float) -> None:
        self.write(f"damage {unit.tag} {amount}")

    def on_unit_type_changed(self, unit: Any, previous_type: int) -> None:
        self.write(f"type {unit.tag} {previous_type}->{unit.unit_type}")

    def on_building_construction_started(self, unit: Any) -> None:
        self.write(f"started {unit.tag}")

    def on_building_construction_complete(self, unit: Any) -> None:
        self.write(f"complete {unit.tag}")

    def on_upgrade_complete(self, upgrade: int) -> None:
        self.write(f"upgrade {upgrade}")

    def on_enemy_unit_first_seen(self, unit: Any) -> None:
        self.write(f"seen {unit.tag}")


STEPS = [
    "step 0",
    *("type 1 1->2", "damage 2 10.0", "started 3", "seen 9", "step 1"),
    *("destroyed 1 of type 2", "destroyed 9 of type 3", "upgrade 5", "step 2"),
]


def played(url: str, **subscription: Any) -> tuple[int, list[str]]:
    Diary.entries = []
    code = run(RunOptions("test_lifecycle:Diary", url, retry_seconds=0, subscription=subscription))
    return code, Diary.entries


def match(**more: Any) -> Match:
    return Match(observations=OBSERVATIONS, data=match_of().data, perspective=1, **more)


@pytest.mark.parametrize("content", ["observation", "columns"])
@pytest.mark.parametrize("policy", ["lockstep", "every"])
def test_an_agent_gets_each_event_of_a_match_in_order(open_bridge: Any, policy: str, content: str) -> None:
    fake = match()
    with open_bridge(fake) as url:
        code, entries = played(url, policy=policy, content=content)
    assert code == 0
    assert entries == ["start m1 at (2.5, 3.5) of 1", *STEPS, "end m1 step limit False victory"]
    assert [each.action_chat.message for sent in fake.acted for each in sent.actions] == ["glhf"]
    assert fake.acted[0].step == 0


def test_an_agent_plays_all_matches_of_a_series(open_bridge: Any) -> None:
    fake = match(series=3)
    with open_bridge(fake) as url:
        code, entries = played(url, match_id="m1")
    assert code == 0
    assert entries == [
        entry
        for name in ("m1", "m2", "m3")
        for entry in (f"start {name} at (2.5, 3.5) of 1", *STEPS, f"end {name} step limit False victory")
    ]
    assert [subscription.match_id for subscription in fake.subscriptions] == ["m1", "", ""]


def test_a_match_that_the_game_failed_ends_without_a_result(open_bridge: Any) -> None:
    with open_bridge(match(aborted="the game ended with exit code 139", series=2)) as url:
        code, entries = played(url)
    assert code == 0
    ends = [entry for entry in entries if entry.startswith("end")]
    assert ends == [f"end {name} the game ended with exit code 139 True None" for name in ("m1", "m2")]


def test_a_seek_of_the_playback_is_reported_to_the_agent(open_bridge: Any) -> None:
    with open_bridge(match(seeks=(1,))) as url:
        code, entries = played(url)
    assert entries[:6] == [
        "start m1 at (2.5, 3.5) of 1",
        "step 0",
        "seek 1",
        "seen 9",
        "step 1",
        "destroyed 1 of type 2",
    ]


def test_a_bridge_that_is_lost_ends_the_match(open_bridge: Any, capsys: Any) -> None:
    with open_bridge(match(break_after=1)) as url:
        code, entries = played(url)
    assert code == CONNECTION_LOST
    assert entries[:2] == ["start m1 at (2.5, 3.5) of 1", "step 0"]
    assert entries[2].startswith("end m1 ") and entries[2].endswith(" (UNAVAILABLE) True None") and len(entries) == 3


def test_a_match_ended_by_the_bridge_for_this_agent_alone() -> None:
    with GrpcBridge(match(break_after=2, break_code="RESOURCE_EXHAUSTED")) as fake:
        code, entries = played(fake.url)
    assert code == 1 and entries[-1] == "end m1 the bridge stops (RESOURCE_EXHAUSTED) True None"


def test_a_refused_agent_has_no_match_to_end(open_bridge: Any) -> None:
    with open_bridge(match(refusal=(5, "there is no match m7"))) as url:
        assert played(url) == (1, [])


class Plain(Agent):
    """Has no method for unit events."""

    heard = 0

    def on_step(self, frame: Any) -> None:
        assert frame._units is None and frame._observation is None, "nothing was looked at"
        Plain.heard += 1


def test_agents_without_event_methods_compute_no_events(open_bridge: Any) -> None:
    Plain.heard = 0
    with open_bridge(match()) as url:
        assert run(RunOptions("test_lifecycle:Plain", url, retry_seconds=0)) == 0
    assert Plain.heard == 3
