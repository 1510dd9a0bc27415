"""Estimates the memory of a serialized message before it is parsed: an empty message inside another takes two bytes of a
file, and some hundred once it is parsed."""

from __future__ import annotations

from functools import lru_cache
from typing import Any, Union

from google.protobuf.descriptor import FieldDescriptor

from sc2bridge._protocol.parsing import parse
from sc2bridge.errors import MalformedMessageError
from sc2bridge.recording._mcap.limits import PARSED

Bytes = Union[bytes, memoryview]

# Shorter messages inside others are counted with the most that their bytes could make, because walking through them takes
# longer than parsing. If a message is then too large, it is walked through as a whole.
_SHORT = 4 << 10

_OBJECT_BYTES, _NUMBER_BYTES, _LIST_BYTES, _UNKNOWN_BYTES = 32, 8, 40, 128
_DEEPEST_MESSAGE = 100  # protobuf's limit of nesting
_BYTES_FOR_TYPE = {FieldDescriptor.TYPE_BYTES: 1, FieldDescriptor.TYPE_STRING: 2}


def check_parsed_size(kind: Any, message: Bytes, what: str) -> None:
    """Raises MalformedMessageError if parsing a message of a class would take more than `PARSED`."""
    most = _most_of_byte(kind.DESCRIPTOR)
    if most * len(message) <= PARSED:
        return
    data = memoryview(message)
    if _left(kind.DESCRIPTOR, data, PARSED, most, 0) < 0 and _left(kind.DESCRIPTOR, data, PARSED, 0, 0) < 0:
        raise MalformedMessageError(
            f"{what} would take more than {PARSED} bytes of memory: no match has such a message, record it again"
        )


def parse_checked(kind: Any, message: Bytes, what: str) -> Any:
    """Checks the size and parses. Raises MalformedMessageError."""
    check_parsed_size(kind, message, what)
    return parse(kind, message)


@lru_cache(maxsize=None)
def _shape(descriptor: Any) -> tuple[int, dict[int, tuple[Any, int]]]:
    """The bytes of an empty message, and by number each field's message and how many bytes one of the file takes."""
    size, fields = _OBJECT_BYTES, {}
    for field in descriptor.fields:
        size += _LIST_BYTES if _is_list(field) else _NUMBER_BYTES
        fields[field.number] = field.message_type, _BYTES_FOR_TYPE.get(field.type, _NUMBER_BYTES)
    return size, fields


def _is_list(field: Any) -> bool:
    # `label` is deprecated in protobuf 6, and `is_repeated` is missing in older ones.
    repeated = getattr(field, "is_repeated", None)
    return bool(field.label == FieldDescriptor.LABEL_REPEATED if repeated is None else repeated)


@lru_cache(maxsize=None)
def _most_of_byte(root: Any) -> int:
    """The most that a byte of the file can make: half an empty message inside another, or half an unknown field."""
    types, found = [root], {root.full_name}
    for descriptor in types:
        inside = [field.message_type for field in descriptor.fields if field.message_type is not None]
        for each in inside:
            if each.full_name not in found:
                found.add(each.full_name)
                types.append(each)
    return max(_UNKNOWN_BYTES, *(_shape(descriptor)[0] for descriptor in types)) // 2


def _left(descriptor: Any, data: memoryview, left: int, most: int, depth: int) -> int:
    """The rest of some memory after a message is parsed. Stops at a field that is damaged: the parser reports it.

    most: what a byte of a short message counts, 0 to walk through it.
    """
    size, fields = _shape(descriptor)
    left -= size
    if most and depth and len(data) < _SHORT:
        return left - most * len(data)
    at, end = 0, len(data)
    while at < end and left >= 0:
        tag, at = _varint(data, at, end)
        wire_type, found = tag & 7, fields.get(tag >> 3)
        length = 0
        if wire_type == 0:
            _, at = _varint(data, at, end)
        elif wire_type == 2:
            length, at = _varint(data, at, end)
        elif wire_type in (1, 5):
            at += 8 if wire_type == 1 else 4
        elif wire_type == 3:
            return -1  # A group. No message has one.
        else:
            break
        begin, at = at, at + length
        if at > end:
            break
        if found is None:
            left -= _UNKNOWN_BYTES + length
        elif wire_type == 2 and found[0] is not None and depth < _DEEPEST_MESSAGE:
            left = _left(found[0], data[begin:at], left, most, depth + 1)
        else:
            left -= _OBJECT_BYTES + found[1] * length if wire_type == 2 else _NUMBER_BYTES
    return left


def _varint(data: memoryview, at: int, end: int) -> tuple[int, int]:
    """A number and its end; past the end if it is cut off."""
    number = shift = 0
    while at < end:
        byte = data[at]
        at += 1
        number |= (byte & 0x7F) << shift
        if byte < 0x80:
            return number, at
        shift += 7
        if shift > 63:
            break
    return 0, end + 1
