"""Converts records of builds before 0.1.0. They wrote a player's kind and race, and a match's end reason, as text."""

from __future__ import annotations

import re

from sc2bridge._protocol import messages
from sc2bridge._protocol.parsing import parse
from sc2bridge.game.words import enum_value
from sc2bridge.v1 import bridge_pb2, recording_pb2


def convert_earlier(record: recording_pb2.MatchRecord) -> None:
    """Sets the enum fields of an earlier build's record; changes no other record. Raises MalformedMessageError."""
    if record.HasField("end") and not record.end.reason:
        record.end.reason = _end_reason(record.end)  # type: ignore[assignment]
    if not record.HasField("start"):
        return
    earlier = parse(messages.EarlierMatch, record.start.SerializeToString())
    for player, earlier_player in zip(record.start.players, earlier.players):
        player.kind = player.kind or enum_value(bridge_pb2.PlayerKind, earlier_player.kind.decode("utf-8", "replace"))
        player.race = player.race or enum_value(bridge_pb2.PlayerRace, earlier_player.race.decode("utf-8", "replace"))


_FORFEIT_TEXT = re.compile(r"^forfeited by player |left the game\Z|^Ladder rules: .* took ")


def _end_reason(end: bridge_pb2.MatchEnd) -> int:
    """The end reason for an earlier build's text. The bridge has the same rules."""
    if end.detail == "no agent plays any more":
        return bridge_pb2.END_REASON_NO_AGENT
    known = enum_value(bridge_pb2.EndReason, end.detail)
    if known or end.aborted:
        return known or bridge_pb2.END_REASON_FAILED
    if _FORFEIT_TEXT.search(end.detail):
        return bridge_pb2.END_REASON_FORFEIT
    return bridge_pb2.END_REASON_STEP_LIMIT if end.detail.startswith("Ladder rules: a match ends at ") else 0
