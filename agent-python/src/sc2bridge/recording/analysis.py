"""The analysis of a recorded match: `Recording.analysis`. The bridge computes it; docs/reference/analysis.md has the rules."""

from __future__ import annotations

import json
from dataclasses import dataclass, field, fields
from typing import Any, NoReturn, Optional

from sc2bridge.recording._mcap import limits
from sc2bridge.recording.frames import LOOPS_PER_SECOND


def _list(kind: Any) -> Any:
    return field(metadata={"items": kind})


def _value(*kinds: type) -> Any:
    return field(metadata={"kinds": kinds})


@dataclass(frozen=True)
class LostUnits:
    """Units of one type that a player lost in a fight."""

    unit_type: int = _value(int)
    name: str = _value(str)
    count: int = _value(int)


@dataclass(frozen=True)
class FightSide:
    """A player in a fight."""

    player_id: int = _value(int)
    minerals: int = _value(int)
    """The cost of the units that it lost."""
    vespene: int = _value(int)
    damaged: int = _value(int)
    """How many of its units were damaged and survived."""
    lost: list[LostUnits] = _list(LostUnits)
    """The most numerous first."""

    @property
    def value(self) -> int:
        """Minerals and vespene of the units that it lost."""
        return self.minerals + self.vespene


@dataclass(frozen=True)
class LoopSpan:
    """A part of the match, in game loops."""

    first_loop: int = _value(int)
    last_loop: int = _value(int)

    @property
    def seconds(self) -> float:
        """How long it is, at the speed "faster"."""
        return (self.last_loop - self.first_loop) / LOOPS_PER_SECOND


@dataclass(frozen=True)
class Fight(LoopSpan):
    """A fight."""

    x: float = _value(int, float)
    """Its middle, in cells."""
    y: float = _value(int, float)
    ahead: int = _value(int)
    """The player id of the side that came out ahead; 0 if no side did."""
    sides: list[FightSide] = _list(FightSide)
    """At least two, ordered by player id."""


@dataclass(frozen=True)
class FloatingSpan(LoopSpan):
    """A part of the match, during which a player did not spend a resource."""

    resource: str = _value(str)
    """`minerals` or `vespene`."""
    most: int = _value(int)


@dataclass(frozen=True)
class TownHall:
    """A town hall."""

    name: str = _value(str)
    x: float = _value(int, float)
    y: float = _value(int, float)
    seen_loop: int = _value(int)
    is_expansion: bool = _value(bool)
    """It was built during the match."""
    finished_loop: Optional[int] = _value(int, type(None))
    lost_loop: Optional[int] = _value(int, type(None))


@dataclass(frozen=True)
class FailedActions:
    """Actions that failed for the same reason."""

    kind: str = _value(str)
    """The name in the game's `ActionResult`, or `RefusedByBridge`."""
    refused: int = _value(int)
    """How many were refused when they were sent."""
    failed: int = _value(int)
    """How many were accepted and failed later."""


@dataclass(frozen=True)
class PlayerAnalysis:
    """A player. If its own perspective was not recorded, only its bases and refused actions are known."""

    player_id: int = _value(int)
    is_observed: bool = _value(bool)
    bases: list[TownHall] = _list(TownHall)
    supply_blocks: list[LoopSpan] = _list(LoopSpan)
    floating: list[FloatingSpan] = _list(FloatingSpan)
    idle_production: Optional[float] = _value(int, float, type(None))
    """The score's `idle_production_time` at the end."""
    idle_workers: Optional[float] = _value(int, float, type(None))
    errors: list[FailedActions] = _list(FailedActions)


@dataclass(frozen=True)
class Analysis(LoopSpan):
    """Fights, and what each player did and failed to do."""

    rules: int = _value(int)
    """The version of the rules."""
    fights: list[Fight] = _list(Fight)
    players: list[PlayerAnalysis] = _list(PlayerAnalysis)


def parse(data: memoryview) -> Analysis:
    """The analysis in an attachment. Raises ValueError if it holds something else."""
    if len(data) > limits.ANALYSIS:
        raise ValueError(f"it has {len(data)} bytes, more than {limits.ANALYSIS}")
    try:
        made: Analysis = _made(Analysis, json.loads(bytes(data), parse_constant=_refuse))
        return made
    except RecursionError:
        raise ValueError("it is nested too deeply") from None


def _refuse(constant: str) -> NoReturn:
    raise ValueError(f"{constant} is not a number of JSON")


def _made(kind: Any, given: Any) -> Any:
    if not isinstance(given, dict):
        raise ValueError(f"a {kind.__name__} is missing")
    return kind(**{each.name: _checked(each, given.get(each.name)) for each in fields(kind)})


def _checked(of: Any, given: Any) -> Any:
    items = of.metadata.get("items")
    if items is not None and isinstance(given, list):
        return [_made(items, each) for each in given]
    if items is not None or type(given) not in of.metadata["kinds"]:
        raise ValueError(f"{of.name} is of the type {type(given).__name__}")
    return given
