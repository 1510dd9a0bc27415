"""Frames as tables of numpy arrays, or as pandas tables. docs/reference/tables.md documents the name, type and unit of
each column."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Any, Optional

import numpy as np

from sc2bridge.data.native import COUNT, GAME_LOOP, STEP, ArrayReader, column_of, in_order, usable_library
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
"""The columns of each table and their types. A missing value is 0. `units` has a row for each unit at each step. Its
columns are the fields of the game's `Unit` without lists; `pos` is x, y and z, in map cells. `players` has a row for
each observation: the fields of `PlayerCommon`, `score` and `present`. Bit n of `present` is set if field number n is
present. Bit 62 is set if `score` is present."""

KEY_COLUMNS: dict[str, Any] = {
    "part": np.dtype("<u4"),
    "perspective": np.dtype("<u4"),
    "step": np.dtype("<u8"),
    "game_loop": np.dtype("<u4"),
}
"""The first columns of every table: the number of the part in its `Recordings`, the player id (0 for an observer of all
players), the step, and the game loop (22.4 game loops a second)."""

_MAX_BATCH_BYTES = 32 << 20
_SCORE_BIT = 62
_FIRST_ROWS = 512


def check_columns(table: str, columns: Optional[Iterable[str]]) -> list[str]:
    """Checks the names of columns and returns them. columns: None for all columns of the table. Raises ValueError."""
    if table not in TABLES:
        raise ValueError(f"table {table!r}: choose {', '.join(TABLES)}")
    names = list(TABLES[table] if columns is None else columns)
    if not names:
        raise ValueError(f"columns [] of {table}: choose at least one of {', '.join(TABLES[table])}")
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
    """Yields tables of numpy arrays. Each table has consecutive frames of one part.

    columns: names; None for all. For each column of `units`, a loop reads all units, so choose only what you need.
    frames: the limit of frames in a table; a table has fewer frames if they take 32 MiB.
    every: use only each N-th frame.
    Raises ValueError, and RecordingError after the last complete frame of a recording that is damaged or cut off.
    """
    names = check_columns(table, columns)
    if frames < 1 or every < 1:
        raise ValueError(f"frames {frames}, every {every}: choose 1 or more for both")
    for number, part in enumerate(recordings):
        # Keeps the columns, not the frames, because frames would keep their chunks in memory.
        frames_of_batch: list[tuple[int, int, list[Any]]] = []
        batch_bytes = 0
        damage: Optional[RecordingError] = None
        try:
            for step, loop, values in _frame_values(recordings, number, table, names, every):
                frames_of_batch.append((step, loop, values))
                batch_bytes += sum(column.nbytes for column in values)
                if len(frames_of_batch) == frames or batch_bytes > _MAX_BATCH_BYTES:
                    yield _build_batch(number, part.perspective, frames_of_batch, names)
                    frames_of_batch, batch_bytes = [], 0
        except RecordingError as error:
            damage = error
        if frames_of_batch:
            yield _build_batch(number, part.perspective, frames_of_batch, names)
        if damage is not None:
            raise damage


def dataframes(
    recordings: Recordings,
    table: str = "units",
    columns: Optional[Iterable[str]] = None,
    *,
    names: bool = False,
    **options: Any,
) -> Iterator[pandas.DataFrame]:
    """Like `batches`, with the same arguments, but yields pandas tables.

    names: whether to add a categorical column `name` to the table `units`: the name of the unit's type.
    Raises the errors of `batches`, and ImportError if pandas is not installed.
    """
    pandas = load_pandas()
    if names and table != "units":
        raise ValueError(f"names=True for the table {table}: only the table units has unit types")
    wanted = None if columns is None else list(columns)
    if names and wanted is not None and "unit_type" not in wanted:
        wanted.append("unit_type")
    types: dict[int, Names[Any]] = {}
    for batch in batches(recordings, table, wanted, **options):
        dataframe = pandas.DataFrame(batch)
        if names:
            part = int(batch["part"][0]) if len(dataframe) else 0
            if part not in types:
                types = {part: recordings.match(part).unit_types}  # Batches are in the order of the parts.
            dataframe["name"] = pandas.Categorical(type_names(types[part], batch["unit_type"]))
        yield dataframe


def _frame_values(
    recordings: Recordings, number: int, table: str, names: list[str], every: int
) -> Iterator[tuple[int, int, list[Any]]]:
    """The step, the game loop and the columns of each frame of a part."""
    frames, done = recordings.open(number)[::every], 0
    used = usable_library(recordings.native)
    if used is not None:
        columns = [COUNT, STEP, GAME_LOOP, *(column_of(table, name, TABLES[table][name]) for name in names)]
        reader = ArrayReader(used, columns, _FIRST_ROWS, grows=True)
        for arrays in in_order(reader.prepare_each(frames)):
            if arrays is None:  # The Python reader reports the damage.
                break
            keys = zip(arrays["count"].tolist(), arrays["step"].tolist(), arrays["game_loop"].tolist())
            for at, (count, step, loop) in enumerate(keys):
                rows = slice(count) if table == "units" else slice(1)
                yield step, loop, [np.atleast_1d(arrays[name][at])[rows].copy() for name in names]
                done += 1
        frames = recordings.open(number)[::every]  # It may have been closed.
    for frame in frames[done:]:
        yield frame.step, frame.game_loop, column_values(frame, table, names)


def column_values(frame: Frame, table: str, names: Iterable[str]) -> list[Any]:
    """The columns of a frame with these names, as arrays."""
    if table == "units":
        return [getattr(frame.units, name) for name in names]
    observed = frame.observation.observation
    return [np.array([_player_value(observed, name)], TABLES[table][name]) for name in names]


def _player_value(observed: Any, name: str) -> int:
    if name == "score":
        return int(observed.score.score)
    if name == "present":
        bits = sum(1 << field.number for field, _ in observed.player_common.ListFields())
        return int(bits | observed.score.HasField("score") << _SCORE_BIT)
    return int(getattr(observed.player_common, name))


def _build_batch(
    part: int, perspective: int, frames: list[tuple[int, int, list[Any]]], names: list[str]
) -> dict[str, Any]:
    steps, loops, values = zip(*frames)
    columns = dict(zip(names, map(np.concatenate, zip(*values))))
    counts = [len(next(iter(each), ())) for each in values]
    keys = (np.repeat(part, sum(counts)), np.repeat(perspective, sum(counts)), np.repeat(steps, counts))
    each = zip(KEY_COLUMNS.items(), (*keys, np.repeat(loops, counts)))
    return {**{name: vector.astype(dtype) for (name, dtype), vector in each}, **columns}
