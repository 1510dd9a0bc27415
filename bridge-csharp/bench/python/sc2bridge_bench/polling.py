"""The yardstick that has no bridge: python-sc2's own client, which asks the game's API for each observation.

It takes the orders of `sc2bridge compare` as an agent does (see `receiving`). Under `every` it asks for the loop that
comes next, as python-sc2 does in real time, and the game answers when it is there; under `lockstep` it steps, and then
observes, as python-sc2 does otherwise. The game that it asks gives each answer, as its `id`, the microsecond in which
it stood ready, of which 32 bits are there: `held` and `parsed` count from then.
"""

from __future__ import annotations

import asyncio
import platform
import sys
import time
from typing import Any, Dict, cast

from sc2bridge_bench.receiving import Received, Order, serve
from sc2bridge_bench.libraries import runtime

_STAMP = 2**32
_START_SECONDS = 10
"""The game has one client at a time: the one before may not have gone altogether."""


class _TimedSocket:
    """The socket that python-sc2's client is given: it notes when a message was there, and how long it was."""

    def __init__(self, socket: Any) -> None:
        self.send_bytes = socket.send_bytes
        self._socket = socket
        self.received_ns = self.size = 0

    async def receive_bytes(self) -> bytes:
        data = cast(bytes, await self._socket.receive_bytes())
        self.received_ns, self.size = time.monotonic_ns(), len(data)
        return data


async def _poll(order: Order) -> Dict[str, Any]:
    import aiohttp
    from sc2.client import Client
    from sc2.protocol import ProtocolError

    received = Received(order)
    steps = order.policy == "lockstep"
    try:
        async with aiohttp.ClientSession() as session:
            async with await _connected(session, order.url) as socket:
                timed = _TimedSocket(socket)
                client: Any = Client(cast(Any, timed))
                answer = await client.observation()
                asked = 0
                # The match's end has its results.
                while not answer.observation.player_result:
                    # None is lost: each answer is the next observation.
                    asked += 1
                    parsed_ns, received_ns = time.monotonic_ns(), timed.received_ns
                    age_us = (received_ns // 1000 - answer.id) % _STAMP
                    loop = answer.observation.observation.game_loop
                    ready_ns = received_ns - age_us * 1000
                    if received.note(asked, ready_ns, received_ns, parsed_ns, parsed_ns - received_ns, timed.size):
                        break
                    if steps:
                        await client.step(1)
                    answer = await client.observation(None if steps else loop + 1)
    except (aiohttp.ClientError, ProtocolError, TypeError) as error:
        # A connection that ends shows as a TypeError: aiohttp's, of a message that is no bytes.
        raise ConnectionError(f"python-sc2: {error}") from None
    return received.result(_agent())


async def _connected(session: Any, url: str) -> Any:
    import aiohttp

    until = time.monotonic() + _START_SECONDS
    while True:
        try:
            # As python-sc2 connects.
            return await session.ws_connect(url)
        except aiohttp.ClientError:
            if time.monotonic() > until:
                raise
            await asyncio.sleep(0.02)


def _agent() -> str:
    from importlib.metadata import version

    about = runtime()
    return (
        f"Python {platform.python_version()}, python-sc2 (burnysc2 {version('burnysc2')}, "
        f"aiohttp {version('aiohttp')}), protobuf {about['protobuf']} ({about['implementation']})"
    )


def check() -> int:
    """Answers that it can be measured. Raises ImportError where python-sc2 is not installed."""
    import aiohttp  # noqa: F401
    import sc2.client  # noqa: F401

    print("{}")
    return 0


def main() -> int:
    """The process: standard input and output. Raises ImportError."""
    # Else it writes of each request what is in it.
    from loguru import logger

    logger.remove()
    serve(sys.stdin, sys.stdout, lambda order: asyncio.run(_poll(order)))
    return 0
