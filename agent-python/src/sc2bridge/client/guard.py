"""Ends a process whose owner was not closed: if nothing refers to the owner any more, or if Python exits."""

from __future__ import annotations

import atexit
import contextlib
import os
import queue
import threading
import warnings
import weakref
from typing import Any, Callable, Optional

_dropped: queue.SimpleQueue[
    Callable[[], None]
] = queue.SimpleQueue()  # The garbage collector may add to it at any moment.
_thread: Optional[threading.Thread] = None


class Guard:
    """Ends what belongs to an owner, unless it is released before. Neither `stop` nor `end` may refer to the owner."""

    def __init__(self, owner: Any, what: str, stop: Callable[[], None], end: Callable[[], None]) -> None:
        """what: for the warning. stop: begins the end, and does not wait. end: completes it, on another thread."""
        self._what, self._stop, self._end = what, stop, end
        self._process = os.getpid()  # A process that was forked from this one has copies of everything.
        _start()
        self._finalizer = weakref.finalize(owner, self._drop)
        self._finalizer.atexit = False
        atexit.register(self._exit)

    def release(self) -> None:
        """It was ended by its owner."""
        self._finalizer.detach()
        atexit.unregister(self._exit)

    def _drop(self) -> None:
        if os.getpid() == self._process:
            self._stop()
            _dropped.put(self._end)
            warnings.warn(f"{self._what} was not closed: it is ended", ResourceWarning)

    def _exit(self) -> None:
        if os.getpid() == self._process:
            self._end()


def _start() -> None:
    """Starts the thread that completes ends: the garbage collector must not wait, and must not start threads."""
    global _thread
    if _thread is None or not _thread.is_alive():  # In a forked process it is not alive.
        _thread = threading.Thread(target=_end_dropped, name="sc2bridge dropped", daemon=True)
        _thread.start()


def _end_dropped() -> None:
    while True:
        end = _dropped.get()
        with contextlib.suppress(Exception):  # The next one is ended all the same.
            end()
