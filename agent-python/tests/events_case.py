"""Frames with unit tables of any kind, and their events from a simple oracle: a loop over dicts."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from typing import Any, Optional

from columns_case import columns_of
from google.protobuf import json_format
from hypothesis import strategies as st

from sc2bridge._protocol.envelope import Envelope
from sc2bridge.game.events import MISSING_LOOPS
from sc2bridge.game.frame import Frame
from sc2bridge.game.match import Match
from sc2bridge.s2clientprotocol import sc2api_pb2
from sc2bridge.v1 import bridge_pb2

BUILDINGS = (7, 8)
STRUCTURE = 8


def match_of(player: int = 1) -> Match:
    description = bridge_pb2.MatchDescription(match_id="m1", perspectives=[player])
    for kind in range(4):
        description.data.units.add(unit_id=kind, name=f"Unit{kind}")
    for kind in BUILDINGS:
        description.data.units.add(unit_id=kind, name=f"Building{kind}").attributes.append(STRUCTURE)
    return Match(description, player)


@dataclass
class Step:
    """The game's report, and how the frame arrived."""

    units: list[dict[str, Any]]
    passengers: list[int] = field(default_factory=list)
    dead: list[int] = field(default_factory=list)
    upgrades: list[int] = field(default_factory=list)
    way: str = "next"
    """next: directly after the last frame. skipped: after frames that `skipped` sums up. cut: the same with a truncated sum. lost:
    after missing frames without a report. seeked: the playback was moved here. back: to an earlier step."""
    skipped_dead: list[int] = field(default_factory=list)
    skipped_upgrades: list[int] = field(default_factory=list)
    loops: int = 1


def observation_of(step: Step, loop: int) -> sc2api_pb2.ResponseObservation:
    message = sc2api_pb2.ResponseObservation()
    raw = message.observation.raw_data
    message.observation.game_loop = loop
    for unit in step.units:
        x = unit["tag"] + 0.5
        raw.units.add(**{"pos": {"x": x, "y": x + 1, "z": 3}, "health_max": 100, "display_type": 1, **unit})
    if step.passengers:
        carrier = raw.units.add(tag=999, unit_type=3, alliance=1, owner=1, health=9, health_max=9, build_progress=1)
        for tag in step.passengers:
            carrier.passengers.add(tag=tag)
    raw.event.dead_units.extend(step.dead)
    raw.player.upgrade_ids.extend(step.upgrades)
    return message


@dataclass
class Sequence:
    """Makes frames of consecutive steps."""

    content: str = "observation"
    encoding: str = "proto"
    perspective: int = 1
    step: int = 4
    loop: int = 40

    def frame(self, told: Step) -> Frame:
        skipped = None
        before = self.step
        self.loop += told.loops
        if told.way in ("skipped", "cut"):
            self.step += 4
            skipped = bridge_pb2.Skipped(frames=3, first_step=before + 1, truncated_frames=int(told.way == "cut"))
            skipped.dead_units.extend(told.skipped_dead)
            skipped.upgrade_ids.extend(told.skipped_upgrades)
        elif told.way == "back":
            self.step = max(0, self.step - 2)
        else:
            self.step += {"next": 1, "lost": 5, "seeked": 9}[told.way]
        envelope = Envelope("m1", self.perspective, self.step, self.loop, skipped=skipped)
        envelope.payload = envelope.content = self.content
        message: Any = observation_of(told, self.loop)
        if self.content == "columns":
            message = columns_of(message)
        if self.encoding == "json":
            event = {"frame": {"matchId": "m1", self.content: json.loads(json_format.MessageToJson(message))}}
            raw: Any = json.dumps(event)
        else:
            raw = message.SerializeToString()
        return Frame(envelope, raw, self.encoding, 0, len(raw), told.way == "seeked")


Told = dict[str, list[Any]]


class Oracle:
    """The expected events of `UnitEvents`, one unit at a time."""

    def __init__(self, perspective: int = 1) -> None:
        self._sees_all = perspective == 0
        self._last_step: Optional[int] = None
        self._forget()

    def _forget(self) -> None:
        self.known: dict[int, dict[str, Any]] = {}
        self.told: dict[int, set[str]] = {}
        self.dead: set[int] = set()
        self.doubted: dict[int, int] = {}
        self.upgrades: set[int] = set()

    def update(self, step: Step, number: int, loop: int) -> Told:
        last, self._last_step = self._last_step, number
        begun = last is None or step.way in ("seeked", "back")
        if begun:
            self._forget()
        told: Told = {
            name: []
            for name in ("destroyed", "created", "type_changed", "damaged", "started", "finished", "upgrades", "seen")
        }
        units = observation_of(step, loop).observation.raw_data.units
        there = {unit.tag: unit for unit in units if not unit.is_blip and unit.display_type != 4}
        for tag, unit in there.items():
            self._look(tag, unit, told)
        if begun:  # These units existed before the match was watched.
            for name in ("created", "started", "finished"):
                told[name] = []
        for tag in sorted(
            {*step.dead, *step.skipped_dead} if "skipped" in step.way or step.way == "cut" else step.dead
        ):
            if tag in self.known and tag not in there and tag not in self.dead:
                self._bury(tag, told, False)
        if not begun and step.way in ("lost", "cut"):
            for tag in self.known:
                if self.known[tag]["own"] and tag not in there and tag not in self.dead:
                    self.doubted.setdefault(tag, loop)
        for tag in [*there, *step.passengers]:
            self.doubted.pop(tag, None)
        for tag, since in sorted(self.doubted.items()):
            if loop - since >= MISSING_LOOPS:
                self._bury(tag, told, True)
        upgrades = {*step.upgrades, *(step.skipped_upgrades if step.way in ("skipped", "cut") else ())}
        told["upgrades"] = [] if begun else sorted(upgrades - self.upgrades)
        self.upgrades |= upgrades
        return told

    def _look(self, tag: int, unit: Any, told: Told) -> None:
        was = self.known.get(tag)
        if tag in self.dead:
            self.dead.remove(tag)
            self.told[tag] = set()
            was = None
        news = self.told.setdefault(tag, set())
        own = 0 < unit.owner < 16 if self._sees_all else unit.alliance == 1
        new = False
        if own:
            kind = "created"
            if unit.unit_type in BUILDINGS:
                kind = "finished" if unit.build_progress >= 1 else "started"
            if kind not in news:
                news.add(kind)
                told[kind].append(tag)
                new = True
        elif unit.alliance == 4 and not self._sees_all and "seen" not in news:
            news.add("seen")
            told["seen"].append(tag)
        if was is not None and own and was["own"]:
            if was["type"] != unit.unit_type and not new:
                told["type_changed"].append((tag, was["type"]))
            lost = max(0.0, was["health"] - unit.health) + max(0.0, was["shield"] - unit.shield)
            if lost > 0 and was["max"] == unit.health_max:
                told["damaged"].append((tag, lost))
        self.known[tag] = {
            "own": own,
            "type": unit.unit_type,
            "health": unit.health,
            "shield": unit.shield,
            "max": unit.health_max,
            "owner": unit.owner,
            "pos": (unit.pos.x, unit.pos.y, unit.pos.z),
        }

    def _bury(self, tag: int, told: Told, presumed: bool) -> None:
        self.dead.add(tag)
        self.doubted.pop(tag, None)
        was = self.known[tag]
        told["destroyed"].append((tag, was["type"], was["owner"], was["pos"], was["health"], presumed))


TAGS = range(1, 8)


@st.composite
def steps(draw: Any) -> list[Step]:
    """Tables with few or many changes, for every kind of arrival."""
    some = st.lists(st.sampled_from(TAGS), unique=True, max_size=4)
    made = []
    table: dict[int, dict[str, Any]] = {}
    for _ in range(draw(st.integers(1, 8))):
        for tag in draw(some):
            alliance = draw(st.sampled_from((1, 1, 1, 3, 4)))
            table[tag] = {
                "tag": tag,
                "unit_type": draw(st.sampled_from((0, 1, 2, *BUILDINGS))),
                "alliance": alliance,
                "owner": {1: 1, 3: 16, 4: 2}[alliance],
                "health": draw(st.sampled_from((0, 10, 20.5, 35))),
                "health_max": draw(st.sampled_from((40, 40, 40, 50))),
                "shield": draw(st.sampled_from((0, 5))),
                "build_progress": draw(st.sampled_from((0.5, 1, 1))),
                "is_blip": draw(st.integers(0, 9)) == 9,
                "display_type": draw(st.sampled_from((1, 1, 1, 2, 4))),
            }
        for tag in draw(some):
            table.pop(tag, None)
        away = [tag for tag in TAGS if tag not in table]
        upgrades = st.lists(st.sampled_from((3, 4, 5)), unique=True, max_size=2)
        made.append(
            Step(
                list(draw(st.permutations(list(table.values())))),
                draw(st.lists(st.sampled_from(away), unique=True, max_size=2)) if away else [],
                draw(st.one_of(st.just([]), some)),
                draw(upgrades),
                draw(st.sampled_from(("next",) * 5 + ("skipped", "cut", "lost", "seeked", "back"))),
                draw(some),
                draw(upgrades),
                draw(st.sampled_from((1, 1, 30, MISSING_LOOPS))),
            )
        )
    return made
