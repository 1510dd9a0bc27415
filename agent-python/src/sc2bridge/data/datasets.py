"""Frames for training. If torch is installed, `FrameDataset` and `ShuffledFrames` are torch datasets. Without torch,
`len`, an index and a loop still work.

    recordings = Recordings("out", perspective=1)
    loader = torch.utils.data.DataLoader(ShuffledFrames(recordings, seed=1, batch=64), batch_size=None)
"""

from __future__ import annotations

import os
from bisect import bisect_right
from collections import deque
from collections.abc import Iterable, Iterator
from itertools import accumulate
from typing import Any, Callable, NamedTuple, Optional

import numpy as np

from sc2bridge.data.native import GAME_LOOP, MASK, MAX_ROWS, ArrayReader, column_of, in_order, usable_library
from sc2bridge.data.recordings import Recordings
from sc2bridge.data.tables import TABLES, check_columns, column_values
from sc2bridge.errors import RecordingError
from sc2bridge.game.frame import Frame
from sc2bridge.library import Library
from sc2bridge.recording.frames import Frames

try:
    from torch.utils.data import Dataset, IterableDataset, get_worker_info
except ImportError:
    Dataset = IterableDataset = object
    get_worker_info = None


class Padded:
    """Converts a frame to arrays of a fixed length, with types that torch supports. Each column has a value for each
    unit, then zeros. The result also has `mask` (which rows have a unit), the columns of `player`, and `game_loop`."""

    def __init__(
        self,
        rows: int = 512,
        columns: Iterable[str] = ("unit_type", "alliance", "owner", "x", "y", "health", "shield", "energy"),
        player: Iterable[str] = ("minerals", "vespene", "food_cap", "food_used", "score"),
    ) -> None:
        """rows: the limit of units in a frame. columns: names of columns of the table `units`. player: names of columns
        of the table `players`. Raises ValueError."""
        self._rows = rows
        self._columns, self._player = check_columns("units", columns), check_columns("players", player)

    def _reader(self, used: Library) -> ArrayReader:
        """A reader that returns the same arrays for many frames."""
        wide, units, players = np.dtype(np.int64), TABLES["units"], self._player
        columns = [MASK, GAME_LOOP]
        columns += [
            column_of("units", name, wide if units[name].kind == "u" else units[name]) for name in self._columns
        ]
        return ArrayReader(used, columns + [column_of("players", name, wide) for name in players], self._rows)

    def __call__(self, frame: Frame) -> dict[str, Any]:
        """Raises ValueError for a frame with more units than rows."""
        count = len(frame.units)
        if count > self._rows:
            raise ValueError(f"{frame!r} has {count} units, but there are only {self._rows} rows: give more rows")
        arrays: dict[str, Any] = {"mask": np.arange(self._rows) < count, "game_loop": np.int64(frame.game_loop)}
        for name, column in zip(self._columns, column_values(frame, "units", self._columns)):
            dtype = TABLES["units"][name]
            arrays[name] = np.zeros(self._rows, np.int64 if dtype.kind == "u" else dtype)
            arrays[name][:count] = column
        for name, number in zip(self._player, column_values(frame, "players", self._player)):
            arrays[name] = number[0].astype(np.int64)
        return arrays


class _Frames:
    """Recordings and a transform, with a reader for the library. Each process has its own reader."""

    def __init__(self, recordings: Recordings, transform: Optional[Callable[[Frame], Any]], every: int) -> None:
        self._recordings, self._transform, self._every = recordings, transform or Padded(), every
        self._reader: tuple[int, Optional[ArrayReader]] = 0, None

    def _array_reader(self) -> Optional[ArrayReader]:
        """None to use the Python reader."""
        if self._reader[0] != os.getpid():
            padded: Any = self._transform
            is_supported = type(padded) is Padded and 0 < padded._rows <= MAX_ROWS
            used = usable_library(self._recordings.native) if is_supported else None
            self._reader = os.getpid(), None if used is None else padded._reader(used)
        return self._reader[1]

    def __getstate__(self) -> dict[str, Any]:
        return {**self.__dict__, "_reader": (0, None)}


class FrameDataset(_Frames, Dataset):  # type: ignore[misc]
    """All frames of `Recordings` by index, in the order of its parts. A frame is read on access. Access in random order
    is slow, because most frames then need another chunk of about 8 MiB: use `ShuffledFrames` to shuffle."""

    def __init__(
        self, recordings: Recordings, transform: Optional[Callable[[Frame], Any]] = None, every: int = 1
    ) -> None:
        """transform: a function that turns a frame into a sample; None for `Padded()`. The function must not keep the
        frame.
        every: use only each N-th frame of a part. Raises ValueError.
        """
        if every < 1:
            raise ValueError(f"every {every}: choose 1 or more")
        super().__init__(recordings, transform, every)
        counts = [-(-part.frames // every) for part in recordings]
        self._part_starts = [0, *accumulate(counts)]

    def __len__(self) -> int:
        return self._part_starts[-1]

    def __getitem__(self, index: int) -> Any:
        """Raises IndexError, RecordingError, and the transform's errors."""
        if not -len(self) <= index < len(self):
            raise IndexError(f"frame {index} does not exist: there are {len(self)} frames")
        index %= len(self)
        part = bisect_right(self._part_starts, index) - 1
        frames, at = self._recordings.open(part), (index - self._part_starts[part]) * self._every
        reader = self._array_reader()
        arrays = None if reader is None else reader.read_open(frames[at : at + 1])
        return {name: array[0] for name, array in arrays.items()} if arrays else self._transform(frames[at])


class _Window(NamedTuple):
    """Some consecutive frames of a part, and the order of their samples."""

    part: int
    indexes: range
    samples: int
    order: Any
    """The position of each sample among the samples of the window."""
    begin: int
    """How many samples of the last batch are before the window's samples."""


class ShuffledFrames(_Frames, IterableDataset):  # type: ignore[misc]
    """All frames of recordings in a random order that is fast to read. The frames are divided into windows of
    consecutive frames. The order of the windows is random, and so is the order of the frames in a window. Each worker
    of a loader reads some of the windows. The order only depends on the seed, the epoch and the number of workers.

    If the transform is `Padded`, the native library reads the frames on all processors of this process; a worker of a
    loader uses one processor. Without the library, the Python reader returns the same samples.
    """

    def __init__(
        self,
        recordings: Recordings,
        transform: Optional[Callable[[Frame], Any]] = None,
        every: int = 1,
        window: int = 256,
        seed: int = 0,
        length: Optional[int] = None,
        batch: Optional[int] = None,
    ) -> None:
        """transform, every: see `FrameDataset`. window: the number of frames in a window. All samples of a window are
        in memory together.
        length: None for single frames. A number makes each sample a sequence of this many consecutive frames of a part,
        with arrays of shape [length, rows]; the window must be a multiple of it. Frames at the end of a part that do
        not fill a sequence are left out.
        batch: None for single samples. A number returns dictionaries of arrays of shape [batch, rows], or
        [batch, length, rows]; the last batch can be smaller. This is faster than to collate samples. For a loader, use
        `DataLoader(frames, batch_size=None)`. Arrays are not overwritten as long as they, or views of them, exist.
        `length` and `batch` need the transform `Padded`. Raises ValueError.
        """
        if window < 1 or every < 1:
            raise ValueError(f"window {window}, every {every}: choose 1 or more for both")
        if (length is not None or batch is not None) and not isinstance(transform or Padded(), Padded):
            raise ValueError(f"length {length}, batch {batch}: the transform must be a `Padded`")
        if min(length or 1, batch or 1) < 1 or length == 0 or batch == 0:
            raise ValueError(f"length {length}, batch {batch}: choose None, or 1 or more")
        if window % (length or 1):
            raise ValueError(f"window {window}: choose a multiple of the length {length}")
        super().__init__(recordings, transform, every)
        self._length, self._batch = length, batch
        self._window_span = window * every
        # For each part, the number of windows in this part and all parts before it.
        self._window_ends = list(accumulate(-(-one.frames // self._window_span) for one in recordings))
        self._seed, self._epoch = seed, 0

    def __len__(self) -> int:
        """The number of samples. Raises TypeError for batches, because their number depends on the workers."""
        if self._batch is not None:
            raise TypeError("the number of batches depends on the number of workers: use len() without batch=")
        return sum(-(-one.frames // self._every) // (self._length or 1) for one in self._recordings)

    def set_epoch(self, epoch: int) -> None:
        """Sets the epoch, which changes the order. Call it before each pass, as with torch's `DistributedSampler`."""
        self._epoch = epoch

    def __iter__(self) -> Iterator[Any]:
        """Raises RecordingError, and the transform's errors."""
        if self._batch is not None:
            yield from self._batches(self._batch)
        elif isinstance(self._transform, Padded):
            for arrays, window in self._arrays():
                yield from ({name: array[at] for name, array in arrays.items()} for at in range(window.samples))
        else:
            for window in self._windows():
                samples = [self._transform(frame) for frame in self._frames(window)]
                yield from (samples[at] for at in window.order.argsort())

    def _batches(self, size: int) -> Iterator[dict[str, Any]]:
        rest: dict[str, Any] = {}
        damage: Optional[Exception] = None
        try:
            for arrays, window in self._arrays():
                for name, array in rest.items():
                    arrays[name][: window.begin] = array
                full = (window.begin + window.samples) // size * size
                for at in range(0, full, size):
                    yield {name: array[at : at + size] for name, array in arrays.items()}
                rest = {name: array[full:] for name, array in arrays.items()}
        except (RecordingError, ValueError) as error:
            damage = error
        if len(next(iter(rest.values()), ())):
            yield rest
        if damage is not None:
            raise damage

    def _windows(self) -> Iterator[_Window]:
        order = np.random.default_rng([self._seed, self._epoch]).permutation(self._window_ends[-1])
        worker = get_worker_info() if get_worker_info is not None else None
        total = 0
        for window in order if worker is None else order[worker.id :: worker.num_workers]:
            part = bisect_right(self._window_ends, window)
            first = (int(window) - (self._window_ends[part - 1] if part else 0)) * self._window_span
            last = min(first + self._window_span, self._recordings[part].frames)
            indexes = range(first, last, self._every)
            samples = len(indexes) // (self._length or 1)
            random = np.random.default_rng([self._seed, self._epoch, int(window)])
            if samples:
                begin = total % self._batch if self._batch else 0
                yield _Window(part, indexes, samples, random.permutation(samples).argsort(), begin)
            total += samples

    def _frames(self, window: _Window) -> Frames:
        count, indexes = window.samples * (self._length or 1), window.indexes
        return self._recordings.open(window.part)[indexes.start : indexes.stop : indexes.step][:count]

    def _arrays(self) -> Iterator[tuple[dict[str, Any], _Window]]:
        """The arrays of each window. Before its samples, they have room for `begin` samples."""
        length = self._length or 1
        reader = self._array_reader()
        windows: deque[_Window] = deque()

        def jobs() -> Iterator[Callable[[], Optional[dict[str, Any]]]]:
            for window in self._windows():
                windows.append(window)
                job = None
                if reader is not None:
                    order = (window.order[:, None] * length + np.arange(length)).ravel()
                    job = reader.prepare(self._frames(window), order, window.begin * length)
                yield job or (lambda: None)

        for arrays in in_order(jobs()) if reader is not None else (job() for job in jobs()):
            window = windows.popleft()
            arrays = arrays or self._python_arrays(window)
            if self._length is not None:
                shape = window.begin + window.samples, length
                arrays = {name: array.reshape(*shape, *array.shape[1:]) for name, array in arrays.items()}
            yield arrays, window

    def _python_arrays(self, window: _Window) -> dict[str, Any]:
        length = self._length or 1
        samples = [self._transform(frame) for frame in self._frames(window)]
        count = window.begin * length + len(samples)
        arrays = {
            name: np.zeros((count, *np.shape(value)), np.asarray(value).dtype) for name, value in samples[0].items()
        }
        for number, sample in enumerate(samples):
            at = (window.begin + window.order[number // length]) * length + number % length
            for name, value in sample.items():
                arrays[name][at] = value
        return arrays
