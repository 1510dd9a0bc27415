"""Frames for training. If torch is installed, `FrameDataset` and `ShuffledFrames` are torch datasets. Without torch,
`len`, an index and a loop still work.

    recordings = Recordings("out", perspective=1)
    loader = torch.utils.data.DataLoader(ShuffledFrames(recordings, seed=1), batch_size=64, num_workers=2)
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Iterator
from itertools import accumulate
from typing import Any, Callable, Optional

import numpy as np

from sc2bridge.data.recordings import Recordings
from sc2bridge.data.tables import TABLES, check_columns, column_values
from sc2bridge.game.frame import Frame

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


class FrameDataset(Dataset):  # type: ignore[misc]
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
        self._recordings, self._transform, self._every = recordings, transform or Padded(), every
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
        return self._transform(self._recordings.open(part)[(index - self._part_starts[part]) * self._every])


class ShuffledFrames(IterableDataset):  # type: ignore[misc]
    """All frames of recordings in a random order that is fast to read. The frames are divided into windows of
    consecutive frames. The order of the windows is random, and so is the order of the frames in a window. Each worker
    of a loader reads some of the windows. The order only depends on the seed, the epoch and the number of workers."""

    def __init__(
        self,
        recordings: Recordings,
        transform: Optional[Callable[[Frame], Any]] = None,
        every: int = 1,
        window: int = 256,
        seed: int = 0,
    ) -> None:
        """transform, every: see `FrameDataset`. window: the number of frames in a window. All samples of a window are
        in memory together."""
        if window < 1 or every < 1:
            raise ValueError(f"window {window}, every {every}: choose 1 or more for both")
        self._recordings, self._transform, self._every = recordings, transform or Padded(), every
        self._window_span = window * every
        # For each part, the number of windows in this part and all parts before it.
        self._window_ends = list(accumulate(-(-one.frames // self._window_span) for one in recordings))
        self._seed, self._epoch = seed, 0

    def __len__(self) -> int:
        return sum(-(-one.frames // self._every) for one in self._recordings)

    def set_epoch(self, epoch: int) -> None:
        """Sets the epoch, which changes the order. Call it before each pass, as with torch's `DistributedSampler`."""
        self._epoch = epoch

    def __iter__(self) -> Iterator[Any]:
        """Raises RecordingError, and the transform's errors."""
        order = np.random.default_rng([self._seed, self._epoch]).permutation(self._window_ends[-1])
        worker = get_worker_info() if get_worker_info is not None else None
        for window in order if worker is None else order[worker.id :: worker.num_workers]:
            part = bisect_right(self._window_ends, window)
            first = (int(window) - (self._window_ends[part - 1] if part else 0)) * self._window_span
            last = min(first + self._window_span, self._recordings[part].frames)
            frames = self._recordings.open(part)[first : last : self._every]
            samples = [self._transform(frame) for frame in frames]
            random = np.random.default_rng([self._seed, self._epoch, int(window)])
            yield from (samples[at] for at in random.permutation(len(samples)))
