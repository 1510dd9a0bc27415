"""The blocking client: `connect`, then `describe`, `subscribe` and `request`."""

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

    url: `grpc://HOST:PORT`, `grpc+unix:/PATH` or `ws://HOST:PORT/v1`. With TLS: `grpcs://…` or `wss://…`. For matches
        published to RabbitMQ: `amqp://[USER:PASSWORD@]HOST[:PORT][,HOST…][/VHOST]`, or `amqps://…`.
    encoding: `json` or `proto`. The default of a WebSocket is `json`, unless the address has `?encoding=proto`. gRPC
        and shared memory always use `proto`.
    compression: `group-zstd` compresses several frames together, to about 1/40 of their size, at almost no cost. `zstd`
        compresses each frame alone. `deflate` means permessage-deflate (WebSocket) or gzip (gRPC). On one machine or a
        fast network, `deflate` costs more than it saves. None or `none` turns compression off.
    token: the token that authenticates this client and determines its role. None for the token in the address
        (`?token=…`), or else the token in the environment variable SC2BRIDGE_TOKEN. `sc2bridge match` sets this
        variable for the agents that it starts.
    tls: how to verify the bridge; see `Tls`. None for the settings in the environment.
    timeouts: see `Timeouts`.
    Raises ValueError for an invalid address, an unknown compression, or a file of `tls` that cannot be read. The
    first call of a method opens the connection. This call raises ConnectionLostError if no bridge is reachable,
    BridgeError if the bridge is not trusted.
    """
    return Connection(aio.Connection(url, encoding, compression, token, tls, timeouts, is_blocking=True))


class Subscription(Queries):
    """An iterator of frames. The iteration ends with the match; then `end` has the match's results.

    When your loop asks for the next frame, the client sends the commands and drawings for the current frame, and
    acknowledges the current frame. Raises BridgeError if the bridge ends the subscription, ConnectionLostError if the
    connection is lost, ClosedError if the subscription was closed before the match's end.
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
        """Sends the game a request that does not change the match, as this perspective. Raises BridgeError."""
        return run(self._core.request(request))

    def do(self, action: sc2api_pb2.Action) -> None:
        """Collects an action of any kind. The client sends it when your loop asks for the next frame."""
        self._core.do(action)

    def restart_think_time(self) -> None:
        """Restarts the measurement of the think time: the agent's time for the current frame."""
        self._core.restart_think_time()

    @property
    def end(self) -> Optional[MatchEnd]:
        """The match's end and results; None before the end."""
        return self._core.end

    @property
    def name(self) -> str:
        """The subscription's unique name at the bridge: the argument `agent`, with a number if the name was already in
        use. Empty with a broker."""
        return self._core.name

    @property
    def match(self) -> Match:
        """The match. Available from the first frame on if the agent can act; otherwise after a call of `describe`.
        Raises ValueError before that."""
        return self._core.match

    @property
    def debug(self) -> Drawing:
        """The drawing of this step on the game's screen. If the game or the bridge refuses a drawing, as a playback
        does, the client logs the refusal and sends no more drawings."""
        return self._core.debug

    @property
    def outcomes(self) -> list[Outcome]:
        """The outcomes of actions after which no frame arrived, such as actions in the last step."""
        return self._core.outcomes

    def _current_match(self) -> Match:
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
    """A connection to a bridge, without the methods that control a playback."""

    def __init__(self, core: aio.BaseConnection) -> None:
        self._core = core

    @property
    def address(self) -> Address:
        """The parsed address of the bridge."""
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
    """A connection to a bridge. Each subscription has its own stream, and requests have another stream. So
    subscriptions and requests do not block each other.

    Threads may share a connection. Only one thread at a time may iterate over a subscription; any thread may close it.
    """
