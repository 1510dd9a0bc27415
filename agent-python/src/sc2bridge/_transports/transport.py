"""The interfaces of transports and streams, and the timeouts."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Optional, Protocol

from sc2bridge._protocol.envelope import WireMessage
from sc2bridge._protocol.requests import RequestKind
from sc2bridge.v1 import bridge_pb2


@dataclass(frozen=True)
class Timeouts:
    """Time limits of a connection, in seconds. All must be above 0."""

    connect: float = 10.0
    """The limit for opening a connection, with its handshake. After this time, ConnectionLostError is raised."""
    request: float = 30.0
    """The limit for the answer to a request, for example to the game or to a playback. After this time,
    RequestTimeoutError is raised. `describe` has no limit, because it waits for a match to begin."""
    silence: float = 30.0
    """The limit for the time without a message from the bridge. After half of this time, the client sends a message
    that the bridge must answer. After the whole time, ConnectionLostError is raised."""
    close: float = 1.0
    """The limit for the bridge's answer to a close. After this time, the connection is closed without the answer."""

    def __post_init__(self) -> None:
        for name, seconds in vars(self).items():
            if not 0 < seconds < 1e6:
                raise ValueError(f"{name} {seconds!r}: choose seconds above 0 and below 1,000,000")


class Stream(Protocol):
    """The messages of one subscription, in both directions."""

    async def send(self, message: WireMessage) -> None:
        """Sends a message. Does not raise if the bridge has ended the stream: `receive` raises the reason."""

    async def receive(self) -> Optional[WireMessage]:
        """Waits for the next message; None if the bridge ended the stream without an error. Raises BridgeError."""

    async def finish(self) -> None:
        """Sends nothing more, and waits until the bridge ends the stream. Raises BridgeError."""

    async def close(self) -> None:
        """Closes the stream. A `receive` that waits raises BridgeError."""

    def drop(self) -> None:
        """Closes the stream without waiting."""


class Transport(Protocol):
    async def open(self, opening: bridge_pb2.PlayRequest, is_two_way: bool) -> Stream:
        """Opens a subscription's stream.

        opening: the subscribe message. is_two_way: whether the client will send more messages. Raises BridgeError.
        """

    async def ask(self, kind: RequestKind, message: Any) -> Any:
        """Sends a request and returns the answer. Raises BridgeError, MalformedMessageError."""

    async def close(self) -> None:
        """Closes the connection for requests. Does not close streams."""
