"""Players and the end of a match. Values of the bridge's enums are text here."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from sc2bridge.s2clientprotocol import sc2api_pb2
from sc2bridge.v1 import bridge_pb2


def as_text(enum: Any, value: int) -> str:
    """An enum value as text: `step limit` for END_REASON_STEP_LIMIT, empty for 0. A value that only a newer bridge
    knows is shown as its number."""
    known = enum.DESCRIPTOR.values_by_number.get(value)
    if known is None:
        return str(value)
    return str(known.name[len(_prefix(enum)) :].replace("_", " ").lower()) if value else ""


def enum_value(enum: Any, text: str) -> int:
    """Converts a text to the enum value; 0 if the enum has no such value."""
    value = enum.DESCRIPTOR.values_by_name.get(_prefix(enum) + text.replace(" ", "_").upper())
    return 0 if value is None else int(value.number)


def _prefix(enum: Any) -> str:
    return str(enum.DESCRIPTOR.values_by_number[0].name[: -len("UNSPECIFIED")])


@dataclass(frozen=True)
class MatchPlayer:
    """A player of a match."""

    player_id: int
    kind: str
    """`computer`, `agent`, `api`, `observer`, or, in a replay, `participant`."""
    race: str
    """`Terran`, `Zerg`, `Protoss` or `Random`, as requested."""
    difficulty: str
    """The game's name of a computer's difficulty (VeryHard …); empty for other players."""
    name: str

    @classmethod
    def of(cls, message: bridge_pb2.Player) -> MatchPlayer:
        kind, race = as_text(bridge_pb2.PlayerKind, message.kind), as_text(bridge_pb2.PlayerRace, message.race)
        return cls(message.player_id, kind, race.capitalize(), message.difficulty, message.name)


@dataclass(frozen=True)
class MatchEnd:
    """How a match ended. `str` returns `detail`, or `reason` if `detail` is empty."""

    match_id: str
    step: int
    """The step of the last frame. `game_loop` is the game loop of this frame."""
    game_loop: int
    reason: str
    """`finished`, `step limit`, `stopped`, `restarted`, `range end`, `forfeit`, `no agent` or `failed`. Empty if only
    `detail` is known."""
    detail: str = ""
    """More about the reason, as a text for people: which player forfeited, or what failed."""
    results: Sequence[sc2api_pb2.PlayerResult] = ()
    aborted: bool = False
    """True if there is no result, because the game failed or the recording ends before the match ends."""
    next_follows: bool = False
    """True if another match follows on the same bridge."""

    @classmethod
    def of(cls, message: bridge_pb2.MatchEnd) -> MatchEnd:
        at, reason = (message.match_id, message.step, message.game_loop), as_text(bridge_pb2.EndReason, message.reason)
        return cls(*at, reason, message.detail, list(message.results), message.aborted, message.next_follows)

    def __str__(self) -> str:
        return self.detail or self.reason
