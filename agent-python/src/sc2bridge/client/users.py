"""Tracks which threads and asyncio tasks read a subscription of a launched match. Closes subscriptions that no thread
or task will read again."""

from __future__ import annotations

import contextlib
import threading
import weakref
from typing import TYPE_CHECKING, Any

from sc2bridge.errors import SC2BridgeError

if TYPE_CHECKING:
    from sc2bridge.client.aio import BaseConnection
    from sc2bridge.client.subscription import Subscription

_LONG_QUEUE_BYTES = 16 << 20
"""A quarter of the default limit of a subscriber's queue at the bridge."""


class Users:
    """The thread or task that created a subscription, and the thread or task that read it most recently."""

    def __init__(self) -> None:
        self._creator = self._last_user = _current_thread_or_task()

    def record_user(self) -> None:
        """Records that the current thread or task reads the subscription."""
        self._last_user = _current_thread_or_task()

    def may_read_again(self) -> bool:
        """Whether the creator or the newest user still runs and is not the current thread or task."""
        current = _current_thread_or_task()()
        return any(_is_running(user) and user is not current for user in (self._creator(), self._last_user()))


def _current_thread_or_task() -> weakref.ref[Any]:
    import asyncio  # A slow import that only launched matches need.

    loop = asyncio._get_running_loop()
    task = None if loop is None else asyncio.current_task(loop)
    return weakref.ref(threading.current_thread() if task is None else task)


def _is_running(thread_or_task: Any) -> bool:
    if isinstance(thread_or_task, threading.Thread):
        return thread_or_task.is_alive()
    return thread_or_task is not None and not thread_or_task.done()


async def close_abandoned(connection: BaseConnection, newer: Subscription) -> None:
    """Closes abandoned older subscriptions if the match waits for them, or will soon because of their long queues."""
    abandoned = [frames for frames in connection._existing_subscriptions() if frames.is_abandoned(newer)]
    names = {frames.name for frames in abandoned if frames.match_waits}
    if len(names) < len(abandoned):
        with contextlib.suppress(SC2BridgeError):  # The next read of `newer` raises the error.
            subscribers = (await connection.status()).subscribers
            names |= {each.name for each in subscribers if each.match_waits or each.queued_bytes > _LONG_QUEUE_BYTES}
    for frames in abandoned:
        if frames.name in names:
            await frames.close_for("a newer subscription replaced it")
