"""Requests with one answer: calls on gRPC, pairs of messages on a WebSocket."""

from __future__ import annotations

from typing import Any, NamedTuple

from google.protobuf import json_format

from sc2bridge._protocol.envelope import Wire, open_event
from sc2bridge.errors import bridge_error
from sc2bridge.v1 import bridge_pb2


class Kind(NamedTuple):
    """A kind of request."""

    method: str
    """gRPC's."""
    field: str
    """Of AgentMessage."""
    answer: str
    """Of Event."""
    answer_type: Any
    has_deadline: bool
    """False where the bridge may take its time to answer: only its silence is an error."""


DESCRIBE = Kind("Describe", "describe", "description", bridge_pb2.MatchDescription, False)
REQUEST = Kind("Request", "request", "response", bridge_pb2.GameResponse, True)
CONTROL = Kind("Control", "control", "playback", bridge_pb2.PlaybackState, True)
STATUS = Kind("Status", "status", "status", bridge_pb2.BridgeStatus, True)


def encode(message: Any, encoding: str) -> Wire:
    """A message as the encoding carries it."""
    if encoding == "json":
        return str(json_format.MessageToJson(message, indent=None))
    return bytes(message.SerializeToString())


def read_answer(message: Wire, encoding: str, kind: Kind) -> Any:
    """The answer in an event; None where the event is another.

    Raises BridgeError where it is a refusal, MalformedMessageError.
    """
    event = open_event(message, encoding)
    if isinstance(event, tuple):
        return None
    found = event.WhichOneof("event")
    if found == "error":
        raise bridge_error(event.error.code, event.error.message)
    return getattr(event, kind.answer) if found == kind.answer else None
