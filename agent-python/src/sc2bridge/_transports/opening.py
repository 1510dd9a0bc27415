"""Creates the transport for an address. Modules that are slow to import are imported only when they are needed."""

from __future__ import annotations

from typing import Any, Optional

from sc2bridge._transports.address import Address
from sc2bridge._transports.pipe import BlockingNetwork, Network
from sc2bridge._transports.security import Security
from sc2bridge._transports.transport import Timeouts, Transport


def open_transport(
    address: Address, compression: Optional[str], timeouts: Timeouts, security: Security, is_blocking: bool
) -> Transport:
    """Creates the transport for an address. The transport connects on first use."""
    if address.transport == "grpc":
        from sc2bridge._transports import grpc  # A slow import. Not all clients use gRPC.

        if is_blocking:
            return grpc.BlockingGrpc(address, compression, timeouts, security)
        return grpc.AsyncGrpc(address, compression, timeouts, security)
    network: Network = BlockingNetwork()
    if not is_blocking:
        from sc2bridge._transports.aio_pipe import AsyncNetwork  # Imports asyncio, which is slow.

        network = AsyncNetwork()
    if address.transport == "shm":
        from sc2bridge._transports.shared_memory import SharedMemoryTransport  # Only for Linux.

        if compression is not None:
            raise ValueError(f"compression {compression!r}: shared memory does not support compression; leave it out")
        return SharedMemoryTransport(address, timeouts, security, network)
    from sc2bridge._transports.websocket import WebSocketTransport

    return WebSocketTransport(address, compression, timeouts, security, network)


def open_broker(url: str, timeouts: Timeouts, is_blocking: bool) -> Any:
    """Creates the transport for a broker. Raises ValueError for an invalid address, ImportError if pika is not
    installed."""
    from sc2bridge._transports import amqp  # Needs pika, which is optional.

    return amqp.Broker(url, timeouts) if is_blocking else amqp.AsyncBroker(url, timeouts)
