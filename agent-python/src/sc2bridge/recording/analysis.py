"""The analysis of a recorded match: `Recording.analysis`. The bridge computes it; docs/reference/analysis.md has the
rules."""

from __future__ import annotations

import json
from dataclasses import dataclass, field, fields
from typing import Any, NoReturn, Optional

from sc2bridge.recording._mcap import limits
from sc2bridge.recording.frames import LOOPS_PER_SECOND


def _list_field(kind: Any) -> Any:
    return field(metadata={"items": kind})


def _value_field(*kinds: type) -> Any:
    return field(metadata={"kinds": kinds})


@dataclass(frozen=True)
class LostUnits:
    """Units of one type that a player lost in a fight."""

    unit_type: int = _value_field(int)
    name: str = _value_field(str)
    count: int = _value_field(int)


@dataclass(frozen=True)
class FightSide:
    """A player in a fight."""

    player_id: int = _value_field(int)
    minerals: int = _value_field(int)
    """The minerals that the lost units of this player cost."""
    vespene: int = _value_field(int)
    """The vespene that these units cost."""
    damaged: int = _value_field(int)
    """The number of this player's units that were damaged and survived."""
    lost: list[LostUnits] = _list_field(LostUnits)
    """The lost units by type, sorted by count, largest first."""

    @property
    def value(self) -> int:
        """The sum of `minerals` and `vespene`."""
        return self.minerals + self.vespene


@dataclass(frozen=True)
class LoopSpan:
    """A period of the match, in game loops."""

    first_loop: int = _value_field(int)
    last_loop: int = _value_field(int)

    @property
    def seconds(self) -> float:
        """The duration at the speed "faster"."""
        return (self.last_loop - self.first_loop) / LOOPS_PER_SECOND


@dataclass(frozen=True)
class Fight(LoopSpan):
    """A fight between at least two players."""

    x: float = _value_field(int, float)
    y: float = _value_field(int, float)
    """`x` and `y` are the fight's center, in map cells."""
    ahead: int = _value_field(int)
    """The player id of the side that is ahead after the fight; 0 if no side is."""
    sides: list[FightSide] = _list_field(FightSide)
    """Ordered by player id."""


@dataclass(frozen=True)
class UnspentSpan(LoopSpan):
    """A period of the match. During this period, a player had much of a resource and did not spend it."""

    resource: str = _value_field(str)
    """`minerals` or `vespene`."""
    most: int = _value_field(int)
    """The largest amount in this period."""


@dataclass(frozen=True)
class TownHall:
    """A town hall of a player."""

    name: str = _value_field(str)
    x: float = _value_field(int, float)
    y: float = _value_field(int, float)
    seen_loop: int = _value_field(int)
    is_expansion: bool = _value_field(bool)
    """True if the town hall was built during the match."""
    finished_loop: Optional[int] = _value_field(int, type(None))
    lost_loop: Optional[int] = _value_field(int, type(None))


@dataclass(frozen=True)
class FailedActions:
    """Actions that failed for the same reason."""

    kind: str = _value_field(str)
    """The reason: a name of the game's `ActionResult`, or `RefusedByBridge`."""
    refused: int = _value_field(int)
    """The number of actions that were refused when they were sent."""
    failed: int = _value_field(int)
    """The number of actions that were accepted and failed later."""


@dataclass(frozen=True)
class PlayerAnalysis:
    """The analysis of one player. If this player's perspective was not recorded, only the bases and refused actions are
    known."""

    player_id: int = _value_field(int)
    is_observed: bool = _value_field(bool)
    bases: list[TownHall] = _list_field(TownHall)
    supply_blocks: list[LoopSpan] = _list_field(LoopSpan)
    floating: list[UnspentSpan] = _list_field(UnspentSpan)
    idle_production: Optional[float] = _value_field(int, float, type(None))
    """The score's `idle_production_time` at the end of the match."""
    idle_workers: Optional[float] = _value_field(int, float, type(None))
    errors: list[FailedActions] = _list_field(FailedActions)


@dataclass(frozen=True)
class Analysis(LoopSpan):
    """The analysis of a match."""

    rules: int = _value_field(int)
    """The version of the analysis rules."""
    fights: list[Fight] = _list_field(Fight)
    players: list[PlayerAnalysis] = _list_field(PlayerAnalysis)


def parse(data: memoryview) -> Analysis:
    """Parses the content of the attachment `analysis`. Raises ValueError if it is not a valid analysis."""
    if len(data) > limits.ANALYSIS:
        raise ValueError(f"it has {len(data)} bytes: the limit is {limits.ANALYSIS}")
    try:
        analysis: Analysis = _build(Analysis, json.loads(bytes(data), parse_constant=_reject_constant))
        return analysis
    except RecursionError:
        raise ValueError("it is nested too deeply") from None


def _reject_constant(constant: str) -> NoReturn:
    raise ValueError(f"{constant} is not a JSON number")


def _build(kind: Any, given: Any) -> Any:
    if not isinstance(given, dict):
        raise ValueError(f"expected an object for {kind.__name__}, not {type(given).__name__}")
    return kind(**{each.name: _checked_value(each, given.get(each.name)) for each in fields(kind)})


def _checked_value(data_field: Any, given: Any) -> Any:
    items = data_field.metadata.get("items")
    if items is not None and isinstance(given, list):
        return [_build(items, each) for each in given]
    if items is not None or type(given) not in data_field.metadata["kinds"]:
        raise ValueError(f"the field {data_field.name} must not be of the type {type(given).__name__}")
    return given
