"""What happened to units from one frame to the next: made, destroyed, hurt, built, changed, seen.

    events = UnitEvents(match)
    for frame in frames:
        changes = events.update(frame)
        for unit in changes.created:
            print("new:", unit.unit_type)

The game reports only deaths and finished upgrades; the rest is found by comparing two frames with numpy, over the
whole table. An `Agent` has the same as `on_unit_created` and its like.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple, Optional

import numpy as np
import numpy.typing as npt

from sc2bridge._protocol.parsing import UNREADABLE
from sc2bridge.errors import MalformedMessageError
from sc2bridge.game.frame import Frame
from sc2bridge.game.match import Match
from sc2bridge.game.memory import CREATED, DEAD, FINISHED, OWN, SEEN, STARTED, Memory
from sc2bridge.units.tables import Rows
from sc2bridge.units import Units

PATIENCE = 112
"""Game loops, 5 s: an own unit that is out of sight for so long after frames were lost, and in no transport, counts as
dead. A worker is in a refinery for less than half of that."""

_SELF, _ENEMY, _PLACEHOLDER, _NEUTRAL_PLAYER = 1, 4, 4, 16


class LastSeen(NamedTuple):
    """A unit that is gone, as it was in the last frame that had it."""

    tag: int
    unit_type: int
    alliance: int
    owner: int
    pos: tuple[float, float, float]
    health: float
    shield: float
    presumed: bool
    """The game did not report its death: frames were lost, and it has been out of sight since."""

    @property
    def position(self) -> tuple[float, float]:
        """x and y in cells."""
        return self.pos[:2]


@dataclass
class Changes:
    """What changed from one frame to the next. The tables are views of the frame's own."""

    begun: bool
    """The first frame, or the first after the playback was moved, which is compared with no other: only
    enemies in sight are reported."""
    destroyed: list[LastSeen]
    """Units of any side that were seen before."""
    created: Units
    """Own units, no buildings, that were not there before."""
    type_changed: Units
    """Own: morphed, burrowed, lifted off, sieged …"""
    previous_types: npt.NDArray[np.uint32]
    """The type before, for each of `type_changed`."""
    damaged: Units
    """Own, with less health or shield than before."""
    damage: npt.NDArray[np.float32]
    """The points lost, for each of `damaged`; points regained in the same step are not subtracted."""
    started: Units
    """Own buildings that were begun."""
    finished: Units
    """Own buildings that were finished."""
    upgrades: list[int]
    """UpgradeData.upgrade_id of those that were finished."""
    seen: Units
    """Enemies seen for the first time; a unit that only a sensor tower sees is not seen yet."""


class UnitEvents:
    """Compares each frame with those before.

    Deaths in skipped frames (`frame.skipped`) are reported. Where frames were lost silently, as by a broken
    connection, an own unit that stays out of sight for 5 s of game time counts as dead. After a seek of the playback,
    and in another match, it begins anew: units in the first frame count as known, and only enemies in sight are
    reported. For an observer of all, every player's units are own ones, and none is an enemy.
    """

    def __init__(self, match: Match) -> None:
        """match: whose tables say which unit types are buildings."""
        # By unit type; the last one stands for those that the match does not know.
        self._buildings = np.zeros(max(match.structures, default=0) + 2, bool)
        self._buildings[list(match.structures)] = True
        self._last: Optional[_Position] = None
        self._memory = Memory()
        self._upgrades: set[int] = set()

    def update(self, frame: Frame) -> Changes:
        """Takes the next frame. Raises MalformedMessageError where it cannot be read."""
        last, self._last = self._last, _Position(frame.match_id, frame.perspective, frame.step)
        begun = last is None or not _follows(last, frame)
        if begun:
            self._memory, self._upgrades = Memory(), set()
        units = frame.units
        dead, upgrades = _reported(frame)
        rows = np.flatnonzero(~(units.is_blip | (units.display_type == _PLACEHOLDER)))
        changes = self._compare(units, rows, begun, frame.perspective == 0)
        memory = self._memory
        gone = memory.bury(dead)
        if last is not None and not begun and _lost(last, frame):
            memory.doubt(frame.game_loop)
        if memory.doubts:
            memory.trust(units.passengers.tag)
            presumed = memory.bury_doubtful(frame.game_loop - PATIENCE)
        else:
            presumed = np.empty(0, np.intp)
        changes.destroyed = [*memory.last_seen(gone, LastSeen, False), *memory.last_seen(presumed, LastSeen, True)]
        changes.upgrades = [] if begun else sorted(upgrades - self._upgrades)
        self._upgrades |= upgrades
        return changes

    def _compare(self, units: Units, rows: Any, begun: bool, sees_all: bool) -> Changes:
        memory = self._memory
        at, known = memory.find(units.tag[rows])
        was = memory.values(at, "unit_type", "health", "shield", "health_max")
        now = {name: getattr(units, name)[rows] for name in memory.columns}
        flags = memory.flags[at]
        flags[(flags & DEAD) != 0] = 0  # Its death was only presumed.
        if sees_all:
            own = (now["owner"] > 0) & (now["owner"] < _NEUTRAL_PLAYER)
            enemy = np.zeros(len(rows), bool)
        else:
            own, enemy = now["alliance"] == _SELF, now["alliance"] == _ENEMY
        building = own & self._buildings[np.minimum(now["unit_type"], len(self._buildings) - 1)]
        ready = now["build_progress"] >= 1
        created = own & ~building & (flags & CREATED == 0)
        started = building & ~ready & (flags & STARTED == 0)
        finished = building & ready & (flags & FINISHED == 0)
        seen = enemy & (flags & SEEN == 0)
        kept = known & own & (flags & OWN != 0)
        changed = kept & (was["unit_type"] != now["unit_type"]) & ~(created | started | finished)
        lost = np.maximum(was["health"] - now["health"], 0) + np.maximum(was["shield"] - now["shield"], 0)
        # A morph's other health is no damage.
        hurt = kept & (lost > 0) & (was["health_max"] == now["health_max"])
        flags &= ~np.uint8(OWN)
        for mark, which in ((OWN, own), (CREATED, created), (STARTED, started), (FINISHED, finished), (SEEN, seen)):
            flags[which] |= mark
        memory.keep(at, now, flags)
        if begun:  # Units in the first frame are not new, except enemies.
            created = started = finished = np.zeros(len(rows), bool)

        nothing = Units(Rows(units, rows[:0]))

        def part(which: Any) -> Units:
            return Units(Rows(units, rows[which])) if which.any() else nothing

        return Changes(
            begun,
            [],
            part(created),
            part(changed),
            was["unit_type"][changed],
            part(hurt),
            lost[hurt],
            part(started),
            part(finished),
            [],
            part(seen),
        )


class _Position(NamedTuple):
    """A frame's place in its match."""

    match_id: str
    perspective: int
    step: int


def _follows(last: _Position, frame: Frame) -> bool:
    """Whether a frame can be compared with the one before."""
    same = (frame.match_id, frame.perspective) == (last.match_id, last.perspective)
    return same and not frame.seeked and frame.step > last.step


def _lost(last: _Position, frame: Frame) -> bool:
    """Whether frames between two are missing that nothing makes up for."""
    skipped = frame.skipped
    if skipped is None:
        return frame.step != last.step + 1
    summed_up = skipped.first_step == last.step + 1 and skipped.first_step + skipped.frames == frame.step
    return not summed_up or skipped.truncated_frames > 0


def _reported(frame: Frame) -> tuple[set[int], set[int]]:
    """What the game itself reports: tags of dead units, and the upgrades that the player has."""
    if frame.encoding == "json":
        try:
            raw = frame.json.get("observation", {}).get("rawData", {})
            dead = {int(tag) for tag in raw.get("event", {}).get("deadUnits", ())}
            upgrades = {int(upgrade) for upgrade in raw.get("player", {}).get("upgradeIds", ())}
        except UNREADABLE as error:
            raise MalformedMessageError(f"step {frame.step}: its events cannot be read: {error}") from None
    else:
        raw = frame.observation.observation.raw_data
        dead, upgrades = set(raw.event.dead_units), set(raw.player.upgrade_ids)
    skipped = frame.skipped
    if skipped is not None:
        dead.update(skipped.dead_units)
        upgrades.update(skipped.upgrade_ids)
    return dead, upgrades
