"""Requests with one answer: calls on gRPC, pairs of messages on a WebSocket and over shared memory."""

from __future__ import annotations

import itertools
from typing import Any, NamedTuple

from sc2bridge._protocol.envelope import Wire, open_event
from sc2bridge._protocol.versions import check_bridge
from sc2bridge.errors import bridge_error
from sc2bridge.v1 import bridge_pb2


class Kind(NamedTuple):
    """A kind of request."""

    method: str
    """gRPC's."""
    field: str
    """Of PlayRequest, and of PlayResponse for the answer."""
    answer_type: Any
    has_deadline: bool
    """False where the bridge may take its time to answer: only its silence is an error."""


HELLO = Kind("Hello", "hello", bridge_pb2.HelloResponse, True)
DESCRIBE = Kind("Describe", "describe", bridge_pb2.DescribeResponse, False)
CALL_GAME = Kind("CallGame", "call_game", bridge_pb2.CallGameResponse, True)
CONTROL = Kind("Control", "control", bridge_pb2.ControlResponse, True)
STATUS = Kind("Status", "status", bridge_pb2.StatusResponse, True)

_numbers = itertools.count()


def numbered(field: str, message: Any) -> bridge_pb2.PlayRequest:
    """A request with a number that no other one of this process has; its answer has the same."""
    return bridge_pb2.PlayRequest(request_id=next(_numbers) % 0xFFFFFFFF + 1, **{field: message})


def encode(message: Any, encoding: str) -> Wire:
    """A message as the encoding carries it."""
    if encoding == "json":
        from sc2bridge._protocol import json_messages

        return json_messages.to_text(message)
    return bytes(message.SerializeToString())


def read_answer(message: Wire, encoding: str, kind: Kind, request_id: int) -> Any:
    """The answer to a request; None if the message is another.

    Raises BridgeError for a refusal and for a bridge that is too old, MalformedMessageError.
    """
    event = open_event(message, encoding)
    if isinstance(event, tuple):
        return None
    found = event.WhichOneof("event")
    if found == "error":
        raise bridge_error(event.error.code, event.error.message)
    if found == "hello":
        check_bridge(event.hello)
    return getattr(event, kind.field) if found == kind.field and event.request_id == request_id else None
