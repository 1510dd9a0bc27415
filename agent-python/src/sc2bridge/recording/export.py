"""The unit table of a recording as a file: `python -m sc2bridge export FILE --csv OUT | --npz OUT`.

A row is a unit at a step. Both forms have every field of the game's `Unit` that is no list, under its name.

CSV: `step` and `game_loop` come first, `x`, `y`, `z` stand for `pos`, and what a unit has not is empty.

npz (`numpy.load`): `step` and `game_loop` have a value for each frame, the units of frame i are the rows from
`offsets[i]` up to `offsets[i + 1]` of all other arrays. `pos` has rows of three; 0 stands for what a unit has not, which
bit n of `present` tells of field number n (61 to 63: x, y, z), as in the message Columns of bridge.proto.
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

_X_BIT = 61
_MOST_TEXTS = 1 << 20


class Exported(NamedTuple):
    """How much was written."""

    frames: int
    units: int


# ---- CSV -----------------------------------------------------------------------------------------------------------

COLUMNS = {
    name: field.dtype for field in UNIT_FIELDS.values() for name in (PARTS if field.width == 3 else (field.name,))
}
"""The unit table's columns in CSV, behind `step` and `game_loop`, and their types."""


class _Texts(dict[Any, str]):
    """Numbers as the shortest text that reads back the same; most of them come again and again."""

    def __init__(self, dtype: Any) -> None:
        super().__init__()
        self._kind = dtype.type

    def __missing__(self, number: Any) -> str:
        if len(self) >= _MOST_TEXTS:
            self.clear()
        text = self[number] = str(self._kind(number))
        return text


def to_csv(frames: Iterable[Frame], path: Path) -> Exported:
    """Writes the units of frames. What reading the frames raises passes through, with all before it written."""
    texts = {name: _Texts(dtype) for name, dtype in COLUMNS.items()}
    count = rows = 0
    with open(path, "w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(["step", "game_loop", *COLUMNS])
        for frame in frames:
            units = frame.units
            cells = [_cells(units, name, texts[name]) for name in COLUMNS]
            writer.writerows(zip(repeat(frame.step), repeat(frame.game_loop), *cells))
            count += 1
            rows += len(units)
    return Exported(count, rows)


def _cells(units: Units, column: str, texts: _Texts) -> Sequence[str]:
    there = units.present(column)
    if not there.any():
        return [""] * len(units)
    cells = [texts[number] for number in getattr(units, column).tolist()]
    return cells if there.all() else [cell if has else "" for cell, has in zip(cells, there.tolist())]


# ---- npz -----------------------------------------------------------------------------------------------------------


class _Column:
    """An array that grows in a file of its own, so that it need not fit into memory."""

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
        """As numpy's `.npy` (numpy.lib.format)."""
        form: Any = np.lib.format
        shape = (self._rows,) if self._width == 1 else (self._rows, self._width)
        head = {"descr": form.dtype_to_descr(self._dtype), "fortran_order": False, "shape": shape}
        self.file.seek(0)
        with archive.open(f"{name}.npy", "w", force_zip64=True) as entry:
            form.write_array_header_1_0(entry, head)
            shutil.copyfileobj(self.file, entry, 1 << 20)


def to_npz(frames: Iterable[Frame], path: Path) -> Exported:
    """Writes the units of frames. What reading the frames raises passes through, with all before it written.

    The columns wait in temporary files beside `path`, some 190 bytes a unit.
    """
    path = pathlib.Path(path)
    count = rows = 0
    with ExitStack() as open_files:
        folder = open_files.enter_context(tempfile.TemporaryDirectory(dir=path.parent, prefix=f"{path.name}."))

        def column(name: str, dtype: Any, width: int = 1) -> _Column:
            return _Column(open_files.enter_context(open(pathlib.Path(folder, name), "w+b")), dtype, width)

        columns = {name: column(name, field.dtype, field.width) for name, field in UNIT_FIELDS.items()}
        present = column("present", "<u8")
        steps, loops, offsets = column("step", "<u8"), column("game_loop", "<u4"), column("offsets", "<u8")
        offsets.add([0])
        try:
            for frame in frames:
                units = frame.units
                count += 1
                rows += len(units)
                steps.add([frame.step])
                loops.add([frame.game_loop])
                offsets.add([rows])
                present.add(_present(units))
                for name, one in columns.items():
                    one.add(getattr(units, name))
        finally:
            with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED, compresslevel=1) as archive:
                columns.update(step=steps, game_loop=loops, offsets=offsets, present=present)
                for name, one in columns.items():
                    one.save(archive, name)
    return Exported(count, rows)


def _present(units: Units) -> Any:
    bits = np.zeros(len(units), "<u8")
    for name, field in UNIT_FIELDS.items():
        bits |= units.present(name).astype("<u8") << np.uint64(field.number)
    for part, name in enumerate(PARTS):
        bits |= units.present(name).astype("<u8") << np.uint64(_X_BIT + part)
    return bits
