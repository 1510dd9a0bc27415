"""Reads a Columns message (bridge.proto): its vectors become numpy arrays, with no unit parsed."""

from __future__ import annotations

import base64
import binascii
from functools import cached_property
from typing import Any, Union

import numpy as np

from sc2bridge._protocol import messages
from sc2bridge._protocol.parsing import parse
from sc2bridge.errors import MalformedMessageError
from sc2bridge.s2clientprotocol import raw_pb2
from sc2bridge.units.tables import Field, Source, fields_of, read_only
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

# By kind of row the name, field number and bytes of each column: plain tuples, as every frame is checked.
_SIZES = {
    what: [(field.name, field.number, field.size) for field in fields.values()]
    for what, fields in (
        ("units", UNIT_FIELDS),
        ("orders", ORDER_FIELDS),
        ("passengers", PASSENGER_FIELDS),
        ("buff_ids", BUFF_FIELDS),
        ("rally_targets", RALLY_TARGET_FIELDS),
    )
}

# The vector that says how many items of a list there are, where that is not `present`, with the bytes of each.
_COUNTED_BY = {"buff_ids": (1, "buff_id", 4)}

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
    """An observation as columns. Raises MalformedMessageError where it is none, also from `lists`, and where a column of
    theirs is first read."""

    def __init__(self, content: dict[int, Any]) -> None:
        self._content = content
        count = content.get(_COUNT, 0)
        present = content.get(_PRESENT, b"")
        if len(present) != count * 8:
            raise MalformedMessageError(f"columns of {count} units with {len(present)} bytes of `present`")
        _check(content, count, "units")
        self.units = Vectors(content, count, np.frombuffer(present, "<u8"), _UNIT_X)

    @classmethod
    def open(cls, message: Bytes) -> Columns:
        """Of a serialized Columns."""
        return cls(_fields(parse(messages.Columns, message)))

    @classmethod
    def open_json(cls, message: Any) -> Columns:
        """Of a Columns in protobuf's JSON, as json.loads gives it."""
        return cls(_from_json(message, bridge_pb2.Columns.DESCRIPTOR))

    @property
    def rest(self) -> Any:
        """The observation without its units: serialized; of JSON the dict; None where there is none."""
        return self._content.get(_REST)

    def lists(self, name: str) -> tuple[Source, Any]:
        """The items of the units' lists in a field; and their offsets."""
        number, kind = _LISTS[name]
        count = self.units.count
        content = self._content.get(number)
        if content is None:
            return Vectors({}, 0, None, _ITEM_X), read_only(np.zeros(count + 1, _OFFSET))
        if not isinstance(content, dict):
            content = parse(kind, content)
        offsets = content.get(_OFFSETS, b"") if isinstance(content, dict) else content.offsets
        if len(offsets) != (count + 1) * _OFFSET.itemsize:
            raise MalformedMessageError(f"columns of {count} units with {len(offsets)} bytes of offsets for {name}")
        starts = np.frombuffer(offsets, _OFFSET)
        if starts[0] != 0 or (starts[1:] < starts[:-1]).any():
            raise MalformedMessageError(f"columns whose offsets for {name} do not begin at 0, or go down")
        # Before anything is made of it: whose each item is takes an array of so many.
        items = int(starts[-1])
        counts, what, size = _COUNTED_BY.get(name, (_ITEM_PRESENT, "present", 2))
        counted = content.get(counts, b"") if isinstance(content, dict) else getattr(content, what)
        if len(counted) != items * size:
            raise MalformedMessageError(f"columns of {items} {name} with {len(counted)} bytes of {what}")
        return _Items(name, content, items), starts


class _Items:
    """The items of lists, as a source of a table. They are not looked at where only their offsets are asked for."""

    def __init__(self, name: str, content: Any, count: int) -> None:
        self.count = count
        self._name = name
        self._content = content

    @cached_property
    def _vectors(self) -> Vectors:
        content = self._content if isinstance(self._content, dict) else _fields(self._content)
        _check(content, self.count, self._name)
        has_present = self._name not in _COUNTED_BY
        present = np.frombuffer(content.get(_ITEM_PRESENT, b""), "<u2") if has_present else None
        return Vectors(content, self.count, present, _ITEM_X)

    def vector(self, field: Field) -> Any:
        return self._vectors.vector(field)

    def present(self, field: Field, part: int) -> Any:
        return self._vectors.present(field, part)


def _check(content: dict[int, Any], rows: int, what: str) -> None:
    for name, number, size in _SIZES[what]:
        if number in content and len(content[number]) != rows * size:
            raise MalformedMessageError(f"columns of {rows} {what} with {len(content[number])} bytes of {name}")


def _fields(message: Any) -> dict[int, Any]:
    """A message's fields by their numbers. What is empty is left out."""
    return {field.number: value for field, value in message.ListFields()}


def _from_json(message: Any, kind: Any) -> dict[int, Any]:
    content: dict[int, Any] = {}
    if not isinstance(message, dict):
        raise MalformedMessageError(f"no {kind.name} in JSON: it is no object")
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
            raise MalformedMessageError(f"no {kind.name} in JSON: {field.json_name}: {error}") from None
    return content
