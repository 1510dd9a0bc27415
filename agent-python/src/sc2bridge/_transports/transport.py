"""What a transport is, and how long it waits."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Optional, Protocol

from sc2bridge._protocol.envelope import Wire
from sc2bridge._protocol.requests import Kind
from sc2bridge.v1 import bridge_pb2


@dataclass(frozen=True)
class Timeouts:
    """How long a connection waits, in seconds, before it raises an error. All must be above 0."""

    connect: float = 10.0
    """For the connection to be made, with its handshake: ConnectionLostError."""
    request: float = 30.0
    """For the answer to a request of the game's, or to a control of the playback: RequestTimeoutError. To describe a
    match has no limit, as it waits for one to begin."""
    silence: float = 30.0
    """For any sign of life: ConnectionLostError. A bridge that has nothing to send is asked for one after half of it."""
    close: float = 1.0
    """For the bridge's part of a close, which goes on without it."""

    def __post_init__(self) -> None:
        for name, seconds in vars(self).items():
            if not 0 < seconds < 1e6:
                raise ValueError(f"{name} {seconds!r}: choose seconds above 0 and below a million")


class Stream(Protocol):
    """One subscription's messages, both ways."""

    async def send(self, message: Wire) -> None:
        """Sends. Where the bridge has ended the stream, receiving raises the cause."""

    async def receive(self) -> Optional[Wire]:
        """The next message; None where the bridge ended the stream well. Raises BridgeError."""

    async def finish(self) -> None:
        """Ends sending, and waits for the bridge's end of the stream. Raises BridgeError."""

    async def close(self) -> None:
        """Closes. A pending receive raises BridgeError."""

    def drop(self) -> None:
        """Closes, and waits for nothing."""


class Transport(Protocol):
    """A way to a bridge."""

    async def open(self, opening: bridge_pb2.PlayRequest, is_two_way: bool) -> Stream:
        """Opens a subscription's stream.

        opening: the message that subscribes. is_two_way: whether others follow it. Raises BridgeError.
        """

    async def ask(self, kind: Kind, message: Any) -> Any:
        """The bridge's answer to a request. Raises BridgeError, MalformedMessageError."""

    async def close(self) -> None:
        """Closes what it holds open for requests."""
