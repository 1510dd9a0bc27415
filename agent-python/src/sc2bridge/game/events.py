"""Finds unit events between two frames: units that were created, destroyed, damaged, built, morphed or first seen.

    events = UnitEvents(match)
    for frame in frames:
        changes = events.update(frame)
        for unit in changes.created:
            print("new:", unit.unit_type)

The game reports only deaths and finished upgrades. All other events are found by comparing the unit tables of two
frames with numpy. An `Agent` receives the same events by `on_unit_created` and similar methods.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple, Optional

import numpy as np
import numpy.typing as npt

from sc2bridge._protocol.parsing import PARSE_ERRORS
from sc2bridge.errors import MalformedMessageError
from sc2bridge.game.frame import Frame
from sc2bridge.game.match import Match
from sc2bridge.game.memory import CREATED, DEAD, FINISHED, OWN, SEEN, STARTED, Memory
from sc2bridge.units.tables import Rows
from sc2bridge.units import Units

MISSING_LOOPS = 112
"""5 seconds in game loops. After lost frames, an own unit that is missing for this time counts as dead. Units that are
passengers do not count as missing. A worker is inside a refinery for less than half of this time."""

_SELF, _ENEMY, _PLACEHOLDER, _NEUTRAL_PLAYER = 1, 4, 4, 16


class LastSeen(NamedTuple):
    """A destroyed unit, with its values from the last frame that contained it."""

    tag: int
    unit_type: int
    alliance: int
    owner: int
    pos: tuple[float, float, float]
    health: float
    shield: float
    presumed: bool
    """True if the game did not report the death: frames were lost, and the unit has been missing since then."""

    @property
    def position(self) -> tuple[float, float]:
        """x and y in cells."""
        return self.pos[:2]


@dataclass
class Changes:
    """The changes from one frame to the next. The tables are views of the frame's table."""

    begun: bool
    """True for the match's first frame, and for the first frame after a seek of the playback. Such a frame is compared
    with no other frame, so that only visible enemies are reported."""
    destroyed: list[LastSeen]
    """Units of any player that were seen before, and are destroyed now."""
    created: Units
    """Own new units, without buildings."""
    type_changed: Units
    """Own units that morphed, burrowed, lifted off, sieged …"""
    previous_types: npt.NDArray[np.uint32]
    """The previous unit type, for each unit of `type_changed`."""
    damaged: Units
    """Own units with less health or shield than before."""
    damage: npt.NDArray[np.float32]
    """The lost health plus the lost shield of each unit in `damaged`. A rise of health or shield is not subtracted."""
    started: Units
    """Own buildings whose construction started."""
    finished: Units
    """Own buildings that were finished."""
    upgrades: list[int]
    """UpgradeData.upgrade_id of each finished upgrade."""
    seen: Units
    """Enemies seen for the first time. A unit that only a sensor tower detects does not count as seen."""


class UnitEvents:
    """Compares each frame of a match with the frames before it.

    Deaths in skipped frames are reported, because `frame.skipped` contains them. If other frames are missing, for
    example after a broken connection, an own unit that stays missing for 5 s of game time counts as dead. A seek of the
    playback and a new match reset the state: units of the first frame then count as known, and only visible enemies are
    reported. For an observer of all players, the units of every player count as own units, and there are no enemies.
    """

    def __init__(self, match: Match) -> None:
        """match: its tables define which unit types are buildings."""
        # Indexed by unit type. The last entry is for unit types that the match does not have.
        self._buildings = np.zeros(max(match.structures, default=0) + 2, bool)
        self._buildings[list(match.structures)] = True
        self._last: Optional[_FramePosition] = None
        self._memory = Memory()
        self._upgrades: set[int] = set()

    def update(self, frame: Frame) -> Changes:
        """Compares the next frame. Raises MalformedMessageError if the frame cannot be read."""
        last, self._last = self._last, _FramePosition(frame.match_id, frame.perspective, frame.step)
        begun = last is None or not _is_comparable(last, frame)
        if begun:
            self._memory, self._upgrades = Memory(), set()
        units = frame.units
        dead, upgrades = _reported_deaths_and_upgrades(frame)
        rows = np.flatnonzero(~(units.is_blip | (units.display_type == _PLACEHOLDER)))
        changes = self._compare(units, rows, begun, frame.perspective == 0)
        memory = self._memory
        gone = memory.mark_dead(dead)
        if last is not None and not begun and _has_unreported_gap(last, frame):
            memory.mark_doubtful(frame.game_loop)
        if memory.has_doubtful:
            memory.clear_doubtful(units.passengers.tag)
            presumed = memory.mark_doubtful_dead(frame.game_loop - MISSING_LOOPS)
        else:
            presumed = np.empty(0, np.intp)
        changes.destroyed = [*memory.last_seen(gone, LastSeen, False), *memory.last_seen(presumed, LastSeen, True)]
        changes.upgrades = [] if begun else sorted(upgrades - self._upgrades)
        self._upgrades |= upgrades
        return changes

    def _compare(self, units: Units, rows: Any, begun: bool, sees_all: bool) -> Changes:
        memory = self._memory
        at, known = memory.find_or_add(units.tag[rows])
        was = memory.values(at, "unit_type", "health", "shield", "health_max")
        now = {name: getattr(units, name)[rows] for name in memory.columns}
        flags = memory.flags[at]
        flags[(flags & DEAD) != 0] = 0  # The unit is in this frame, so its presumed death was wrong.
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
        # A morph changes health_max: then less health is not damage.
        hurt = kept & (lost > 0) & (was["health_max"] == now["health_max"])
        flags &= ~np.uint8(OWN)
        for mark, which in ((OWN, own), (CREATED, created), (STARTED, started), (FINISHED, finished), (SEEN, seen)):
            flags[which] |= mark
        memory.store(at, now, flags)
        if begun:  # In the first frame, only enemies count as new.
            created = started = finished = np.zeros(len(rows), bool)

        nothing = Units(Rows(units, rows[:0]))

        def table_of(which: Any) -> Units:
            return Units(Rows(units, rows[which])) if which.any() else nothing

        return Changes(
            begun,
            [],
            table_of(created),
            table_of(changed),
            was["unit_type"][changed],
            table_of(hurt),
            lost[hurt],
            table_of(started),
            table_of(finished),
            [],
            table_of(seen),
        )


class _FramePosition(NamedTuple):
    match_id: str
    perspective: int
    step: int


def _is_comparable(last: _FramePosition, frame: Frame) -> bool:
    """Whether a frame can be compared with the previous frame `last`."""
    same = (frame.match_id, frame.perspective) == (last.match_id, last.perspective)
    return same and not frame.seeked and frame.step > last.step


def _has_unreported_gap(last: _FramePosition, frame: Frame) -> bool:
    """Whether frames between `last` and `frame` are missing, and `frame.skipped` does not report all of them."""
    skipped = frame.skipped
    if skipped is None:
        return frame.step != last.step + 1
    is_covered = skipped.first_step == last.step + 1 and skipped.first_step + skipped.frames == frame.step
    return not is_covered or skipped.truncated_frames > 0


def _reported_deaths_and_upgrades(frame: Frame) -> tuple[set[int], set[int]]:
    """The tags of units that died since the previous frame, and the ids of the player's upgrades."""
    if frame.encoding == "json":
        try:
            raw = frame.json.get("observation", {}).get("rawData", {})
            dead = {int(tag) for tag in raw.get("event", {}).get("deadUnits", ())}
            upgrades = {int(upgrade) for upgrade in raw.get("player", {}).get("upgradeIds", ())}
        except PARSE_ERRORS as error:
            raise MalformedMessageError(f"step {frame.step}: its events cannot be read: {error}") from None
    else:
        raw = frame.observation.observation.raw_data
        dead, upgrades = set(raw.event.dead_units), set(raw.player.upgrade_ids)
    skipped = frame.skipped
    if skipped is not None:
        dead.update(skipped.dead_units)
        upgrades.update(skipped.upgrade_ids)
    return dead, upgrades
