"""Enums of the bridge's messages as words: a match's players, and its end."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from sc2bridge.s2clientprotocol import sc2api_pb2
from sc2bridge.v1 import bridge_pb2


def word(enum: Any, value: int) -> str:
    """`step limit` for END_REASON_STEP_LIMIT; empty for 0, and the number for a value of a newer bridge."""
    known = enum.DESCRIPTOR.values_by_number.get(value)
    if known is None:
        return str(value)
    return str(known.name[len(_prefix(enum)) :].replace("_", " ").lower()) if value else ""


def number(enum: Any, text: str) -> int:
    """The reverse; 0 for a text that is not a word of the enum."""
    value = enum.DESCRIPTOR.values_by_name.get(_prefix(enum) + text.replace(" ", "_").upper())
    return 0 if value is None else int(value.number)


def _prefix(enum: Any) -> str:
    return str(enum.DESCRIPTOR.values_by_number[0].name[: -len("UNSPECIFIED")])


@dataclass(frozen=True)
class MatchPlayer:
    """A player of a match."""

    player_id: int
    kind: str
    """`computer`, `agent`, `api`, `observer`, or in a replay `participant`."""
    race: str
    """`Terran`, `Zerg`, `Protoss` or `Random`, as requested."""
    difficulty: str
    """The game's name of a computer's difficulty (VeryHard …); empty for other players."""
    name: str

    @classmethod
    def of(cls, message: bridge_pb2.Player) -> MatchPlayer:
        """A message's."""
        kind, race = word(bridge_pb2.PlayerKind, message.kind), word(bridge_pb2.PlayerRace, message.race)
        return cls(message.player_id, kind, race.capitalize(), message.difficulty, message.name)


@dataclass(frozen=True)
class MatchEnd:
    """How a match ended. As text it is `detail`, or `reason` if there is no more to say."""

    match_id: str
    step: int
    """Of the last frame, like `game_loop`."""
    game_loop: int
    reason: str
    """`finished`, `step limit`, `stopped`, `restarted`, `range end`, `forfeit`, `no agent` or `failed`. Empty if `detail` alone is known."""
    detail: str = ""
    """The reason for people: which player forfeited, what failed."""
    results: Sequence[sc2api_pb2.PlayerResult] = ()
    aborted: bool = False
    """The game failed, or the recording ends before the match does: there is no result."""
    next_follows: bool = False
    """Another match follows on the same bridge."""

    @classmethod
    def of(cls, message: bridge_pb2.MatchEnd) -> MatchEnd:
        """A message's."""
        at, reason = (message.match_id, message.step, message.game_loop), word(bridge_pb2.EndReason, message.reason)
        return cls(*at, reason, message.detail, list(message.results), message.aborted, message.next_follows)

    def __str__(self) -> str:
        return self.detail or self.reason
