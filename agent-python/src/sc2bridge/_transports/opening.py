"""The transport of an address. Modules that take a while to import are imported when they are needed."""

from __future__ import annotations

from typing import Any, Optional

from sc2bridge._transports.address import Address
from sc2bridge._transports.pipe import BlockingNetwork, Network
from sc2bridge._transports.security import Security
from sc2bridge._transports.transport import Timeouts, Transport


def open_transport(
    address: Address, compression: Optional[str], timeouts: Timeouts, security: Security, blocks: bool
) -> Transport:
    """The transport of an address. It connects when it is first used."""
    if address.transport == "grpc":
        from sc2bridge._transports import grpc  # Takes a while to import, and is not everyone's.

        if blocks:
            return grpc.BlockingGrpc(address, compression, timeouts, security)
        return grpc.AsyncGrpc(address, compression, timeouts, security)
    network: Network = BlockingNetwork()
    if not blocks:
        from sc2bridge._transports.aio_pipe import AsyncNetwork  # Imports asyncio, which takes a while.

        network = AsyncNetwork()
    if address.transport == "shm":
        from sc2bridge._transports.shared_memory import SharedMemoryTransport  # Linux's alone.

        if compression is not None:
            raise ValueError(f"compression {compression!r}: frames in shared memory are not sent")
        return SharedMemoryTransport(address, timeouts, security, network)
    from sc2bridge._transports.websocket import WebSocketTransport

    return WebSocketTransport(address, compression, timeouts, security, network)


def open_broker(url: str, timeouts: Timeouts, blocks: bool) -> Any:
    """A broker's streams, and its directory of matches. Raises ValueError; ImportError if pika is not installed."""
    from sc2bridge._transports import amqp  # Not everyone's.

    return amqp.Broker(url, timeouts) if blocks else amqp.AsyncBroker(url, timeouts)
