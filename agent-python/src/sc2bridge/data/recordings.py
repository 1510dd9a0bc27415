"""Many recordings as one sequence of parts."""

from __future__ import annotations

import os
import pathlib
import warnings
from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple, Optional, Union, overload

from sc2bridge.errors import RecordingError
from sc2bridge.game.match import Match
from sc2bridge.library import find_library
from sc2bridge.recording import Perspective, Recording, open_recording
from sc2bridge.recording._mcap.file import RecordingFile
from sc2bridge.recording._mcap.index import OBSERVATIONS, is_observations

# Each open recording keeps one or two chunks of up to 16 MiB in memory.
_MAX_OPEN_RECORDINGS = 8
_MAX_OPEN_BYTES = 96 << 20


class Part(NamedTuple):
    """The frames of one perspective in a recording."""

    path: str
    """The path of the recording."""
    perspective: int
    """A player id, or 0 for an observer of all players."""
    frames: int
    """The number of frames."""


class Recordings(Sequence[Part]):
    """The recordings in files and folders, sorted by path within a folder. Each perspective of a recording is a part.

        recordings = Recordings("out")
        print(len(recordings), "parts of", recordings.frames, "frames")

    The constructor only reads the summary at the end of each file. A recording that was cut off has no summary, so it
    is read completely, once. A file in a folder that cannot be read is skipped with a RuntimeWarning. At most eight
    recordings are open at a time, and fewer if they use more than 96 MiB. Each process that receives this object opens
    the files itself.
    """

    def __init__(
        self,
        *paths: Union[str, os.PathLike[str]],
        perspective: Optional[int] = None,
        native: Optional[bool] = None,
    ) -> None:
        """paths: recordings and folders; folders are searched recursively.
        perspective: the only perspective to use: a player id, or 0 for an observer of all players; None for all.
        native: whether to read arrays of frames with the native library, which is several times as fast as Python and
        returns the same. None to use the library if there is one; True raises FileNotFoundError if there is none.
        Raises FileNotFoundError if a file does not exist or a folder has no recording, LookupError if no recording has
        the perspective, RecordingError for a file in `paths` that is not a recording.
        """
        if native:
            find_library()
        self.native = native
        """Whether to use the native library; None to use it if there is one."""
        self._parts: list[Part] = []
        for given_path in map(pathlib.Path, paths):
            for path in _recording_files(given_path):
                parts = _readable_parts(path, path is given_path)
                self._parts += [part for part in parts if perspective in (None, part.perspective)]
        if not self._parts:
            wanted = "an observation" if perspective is None else f"perspective {perspective}"
            raise LookupError(
                f"no recording in {', '.join(map(str, paths))} has {wanted}: choose other paths or another perspective"
            )
        self.frames = sum(part.frames for part in self._parts)
        """The number of frames in all parts."""
        self._open: dict[str, Recording] = {}
        self._pid = os.getpid()

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
        """The description of a part's match, as its perspective sees it, with the match's end. Raises IndexError,
        RecordingError."""
        return self._recording(which).describe(self._parts[which].perspective)

    def _recording(self, which: int) -> Recording:
        if self._pid != os.getpid():  # A forked process must not use the file positions and locks of its parent.
            self._open, self._pid = {}, os.getpid()
        part = self._parts[which]
        recording = self._open.pop(part.path, None) or open_recording(part.path)
        self._open[part.path] = recording  # The last entry is the most recently used.
        while len(self._open) > 1 and (
            len(self._open) > _MAX_OPEN_RECORDINGS
            or sum(one._file.memory for one in self._open.values()) > _MAX_OPEN_BYTES
        ):
            self._open.pop(next(iter(self._open))).close()
        return recording

    def close(self) -> None:
        """Closes all open files. A later access opens them again."""
        for recording in self._open.values():
            recording.close()
        self._open = {}

    def __getstate__(self) -> dict[str, Any]:
        return {**self.__dict__, "_open": {}}

    def __repr__(self) -> str:
        return f"<Recordings: {len(self)} parts, {self.frames} frames>"


def _recording_files(path: pathlib.Path) -> list[pathlib.Path]:
    found = sorted(path.rglob("*.mcap")) if path.is_dir() else [path]
    if not found:
        raise FileNotFoundError(f"folder {path} has no recordings (.mcap): choose another folder")
    return found


def _readable_parts(path: pathlib.Path, is_given_by_user: bool) -> list[Part]:
    try:
        return list(_parts(path))
    except (RecordingError, OSError) as error:
        if is_given_by_user:
            raise
        warnings.warn(f"skipped: {error}", RuntimeWarning, stacklevel=3)
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
