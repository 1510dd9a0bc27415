"""Requests with one answer. gRPC has a method for each kind of request. WebSocket and shared memory send a message with
the request, and receive a message with the answer."""

from __future__ import annotations

import itertools
from typing import Any, NamedTuple

from sc2bridge._protocol.envelope import WireMessage, open_event
from sc2bridge._protocol.versions import check_bridge_version
from sc2bridge.errors import bridge_error
from sc2bridge.v1 import bridge_pb2


class RequestKind(NamedTuple):
    method: str
    """The name of the gRPC method."""
    field: str
    """The name of the request's field in PlayRequest, and of the answer's field in PlayResponse."""
    answer_type: Any
    has_deadline: bool
    """False if the answer may take any time. Then only a silent connection is an error."""


HELLO = RequestKind("Hello", "hello", bridge_pb2.HelloResponse, True)
DESCRIBE = RequestKind("Describe", "describe", bridge_pb2.DescribeResponse, False)
CALL_GAME = RequestKind("CallGame", "call_game", bridge_pb2.CallGameResponse, True)
CONTROL = RequestKind("Control", "control", bridge_pb2.ControlResponse, True)
STATUS = RequestKind("Status", "status", bridge_pb2.StatusResponse, True)

_request_numbers = itertools.count()


def numbered_request(field: str, message: Any) -> bridge_pb2.PlayRequest:
    """A PlayRequest with a number that is unique in this process. The answer has the same number."""
    return bridge_pb2.PlayRequest(request_id=next(_request_numbers) % 0xFFFFFFFF + 1, **{field: message})


def encode(message: Any, encoding: str) -> WireMessage:
    """Serializes a message: to JSON text or to bytes."""
    if encoding == "json":
        from sc2bridge._protocol import json_messages

        return json_messages.to_json(message)
    return bytes(message.SerializeToString())


def read_answer(message: WireMessage, encoding: str, kind: RequestKind, request_id: int) -> Any:
    """Reads a message. Returns the answer to the request `request_id`; None if the message is not this answer.

    Raises MalformedMessageError, and BridgeError for a refusal or for a bridge that is too old.
    """
    event = open_event(message, encoding)
    if isinstance(event, tuple):
        return None
    event_name = event.WhichOneof("event")
    if event_name == "error":
        raise bridge_error(event.error.code, event.error.message)
    if event_name == "hello":
        check_bridge_version(event.hello)
    return getattr(event, kind.field) if event_name == kind.field and event.request_id == request_id else None
