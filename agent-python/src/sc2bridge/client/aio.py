"""A bridge, for asyncio: `connection = await aconnect(url)`, then as `sc2bridge.connect`, awaited.

All that a connection and its subscriptions do is written here, once: `sync` runs the same methods over a transport that
blocks.
"""

from __future__ import annotations

import itertools
import weakref
from collections.abc import Awaitable, Callable, Iterable
from types import TracebackType
from typing import Any, Optional, TypeVar

from sc2bridge._protocol.choices import Compression, Content, Encoding, Overflow, Part, Policy
from sc2bridge._protocol.compression import choose
from sc2bridge._protocol.requests import CALL_GAME, CONTROL, DESCRIBE, HELLO, STATUS, Kind
from sc2bridge._protocol.session import Session
from sc2bridge._protocol.subscribe import subscribe_request
from sc2bridge._protocol.versions import hello
from sc2bridge._transports.address import parse_address, without_token
from sc2bridge._transports.opening import open_broker, open_transport
from sc2bridge._transports.security import Security, Tls
from sc2bridge._transports.transport import Timeouts
from sc2bridge.broker.v1alpha1 import broker_pb2
from sc2bridge.client.playback import AsyncPlayback
from sc2bridge.client.subscription import Subscription
from sc2bridge.errors import FAILED_PRECONDITION, BridgeError, ClosedError, ConnectionLostError
from sc2bridge.game.match import Match
from sc2bridge.game.words import MatchEnd
from sc2bridge.s2clientprotocol import sc2api_pb2
from sc2bridge.v1 import bridge_pb2

__all__ = ["Connection", "Subscription", "connect"]

_Answer = TypeVar("_Answer")
_C = TypeVar("_C", bound="BaseConnection")

_CLOSED = "its connection was closed"


async def connect(
    url: str,
    encoding: Optional[Encoding] = None,
    compression: Optional[Compression] = None,
    token: Optional[str] = None,
    tls: Optional[Tls] = None,
    timeouts: Timeouts = Timeouts(),
) -> Connection:
    """As `sc2bridge.connect`."""
    return Connection(url, encoding, compression, token, tls, timeouts)


class BaseConnection:
    """A connection to a bridge, without the control of a playback."""

    _closed_text = "this connection is closed: connect again"

    waits_for_ever = False
    """Whether the match waits for a lockstep subscriber for as long as that takes."""

    def __init__(
        self,
        url: str,
        encoding: Optional[Encoding],
        compression: Optional[Compression],
        token: Optional[str],
        tls: Optional[Tls],
        timeouts: Timeouts,
        blocks: bool = False,
    ) -> None:
        url, in_address = without_token(url)
        self.address = parse_address(url, encoding)
        of_transport, self._compression = choose(compression)
        security = Security(self.address, in_address if token is None else token, tls)
        self._broker = open_broker(url, timeouts, blocks) if self.address.transport == "amqp" else None
        self._transport = self._broker or open_transport(self.address, of_transport, timeouts, security, blocks)
        self._clock_id: Optional[str] = None
        self._numbers = itertools.count()
        self._subscriptions: weakref.WeakValueDictionary[int, Subscription] = weakref.WeakValueDictionary()
        self._is_closed = False
        self.last_end: Optional[MatchEnd] = None
        """The end of a match that a subscription received last."""

    async def hello(self) -> bridge_pb2.HelloResponse:
        """The bridge's version, protocol versions and `capabilities`. Raises BridgeError, also for one that is too old."""
        answer: bridge_pb2.HelloResponse = await self._ask(HELLO, hello())
        return answer

    async def describe(
        self,
        match_id: str = "",
        *,
        perspective: Optional[int] = None,
        without_game_info: bool = False,
        without_data: bool = False,
    ) -> Match:
        """The match that runs, or a certain one, as a perspective sees it; waits until there is one. Raises BridgeError.

        perspective: a player id, 0 for an observer of all; None for the match's first.
        """
        request = bridge_pb2.DescribeRequest(
            match_id=match_id,
            perspective=perspective,
            without_game_info=without_game_info,
            without_data=without_data,
        )
        answer: bridge_pb2.DescribeResponse = await self._ask(DESCRIBE, request)
        self._clock_id = answer.match.clock_id
        first = next(iter(answer.match.perspectives), 0)
        return Match(answer.match, first if perspective is None else perspective)

    async def request(
        self, request: sc2api_pb2.Request, *, match_id: str = "", perspective: Optional[int] = None
    ) -> sc2api_pb2.Response:
        """Asks the game something that leaves the match as it is, such as a query.

        It is recorded under the name of this connection's newest open subscription.
        perspective: a player id, 0 for an observer of all; None for the own side, else 0.
        Raises BridgeError, among others for requests that would change the match.
        """
        return await self._as_newest(lambda session_id: self.call_game(request, match_id, perspective, session_id))

    async def call_game(
        self, request: sc2api_pb2.Request, match_id: str, perspective: Optional[int], session_id: str
    ) -> sc2api_pb2.Response:
        """A `request` that belongs to a certain subscription."""
        message = bridge_pb2.CallGameRequest(
            match_id=match_id, perspective=perspective, request=request, session_id=session_id
        )
        answer: bridge_pb2.CallGameResponse = await self._ask(CALL_GAME, message)
        return answer.response

    @property
    def _session_id(self) -> str:
        """The newest open subscription's; empty if all are closed."""
        return next((frames.session_id for frames in reversed(self._kept()) if frames.session_id), "")

    async def _as_newest(self, ask: Callable[[str], Awaitable[_Answer]]) -> _Answer:
        """Asks as the newest open subscription; if that has ended and its end was not read yet, without one."""
        session_id = self._session_id
        try:
            return await ask(session_id)
        except BridgeError as error:
            if not session_id or error.code != FAILED_PRECONDITION:
                raise
            try:
                return await ask("")
            except BridgeError:
                raise error from None

    async def status(self) -> bridge_pb2.StatusResponse:
        """How the stream does at this moment: subscribers with what they got, dropped and wait for, and whether the match
        waits for them; encodings' times and bytes; why the bridge is degraded; what agents have drawn.

        Counts only grow: two answers, by their `created_ns`, give rates. The bridge makes ten a second at most. Raises
        BridgeError.
        """
        status: bridge_pb2.StatusResponse = await self._ask(STATUS, bridge_pb2.StatusRequest())
        return status

    async def matches(self, past: bool = False) -> list[broker_pb2.Announcement]:
        """The matches that were published to a broker, by when they began: those that run, or all that it tells of.

        Each has its `key`, by which `subscribe` and `describe` take it as `match_id`, the `match` without its game info
        and data, `tags`, how far each of its `perspectives` is, and its `end`. Raises BridgeError, ValueError for a bridge.
        """
        self._check_open()
        if self._broker is None:
            raise ValueError("a bridge has one match: describe() it; amqp:// addresses list matches")
        found: list[broker_pb2.Announcement] = await self._broker.matches(past)
        return found

    async def _control(self, request: bridge_pb2.ControlRequest) -> bridge_pb2.PlaybackState:
        async def ask(session_id: str) -> bridge_pb2.PlaybackState:
            request.session_id = session_id
            answer: bridge_pb2.ControlResponse = await self._ask(CONTROL, request)
            return answer.playback

        return await self._as_newest(ask)

    async def restart(self, seed: int, *, match_id: str = "") -> None:
        """Ends the match, if one runs, and has another begin in the same game, with a random seed: of a bridge that
        was started with `match --restarts`, and not of a playback. Subscribe again after the end. Raises ValueError for an
        invalid seed, BridgeError."""
        if not 0 <= seed < 1 << 32:
            raise ValueError(f"seed {seed}: choose a number from 0 to 2**32 - 1")
        await self._control(bridge_pb2.ControlRequest(match_id=match_id, restart=seed))

    async def subscribe(
        self,
        policy: Policy = "every",
        *,
        match_id: str = "",
        perspective: Optional[int] = None,
        overflow: Optional[Overflow] = None,
        exclude: Iterable[Part] = (),
        agent: str = "",
        queue_bytes: int = 0,
        content: Content = "observation",
        can_act: bool = False,
        priority: int = 0,
        report_times: bool = True,
        from_loop: Optional[int] = None,
        from_time: Optional[float] = None,
    ) -> Subscription:
        """Subscribes to a match's frames; iterate over what is returned.

        policy: `lockstep` (the game waits until the loop's body is done with each step), `latest` (the newest only;
            `frame.skipped` sums up the others) or `every`.
        match_id: the match; empty for the one that runs.
        perspective: a player id, 0 for an observer of all; None for the match's first.
        overflow: under `every`, whether a full queue `pause`s the game or `end`s the subscription; None for the
            bridge's choice.
        exclude: parts to do without: `abilities`, `score`, `raw`, `map_state`, `feature_layers`, `render`, `ui`.
        agent: a name for the bridge's logs, tables and recordings; the bridge makes it unique (`Subscription.name`).
        queue_bytes: the most that may wait under `every`; 0 for the bridge's choice.
        content: `observation`, or `columns`: the units as vectors that `frame.units` shows as numpy arrays with no unit
            parsed, and the rest of the observation beside them.
        can_act: act for the player whose perspective this is, by `attack` and its like; else the subscription only
            watches.
        priority: of several agents that command a unit in one step, the one with the highest is obeyed.
        report_times: send back what decoding and the loop's body took.
        from_loop, from_time: over a broker, the game loop, or the time in seconds since 1970, of the first frame; 0 for the
            first that is kept. None for now. There `policy` is `latest` or `every`, nobody waits, acts or is told times,
            and `frame.skipped` counts frames without what they carried.
        Raises ValueError for a choice that does not exist, BridgeError if the bridge refuses. A refusal that depends on a
        match that has not begun comes at the first frame.
        """
        self._check_open()
        await self._check_lost()
        if self._broker is not None:
            if policy == "lockstep" or can_act or tuple(exclude) or overflow is not None:
                raise ValueError("a broker has what was published, whole: no lockstep, can_act, exclude or overflow")
            content, report_times = "observation", False
        elif from_loop is not None or from_time is not None:
            raise ValueError("a bridge sends what comes: from_loop and from_time are for amqp:// addresses")
        request = subscribe_request(
            policy,
            match_id=match_id,
            perspective=perspective,
            overflow=overflow,
            exclude=exclude,
            agent=agent,
            queue_bytes=queue_bytes,
            content=content,
            compression=self._compression,
            can_act=can_act,
            priority=priority,
            report_times=report_times,
        )
        return await self._known_errors(self._begin(request, from_loop, from_time))

    async def _begin(
        self, request: bridge_pb2.SubscribeRequest, from_loop: Optional[int], from_time: Optional[float]
    ) -> Subscription:
        session = Session(request, self.address.encoding)
        if self._broker is not None:
            stream = await self._broker.open_at(request, from_loop, from_time)
        else:
            stream = await self._transport.open(session.opening(), session.is_two_way)
        session.memory = getattr(stream, "memory", None)
        frames = Subscription(self, session, stream)
        self._subscriptions[next(self._numbers)] = frames  # Before the wait, so that `close` ends it.
        if self._is_closed:  # While the stream was opened.
            await frames.close_for(_CLOSED)
            self._check_open()
        if self._broker is None:
            await frames.begin()
        return frames

    def _kept(self) -> list[Subscription]:
        """Subscriptions that are not closed, and perhaps others; the newest last. Other threads may add some meanwhile."""
        found = (reference() for reference in self._subscriptions.valuerefs())
        return [frames for frames in found if frames is not None]

    async def close(self) -> None:
        """Closes the connection; its subscriptions end."""
        self._is_closed = True
        for frames in self._kept():
            await frames.close_for(_CLOSED)
        await self._transport.close()

    async def clock_of(self, match_id: str) -> str:
        """Which clock the bridge reads."""
        if self._clock_id is None:
            await self.describe(match_id, without_game_info=True, without_data=True)
        return self._clock_id or ""

    async def _ask(self, kind: Kind, message: Any) -> Any:
        self._check_open()
        return await self._known_errors(self._transport.ask(kind, message))

    async def _known_errors(self, call: Awaitable[_Answer]) -> _Answer:
        """The result of a call. If the call fails because the connection was closed or the match has ended, the error says so."""
        try:
            return await call
        except (BridgeError, ValueError) as error:  # ValueError: grpcio's, of a channel that is closed.
            self._check_open()  # Another thread or task may have closed it meanwhile.
            await self._check_lost(error)
            raise

    def _check_open(self) -> None:
        if self._is_closed:
            raise ClosedError(self._closed_text)

    async def _check_lost(self, error: Optional[Exception] = None) -> None:
        """Raises a clearer error than this one, if the match has ended."""
        if self.is_over and isinstance(error, ConnectionLostError):
            raise ConnectionLostError(
                f"the match has ended ({self.last_end}), and its bridge at {self.address.target} is gone: start another match"
            ) from error

    @property
    def is_over(self) -> bool:
        """Whether a subscription received the end of the last match."""
        return self.last_end is not None and not self.last_end.next_follows

    async def __aenter__(self: _C) -> _C:
        return self

    async def __aexit__(
        self,
        kind: Optional[type[BaseException]],
        error: Optional[BaseException],
        traceback: Optional[TracebackType],
    ) -> None:
        await self.close()


class Connection(BaseConnection, AsyncPlayback):
    """A bridge. Each subscription has a stream of its own, and requests another, so none waits for another."""
