"""The base classes of the table of units, and of the tables for list fields of units. Columns are numpy arrays.

A table reads a column from its source on first access. A source has the vectors of a Columns message, a list of
messages, or rows of another table.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from operator import attrgetter, methodcaller
from typing import Any, Generic, NoReturn, Optional, Protocol, TypeVar, overload

import numpy as np
import numpy.typing as npt
from google.protobuf.descriptor import FieldDescriptor

_TYPES: dict[int, Any] = {
    FieldDescriptor.TYPE_FLOAT: np.dtype("<f4"),
    FieldDescriptor.TYPE_INT32: np.dtype("<i4"),
    FieldDescriptor.TYPE_UINT32: np.dtype("<u4"),
    FieldDescriptor.TYPE_UINT64: np.dtype("<u8"),
    FieldDescriptor.TYPE_BOOL: np.dtype("?"),
    FieldDescriptor.TYPE_ENUM: np.dtype("u1"),
}
PARTS = ("x", "y", "z")


@dataclass(frozen=True)
class Field:
    """A column: a field of one of the game's messages."""

    number: int
    name: str
    dtype: Any
    """The numpy type of one value."""
    width: int = 1
    """The number of values in a row: 3 for a point, otherwise 1."""
    is_enum: bool = False
    row_bytes: int = 0

    def shape(self, rows: int) -> Any:
        return rows if self.width == 1 else (rows, self.width)


def is_repeated(field: Any) -> bool:
    """Whether a field is repeated. Releases of protobuf have different APIs for this."""
    repeated = getattr(field, "is_repeated", None)
    return bool(field.label == FieldDescriptor.LABEL_REPEATED) if repeated is None else bool(repeated)


def fields_of(message: Any) -> dict[str, Field]:
    """The columns for the fields of a message's descriptor: numbers, enums and points, without lists."""
    fields = {}
    for field in message.fields:
        if is_repeated(field):
            continue
        if field.type == FieldDescriptor.TYPE_MESSAGE:
            if field.message_type.name != "Point":
                continue
            dtype, width = _TYPES[FieldDescriptor.TYPE_FLOAT], 3
        else:
            dtype, width = _TYPES[field.type], 1
        is_enum = field.type == FieldDescriptor.TYPE_ENUM
        fields[field.name] = Field(field.number, field.name, dtype, width, is_enum, dtype.itemsize * width)
    return fields


class Source(Protocol):
    """Supplies a table's columns. Its arrays are read-only."""

    count: int

    def vector(self, field: Field) -> Any:
        """The array of a column. Rows without the field have 0."""

    def present(self, field: Field, part: int) -> Any:
        """A mask of the rows that have the field. part: 0 to 2 for x, y or z of a point; -1 for the whole field."""


_D = TypeVar("_D", bound=np.generic)


class Column(Generic[_D]):
    """Declares a column in a table's class. The array is created on first access and cached in the table."""

    def __init__(self, dtype: type[_D], what: str, width: int = 1) -> None:
        """what: the meaning of each value. width: the number of values in a row."""
        self.dtype = dtype
        self.width = width
        self.__doc__ = f"{np.dtype(dtype).name}{', rows of x, y, z' if width == 3 else ''}: {what}."

    def __set_name__(self, kind: type[Table], name: str) -> None:
        self.name = name

    @overload
    def __get__(self, table: None, kind: Any = None) -> Column[_D]:
        ...

    @overload
    def __get__(self, table: Table, kind: Any = None) -> npt.NDArray[_D]:
        ...

    def __get__(self, table: Optional[Table], kind: Any = None) -> Any:
        if table is None:
            return self
        vector = table.column_cache.get(self.name)
        if vector is None:
            vector = table.column_cache[self.name] = table.source.vector(table.fields[self.name])
        return vector

    def __set__(self, table: Table, value: Any) -> NoReturn:
        raise AttributeError(f"cannot set {self.name}: tables are read-only, so copy the column first")


class Table:
    """Rows and named columns. Columns are read-only arrays. A row without a value has 0; see `present`."""

    fields: dict[str, Field] = {}

    def __init_subclass__(cls, fields: Optional[dict[str, Field]] = None) -> None:
        if fields is not None:
            cls.fields = fields

    def __init__(self, source: Source) -> None:
        self.source = source
        self.column_cache: dict[str, Any] = {}

    def __len__(self) -> int:
        return self.source.count

    def __reduce__(self) -> Any:
        return type(self), (Stored(self),)

    def present(self, column: str) -> npt.NDArray[np.bool_]:
        """A mask of the rows that have a value in a column, like `HasField` of a message. column: a field, or `x`, `y`
        or `z` for a part of a point. Raises ValueError for an unknown column."""
        fields = self.fields
        if column in fields:
            return _mask(self.source.present(fields[column], -1))
        point = next((field for field in fields.values() if field.width == 3), None)
        if point is not None and column in PARTS:
            return _mask(self.source.present(point, PARTS.index(column)))
        raise ValueError(f"column {column!r}: choose {', '.join([*fields, *(PARTS if point else ())])}")

    def __repr__(self) -> str:
        return f"<{type(self).__name__}: {len(self)}>"


class Rows:
    """Some rows of another table, as the source of a table."""

    def __init__(self, table: Table, rows: Any) -> None:
        self.table = table
        self.rows = rows
        self.count = len(rows)

    def vector(self, field: Field) -> Any:
        return read_only(getattr(self.table, field.name)[self.rows])

    def present(self, field: Field, part: int) -> Any:
        return read_only(self.table.source.present(field, part)[self.rows])


class Stored:
    """Copies of all columns of a table, as the source of a table. A pickle of a table contains these copies."""

    def __init__(self, table: Table) -> None:
        self.count = len(table)
        source, fields = table.source, table.fields.values()
        self._vectors = {field.name: source.vector(field) for field in fields}
        self._present = {
            (field.name, part): source.present(field, part)
            for field in fields
            for part in range(-1, 3 if field.width == 3 else 0)
        }

    def vector(self, field: Field) -> Any:
        return read_only(self._vectors[field.name])  # A pickle loses the read-only flag.

    def present(self, field: Field, part: int) -> Any:
        return read_only(self._present[field.name, part])


class Messages:
    """Messages, one per row, as the source of a table. Each column needs a loop over all messages. Most of the
    loop runs in C."""

    def __init__(self, messages: Iterable[Any]) -> None:
        self.messages = list(messages)
        self.count = len(self.messages)

    def vector(self, field: Field) -> Any:
        values: Any = map(attrgetter(field.name), self.messages)
        if field.width == 3:
            points = list(values)
            vector = np.empty((self.count, 3), field.dtype)
            for part, name in enumerate(PARTS):
                vector[:, part] = np.fromiter(map(attrgetter(name), points), field.dtype, self.count)
            return read_only(vector)
        vector = np.fromiter(values, field.dtype, self.count)
        if field.is_enum:  # A missing enum reads as its first value, which is not 0.
            vector *= self.present(field, -1)
        return read_only(vector)

    def present(self, field: Field, part: int) -> Any:
        messages: Iterable[Any] = self.messages
        if part >= 0:
            messages = map(attrgetter(field.name), messages)
        has = methodcaller("HasField", field.name if part < 0 else PARTS[part])
        return read_only(np.fromiter(map(has, messages), bool, self.count))


def _mask(array: Any) -> npt.NDArray[np.bool_]:
    mask: npt.NDArray[np.bool_] = array
    return mask


def read_only(array: Any) -> Any:
    """Makes an array read-only and returns it."""
    array.flags.writeable = False
    return array


_L = TypeVar("_L", bound="Lists")


class Lists(Table):
    """A list field of all units. The rows are the items of the first unit, then the items of the second, and so on."""

    def __init__(self, source: Source, offsets: npt.NDArray[np.uint32]) -> None:
        super().__init__(source)
        self.offsets: npt.NDArray[np.uint32] = read_only(offsets)
        """The items of unit i are the rows from offsets[i] up to, not including, offsets[i + 1]."""

    def __reduce__(self) -> Any:
        return type(self), (Stored(self), self.offsets)

    @property
    def counts(self) -> npt.NDArray[np.intp]:
        """The number of items of each unit."""
        offsets = self.offsets.astype(np.intp)
        return offsets[1:] - offsets[:-1]

    @property
    def rows(self) -> npt.NDArray[np.intp]:
        """For each item, the row of its unit: `units.tag[units.orders.rows]` has the tag of each order's unit."""
        return np.repeat(np.arange(len(self.offsets) - 1), self.counts)

    def of(self: _L, row: int) -> _L:
        """The items of one unit, given by its row, as a smaller table. Raises IndexError."""
        units = len(self.offsets) - 1
        if not -units <= row < units:
            raise IndexError(f"row {row} does not exist: there are {units} rows")
        return self.select(np.array([row]))

    def select(self: _L, rows: Any) -> _L:
        """The lists of some units, given by an array of their rows."""
        offsets = self.offsets.astype(np.intp)
        counts = np.diff(offsets)[rows]
        ends = np.concatenate([[0], np.cumsum(counts)])
        items = np.repeat(offsets[:-1][rows] - ends[:-1], counts) + np.arange(ends[-1])
        return type(self)(Rows(self, items), read_only(ends.astype("<u4")))
