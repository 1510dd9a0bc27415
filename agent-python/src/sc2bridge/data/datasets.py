"""Frames to train on. Where torch is installed both are its datasets; without it they are the same by `len`, an index and a loop.

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
from sc2bridge.data.tables import TABLES, chosen, values
from sc2bridge.game.frame import Frame

try:
    from torch.utils.data import Dataset, IterableDataset, get_worker_info
except ImportError:
    Dataset = IterableDataset = object
    get_worker_info = None


class Padded:
    """Makes a frame arrays of a fixed size, in types that torch has: a row for each unit and zeros behind them, `mask` (which rows have a
    unit), the player's numbers by their names, and `game_loop`."""

    def __init__(
        self,
        rows: int = 512,
        columns: Iterable[str] = ("unit_type", "alliance", "owner", "x", "y", "health", "shield", "energy"),
        player: Iterable[str] = ("minerals", "vespene", "food_cap", "food_used", "score"),
    ) -> None:
        """rows: how many units there may be. columns, player: of the tables `units` and `players`. Raises ValueError."""
        self._rows, self._columns, self._player = rows, chosen("units", columns), chosen("players", player)

    def __call__(self, frame: Frame) -> dict[str, Any]:
        """Raises ValueError for a frame of more units."""
        count = len(frame.units)
        if count > self._rows:
            raise ValueError(f"{frame!r} has {count} units, and there are {self._rows} rows: give more rows")
        found: dict[str, Any] = {"mask": np.arange(self._rows) < count, "game_loop": np.int64(frame.game_loop)}
        for name, column in zip(self._columns, values(frame, "units", self._columns)):
            dtype = TABLES["units"][name]
            found[name] = np.zeros(self._rows, np.int64 if dtype.kind == "u" else dtype)
            found[name][:count] = column
        for name, number in zip(self._player, values(frame, "players", self._player)):
            found[name] = number[0].astype(np.int64)
        return found


class FrameDataset(Dataset):  # type: ignore[misc]
    """All frames of recordings by an index, in the order of the parts. Each is read when it is asked for; read at random, most open a
    chunk of some 8 MiB: to shuffle, take `ShuffledFrames`."""

    def __init__(
        self, recordings: Recordings, transform: Optional[Callable[[Frame], Any]] = None, every: int = 1
    ) -> None:
        """transform: what is made of a frame; None for `Padded()`. It must not keep the frame.
        every: of so many frames of a part the first is taken. Raises ValueError.
        """
        if every < 1:
            raise ValueError(f"every {every}: choose a number from 1")
        self._recordings, self._transform, self._every = recordings, transform or Padded(), every
        counts = [-(-part.frames // every) for part in recordings]
        self._starts = [0, *accumulate(counts)]

    def __len__(self) -> int:
        return self._starts[-1]

    def __getitem__(self, index: int) -> Any:
        """Raises IndexError, RecordingError, and what the transform does."""
        if not -len(self) <= index < len(self):
            raise IndexError(f"frame {index} of {len(self)}")
        index %= len(self)
        part = bisect_right(self._starts, index) - 1
        return self._transform(self._recordings.open(part)[(index - self._starts[part]) * self._every])


class ShuffledFrames(IterableDataset):  # type: ignore[misc]
    """All frames of recordings in a random order that is quick to read: windows of frames that follow each other come in a random order,
    and the frames of a window too. A loader's workers share the windows out. The same seed, epoch and number of workers give the same
    order."""

    def __init__(
        self,
        recordings: Recordings,
        transform: Optional[Callable[[Frame], Any]] = None,
        every: int = 1,
        window: int = 256,
        seed: int = 0,
    ) -> None:
        """transform, every: as of `FrameDataset`. window: frames in one, which are in memory as the transform made them."""
        if window < 1 or every < 1:
            raise ValueError(f"window {window}, every {every}: choose numbers from 1")
        self._recordings, self._transform, self._every = recordings, transform or Padded(), every
        self._step = window * every
        # By part, how many windows the parts up to it have.
        self._ends = list(accumulate(-(-one.frames // self._step) for one in recordings))
        self._seed, self._epoch = seed, 0

    def __len__(self) -> int:
        return sum(-(-one.frames // self._every) for one in self._recordings)

    def set_epoch(self, epoch: int) -> None:
        """Another order: call it before each pass, as of torch's `DistributedSampler`."""
        self._epoch = epoch

    def __iter__(self) -> Iterator[Any]:
        """Raises RecordingError, and what the transform does."""
        order = np.random.default_rng([self._seed, self._epoch]).permutation(self._ends[-1])
        worker = get_worker_info() if get_worker_info is not None else None
        for which in order if worker is None else order[worker.id :: worker.num_workers]:
            part = bisect_right(self._ends, which)
            first = (int(which) - (self._ends[part - 1] if part else 0)) * self._step
            last = min(first + self._step, self._recordings[part].frames)
            frames = self._recordings.open(part)[first : last : self._every]
            made = [self._transform(frame) for frame in frames]
            random = np.random.default_rng([self._seed, self._epoch, int(which)])
            yield from (made[at] for at in random.permutation(len(made)))
