"""A bridge, blocking: `connect`, then `describe`, `subscribe`, `request`."""

from __future__ import annotations

from collections.abc import Iterator
from types import TracebackType
from typing import Optional, TypeVar

from sc2bridge._protocol.choices import Compression, Encoding
from sc2bridge._protocol.coroutines import blocking, blocking_into, run
from sc2bridge._transports.address import Address
from sc2bridge._transports.security import Tls
from sc2bridge._transports.transport import Timeouts
from sc2bridge.client import aio
from sc2bridge.client.playback import Playback
from sc2bridge.game.drawing import Drawing
from sc2bridge.game.frame import Frame
from sc2bridge.game.match import Match
from sc2bridge.game.outcomes import Outcome
from sc2bridge.game.queries import Queries
from sc2bridge.game.words import MatchEnd
from sc2bridge.s2clientprotocol import sc2api_pb2

_C = TypeVar("_C", bound="BaseConnection")


def connect(
    url: str,
    encoding: Optional[Encoding] = None,
    compression: Optional[Compression] = None,
    token: Optional[str] = None,
    tls: Optional[Tls] = None,
    timeouts: Timeouts = Timeouts(),
) -> Connection:
    """Connects to a bridge.

    url: `grpc://HOST:PORT`, `grpc+unix:/PATH` or `ws://HOST:PORT/v1`; by TLS `grpcs://…` or `wss://…`. Matches that were
        published to RabbitMQ: `amqp://[USER:PASSWORD@]HOST[:PORT][,HOST…][/VHOST]`, or `amqps://…`.
    encoding: `json` or `proto`. A WebSocket carries JSON where neither this nor `?encoding=proto` says otherwise, and
        gRPC always `proto`.
    compression: `group-zstd` compresses frames together, some 40 times, at next to no cost; `zstd` each alone. `deflate`
        offers permessage-deflate (WebSocket) or takes gzip (gRPC), which cost more than they save on one machine or a
        fast network. None, or `none`, for none.
    token: says who connects, and so what may be done; None for the one in the address (`?token=…`), else what the
        environment's SC2BRIDGE_TOKEN says, as it does for agents that `sc2bridge match` starts.
    tls: how the bridge is known; see `Tls`. None for what the environment says.
    timeouts: how long to wait for what; see `Timeouts`.
    Raises ValueError for an address that is none, a compression that there is not, or a file of `tls` that cannot be read.
    That no bridge is there shows at the first use: ConnectionLostError; so does a bridge that is not trusted: BridgeError.
    """
    return Connection(aio.Connection(url, encoding, compression, token, tls, timeouts, blocks=True))


class Subscription(Queries):
    """An iterator of frames that ends with the match; `end` is then its result.

    When the loop asks for the next frame, what was ordered and drawn upon the last one goes out, and it is
    acknowledged.
    Raises BridgeError if the bridge ends the subscription, ConnectionLostError if the bridge is gone, ClosedError if the
    subscription was closed before the match's end.
    """

    def __init__(self, core: aio.Subscription) -> None:
        self._subscription = core

    @property
    def _core(self) -> aio.Subscription:
        return self._subscription

    def __iter__(self) -> Iterator[Frame]:
        return self

    def __next__(self) -> Frame:
        frame = run(self._subscription.next())
        if frame is None:
            raise StopIteration
        return frame

    act = blocking(aio.Subscription.act)
    done = blocking(aio.Subscription.done)
    describe = blocking(aio.Subscription.describe)
    close = blocking(aio.Subscription.close)

    def request(self, request: sc2api_pb2.Request) -> sc2api_pb2.Response:
        """Asks the game as this perspective: any request that leaves the match as it is. Raises BridgeError."""
        return run(self._core.request(request))

    def do(self, action: sc2api_pb2.Action) -> None:
        """Any action; it goes with those of the other commands when the loop asks for the next frame."""
        self._core.do(action)

    def begin_again(self) -> None:
        """The agent's time for the frame that came last begins now."""
        self._core.begin_again()

    @property
    def end(self) -> Optional[MatchEnd]:
        """The match's end and results; None before it."""
        return self._core.end

    @property
    def name(self) -> str:
        """Its unique name at the bridge: `agent`, with a number if that name was taken. Empty over a broker."""
        return self._core.name

    @property
    def match(self) -> Match:
        """The match: for agents that act, from the first frame on; for others, once `describe` was called. Raises
        ValueError."""
        return self._core.match

    @property
    def debug(self) -> Drawing:
        """What the step draws on the game's screen. Where the game or the bridge refuses it once, as a recording does,
        that is logged, and no more is sent."""
        return self._core.debug

    @property
    def outcomes(self) -> list[Outcome]:
        """Outcomes of actions that came after the last frame."""
        return self._core.outcomes

    def _constants(self) -> Match:
        return self.match

    def __enter__(self) -> Subscription:
        return self

    def __exit__(
        self,
        kind: Optional[type[BaseException]],
        error: Optional[BaseException],
        traceback: Optional[TracebackType],
    ) -> None:
        run(self._subscription.close_for("its `with` statement was left"))


class BaseConnection:
    """A connection to a bridge, without the control of a playback."""

    def __init__(self, core: aio.BaseConnection) -> None:
        self._core = core

    @property
    def address(self) -> Address:
        """The bridge's, taken apart."""
        return self._core.address

    hello = blocking(aio.BaseConnection.hello)
    describe = blocking(aio.BaseConnection.describe)
    request = blocking(aio.BaseConnection.request)
    restart = blocking(aio.BaseConnection.restart)
    status = blocking(aio.BaseConnection.status)
    matches = blocking(aio.BaseConnection.matches)
    subscribe = blocking_into(Subscription, aio.BaseConnection.subscribe)
    close = blocking(aio.BaseConnection.close)

    def __enter__(self: _C) -> _C:
        return self

    def __exit__(
        self,
        kind: Optional[type[BaseException]],
        error: Optional[BaseException],
        traceback: Optional[TracebackType],
    ) -> None:
        self.close()


class Connection(BaseConnection, Playback):
    """A bridge. Each subscription has a stream of its own, and requests another, so none waits for another.

    Threads may share it; a subscription is iterated by one thread at a time, and may be closed by another.
    """
