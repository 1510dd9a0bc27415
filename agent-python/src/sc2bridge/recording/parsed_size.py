"""Estimates the memory of a message after parsing. An empty message inside another message takes two bytes in a file,
and a few hundred bytes in memory."""

from __future__ import annotations

from functools import lru_cache
from typing import Any, Union

from google.protobuf.descriptor import FieldDescriptor

from sc2bridge._protocol.parsing import parse
from sc2bridge.errors import MalformedMessageError
from sc2bridge.recording._mcap.limits import PARSED

Bytes = Union[bytes, memoryview]

# The first pass does not read nested messages that are shorter than this, because Python code is slower at this than
# protobuf's parser. For each such message, the first pass assumes the largest possible memory. If the total exceeds the
# limit, a second pass reads all messages.
_SHORT_MESSAGE_BYTES = 4 << 10

_OBJECT_BYTES, _NUMBER_BYTES, _LIST_BYTES, _UNKNOWN_BYTES = 32, 8, 40, 128
_MAX_DEPTH = 100  # protobuf's limit of nesting
_BYTES_FOR_TYPE = {FieldDescriptor.TYPE_BYTES: 1, FieldDescriptor.TYPE_STRING: 2}


def check_parsed_size(kind: Any, message: Bytes, what: str) -> None:
    """Raises MalformedMessageError if a message of the class `kind` would take more than `PARSED` bytes once parsed."""
    per_byte = _max_memory_per_byte(kind.DESCRIPTOR)
    if per_byte * len(message) <= PARSED:
        return
    data = memoryview(message)
    if (
        _memory_left(kind.DESCRIPTOR, data, PARSED, per_byte, 0) < 0
        and _memory_left(kind.DESCRIPTOR, data, PARSED, 0, 0) < 0
    ):
        raise MalformedMessageError(
            f"{what} would take more than {PARSED} bytes of memory, more than any real message: record the match again"
        )


def parse_checked(kind: Any, message: Bytes, what: str) -> Any:
    """Checks the memory that a message would take, then parses the message. Raises MalformedMessageError."""
    check_parsed_size(kind, message, what)
    return parse(kind, message)


@lru_cache(maxsize=None)
def _memory_of_type(descriptor: Any) -> tuple[int, dict[int, tuple[Any, int]]]:
    """Returns the memory of an empty message, and a map of its fields. The keys are field numbers. The values are
    the type of the nested message (None for other fields), and the memory for each byte in the file."""
    size, fields = _OBJECT_BYTES, {}
    for field in descriptor.fields:
        size += _LIST_BYTES if _is_list(field) else _NUMBER_BYTES
        fields[field.number] = field.message_type, _BYTES_FOR_TYPE.get(field.type, _NUMBER_BYTES)
    return size, fields


def _is_list(field: Any) -> bool:
    # `label` is deprecated in protobuf 6; older versions do not have `is_repeated`.
    repeated = getattr(field, "is_repeated", None)
    return bool(field.label == FieldDescriptor.LABEL_REPEATED if repeated is None else repeated)


@lru_cache(maxsize=None)
def _max_memory_per_byte(root: Any) -> int:
    """The most memory for each byte in the file. The smallest fields, such as an empty message, have two bytes."""
    types, found = [root], {root.full_name}
    for descriptor in types:
        inside = [field.message_type for field in descriptor.fields if field.message_type is not None]
        for each in inside:
            if each.full_name not in found:
                found.add(each.full_name)
                types.append(each)
    return max(_UNKNOWN_BYTES, *(_memory_of_type(descriptor)[0] for descriptor in types)) // 2


def _memory_left(descriptor: Any, data: memoryview, left: int, per_byte: int, depth: int) -> int:
    """Subtracts the memory of a parsed message from `left` (bytes). Returns the rest; negative if `left` is too small.

    Stops at a damaged field, because the parser reports the damage. per_byte: the assumed memory for each byte of a
    short nested message; 0 to read short messages too.
    """
    size, fields = _memory_of_type(descriptor)
    left -= size
    if per_byte and depth and len(data) < _SHORT_MESSAGE_BYTES:
        return left - per_byte * len(data)
    at, end = 0, len(data)
    while at < end and left >= 0:
        field_key, at = _read_varint(data, at, end)
        wire_type, (nested_type, memory_per_byte) = field_key & 7, fields.get(field_key >> 3, (None, None))
        length = 0
        if wire_type == 0:
            _, at = _read_varint(data, at, end)
        elif wire_type == 2:
            length, at = _read_varint(data, at, end)
        elif wire_type in (1, 5):
            at += 8 if wire_type == 1 else 4
        elif wire_type == 3:
            return -1  # A group, which no valid message has.
        else:
            break
        begin, at = at, at + length
        if at > end:
            break
        if memory_per_byte is None:
            left -= _UNKNOWN_BYTES + length
        elif wire_type == 2 and nested_type is not None and depth < _MAX_DEPTH:
            left = _memory_left(nested_type, data[begin:at], left, per_byte, depth + 1)
        else:
            left -= _OBJECT_BYTES + memory_per_byte * length if wire_type == 2 else _NUMBER_BYTES
    return left


def _read_varint(data: memoryview, at: int, end: int) -> tuple[int, int]:
    """Reads a number. Returns the number and the offset after it; an offset after `end` if the number is cut off."""
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
