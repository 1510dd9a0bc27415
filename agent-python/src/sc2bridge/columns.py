"""Reads a Columns message (bridge.proto) where it stands: its vectors become numpy arrays with no copy."""

from __future__ import annotations

import base64
import binascii
from functools import lru_cache
from typing import Any, Optional, Union

from sc2bridge._numpy import np
from sc2bridge.envelope import parse
from sc2bridge.errors import MalformedMessage
from sc2bridge.s2clientprotocol import raw_pb2
from sc2bridge.tables import Field, fields_of, read_only
from sc2bridge.v1 import bridge_pb2

Bytes = Union[bytes, memoryview]

# Field numbers of sc2bridge.v1.Columns, and of its lists.
_COUNT, _PRESENT, _REST = 64, 65, 66
_OFFSETS, _ITEM_PRESENT = 16, 17
_OFFSET = np.dtype("<u4")

UNIT_FIELDS = fields_of(raw_pb2.Unit.DESCRIPTOR)
ORDER_FIELDS = fields_of(raw_pb2.UnitOrder.DESCRIPTOR)
PASSENGER_FIELDS = fields_of(raw_pb2.PassengerUnit.DESCRIPTOR)
BUFF_FIELDS = {"buff_id": Field(1, "buff_id", np.dtype("<u4"), size=4)}
RALLY_TARGET_FIELDS = fields_of(raw_pb2.RallyTarget.DESCRIPTOR)

# The bit of a point's x in `present`, of a unit and of an item.
_UNIT_X, _ITEM_X = 61, 13

_LISTS = {
    field.name: (field.number, getattr(bridge_pb2, field.message_type.name))
    for field in bridge_pb2.Columns.DESCRIPTOR.fields
    if field.type == field.TYPE_MESSAGE and field.number != _REST
}


class Vectors:
    """The vectors of one message of columns, as a source of a table."""

    def __init__(self, content: dict[int, Any], count: int, present: Any, x_bit: int) -> None:
        self._content = content
        self.count = count
        self._present = present
        self._x_bit = x_bit

    def vector(self, field: Field) -> Any:
        found = self._content.get(field.number)
        if found is None:
            return read_only(np.zeros(field.shape(self.count), field.dtype))
        vector = np.frombuffer(found, field.dtype)
        return vector if field.width == 1 else vector.reshape(self.count, field.width)

    def present(self, field: Field, part: int) -> Any:
        if self._present is None:  # Of numbers, each is one.
            return read_only(np.ones(self.count, bool))
        bit = field.number if part < 0 else self._x_bit + part
        kind = self._present.dtype.type
        return read_only((self._present & kind(1 << bit)) != 0)


class Columns:
    """An observation as columns. Raises MalformedMessage where it is none, also from `lists`."""

    def __init__(self, content: dict[int, Any]) -> None:
        self._content = content
        count = content.get(_COUNT, 0)
        present = content.get(_PRESENT, b"")
        if len(present) != count * 8:
            raise MalformedMessage(f"columns of {count} units with {len(present)} bytes of `present`")
        _check(content, count, UNIT_FIELDS, "units")
        self.units = Vectors(content, count, np.frombuffer(present, "<u8"), _UNIT_X)

    @classmethod
    def open(cls, message: Bytes) -> Columns:
        """Of a serialized Columns, whose bytes are kept and not copied."""
        return cls(_open(message, bridge_pb2.Columns))

    @classmethod
    def open_json(cls, message: Any) -> Columns:
        """Of a Columns in protobuf's JSON, as json.loads gives it."""
        return cls(_from_json(message, bridge_pb2.Columns.DESCRIPTOR))

    @property
    def rest(self) -> Any:
        """The observation without its units: serialized; of JSON the dict; None where there is none."""
        return self._content.get(_REST)

    def lists(self, name: str, fields: dict[str, Field]) -> tuple[Vectors, Any]:
        """The items of the units' lists in a field, with these columns; and their offsets."""
        number, kind = _LISTS[name]
        count = self.units.count
        content = self._content.get(number)
        if content is None:
            return Vectors({}, 0, None, _ITEM_X), read_only(np.zeros(count + 1, _OFFSET))
        if not isinstance(content, dict):
            content = _open(content, kind)
        offsets = content.get(_OFFSETS, b"")
        if len(offsets) != (count + 1) * _OFFSET.itemsize:
            raise MalformedMessage(f"columns of {count} units with {len(offsets)} bytes of offsets for {name}")
        starts = np.frombuffer(offsets, _OFFSET)
        if starts[0] != 0 or (starts[1:] < starts[:-1]).any():
            raise MalformedMessage(f"columns whose offsets for {name} do not begin at 0, or go down")
        items = int(starts[-1])
        _check(content, items, fields, name)
        if fields is BUFF_FIELDS:
            if items and BUFF_FIELDS["buff_id"].number not in content:
                raise MalformedMessage(f"columns of {items} {name} without them")
            return Vectors(content, items, None, _ITEM_X), starts
        present = content.get(_ITEM_PRESENT, b"")
        if len(present) != items * 2:
            raise MalformedMessage(f"columns of {items} {name} with {len(present)} bytes of `present`")
        return Vectors(content, items, np.frombuffer(present, "<u2"), _ITEM_X), starts


def _check(content: dict[int, Any], rows: int, fields: dict[str, Field], what: str) -> None:
    for field in fields.values():
        vector = content.get(field.number)
        if vector is not None and len(vector) != rows * field.size:
            raise MalformedMessage(f"columns of {rows} {what} with {len(vector)} bytes of {field.name}")


def _open(message: Bytes, kind: Any) -> dict[int, Any]:
    """A message's known fields by their numbers: a number, or the bytes of what is none."""
    known = _known(kind)
    content = _walk(memoryview(message).toreadonly(), known)
    if content is None:
        # Written in a way that only a whole parser should judge; what it writes is plain.
        content = _walk(memoryview(parse(kind, message).SerializeToString()), known)
    if content is None:
        raise MalformedMessage(f"no {kind.DESCRIPTOR.name}: it holds what is none of its fields")
    return content


@lru_cache(maxsize=None)
def _known(kind: Any) -> dict[int, int]:
    """The numbers of a message's fields, by their tags."""
    return {
        field.number << 3 | (0 if field.type == field.TYPE_UINT32 else 2): field.number
        for field in kind.DESCRIPTOR.fields
    }


def _walk(view: memoryview, known: dict[int, int]) -> Optional[dict[int, Any]]:
    """None where a field comes twice, and where it is no plain message. What is empty is left out."""
    content: dict[int, Any] = {}
    at, end = 0, len(view)
    try:
        while at < end:
            tag = view[at]
            at += 1
            if tag > 0x7F:
                more = view[at]
                at += 1
                if more > 0x7F:
                    return None
                tag += (more - 1) << 7
            wire_type = tag & 7
            if wire_type == 2 or wire_type == 0:
                value = view[at]
                at += 1
                if value > 0x7F:
                    more, shift = value, 7
                    while more > 0x7F:
                        if shift == 70:  # Ten bytes, and it goes on.
                            return None
                        more = view[at]
                        at += 1
                        value += (more - 1) << shift
                        shift += 7
                number = known.get(tag)
                if number is None:
                    at += value if wire_type else 0
                elif number in content:
                    return None
                elif not wire_type:
                    content[number] = value
                elif value:
                    content[number] = view[at : at + value]
                    at += value
            elif wire_type == 1 or wire_type == 5:
                at += 8 if wire_type == 1 else 4
            else:
                return None
            if tag < 8:
                return None
    except IndexError:
        return None
    return content if at == end else None


def _from_json(message: Any, kind: Any) -> dict[int, Any]:
    content: dict[int, Any] = {}
    if not isinstance(message, dict):
        raise MalformedMessage(f"no {kind.name} in JSON: it is no object")
    for field in kind.fields:
        value = message.get(field.json_name)
        if value is None:
            continue
        try:
            if field.type == field.TYPE_BYTES:
                vector = base64.b64decode(value, validate=True)
                if vector:
                    content[field.number] = vector
            elif field.type == field.TYPE_MESSAGE and field.number != _REST:
                content[field.number] = _from_json(value, field.message_type)
            elif field.number == _COUNT:
                if type(value) is not int or value < 0:
                    raise ValueError("it is no number")
                content[field.number] = value
            else:
                content[field.number] = value
        except (binascii.Error, TypeError, ValueError) as error:
            raise MalformedMessage(f"no {kind.name} in JSON: {field.json_name}: {error}") from None
    return content
