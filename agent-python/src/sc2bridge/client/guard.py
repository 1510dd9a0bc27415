"""Ends a process whose owner was not closed: after the owner was garbage-collected, or when Python exits."""

from __future__ import annotations

import atexit
import contextlib
import os
import queue
import threading
import warnings
import weakref
from typing import Any, Callable, Optional

# A SimpleQueue, because the garbage collector may call `put` at any moment.
_end_calls: queue.SimpleQueue[Callable[[], None]] = queue.SimpleQueue()
_end_thread: Optional[threading.Thread] = None


class Guard:
    """Ends the process of `owner`, unless `release` was called. The two functions must not refer to `owner`."""

    def __init__(
        self, owner: Any, description: str, request_stop: Callable[[], None], stop_and_wait: Callable[[], None]
    ) -> None:
        """description: the owner's name in the warning. request_stop: asks the process to end and does not wait.
        stop_and_wait: ends the process and waits for its end; called on another thread, or when Python exits."""
        self._description, self._request_stop, self._stop_and_wait = description, request_stop, stop_and_wait
        # A forked process has a copy of the guard. Only the process with this id may call the functions.
        self._owner_pid = os.getpid()
        _ensure_end_thread()
        self._finalizer = weakref.finalize(owner, self._on_owner_collected)
        self._finalizer.atexit = False
        atexit.register(self._on_exit)

    def release(self) -> None:
        """Turns the guard off. Call it when the owner ends the process itself."""
        self._finalizer.detach()
        atexit.unregister(self._on_exit)

    def _on_owner_collected(self) -> None:
        if os.getpid() == self._owner_pid:
            self._request_stop()
            _end_calls.put(self._stop_and_wait)
            warnings.warn(f"{self._description} was not closed, so it is ended now", ResourceWarning)

    def _on_exit(self) -> None:
        if os.getpid() == self._owner_pid:
            self._stop_and_wait()


def _ensure_end_thread() -> None:
    """Starts the thread that calls `stop_and_wait`, unless it runs already. Finalizers must not wait or start one."""
    global _end_thread
    # In a forked process the thread object exists, but the thread does not run.
    if _end_thread is None or not _end_thread.is_alive():
        _end_thread = threading.Thread(target=_run_end_calls, name="sc2bridge end", daemon=True)
        _end_thread.start()


def _run_end_calls() -> None:
    while True:
        stop_and_wait = _end_calls.get()
        with contextlib.suppress(Exception):  # An error must not prevent the next call.
            stop_and_wait()
