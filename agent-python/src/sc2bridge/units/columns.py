"""Reads a Columns message (see bridge.proto). Its vectors become numpy arrays, and single units are not parsed."""

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
BUFF_FIELDS = {"buff_id": Field(1, "buff_id", np.dtype("<u4"), row_bytes=4)}
RALLY_TARGET_FIELDS = fields_of(raw_pb2.RallyTarget.DESCRIPTOR)

# The columns of each table: name, field number, and bytes in a row. Plain tuples keep the check of each frame fast.
_COLUMN_SIZES = {
    what: [(field.name, field.number, field.row_bytes) for field in fields.values()]
    for what, fields in (
        ("units", UNIT_FIELDS),
        ("orders", ORDER_FIELDS),
        ("passengers", PASSENGER_FIELDS),
        ("buff_ids", BUFF_FIELDS),
        ("rally_targets", RALLY_TARGET_FIELDS),
    )
}

# Lists without `present`: the length of this vector gives the number of items. Field number, name, bytes of an item.
_COUNTED_BY = {"buff_ids": (1, "buff_id", 4)}

# In `present`, the number of the bit for a point's x: first for units, then for items of lists.
_UNIT_X_BIT, _ITEM_X_BIT = 61, 13

_LISTS = {
    field.name: (field.number, getattr(bridge_pb2, field.message_type.name))
    for field in bridge_pb2.Columns.DESCRIPTOR.fields
    if field.type == field.TYPE_MESSAGE and field.number != _REST
}


class Vectors:
    """The vectors of one Columns message, as the source of a table."""

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
        if self._present is None:  # In a list of plain numbers, no value is missing.
            return read_only(np.ones(self.count, bool))
        bit = field.number if part < 0 else self._x_bit + part
        kind = self._present.dtype.type
        return read_only((self._present & kind(1 << bit)) != 0)


class Columns:
    """An observation as columns. The constructor, `lists`, and the first read of a list's column raise
    MalformedMessageError if the message is invalid."""

    def __init__(self, content: dict[int, Any]) -> None:
        self._content = content
        count = content.get(_COUNT, 0)
        present = content.get(_PRESENT, b"")
        if len(present) != count * 8:
            raise MalformedMessageError(f"{count} units need {count * 8} bytes of `present`, not {len(present)}")
        _check_lengths(content, count, "units")
        self.units = Vectors(content, count, np.frombuffer(present, "<u8"), _UNIT_X_BIT)

    @classmethod
    def open(cls, message: Bytes) -> Columns:
        return cls(_fields_by_number(parse(messages.Columns, message)))

    @classmethod
    def open_json(cls, message: Any) -> Columns:
        """Reads a Columns message in protobuf's JSON, after json.loads."""
        return cls(_from_json(message, bridge_pb2.Columns.DESCRIPTOR))

    @property
    def rest(self) -> Any:
        """The observation without its units: serialized bytes, or a dict for JSON. None if it is missing."""
        return self._content.get(_REST)

    def lists(self, name: str) -> tuple[Source, Any]:
        """Returns all items of a list field, one unit after the other, and the index at which the items of each unit
        begin."""
        number, kind = _LISTS[name]
        count = self.units.count
        content = self._content.get(number)
        if content is None:
            return Vectors({}, 0, None, _ITEM_X_BIT), read_only(np.zeros(count + 1, _OFFSET))
        if not isinstance(content, dict):
            content = parse(kind, content)
        offsets = content.get(_OFFSETS, b"") if isinstance(content, dict) else content.offsets
        needed = (count + 1) * _OFFSET.itemsize
        if len(offsets) != needed:
            raise MalformedMessageError(f"{count} units need {needed} bytes of offsets for {name}, not {len(offsets)}")
        starts = np.frombuffer(offsets, _OFFSET)
        if starts[0] != 0 or (starts[1:] < starts[:-1]).any():
            raise MalformedMessageError(f"invalid columns: the offsets for {name} must begin at 0 and not decrease")
        # Checks the number of items before an array of this size is created.
        items = int(starts[-1])
        counted_number, counted_name, item_bytes = _COUNTED_BY.get(name, (_ITEM_PRESENT, "present", 2))
        counted = content.get(counted_number, b"") if isinstance(content, dict) else getattr(content, counted_name)
        needed = items * item_bytes
        if len(counted) != needed:
            raise MalformedMessageError(f"{items} {name} need {needed} bytes of {counted_name}, not {len(counted)}")
        return _Items(name, content, items), starts


class _Items:
    """The items of lists, as the source of a table. Their columns are checked on first access, because often only the
    offsets are needed."""

    def __init__(self, name: str, content: Any, count: int) -> None:
        self.count = count
        self._name = name
        self._content = content

    @cached_property
    def _vectors(self) -> Vectors:
        content = self._content if isinstance(self._content, dict) else _fields_by_number(self._content)
        _check_lengths(content, self.count, self._name)
        has_present = self._name not in _COUNTED_BY
        present = np.frombuffer(content.get(_ITEM_PRESENT, b""), "<u2") if has_present else None
        return Vectors(content, self.count, present, _ITEM_X_BIT)

    def vector(self, field: Field) -> Any:
        return self._vectors.vector(field)

    def present(self, field: Field, part: int) -> Any:
        return self._vectors.present(field, part)


def _check_lengths(content: dict[int, Any], rows: int, what: str) -> None:
    for name, number, size in _COLUMN_SIZES[what]:
        if number in content and len(content[number]) != rows * size:
            raise MalformedMessageError(f"{rows} {what} need {rows * size} bytes of {name}, not {len(content[number])}")


def _fields_by_number(message: Any) -> dict[int, Any]:
    """The fields of a message by number, without empty fields."""
    return {field.number: value for field, value in message.ListFields()}


def _from_json(message: Any, kind: Any) -> dict[int, Any]:
    content: dict[int, Any] = {}
    if not isinstance(message, dict):
        raise MalformedMessageError(f"invalid {kind.name} in JSON: expected an object, not {type(message).__name__}")
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
                    raise ValueError("expected a number of 0 or more")
                content[field.number] = value
            else:
                content[field.number] = value
        except (binascii.Error, TypeError, ValueError) as error:
            raise MalformedMessageError(f"invalid {kind.name} in JSON: {field.json_name}: {error}") from None
    return content
