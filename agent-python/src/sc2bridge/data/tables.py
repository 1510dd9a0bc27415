"""Frames as tables: of numpy arrays, and of pandas. Names, types and units are those of docs/reference/tables.md."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Any, Optional

import numpy as np

from sc2bridge.data.recordings import Recordings
from sc2bridge.errors import RecordingError
from sc2bridge.game.frame import Frame
from sc2bridge.game.names import Names
from sc2bridge.recording.export import COLUMNS
from sc2bridge.s2clientprotocol import sc2api_pb2
from sc2bridge.units.shown import load_pandas, type_names

if TYPE_CHECKING:
    import pandas

TABLES: dict[str, dict[str, Any]] = {
    "units": dict(COLUMNS),
    "players": {
        **{field.name: np.dtype("<u4") for field in sc2api_pb2.PlayerCommon.DESCRIPTOR.fields},
        "score": np.dtype("<i4"),
        "present": np.dtype("<u8"),
    },
}
"""The columns of each table and their types. `units` has a row for each unit at a step: the fields of the game's `Unit` that are no
lists, x, y and z (cells) for `pos`, 0 for what a unit has not. `players` has one for each observation: the fields of `PlayerCommon`, and
`score`. 0 stands for a number that the observation lacks: bit n of `present` is set if it has field number n, and bit 62 if it has `score`."""

PLACES: dict[str, Any] = {
    "part": np.dtype("<u4"),
    "perspective": np.dtype("<u4"),
    "step": np.dtype("<u8"),
    "game_loop": np.dtype("<u4"),
}
"""What every table begins with: the part's number in its `Recordings`, the player id (0 for an observer of all), the step, and the game
loop (22.4 a second)."""


_MOST_BYTES = 32 << 20
_SCORE_BIT = 62


def chosen(table: str, columns: Optional[Iterable[str]]) -> list[str]:
    """The names of columns of a table; None for all there are. Raises ValueError."""
    if table not in TABLES:
        raise ValueError(f"table {table!r}: choose {', '.join(TABLES)}")
    names = list(TABLES[table] if columns is None else columns)
    if not names:
        raise ValueError(f"no column of {table}: choose {', '.join(TABLES[table])}")
    for name in names:
        if name not in TABLES[table]:
            raise ValueError(f"column {name!r} of {table}: choose {', '.join(TABLES[table])}")
    return names


def batches(
    recordings: Recordings,
    table: str = "units",
    columns: Optional[Iterable[str]] = None,
    frames: int = 1024,
    every: int = 1,
) -> Iterator[dict[str, Any]]:
    """Tables of numpy arrays, each of some frames of a part, one after another.

    columns: which; None for all. Of units a column takes a loop over them: ask for those that you need.
    frames: the most frames of a batch; fewer if they take 32 MiB.
    every: take each N-th frame.
    Raises ValueError; RecordingError behind the last whole frame of a recording that is damaged or cut off.
    """
    names = chosen(table, columns)
    if frames < 1 or every < 1:
        raise ValueError(f"frames {frames}, every {every}: choose numbers from 1")
    for number, part in enumerate(recordings):
        # Columns are kept and not frames, which would keep their chunks in memory.
        rows: list[tuple[int, int, list[Any]]] = []
        size = 0
        damage: Optional[RecordingError] = None
        try:
            for frame in recordings.open(number)[::every]:
                rows.append((frame.step, frame.game_loop, values(frame, table, names)))
                size += sum(column.nbytes for column in rows[-1][2])
                if len(rows) == frames or size > _MOST_BYTES:
                    yield _batch(number, part.perspective, rows, table, names)
                    rows, size = [], 0
        except RecordingError as error:
            damage = error
        if rows:
            yield _batch(number, part.perspective, rows, table, names)
        if damage is not None:
            raise damage


def dataframes(
    recordings: Recordings,
    table: str = "units",
    columns: Optional[Iterable[str]] = None,
    *,
    names: bool = False,
    **choices: Any,
) -> Iterator[pandas.DataFrame]:
    """As `batches`, with its choices: tables of pandas.

    names: adds `name` to the table `units`, the name of the unit's type, as a categorical column.
    Raises as `batches`; ImportError if pandas is not installed.
    """
    pandas = load_pandas()
    if names and table != "units":
        raise ValueError(f"names of {table}: only the table units has unit types")
    wanted = None if columns is None else list(columns)
    if names and wanted is not None and "unit_type" not in wanted:
        wanted.append("unit_type")
    types: dict[int, Names[Any]] = {}
    for batch in batches(recordings, table, wanted, **choices):
        made = pandas.DataFrame(batch)
        if names:
            part = int(batch["part"][0]) if len(made) else 0
            if part not in types:
                types = {part: recordings.match(part).unit_types}  # Parts come one after another.
            made["name"] = pandas.Categorical(type_names(types[part], batch["unit_type"]))
        yield made


def values(frame: Frame, table: str, names: Iterable[str]) -> list[Any]:
    """A frame's columns, by their names."""
    if table == "units":
        return [getattr(frame.units, name) for name in names]
    observed = frame.observation.observation
    return [np.array([_number(observed, name)], TABLES[table][name]) for name in names]


def _number(observed: Any, name: str) -> int:
    """A column of `players`."""
    if name == "score":
        return int(observed.score.score)
    if name == "present":
        bits = sum(1 << field.number for field, _ in observed.player_common.ListFields())
        return int(bits | observed.score.HasField("score") << _SCORE_BIT)
    return int(getattr(observed.player_common, name))


def _batch(
    part: int, perspective: int, rows: list[tuple[int, int, list[Any]]], table: str, names: list[str]
) -> dict[str, Any]:
    steps, loops, found = zip(*rows)
    columns = dict(zip(names, map(np.concatenate, zip(*found))))
    counts = [len(next(iter(each), ())) for each in found]
    places = (np.repeat(part, sum(counts)), np.repeat(perspective, sum(counts)), np.repeat(steps, counts))
    each = zip(PLACES.items(), (*places, np.repeat(loops, counts)))
    return {**{name: vector.astype(dtype) for (name, dtype), vector in each}, **columns}
