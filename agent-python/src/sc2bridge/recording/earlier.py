"""Recordings of builds before 0.1.0: a player's kind and race, and the reason of a match's end, were text."""

from __future__ import annotations

from sc2bridge._protocol import messages
from sc2bridge._protocol.parsing import parse
from sc2bridge.game.words import number
from sc2bridge.v1 import bridge_pb2, recording_pb2


def convert(record: recording_pb2.MatchRecord) -> None:
    """Sets the enums that such a build did not write. Raises MalformedMessageError."""
    if record.HasField("end") and not record.end.reason:
        record.end.reason = _reason(record.end.detail)  # type: ignore[assignment]
    if not record.HasField("start"):
        return
    earlier = parse(messages.EarlierMatch, record.start.SerializeToString())
    for player, was in zip(record.start.players, earlier.players):
        player.kind = player.kind or number(bridge_pb2.PlayerKind, was.kind.decode("utf-8", "replace"))
        player.race = player.race or number(bridge_pb2.PlayerRace, was.race.decode("utf-8", "replace"))


def _reason(text: str) -> int:
    if text.startswith("forfeited by player "):
        return bridge_pb2.END_REASON_FORFEIT
    if text == "no agent plays any more":
        return bridge_pb2.END_REASON_NO_AGENT
    return number(bridge_pb2.EndReason, text) or (bridge_pb2.END_REASON_FAILED if text else 0)
