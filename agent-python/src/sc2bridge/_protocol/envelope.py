"""Takes the envelope off a frame, whose content is not parsed with it.

Functions over bytes and text. They raise MalformedMessageError and nothing else.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Optional, Union

from sc2bridge._protocol import messages
from sc2bridge._protocol.choices import Content
from sc2bridge._protocol.parsing import UNREADABLE, parse, parse_json
from sc2bridge.errors import MalformedMessageError
from sc2bridge.v1 import bridge_pb2

Wire = Union[bytes, str]
"""A message as it travels: serialized, or JSON text."""

_CONTENT = re.compile('"(observation|columns)"')
_COLUMNS = bridge_pb2.CONTENT_COLUMNS


@dataclass
class Envelope:
    """What stands around an observation; see Frame in bridge.proto."""

    match_id: str = ""
    perspective: int = 0
    step: int = 0
    game_loop: int = 0
    requested_ns: int = 0
    observed_ns: int = 0
    skipped: Optional[bridge_pb2.Skipped] = None
    """Where frames were skipped."""
    outcomes: Sequence[bridge_pb2.ActionsOutcome] = ()
    """What became of the agent's actions."""
    payload: str = "observation"
    """The payload's field: `observation`, `columns`, `zstd`, `block` or `shared`."""
    content: Content = "observation"
    """The kind of the payload."""


def open_event(message: Wire, encoding: str) -> Any:
    """Opens a PlayResponse: the envelope and the payload of a frame, else the parsed message.

    The payload is bytes, or a Block; in JSON, where an uncompressed one is not looked at, the whole text stands for it.
    """
    if encoding == "json":
        return _open_text(message)
    event = parse(messages.PlayResponse, message)  # type: ignore[arg-type]
    return _opened(event.frame) if event.HasField("frame") else event


def _open_text(text: Wire) -> Any:
    from sc2bridge._protocol import json_messages

    if isinstance(text, (bytes, bytearray)):
        try:
            text = text.decode()
        except UnicodeDecodeError as error:
            raise MalformedMessageError(f"an event in JSON that is not UTF-8: {error}") from None
    # A frame ends with its content, so what precedes that name is the envelope. Inside a JSON string the quotes would be
    # escaped, and no other field of a frame or of what was skipped has the name: the field `content` is not the same.
    found = _CONTENT.search(text)
    if found is not None and text[found.end() : found.end() + 20].lstrip(" \t\r\n")[:1] == ":":
        before = text[: found.start()]
        try:
            if before.lstrip(" \t\r\n{").startswith('"frame"'):
                event = parse_json(f'{before}"{found[1]}":{{}}}}}}')
                opened = _opened(json_messages.from_content(event["frame"], bridge_pb2.Frame()))
                if opened[0].match_id:  # A frame's first field: without it the content was not the last.
                    return opened[0], text
        except UNREADABLE:
            pass  # Written in another way; or malformed, which the whole text will tell.
    event = bridge_pb2.PlayResponse()
    try:
        json_messages.from_text(text, event)
    except UNREADABLE as error:
        raise MalformedMessageError(f"no event in JSON: {error}") from None
    if not event.HasField("frame"):
        return event
    envelope, payload = _opened(event.frame)
    return envelope, text if envelope.payload in ("observation", "columns") else payload


def _opened(frame: Any) -> tuple[Envelope, Any]:
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
        "columns" if frame.content == _COLUMNS else "observation",
    )
    return envelope, getattr(frame, payload)
