"""The ground of a match's map, on which the native library plays fights."""

from __future__ import annotations

import weakref
from functools import cached_property
from typing import Callable

from sc2bridge.s2clientprotocol import sc2api_pb2


class Ground:
    """The ground of a map. All frames of a match share one, so that its grids are read once."""

    def __init__(self, game_info: Callable[[], sc2api_pb2.ResponseGameInfo]) -> None:
        """game_info: called on first use."""
        self._game_info = game_info

    @cached_property
    def handle(self) -> int:
        """The handle of the native library's field. Raises ValueError, FileNotFoundError or RuntimeError."""
        from sc2bridge import library

        loaded = library.load()
        handle = loaded.open_field(self._game_info().SerializeToString())
        weakref.finalize(self, loaded.close_field, handle).atexit = False
        return handle
