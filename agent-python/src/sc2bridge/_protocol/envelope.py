"""Reads the envelope of a frame without parsing the frame's content.

There is no I/O here. All errors are MalformedMessageErrors.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Optional, Union

from sc2bridge._protocol import messages
from sc2bridge._protocol.choices import Content
from sc2bridge._protocol.parsing import PARSE_ERRORS, parse, parse_json
from sc2bridge.errors import MalformedMessageError
from sc2bridge.v1 import bridge_pb2

WireMessage = Union[bytes, str]
"""A message in the form in which it is sent: serialized protobuf, or JSON text."""

_CONTENT_FIELD_NAME = re.compile('"(observation|columns)"')
_CONTENT_COLUMNS = bridge_pb2.CONTENT_COLUMNS


@dataclass
class Envelope:
    """The fields of a frame without its content; see Frame in bridge.proto."""

    match_id: str = ""
    perspective: int = 0
    step: int = 0
    game_loop: int = 0
    requested_ns: int = 0
    observed_ns: int = 0
    skipped: Optional[bridge_pb2.Skipped] = None
    """A summary of the frames that were skipped before this one; None if no frame was skipped."""
    outcomes: Sequence[bridge_pb2.ActionsOutcome] = ()
    """The outcomes of the agent's actions."""
    payload: str = "observation"
    """The name of the field with the payload: `observation`, `columns`, `zstd`, `block` or `shared`."""
    content: Content = "observation"
    """The kind of content in the payload."""


def open_event(message: WireMessage, encoding: str) -> Any:
    """Reads a PlayResponse. For a frame, returns its envelope and its payload; otherwise the parsed message.

    The payload is bytes or a Block. A JSON frame that is not compressed is not parsed: its payload is the whole text.
    """
    if encoding == "json":
        return _open_json_event(message)
    event = parse(messages.PlayResponse, message)  # type: ignore[arg-type]
    return _split_frame(event.frame) if event.HasField("frame") else event


def _open_json_event(text: WireMessage) -> Any:
    from sc2bridge._protocol import json_messages

    if isinstance(text, (bytes, bytearray)):
        try:
            text = text.decode()
        except UnicodeDecodeError as error:
            raise MalformedMessageError(f"an event in JSON is not UTF-8: {error}") from None
    # The content is the last field of a frame, so all text before the field's name is the envelope, and only the
    # envelope is parsed. The search cannot find the name inside a JSON string, because quotes in a string are escaped.
    found = _CONTENT_FIELD_NAME.search(text)
    if found is not None and text[found.end() : found.end() + 20].lstrip(" \t\r\n")[:1] == ":":
        envelope_text = text[: found.start()]
        try:
            if envelope_text.lstrip(" \t\r\n{").startswith('"frame"'):
                event = parse_json(f'{envelope_text}"{found[1]}":{{}}}}}}')
                envelope_and_payload = _split_frame(json_messages.from_dict(event["frame"], bridge_pb2.Frame()))
                # If the match id is missing, the content came before other fields, and the whole text is parsed below.
                if envelope_and_payload[0].match_id:
                    return envelope_and_payload[0], text
        except PARSE_ERRORS:
            pass  # The fields have another order, or the text is invalid.
    event = bridge_pb2.PlayResponse()
    try:
        json_messages.from_json(text, event)
    except PARSE_ERRORS as error:
        raise MalformedMessageError(f"invalid event in JSON: {error}") from None
    if not event.HasField("frame"):
        return event
    envelope, payload = _split_frame(event.frame)
    return envelope, text if envelope.payload in ("observation", "columns") else payload


def _split_frame(frame: Any) -> tuple[Envelope, Any]:
    payload = frame.WhichOneof("payload") or "observation"
    envelope = Envelope(
        frame.match_id,
        frame.perspective,
        frame.step,
        frame.game_loop,
        frame.requested_ns,
        frame.observed_ns,
        frame.skipped if frame.HasField("skipped") else None,
        list(frame.outcomes),
        payload,
        "columns" if frame.content == _CONTENT_COLUMNS else "observation",
    )
    return envelope, getattr(frame, payload)
