"""Writes the unit table of a recording to a file: `python -m sc2bridge export FILE --csv OUT | --npz OUT`.

Each row is a unit at a step. Both formats have all fields of the game's `Unit` except lists, by the field's name.

CSV: The first columns are `step` and `game_loop`. `pos` is written as `x`, `y` and `z`. A missing value is empty.

npz (`numpy.load`): `step` and `game_loop` have a value for each frame. In the arrays of units, the rows from
`offsets[i]` up to, but not including, `offsets[i + 1]` are the units of frame i. `pos` has shape (rows, 3). A missing
value is 0. Bit n of `present` is set if field number n is present (61 to 63: x, y, z), as in the message Columns of
bridge.proto.
"""

from __future__ import annotations

import csv
import os
import pathlib
import shutil
import tempfile
import zipfile
from collections.abc import Iterable, Sequence
from contextlib import ExitStack
from itertools import repeat
from typing import Any, BinaryIO, NamedTuple, Union

import numpy as np

from sc2bridge.game.frame import Frame
from sc2bridge.units import Units
from sc2bridge.units.columns import UNIT_FIELDS
from sc2bridge.units.tables import PARTS

Path = Union[str, os.PathLike[str]]

_X_PRESENT_BIT = 61
_MAX_CACHED_TEXTS = 1 << 20


class Exported(NamedTuple):
    """The number of written frames and the number of written units."""

    frames: int
    units: int


# ---- CSV -----------------------------------------------------------------------------------------------------------

COLUMNS = {
    name: field.dtype for field in UNIT_FIELDS.values() for name in (PARTS if field.width == 3 else (field.name,))
}
"""The columns of the CSV file after `step` and `game_loop`, and their types."""


class _NumberTexts(dict[Any, str]):
    """Maps each number to the shortest text that is read as this number. A cache, because most numbers repeat."""

    def __init__(self, dtype: Any) -> None:
        super().__init__()
        self._kind = dtype.type

    def __missing__(self, number: Any) -> str:
        if len(self) >= _MAX_CACHED_TEXTS:
            self.clear()
        text = self[number] = str(self._kind(number))
        return text


def to_csv(frames: Iterable[Frame], path: Path) -> Exported:
    """Writes the units of frames as CSV. If a frame cannot be read, writes the frames before it, then raises."""
    texts = {name: _NumberTexts(dtype) for name, dtype in COLUMNS.items()}
    frame_count = unit_count = 0
    with open(path, "w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(["step", "game_loop", *COLUMNS])
        for frame in frames:
            units = frame.units
            cells = [_column_cells(units, name, texts[name]) for name in COLUMNS]
            writer.writerows(zip(repeat(frame.step), repeat(frame.game_loop), *cells))
            frame_count += 1
            unit_count += len(units)
    return Exported(frame_count, unit_count)


def _column_cells(units: Units, column: str, texts: _NumberTexts) -> Sequence[str]:
    is_present = units.present(column)
    if not is_present.any():
        return [""] * len(units)
    cells = [texts[number] for number in getattr(units, column).tolist()]
    return cells if is_present.all() else [cell if has else "" for cell, has in zip(cells, is_present.tolist())]


# ---- npz -----------------------------------------------------------------------------------------------------------


class _ColumnFile:
    """A growing array in a temporary file, because it may be larger than the memory."""

    def __init__(self, file: BinaryIO, dtype: Any, width: int = 1) -> None:
        self.file = file
        self._dtype = np.dtype(dtype)
        self._width = width
        self._rows = 0

    def add(self, values: Any) -> None:
        vector = np.ascontiguousarray(values, self._dtype)
        self._rows += len(vector)
        self.file.write(vector.data)

    def save(self, archive: zipfile.ZipFile, name: str) -> None:
        """Adds the array to a zip file in numpy's `.npy` format (numpy.lib.format)."""
        npy_format: Any = np.lib.format
        shape = (self._rows,) if self._width == 1 else (self._rows, self._width)
        npy_header = {"descr": npy_format.dtype_to_descr(self._dtype), "fortran_order": False, "shape": shape}
        self.file.seek(0)
        with archive.open(f"{name}.npy", "w", force_zip64=True) as entry:
            npy_format.write_array_header_1_0(entry, npy_header)
            shutil.copyfileobj(self.file, entry, 1 << 20)


def to_npz(frames: Iterable[Frame], path: Path) -> Exported:
    """Writes the units of frames as npz. If a frame cannot be read, writes the frames before it, then raises. Temporary
    files in the folder of `path` buffer the columns; they take about 190 bytes for each unit."""
    path = pathlib.Path(path)
    frame_count = unit_count = 0
    with ExitStack() as open_files:
        folder = open_files.enter_context(tempfile.TemporaryDirectory(dir=path.parent, prefix=f"{path.name}."))

        def create_column(name: str, dtype: Any, width: int = 1) -> _ColumnFile:
            return _ColumnFile(open_files.enter_context(open(pathlib.Path(folder, name), "w+b")), dtype, width)

        columns = {name: create_column(name, field.dtype, field.width) for name, field in UNIT_FIELDS.items()}
        present = create_column("present", "<u8")
        steps, loops = create_column("step", "<u8"), create_column("game_loop", "<u4")
        offsets = create_column("offsets", "<u8")
        offsets.add([0])
        try:
            for frame in frames:
                units = frame.units
                frame_count += 1
                unit_count += len(units)
                steps.add([frame.step])
                loops.add([frame.game_loop])
                offsets.add([unit_count])
                present.add(_present_bits(units))
                for name, column_file in columns.items():
                    column_file.add(getattr(units, name))
        finally:
            with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED, compresslevel=1) as archive:
                columns.update(step=steps, game_loop=loops, offsets=offsets, present=present)
                for name, column_file in columns.items():
                    column_file.save(archive, name)
    return Exported(frame_count, unit_count)


def _present_bits(units: Units) -> Any:
    bits = np.zeros(len(units), "<u8")
    for name, field in UNIT_FIELDS.items():
        bits |= units.present(name).astype("<u8") << np.uint64(field.number)
    for part, name in enumerate(PARTS):
        bits |= units.present(name).astype("<u8") << np.uint64(_X_PRESENT_BIT + part)
    return bits
