"""Reads frames into arrays with the native library, on threads that do not need Python's lock.

The Python reader is the reference: the arrays are equal. If the library reports damage, the caller reads the same frames
again with the Python reader, which raises the error.
"""

from __future__ import annotations

import math
import sys
import threading
import warnings
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from typing import Any, NamedTuple, Optional, TypeVar

import numpy as np

from sc2bridge.library import Chunk, Column, _DamagedError, Library, _TooManyUnitsError, load, processors
from sc2bridge.recording.frames import Frames
from sc2bridge.s2clientprotocol import sc2api_pb2
from sc2bridge.units.columns import UNIT_FIELDS
from sc2bridge.units.tables import PARTS

_T = TypeVar("_T")

# The tables and fields of sc2bridge_read_frames.
_UNITS, _PLAYERS, _FRAMES = range(3)
_X, _SCORE = 61, 62
MAX_ROWS = 1 << 18

# Larger reads are left to the Python reader, so that no recording takes too much memory.
_MAX_STORED_BYTES = 64 << 20
_MAX_GROWN_BYTES = 64 << 20

_MAX_IDLE_BUFFERS = 6
_MAX_FRAMES = 128
"""The most frames in the arrays of `prepare_each`."""
_CACHE_LINE = 64


class ArrayColumn(NamedTuple):
    """An array to read: its name, the table and number of its field, and the type of its values."""

    name: str
    table: int
    field: int
    dtype: Any


MASK = ArrayColumn("mask", _UNITS, 0, np.dtype(bool))
COUNT, STEP, GAME_LOOP = (
    ArrayColumn(name, _FRAMES, number, np.dtype(np.int64)) for number, name in enumerate(("count", "step", "game_loop"))
)


def column_of(table: str, name: str, dtype: Any) -> ArrayColumn:
    """A column of the tables `units` and `players`."""
    if table == "units":
        return ArrayColumn(name, _UNITS, _X + PARTS.index(name) if name in PARTS else UNIT_FIELDS[name].number, dtype)
    fields = sc2api_pb2.PlayerCommon.DESCRIPTOR.fields_by_name
    number = {"score": _SCORE, "present": 0}.get(name) or (fields[name].number if name in fields else 0)
    return ArrayColumn(name, _PLAYERS, number, dtype)


def usable_library(native: Optional[bool]) -> Optional[Library]:
    """The library; None to use the Python reader. native: see `Recordings`. With True, raises FileNotFoundError or
    RuntimeError if the library cannot be loaded."""
    if native is False:
        return None
    try:
        found = load()
    except (FileNotFoundError, RuntimeError) as error:
        if native:
            raise
        if isinstance(error, RuntimeError):
            warnings.warn(f"recordings are read with Python, which is slower: {error}", RuntimeWarning, stacklevel=3)
        return None
    if found.is_usable:
        return found
    text = (
        "this process was forked after its parent had used the native library, so it reads recordings with Python, which"
        ' is slower: use the start method "spawn", or read nothing before the fork'
    )
    warnings.warn(text, RuntimeWarning, stacklevel=3)
    return None


class ArrayReader:
    """Reads columns of frames into arrays with a fixed number of rows for units.

    The arrays of a call are views of one buffer. The buffer is used again after all these views were freed, because new
    memory would cost as much time as reading.
    """

    def __init__(self, used: Library, columns: Sequence[ArrayColumn], rows: int, grows: bool = False) -> None:
        """grows: whether to use more rows if a frame has more units."""
        self._library, self._columns, self._rows, self._grows = used, columns, rows, grows
        self._buffers: deque[bytearray] = deque(maxlen=_threads() + _MAX_IDLE_BUFFERS)
        self._lock = threading.Lock()

    def prepare(self, frames: Frames, order: Any, begin: int = 0) -> Optional[Callable[[], Optional[dict[str, Any]]]]:
        """Reads the chunks of frames from the file. Returns a function that any thread can call. It returns the arrays,
        with the frames in the first dimension, or None if the Python reader must report an error. `prepare` itself
        returns None in this case too.

        order: the position of each frame in the arrays. begin: the number of frames that the caller adds before them.
        """
        locations, at = frames._locations, 0
        stored: list[tuple[Any, ...]] = []
        places = np.empty((len(frames), 2), np.int32)
        places[:, 1] = order
        places[:, 1] += begin
        for number, positions in frames._positions():
            chunk, counts = locations.file.stored_chunk(number), locations.file.index.chunks[number].counts
            if chunk is None or chunk[0].compression not in ("", "zstd"):
                return None
            places[at : at + len(positions), 0] = positions
            at += len(positions)
            stored.append((*chunk, counts, len(positions)))
            if sum(len(records) for _, records, *_ in stored) > _MAX_STORED_BYTES:
                return None
        channel = locations.channel
        return lambda: self._read(channel, stored, places, begin + len(places))

    def prepare_each(self, frames: Frames) -> Iterator[Callable[[], Optional[dict[str, Any]]]]:
        """Prepares all frames in order, some frames of one chunk at a time."""
        at = 0
        for _, positions in frames._positions():
            for begin in range(at, at + len(positions), _MAX_FRAMES):
                end = min(begin + _MAX_FRAMES, at + len(positions))
                yield self.prepare(frames[begin:end], np.arange(end - begin)) or (lambda: None)
            at += len(positions)

    def read_open(self, frames: Frames) -> Optional[dict[str, Any]]:
        """Reads frames of chunks that the Python reader has opened, or opens now: for a few frames."""
        locations, chunks = frames._locations, []
        places: list[int] = []
        for number, positions in frames._positions():
            messages = locations.file.chunk(number)
            chunks.append((None, messages.data, messages.counts(), len(positions)))
            places += positions
        order = np.array(list(zip(places, range(len(places)))), np.int32)
        return self._read(locations.channel, chunks, order, len(places))

    def _read(self, channel: int, stored: Any, places: Any, count: int) -> Optional[dict[str, Any]]:
        chunks = (Chunk * len(stored))(*(_chunk(channel, *each) for each in stored))
        while True:
            rows = self._rows
            arrays, columns = self._arrays(count, rows)
            try:
                self._library.read_frames(chunks, places, columns, rows, count)
                return arrays
            except _DamagedError:
                return None
            except _TooManyUnitsError:
                grown = 2 * sum(array.nbytes for array in arrays.values())
                if not self._grows or grown > _MAX_GROWN_BYTES:
                    return None
                self._rows = max(self._rows, 2 * rows)

    def _arrays(self, count: int, rows: int) -> tuple[dict[str, Any], Any]:
        shapes = [(count, rows) if each.table == _UNITS else (count,) for each in self._columns]
        ends = [0]
        for each, shape in zip(self._columns, shapes):
            # An odd number of cache lines, so that the rows of different columns do not evict each other from the cache.
            lines = -(-each.dtype.itemsize * math.prod(shape) // _CACHE_LINE) | 1
            ends.append(ends[-1] + lines * _CACHE_LINE)
        with self._lock:
            memory = self._unused_memory(ends[-1] + _CACHE_LINE)
        first = -memory.ctypes.data % _CACHE_LINE
        arrays = {}
        for each, shape, start, end in zip(self._columns, shapes, ends, ends[1:]):
            used = memory[first + start : first + start + each.dtype.itemsize * math.prod(shape)]
            arrays[each.name] = used.view(each.dtype).reshape(shape)
        columns = [
            Column(arrays[each.name].ctypes.data, arrays[each.name].nbytes, each.table, each.field, each.dtype.itemsize)
            for each in self._columns
        ]
        return arrays, (Column * len(columns))(*columns)

    def _unused_memory(self, size: int) -> Any:
        for _ in range(len(self._buffers) if sys.implementation.name == "cpython" else 0):
            buffer = self._buffers.popleft()
            try:
                buffer.pop()  # Raises BufferError if a view of the buffer still exists.
                buffer.append(0)
            except BufferError:
                self._buffers.append(buffer)
                continue
            if len(buffer) >= size:
                break
        else:
            buffer = bytearray(size)
        memory = np.frombuffer(buffer, np.uint8)
        self._buffers.append(buffer)
        return memory


def _chunk(channel: int, head: Any, records: memoryview, counts: dict[int, int], wanted: int) -> Chunk:
    data, size = np.frombuffer(records, np.uint8), len(records)
    return Chunk(
        data.ctypes.data,
        size,
        size if head is None else head.uncompressed_size,
        0 if head is None else head.uncompressed_crc,
        int(head is not None and head.compression == "zstd"),
        channel,
        counts.get(channel, 0),
        sum(counts.values()),
        wanted,
    )


def in_order(jobs: Iterable[Callable[[], _T]]) -> Iterator[_T]:
    """Calls functions on threads, and yields their results in order. A few functions run ahead of the results."""
    threads = _threads()
    pending: deque[Future[_T]] = deque()
    with ThreadPoolExecutor(threads, "sc2bridge") as pool:
        try:
            for job in jobs:
                pending.append(pool.submit(job))
                if len(pending) > threads:
                    yield pending.popleft().result()
            while pending:
                yield pending.popleft().result()
        finally:
            for each in pending:
                each.cancel()


def _threads() -> int:
    """As many threads as this process has processors; one in a worker of torch's DataLoader."""
    torch_data: Any = sys.modules.get("torch.utils.data")  # Importing it would take seconds.
    if torch_data is not None and torch_data.get_worker_info() is not None:
        return 1
    return processors()
