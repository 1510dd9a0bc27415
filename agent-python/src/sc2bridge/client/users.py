"""The threads and tasks of asyncio that read a subscription of a launched match, and subscriptions that they left."""

from __future__ import annotations

import contextlib
import threading
import weakref
from typing import TYPE_CHECKING, Any

from sc2bridge.errors import SC2BridgeError

if TYPE_CHECKING:
    from sc2bridge.client.aio import BaseConnection
    from sc2bridge.client.subscription import Subscription

_LONG_QUEUE = 16 << 20
"""Bytes: a quarter of the bridge's usual queue."""


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


async def close_forgotten(connection: BaseConnection, newer: Subscription) -> None:
    """Closes older subscriptions that hold up the match, or soon will, if no thread or task but the caller could read them."""
    forgotten = [frames for frames in connection._kept() if frames.is_forgotten(newer)]
    names = {frames.name for frames in forgotten if frames.holds_up_match}
    if len(names) < len(forgotten):
        with contextlib.suppress(SC2BridgeError):  # Reading raises what is wrong.
            all_of_them = (await connection.status()).subscribers
            names |= {each.name for each in all_of_them if each.match_waits or each.queued_bytes > _LONG_QUEUE}
    for frames in forgotten:
        if frames.name in names:
            await frames.close_for("a newer subscription took its place")
