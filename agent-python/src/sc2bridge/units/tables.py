"""Tables whose columns are numpy arrays: what `units` and the lists that units have are made of.

A table takes its columns from a source when they are first asked for: the vectors of a Columns message, messages, or the
rows of another table.
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
    """A column: a field of a message of the game's."""

    number: int
    name: str
    dtype: Any
    """Of one value."""
    width: int = 1
    """Values in a row: 3 for a point."""
    is_enum: bool = False
    size: int = 0
    """Bytes in a row."""

    def shape(self, rows: int) -> Any:
        """Of the column's array."""
        return rows if self.width == 1 else (rows, self.width)


def is_repeated(field: Any) -> bool:
    """Whether a field is repeated; protobuf changed its API for that."""
    repeated = getattr(field, "is_repeated", None)
    return bool(field.label == FieldDescriptor.LABEL_REPEATED) if repeated is None else bool(repeated)


def fields_of(message: Any) -> dict[str, Field]:
    """The columns of a message's descriptor: its fields that are no lists."""
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
    """Where a table's columns come from. Its arrays are read-only."""

    count: int

    def vector(self, field: Field) -> Any:
        """A column; 0 where a row lacks the field."""

    def present(self, field: Field, part: int) -> Any:
        """Which rows have the field (bool); with a part from 0 to 2, that part of a point."""


_D = TypeVar("_D", bound=np.generic)


class Column(Generic[_D]):
    """A column in a table's class: its array, made when it is first asked for and kept with the table."""

    def __init__(self, dtype: type[_D], what: str, width: int = 1) -> None:
        """what: of each value. width: values in a row."""
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
        vector = table.made.get(self.name)
        if vector is None:
            vector = table.made[self.name] = table.source.vector(table.fields[self.name])
        return vector

    def __set__(self, table: Table, value: Any) -> NoReturn:
        raise AttributeError(f"{self.name} cannot be set: a table is as the game told it")


class Table:
    """Rows and named columns. A column is an array that cannot be written to, 0 where a row does not have it."""

    fields: dict[str, Field] = {}
    """The columns."""

    def __init_subclass__(cls, fields: Optional[dict[str, Field]] = None) -> None:
        if fields is not None:
            cls.fields = fields

    def __init__(self, source: Source) -> None:
        self.source = source
        """Where the columns come from."""
        self.made: dict[str, Any] = {}
        """The columns that were asked for."""

    def __len__(self) -> int:
        return self.source.count

    def __reduce__(self) -> Any:
        return type(self), (Stored(self),)

    def present(self, column: str) -> npt.NDArray[np.bool_]:
        """Which rows have a value there (bool), as `HasField` of a message.

        `x`, `y` and `z` are the parts of a point. Raises ValueError for a column that there is not.
        """
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
    """Some rows of another table, as a source."""

    def __init__(self, table: Table, rows: Any) -> None:
        self.table = table
        self.rows = rows
        self.count = len(rows)

    def vector(self, field: Field) -> Any:
        return read_only(getattr(self.table, field.name)[self.rows])

    def present(self, field: Field, part: int) -> Any:
        return read_only(self.table.source.present(field, part)[self.rows])


class Stored:
    """A table's columns by themselves, as a source: what is left of a table in a pickle."""

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
        return read_only(self._vectors[field.name])  # A pickle does not keep that.

    def present(self, field: Field, part: int) -> Any:
        return read_only(self._present[field.name, part])


class Messages:
    """Messages, one a row, as a source: each column takes a loop over them, which runs in C as far as it can."""

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
        if field.is_enum:  # One that is absent reads as the first value, which is no 0.
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
    """The array, which cannot be written to from now on."""
    array.flags.writeable = False
    return array


_L = TypeVar("_L", bound="Lists")


class Lists(Table):
    """The lists that units have in one field: the items of all units end to end, in the units' order."""

    def __init__(self, source: Source, offsets: npt.NDArray[np.uint32]) -> None:
        super().__init__(source)
        self.offsets: npt.NDArray[np.uint32] = read_only(offsets)
        """Where the items of each row's unit begin; one more than there are units, so that the next one ends them."""

    def __reduce__(self) -> Any:
        return type(self), (Stored(self), self.offsets)

    @property
    def counts(self) -> npt.NDArray[np.intp]:
        """How many items each unit has."""
        offsets = self.offsets.astype(np.intp)
        return offsets[1:] - offsets[:-1]

    @property
    def rows(self) -> npt.NDArray[np.intp]:
        """For each item the row of its unit: `units.tag[units.orders.rows]` is whose order each is."""
        return np.repeat(np.arange(len(self.offsets) - 1), self.counts)

    def of(self: _L, row: int) -> _L:
        """The items of the unit in a row, as a smaller table. Raises IndexError."""
        units = len(self.offsets) - 1
        if not -units <= row < units:
            raise IndexError(f"row {row} of {units}")
        return self.select(np.array([row]))

    def select(self: _L, rows: Any) -> _L:
        """The lists of some units, by an array of their rows."""
        offsets = self.offsets.astype(np.intp)
        counts = np.diff(offsets)[rows]
        ends = np.concatenate([[0], np.cumsum(counts)])
        items = np.repeat(offsets[:-1][rows] - ends[:-1], counts) + np.arange(ends[-1])
        return type(self)(Rows(self, items), read_only(ends.astype("<u4")))
