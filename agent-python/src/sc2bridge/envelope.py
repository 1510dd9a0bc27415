"""Takes a frame's envelope off by hand, so that the observation need not be parsed to learn its step.

Pure functions over bytes and text. They raise MalformedMessage and nothing else.
"""

from __future__ import annotations

import json
import re
import warnings
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Optional, Union

from google.protobuf import json_format
from google.protobuf.message import DecodeError

from sc2bridge.errors import MalformedMessage
from sc2bridge.v1 import bridge_pb2

try:
    import orjson

    parse_json: Any = orjson.loads
except ImportError:
    parse_json = json.loads

# What json and the engines of protobuf raise for bytes and text that are no message: the pure-Python engine lets some of
# its own through, and an infinite number overflows.
UNREADABLE = (
    json_format.ParseError,
    DecodeError,
    ArithmeticError,
    AttributeError,
    LookupError,
    RuntimeError,
    TypeError,
    ValueError,
)

# The C++ engine warns of a stray end of a group and stops there; `parse` sees that by the length, and raises.
warnings.filterwarnings("ignore", "Unexpected end-group tag", RuntimeWarning, r"sc2bridge\.envelope")

# Field numbers of sc2bridge.v1.Frame.
_MATCH, _PERSPECTIVE, _STEP, _GAME_LOOP, _ASKED_NS, _ARRIVED_NS, _MISSED, _RESULTS = 1, 2, 3, 4, 5, 6, 7, 8
_PAYLOADS = {15: "observation", 16: "columns", 17: "zstd", 18: "block"}
_CONTENT = re.compile('"(observation|columns)"')
_NUMBERS = (_PERSPECTIVE, _STEP, _GAME_LOOP, _ASKED_NS, _ARRIVED_NS)


@dataclass
class Envelope:
    """What stands around an observation; see Frame in bridge.proto."""

    match: str = ""
    perspective: int = 0
    step: int = 0
    game_loop: int = 0
    asked_ns: int = 0
    arrived_ns: int = 0
    missed: Optional[Any] = None
    """A parsed Missed, where frames were skipped."""
    results: Sequence[Any] = ()
    """Parsed ActionsResults: what became of the agent's actions."""
    payload: str = "observation"
    """The payload's field: `observation`, `columns`, `zstd` or `block`."""
    compressed: Optional[Any] = None
    """`zstd`: the bytes. `block`: the parsed Block."""


def open_event(message: bytes) -> Union[tuple[Envelope, memoryview], Any]:
    """Opens a serialized Event: an envelope and the payload's bytes where it is a frame, else the parsed Event."""
    view = memoryview(message)
    if view and view[0] == 0x0A:  # Event.frame
        length, start = _varint(view, 1)
        if start + length == len(view):
            opened = _open_frame(view, start)
            if opened is not None:
                return opened
    return _parse_event(message)


def open_event_text(text: Union[bytes, str]) -> Union[Envelope, Any]:
    """The same for an Event in JSON, whose content is not looked at: the text must be kept to parse it.

    A compressed payload is in the envelope.
    """
    if isinstance(text, (bytes, bytearray)):
        try:
            text = text.decode()
        except UnicodeDecodeError as error:
            raise MalformedMessage(f"an event in JSON that is not UTF-8: {error}") from None
    # A frame ends with its content, so what precedes that name is the envelope. Inside a JSON string the quotes would be
    # escaped, and no other field of a frame or of what it missed has the name.
    found = _CONTENT.search(text)
    if found is not None and text[found.end() : found.end() + 20].lstrip(" \t\r\n")[:1] == ":":
        before = text[: found.start()]
        try:
            if before.lstrip(" \t\r\n{").startswith('"frame"'):
                frame = parse_json(before + '"observation":{}}}')["frame"]
                if frame.get("match"):  # A frame's first field: without it the content was not the last.
                    return _read_frame(frame, found[1])
        except UNREADABLE:
            pass  # Written in another way; or malformed, which the whole text will tell.
    if found is None and text.lstrip(" \t\r\n{").startswith('"frame"'):
        try:
            frame = parse_json(text)["frame"]
            payload = next((name for name in ("block", "zstd") if name in frame), None)
            if payload is not None:
                return _read_frame(frame, payload)
        except UNREADABLE:
            pass  # As above.
    event = bridge_pb2.Event()
    try:
        json_format.Parse(text, event, ignore_unknown_fields=True)
    except UNREADABLE as error:
        raise MalformedMessage(f"no event in JSON: {error}") from None
    return _envelope(event.frame) if event.HasField("frame") else event


def _read_frame(frame: Any, payload: str) -> Envelope:
    if not isinstance(frame["match"], str):
        raise TypeError("a match's name that is no text")
    envelope = Envelope(
        match=frame["match"],
        perspective=_whole(frame.get("perspective", 0), 0, 1 << 32),
        step=_whole(frame.get("step", 0), 0, 1 << 64),
        game_loop=_whole(frame.get("gameLoop", 0), 0, 1 << 32),
        asked_ns=_whole(frame.get("askedNs", 0), -(1 << 63), 1 << 63),
        arrived_ns=_whole(frame.get("arrivedNs", 0), -(1 << 63), 1 << 63),
    )
    if "missed" in frame:
        envelope.missed = bridge_pb2.Missed()
        json_format.ParseDict(frame["missed"], envelope.missed, ignore_unknown_fields=True)
    if "results" in frame:
        told = json_format.ParseDict({"results": frame["results"]}, bridge_pb2.Frame(), ignore_unknown_fields=True)
        envelope.results = list(told.results)
    envelope.payload = payload
    if payload in ("zstd", "block"):
        # base64 as json_format reads it, which takes both alphabets.
        holder = bridge_pb2.Frame()
        json_format.ParseDict({payload: frame[payload]}, holder, ignore_unknown_fields=True)
        envelope.compressed = getattr(holder, payload)
    return envelope


def _whole(value: Any, low: int, end: int) -> int:
    """A number as the bridge writes it: plain, or as text. Raises what UNREADABLE lists."""
    if type(value) not in (int, str):
        raise TypeError("no whole number")
    number = int(value)
    if not low <= number < end:
        raise ValueError("a number out of range")
    return number


def _open_frame(view: memoryview, at: int) -> Optional[tuple[Envelope, memoryview]]:
    """None where the frame is written in a way that only a whole parser should judge."""
    numbers = dict.fromkeys(_NUMBERS, 0)
    match, missed, end = "", None, len(view)
    results: list[Any] = []
    while at < end:
        tag, at = _varint(view, at)
        field, wire_type = tag >> 3, tag & 7
        if wire_type == 0 and field in numbers:
            numbers[field], at = _varint(view, at)
        elif wire_type == 2:
            length, at = _varint(view, at)
            content = view[at : at + length]
            at += length
            if at > end:
                return None
            if field in _PAYLOADS:
                if at != end:
                    return None
                return _with_payload(_checked(match, numbers, missed, results), _PAYLOADS[field], content), content
            if field == _MATCH:
                try:
                    match = str(content, "utf-8")
                except UnicodeDecodeError as error:
                    raise MalformedMessage(f"a match's name that is not UTF-8: {error}") from None
            elif field == _MISSED and missed is None:
                missed = parse(bridge_pb2.Missed, bytes(content))
            elif field == _RESULTS:
                results.append(parse(bridge_pb2.ActionsResult, bytes(content)))
            else:
                return None
        else:
            return None
    return None


def _checked(match: str, numbers: dict[int, int], missed: Any, results: list[Any]) -> Envelope:
    asked, arrived = (
        value - (1 << 64) if value >> 63 else value for value in (numbers[_ASKED_NS], numbers[_ARRIVED_NS])
    )
    return Envelope(
        match,
        numbers[_PERSPECTIVE] & 0xFFFFFFFF,
        numbers[_STEP],
        numbers[_GAME_LOOP] & 0xFFFFFFFF,
        asked,
        arrived,
        missed,
        results,
    )


def _with_payload(envelope: Envelope, payload: str, content: memoryview) -> Envelope:
    envelope.payload = payload
    if payload == "zstd":
        envelope.compressed = bytes(content)
    elif payload == "block":
        envelope.compressed = parse(bridge_pb2.Block, bytes(content))
    return envelope


def _varint(view: memoryview, at: int) -> tuple[int, int]:
    value = shift = 0
    try:
        while shift < 70:
            byte = view[at]
            at += 1
            value |= (byte & 0x7F) << shift
            if byte < 0x80:
                return value & 0xFFFFFFFFFFFFFFFF, at
            shift += 7
    except IndexError:
        raise MalformedMessage(f"an event that ends within a number, at byte {at}") from None
    raise MalformedMessage(f"an event with a number of more than ten bytes, at byte {at}")


def _parse_event(message: bytes) -> Union[tuple[Envelope, memoryview], Any]:
    event = parse(bridge_pb2.Event, message)
    if event.HasField("frame"):
        frame = event.frame
        payload = frame.WhichOneof("payload") or "observation"
        content = frame.zstd if payload == "zstd" else getattr(frame, payload).SerializeToString()
        return _envelope(frame), memoryview(content)
    return event


def _envelope(frame: Any) -> Envelope:
    payload = frame.WhichOneof("payload") or "observation"
    return Envelope(
        frame.match,
        frame.perspective,
        frame.step,
        frame.game_loop,
        frame.asked_ns,
        frame.arrived_ns,
        frame.missed if frame.HasField("missed") else None,
        list(frame.results),
        payload,
        getattr(frame, payload) if payload in ("zstd", "block") else None,
    )


def parse(kind: Any, message: Union[bytes, memoryview]) -> Any:
    """Parses a message of a class. Raises MalformedMessage, whichever of protobuf's engines is underneath."""
    parsed = kind()
    try:
        read = parsed.MergeFromString(message)
    except UNREADABLE as error:
        raise MalformedMessage(f"no {kind.DESCRIPTOR.name}: {error or 'cut off'}") from None
    if read != len(message):  # The C++ engine stopped at a stray end of a group.
        raise MalformedMessage(f"no {kind.DESCRIPTOR.name}: it ends at byte {read} of {len(message)}")
    return parsed
