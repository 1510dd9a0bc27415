"""A read of asyncio's that goes on if the task that waits for it is cancelled."""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine
from typing import Any, Callable, Generic, Optional, TypeVar

_T = TypeVar("_T")


class PendingRead(Generic[_T]):
    """Reads one message at a time. If a caller is cancelled, the next caller gets the message that it waited for."""

    def __init__(self, read: Callable[[], Coroutine[Any, Any, _T]]) -> None:
        self._read = read
        self._task: Optional[asyncio.Task[_T]] = None

    async def next(self) -> _T:
        """The next message. Raises what the read raises."""
        task = self._task = self._task or asyncio.ensure_future(self._read())
        try:
            await asyncio.wait([task])  # Leaves the task alone if the caller is cancelled.
        except asyncio.CancelledError:
            task.add_done_callback(_forget)
            raise
        self._task = None
        return task.result()


def _forget(task: asyncio.Task[Any]) -> None:
    """Keeps asyncio from logging an error of a read whose subscription is closed before the next call."""
    if not task.cancelled():
        task.exception()
