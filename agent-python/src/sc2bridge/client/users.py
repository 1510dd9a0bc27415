"""The threads and tasks of asyncio that read a subscription."""

from __future__ import annotations

import threading
import weakref
from typing import Any


class Users:
    """The thread or task that made something, and the thread or task that used it last."""

    def __init__(self) -> None:
        self._maker = self._last = _current()

    def note(self) -> None:
        """It is used now."""
        self._last = _current()

    def may_come_back(self) -> bool:
        """Whether one of them, other than the caller, has not ended yet."""
        caller = _current()()
        return any(_has_not_ended(user) and user is not caller for user in (self._maker(), self._last()))


def _current() -> weakref.ref[Any]:
    import asyncio  # Takes a while, and only launched matches need it.

    loop = asyncio._get_running_loop()
    task = None if loop is None else asyncio.current_task(loop)
    return weakref.ref(threading.current_thread() if task is None else task)


def _has_not_ended(user: Any) -> bool:
    if isinstance(user, threading.Thread):
        return user.is_alive()
    return user is not None and not user.done()
