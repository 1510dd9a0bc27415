"""Loads the native library `libsc2bridge`, and calls its functions. Its header `sc2bridge.h` documents them."""

from __future__ import annotations

import ctypes
import functools
import json
import os
import pathlib
import sys
from collections.abc import Sequence
from typing import Any, Optional

import numpy as np

from sc2bridge.errors import SC2BridgeError

VARIABLE = "SC2BRIDGE_NATIVE_LIBRARY"
_INTERFACE_VERSION = 3
# The codes in sc2bridge.h; all others are failures.
_ARGUMENT, _HANDLE, _STATE, _ACTION, _MATCH, _DAMAGED, _ROWS = 1, 2, 4, 5, 7, 8, 9
_DIRECTIONS = 65536
_NAME = {"win32": "sc2bridge.dll", "darwin": "libsc2bridge.dylib"}.get(sys.platform, "libsc2bridge.so")


class _MatchFailedError(SC2BridgeError):
    """A step was played, and at least one of its matches has failed."""


class _Buffer(ctypes.Structure):
    _fields_ = [("data", ctypes.c_void_p), ("bytes", ctypes.c_int64)]


def find_library() -> pathlib.Path:
    """The path of the library: SC2BRIDGE_NATIVE_LIBRARY, or else the first that exists: a file in this package, the
    file that `tools/set-up --part library` builds in the clone that contains this package. Raises FileNotFoundError."""
    named = os.environ.get(VARIABLE)
    package = pathlib.Path(__file__).resolve().parent
    in_clone = [package.parents[2] / ".setup/library" / _NAME] if package.parent.name == "src" else []
    places = [pathlib.Path(named)] if named else [package / _NAME, *in_clone]
    found = next((place for place in places if place.is_file()), None)
    if found is None:
        raise FileNotFoundError(
            f"there is no native library at {' or '.join(map(str, places))}: install the wheel for your system, which contains it,"
            f" build it in a clone with `tools/set-up --part library` (Linux on x64), or set {VARIABLE} to its path"
        )
    return found


def processors() -> int:
    """The number of processors that this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


class Chunk(ctypes.Structure):
    """A chunk of a recording, and how many frames to read from it."""

    _fields_ = [
        ("data", ctypes.c_void_p),
        ("bytes", ctypes.c_int64),
        ("records_bytes", ctypes.c_int64),
        ("crc", ctypes.c_uint32),
        ("is_zstd", ctypes.c_int32),
        ("channel", ctypes.c_int32),
        ("frames", ctypes.c_int32),
        ("messages", ctypes.c_int32),
        ("wanted", ctypes.c_int32),
    ]


class Column(ctypes.Structure):
    """An array that `read_frames` writes."""

    _fields_ = [
        ("data", ctypes.c_void_p),
        ("bytes", ctypes.c_int64),
        ("table", ctypes.c_int32),
        ("field", ctypes.c_int32),
        ("size", ctypes.c_int32),
        ("reserved", ctypes.c_int32),
    ]


class _DamagedError(SC2BridgeError):
    """A chunk or a frame of a recording is damaged."""


class _TooManyUnitsError(SC2BridgeError):
    """A frame has more units than rows."""


class Library:
    """The loaded library. Its methods raise ValueError, ResetNeeded, ClosedEnvironmentError or RuntimeError."""

    def __init__(self, path: pathlib.Path) -> None:
        """Raises RuntimeError if the file is not a library that this package can use."""
        self._process = os.getpid()
        try:
            self._functions = ctypes.CDLL(str(path))
            version = ctypes.c_int()
            self._functions.sc2bridge_version(None, ctypes.c_int64(0), ctypes.byref(version))
        except (OSError, AttributeError) as error:
            raise RuntimeError(f"{path} is not the native library of this sc2bridge: {error}") from None
        if version.value != _INTERFACE_VERSION:
            raise RuntimeError(
                f"{path} has version {version.value} of the native interface, and this package needs version"
                f" {_INTERFACE_VERSION}: build it again with `tools/set-up --part library`"
            )
        self._functions.sc2bridge_last_error.restype = ctypes.c_int64

    def open(self, settings: dict[str, Any], function: str = "open") -> int:
        """Opens a vector environment, or what another function opens. Returns its handle."""
        text, handle = json.dumps(settings).encode(), ctypes.c_int64()
        self.call(function, text, ctypes.c_int64(len(text)), ctypes.byref(handle))
        return handle.value

    def bind(self, handle: int, arrays: Sequence[Any]) -> None:
        """Sets the arrays that `reset` and `step` write. The caller keeps them until `close`."""
        buffers = [_Buffer(each.ctypes.data, each.nbytes) for each in arrays]
        count = len(buffers)
        self.call("bind", ctypes.c_int64(handle), (_Buffer * count)(*buffers), ctypes.c_int64(count))

    def reset(self, handle: int, seeds: Any) -> None:
        """Begins all matches. seeds: an array of uint32."""
        self.call("reset", ctypes.c_int64(handle), *_pointer(seeds), None, ctypes.c_int64(0))

    def step(self, handle: int, actions: Any, seeds: Any) -> None:
        """Steps all matches. actions: an array of int64. seeds: an array of uint32 for the matches that begin. Raises
        _MatchFailedError after the step if a match has failed."""
        self.call("step", ctypes.c_int64(handle), *_pointer(actions), *_pointer(seeds))

    @property
    def is_usable(self) -> bool:
        """False in a process that was forked after its parent had loaded the library."""
        return os.getpid() == self._process

    def read_frames(self, chunks: Any, places: Any, columns: Any, rows: int, frames: int) -> None:
        """Reads frames of chunks into columns. chunks, columns: ctypes arrays of `Chunk` and `Column`. places: an int32
        array with two numbers for each frame: its index in its chunk, and its index in the columns. rows: for the units
        of a frame. frames: for how many frames the columns have memory. Raises _DamagedError, _TooManyUnitsError."""
        counts = [ctypes.c_int64(number) for number in (len(chunks), len(places), len(columns), rows, frames)]
        address = ctypes.c_void_p(places.ctypes.data)
        self.call("read_frames", chunks, counts[0], address, counts[1], columns, *counts[2:])

    def open_field(self, game_info: bytes) -> int:
        """Opens the ground of a map, a serialized ResponseGameInfo. Returns its handle."""
        handle = ctypes.c_int64()
        self.call("field_open", game_info, ctypes.c_int64(len(game_info)), ctypes.byref(handle))
        return handle.value

    def close_field(self, handle: int) -> None:
        """Closes the ground of a map. Does nothing in a forked process."""
        if self.is_usable:
            self.call("field_close", ctypes.c_int64(handle))

    def simulate(
        self, field: int, fights: Any, units: Any, upgrades: Any, creep: Any, threads: int, results: Any, lives: Any
    ) -> None:
        """Plays fights. fights, units, results: arrays of the structs in sc2bridge.h. upgrades: uint32. creep: uint8.
        lives: float32, two for each unit of each fight."""
        self.call(
            "simulate",
            ctypes.c_int64(field),
            *_pointer(fights),
            *_pointer(units),
            *_pointer(upgrades),
            *_pointer(creep),
            ctypes.c_int32(threads),
            *_pointer(results),
            ctypes.c_void_p(lives.ctypes.data),
            ctypes.c_int64(len(lives)),
        )

    def close(self, handle: int) -> None:
        """Ends the matches and their threads. A forked process has no such threads, so this does nothing there."""
        if self.is_usable:
            self.call("close", ctypes.c_int64(handle))

    @functools.cached_property
    def sines(self) -> Any:
        """Sines, then cosines, of all directions of the simulated game, with the bits that numpy computes."""
        from sc2bridge.gym.observations import FEATURES  # Imports gymnasium.

        facings = np.empty(_DIRECTIONS, np.float32)
        self.call("facings", *_pointer(facings))
        # The same call as in UnitTable, because the loop that numpy chooses decides the last bit.
        columns = np.zeros((_DIRECTIONS, len(FEATURES)), np.float32).T
        np.sin(facings, out=columns[5])
        np.cos(facings, out=columns[6])
        return np.concatenate([columns[5], columns[6]])

    def call(self, name: str, *arguments: Any) -> None:
        """Calls a function that returns a code. name: without `sc2bridge_`. Raises the errors of this class."""
        self.require_process()
        code = getattr(self._functions, f"sc2bridge_{name}")(*arguments)
        if code:
            raise _error(code, self._last_error())

    def require_process(self) -> None:
        """Raises RuntimeError in a process that was forked after the library was loaded."""
        if not self.is_usable:
            raise RuntimeError(
                "the native library was loaded before this process was forked, and its threads are only in the parent:"
                ' create environments after the fork, or use the start method "spawn"'
            )

    def _last_error(self) -> str:
        length = self._functions.sc2bridge_last_error(None, ctypes.c_int64(0))
        text = ctypes.create_string_buffer(length)
        self._functions.sc2bridge_last_error(text, ctypes.c_int64(length))
        return text.value.decode()


@functools.lru_cache(None)
def load(path: Optional[pathlib.Path] = None) -> Library:
    """The library of this process."""
    return Library(path or find_library())


def _pointer(array: Any) -> tuple[Any, Any]:
    return ctypes.c_void_p(array.ctypes.data), ctypes.c_int64(array.size)


def _error(code: int, text: str) -> Exception:
    if code in (_ARGUMENT, _ACTION):
        return ValueError(text)
    if code in (_STATE, _HANDLE):
        import gymnasium  # Only environments have states and handles.

        errors = gymnasium.error
        found: Exception = (errors.ResetNeeded if code == _STATE else errors.ClosedEnvironmentError)(text)
        return found
    others = {_MATCH: _MatchFailedError, _DAMAGED: _DamagedError, _ROWS: _TooManyUnitsError}
    return others.get(code, RuntimeError)(text)
