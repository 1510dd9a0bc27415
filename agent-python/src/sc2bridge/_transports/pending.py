"""An asyncio read that continues even if the waiting task is cancelled."""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine
from typing import Any, Callable, Generic, Optional, TypeVar

_T = TypeVar("_T")


class PendingRead(Generic[_T]):
    """Reads one message at a time. If a caller is cancelled, the next caller receives its message."""

    def __init__(self, read: Callable[[], Coroutine[Any, Any, _T]]) -> None:
        self._read = read
        self._task: Optional[asyncio.Task[_T]] = None

    async def next(self) -> _T:
        """Waits for the next message and returns it. Raises the exceptions of `read`."""
        task = self._task = self._task or asyncio.ensure_future(self._read())
        try:
            await asyncio.wait([task])  # Does not cancel the task if the caller is cancelled.
        except asyncio.CancelledError:
            task.add_done_callback(_mark_error_as_read)
            raise
        self._task = None
        return task.result()


def _mark_error_as_read(task: asyncio.Task[Any]) -> None:
    """Reads the error of a task, so that asyncio does not log it as never retrieved if there is no next call."""
    if not task.cancelled():
        task.exception()
