"""Many recordings as one sequence."""

from __future__ import annotations

import os
import pathlib
import warnings
from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple, Optional, Union, overload

from sc2bridge.errors import RecordingError
from sc2bridge.game.match import Match
from sc2bridge.recording import Perspective, Recording, open_recording
from sc2bridge.recording._mcap.file import RecordingFile
from sc2bridge.recording._mcap.index import OBSERVATIONS, is_observations

# Each keeps a chunk or two in memory, of up to 16 MiB.
_MOST_OPEN = 8
_MOST_MEMORY = 96 << 20


class Part(NamedTuple):
    """What a recording has of one perspective."""

    path: str
    """The recording's file."""
    perspective: int
    """A player id, 0 for an observer of all."""
    frames: int
    """How many there are."""


class Recordings(Sequence[Part]):
    """The recordings of files and folders, a part for each perspective, in the order of their paths.

        recordings = Recordings("out")
        print(len(recordings), "parts of", recordings.frames, "frames")

    Of a whole recording its summary is read, which stands at the file's end, and no observation; one without a summary, as it was
    cut off, is read once. A file of a folder that cannot be read is left out with a RuntimeWarning. At most eight are open, fewer if they take more than 96 MiB. Processes that are given it open the files themselves.
    """

    def __init__(self, *paths: Union[str, os.PathLike[str]], perspective: Optional[int] = None) -> None:
        """paths: recordings, and folders, with those below them.
        perspective: the only one that is wanted, a player id, 0 for an observer of all; None for every one.
        Raises FileNotFoundError where there is no such file or no recording in a folder, LookupError where none has the perspective,
        RecordingError for a named file that is not a recording.
        """
        self._parts: list[Part] = []
        for named in map(pathlib.Path, paths):
            for path in _files(named):
                parts = _readable_parts(path, path is named)
                self._parts += [part for part in parts if perspective in (None, part.perspective)]
        if not self._parts:
            wanted = "an observation" if perspective is None else f"perspective {perspective}"
            raise LookupError(f"no recording of {', '.join(map(str, paths))} has {wanted}")
        self.frames = sum(part.frames for part in self._parts)
        """How many all parts have."""
        self._open: dict[str, Recording] = {}
        self._process = os.getpid()

    def __len__(self) -> int:
        return len(self._parts)

    @overload
    def __getitem__(self, which: int) -> Part:
        ...

    @overload
    def __getitem__(self, which: slice) -> Sequence[Part]:
        ...

    def __getitem__(self, which: Union[int, slice]) -> Union[Part, Sequence[Part]]:
        return self._parts[which]

    def open(self, which: int) -> Perspective:
        """The frames of a part. Raises IndexError, RecordingError."""
        return self._recording(which).perspective(self._parts[which].perspective)

    def match(self, which: int) -> Match:
        """The match of a part, as its perspective had it described, and its end. Raises IndexError, RecordingError."""
        return self._recording(which).describe(self._parts[which].perspective)

    def _recording(self, which: int) -> Recording:
        if self._process != os.getpid():  # A process that was forked shares no place in a file, and no lock.
            self._open, self._process = {}, os.getpid()
        part = self._parts[which]
        recording = self._open.pop(part.path, None) or open_recording(part.path)
        self._open[part.path] = recording  # The last is the newest.
        while len(self._open) > 1 and (
            len(self._open) > _MOST_OPEN or sum(one._file.memory for one in self._open.values()) > _MOST_MEMORY
        ):
            self._open.pop(next(iter(self._open))).close()
        return recording

    def close(self) -> None:
        """Closes what is open. It opens again when it is asked for."""
        for recording in self._open.values():
            recording.close()
        self._open = {}

    def __getstate__(self) -> dict[str, Any]:
        return {**self.__dict__, "_open": {}}

    def __repr__(self) -> str:
        return f"<Recordings: {len(self)} parts, {self.frames} frames>"


def _files(path: pathlib.Path) -> list[pathlib.Path]:
    found = sorted(path.rglob("*.mcap")) if path.is_dir() else [path]
    if not found:
        raise FileNotFoundError(f"there are no recordings (.mcap) in {path}")
    return found


def _readable_parts(path: pathlib.Path, is_named: bool) -> list[Part]:
    try:
        return list(_parts(path))
    except (RecordingError, OSError) as error:
        if is_named:
            raise
        warnings.warn(f"left out: {error}", RuntimeWarning, stacklevel=3)
        return []


def _parts(path: pathlib.Path) -> Iterator[Part]:
    file = RecordingFile(path)
    try:
        topics = sorted(
            (int(channel.topic[len(OBSERVATIONS) :]), channel.topic)
            for channel in file.index.channels.values()
            if is_observations(channel)
        )
        yield from (Part(str(path), number, file.count(topic)) for number, topic in topics)
    finally:
        file.close()
