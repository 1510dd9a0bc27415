"""The asyncio client: `connection = await aconnect(url)`. It has the same methods as `sync`, as coroutines.

The logic of connections and subscriptions is only here and in `subscription`. `sync` runs the same coroutines with a
transport that blocks.
"""

from __future__ import annotations

import itertools
import weakref
from collections.abc import Awaitable, Callable, Iterable
from types import TracebackType
from typing import Any, Optional, TypeVar

from sc2bridge._protocol.choices import Compression, Content, Encoding, Overflow, Part, Policy
from sc2bridge._protocol.compression import split_compression
from sc2bridge._protocol.requests import CALL_GAME, CONTROL, DESCRIBE, HELLO, STATUS, RequestKind
from sc2bridge._protocol.session import Session
from sc2bridge._protocol.subscribe import subscribe_request
from sc2bridge._protocol.versions import hello_request
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

_CONNECTION_CLOSED_REASON = "its connection was closed"


async def connect(
    url: str,
    encoding: Optional[Encoding] = None,
    compression: Optional[Compression] = None,
    token: Optional[str] = None,
    tls: Optional[Tls] = None,
    timeouts: Timeouts = Timeouts(),
) -> Connection:
    """Like `sc2bridge.connect`, for asyncio."""
    return Connection(url, encoding, compression, token, tls, timeouts)


class BaseConnection:
    """A connection to a bridge, without the methods that control a playback."""

    _closed_text = "this connection is closed: connect again"

    match_waits_long = False
    """Whether the match waits for a subscriber with the policy `lockstep` for up to a day."""

    def __init__(
        self,
        url: str,
        encoding: Optional[Encoding],
        compression: Optional[Compression],
        token: Optional[str],
        tls: Optional[Tls],
        timeouts: Timeouts,
        is_blocking: bool = False,
    ) -> None:
        url, token_in_address = without_token(url)
        self.address = parse_address(url, encoding)
        transport_compression, self._compression = split_compression(compression)
        security = Security(self.address, token_in_address if token is None else token, tls)
        self._broker = open_broker(url, timeouts, is_blocking) if self.address.transport == "amqp" else None
        self._transport = self._broker or open_transport(
            self.address, transport_compression, timeouts, security, is_blocking
        )
        self._clock_id: Optional[str] = None
        self._subscription_numbers = itertools.count()
        self._subscriptions: weakref.WeakValueDictionary[int, Subscription] = weakref.WeakValueDictionary()
        self._is_closed = False
        self.last_end: Optional[MatchEnd] = None
        """The match end that a subscription received most recently; None before the first one."""

    async def hello(self) -> bridge_pb2.HelloResponse:
        """Returns the bridge's version, protocol versions and `capabilities`. Raises BridgeError, also if the bridge is
        too old for this package."""
        answer: bridge_pb2.HelloResponse = await self._ask(HELLO, hello_request())
        return answer

    async def describe(
        self,
        match_id: str = "",
        *,
        perspective: Optional[int] = None,
        without_game_info: bool = False,
        without_data: bool = False,
    ) -> Match:
        """Returns the description of the current match, or of the match `match_id`, as a perspective sees it. Waits
        until a match begins. Raises BridgeError.

        perspective: a player id, or 0 for an observer of all players; None for the match's first perspective.
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
        """Sends the game a request that does not change the match, such as a query. Returns the game's answer.

        The recording lists the request under the name of this connection's newest open subscription.
        perspective: a player id, or 0 for an observer of all players. None for the client's own player. If the client
            has no player: 0.
        Raises BridgeError, for example for a request that would change the match.
        """
        return await self._ask_as_newest(lambda session_id: self.call_game(request, match_id, perspective, session_id))

    async def call_game(
        self, request: sc2api_pb2.Request, match_id: str, perspective: Optional[int], session_id: str
    ) -> sc2api_pb2.Response:
        """Like `request`, in the name of the subscription with the given session id."""
        message = bridge_pb2.CallGameRequest(
            match_id=match_id, perspective=perspective, request=request, session_id=session_id
        )
        answer: bridge_pb2.CallGameResponse = await self._ask(CALL_GAME, message)
        return answer.response

    @property
    def _newest_session_id(self) -> str:
        """The session id of the newest open subscription; empty if no subscription is open."""
        return next((frames.session_id for frames in reversed(self._existing_subscriptions()) if frames.session_id), "")

    async def _ask_as_newest(self, ask: Callable[[str], Awaitable[_Answer]]) -> _Answer:
        """Asks with the session id of the newest open subscription. A subscription may still look open after its match
        has ended. In this case the bridge refuses the id, and this method asks again without an id."""
        session_id = self._newest_session_id
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
        """Returns the bridge's subscribers, its encodings, the problems that make it degraded, and the drawings of
        agents. Each subscriber has the numbers of its sent, dropped and queued frames, and whether the match waits for
        this subscriber. Each encoding has its times and bytes.

        Counts never decrease, so rates can be computed from two answers and their `created_ns`. The bridge updates its
        answer at most ten times a second. Raises BridgeError.
        """
        status: bridge_pb2.StatusResponse = await self._ask(STATUS, bridge_pb2.StatusRequest())
        return status

    async def matches(self, past: bool = False) -> list[broker_pb2.Announcement]:
        """Returns an announcement of each match that was published to a broker, sorted by the match's start time.

        past: False for the running matches; True for all matches that the broker still has.
        An announcement has `key` (to use as `match_id` of `subscribe` and `describe`), `match` (the description
        without game info and data), `perspectives` (the progress of each perspective), `tags` and `end`.
        Raises BridgeError, and ValueError if the address is not a broker's.
        """
        self._raise_if_closed()
        if self._broker is None:
            raise ValueError("matches() needs a broker's address (amqp://…): a bridge's match is in describe()")
        found: list[broker_pb2.Announcement] = await self._broker.matches(past)
        return found

    async def _control(self, request: bridge_pb2.ControlRequest) -> bridge_pb2.PlaybackState:
        async def ask(session_id: str) -> bridge_pb2.PlaybackState:
            request.session_id = session_id
            answer: bridge_pb2.ControlResponse = await self._ask(CONTROL, request)
            return answer.playback

        return await self._ask_as_newest(ask)

    async def restart(self, seed: int, *, match_id: str = "") -> None:
        """Ends the running match and starts another match in the same game. Subscribe again after the end.

        seed: the new match's random seed. Raises ValueError for an invalid seed. Raises BridgeError if the bridge was
        started without `match --restarts`, or plays a recording.
        """
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
        """Subscribes to the frames of a match. Iterate over the result.

        policy: `lockstep` (at each step, the game waits until your loop's body is done), `latest` (only the newest
            frame; `frame.skipped` summarizes the skipped frames) or `every` (all frames).
        match_id: the id of the match; empty for the current match.
        perspective: a player id, or 0 for an observer of all players; None for the match's first perspective.
        overflow: with `every`, what happens if the queue is full: `pause` pauses the game, `end` ends the subscription;
            None for the bridge's default.
        exclude: parts to leave out: `abilities`, `score`, `raw`, `map_state`, `feature_layers`, `render`, `ui`.
        agent: a name for the bridge's logs, tables and recordings. `Subscription.name` is this name, made unique.
        queue_bytes: with `every`, the limit of the queue in bytes; 0 for the bridge's default.
        content: `observation`, or `columns`. With `columns`, the bridge sends the units as vectors, and the rest of the
            observation with them. `frame.units` returns the vectors as numpy arrays without parsing.
        can_act: whether the subscription can act for the player of its perspective, by `attack` and similar methods.
        priority: if several agents command a unit in the same step, the unit obeys the agent with the highest priority.
        report_times: whether to send the bridge the times that decoding and your loop's body take.
        from_loop, from_time: only for a broker: where to start, as a game loop or as a time in seconds since 1970; 0
            for the first stored frame; None for new frames only.
        With a broker, `policy` is `latest` or `every`. There are no actions and no reported times, the match does not
        wait, and `frame.skipped` only has the number of skipped frames.
        Raises ValueError for an invalid argument, BridgeError if the bridge refuses the subscription. If the match has
        not begun yet, some refusals are raised only when the first frame is requested.
        """
        self._raise_if_closed()
        await self._raise_if_ended()
        if self._broker is not None:
            if policy == "lockstep" or can_act or tuple(exclude) or overflow is not None:
                raise ValueError(
                    "a broker has no lockstep, can_act, exclude and overflow: connect to a bridge for them"
                )
            content, report_times = "observation", False
        elif from_loop is not None or from_time is not None:
            raise ValueError(
                "from_loop and from_time need an amqp:// address: leave them out, as a bridge only sends new frames"
            )
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
        return await self._with_clearer_errors(self._open_subscription(request, from_loop, from_time))

    async def _open_subscription(
        self, request: bridge_pb2.SubscribeRequest, from_loop: Optional[int], from_time: Optional[float]
    ) -> Subscription:
        session = Session(request, self.address.encoding)
        if self._broker is not None:
            stream = await self._broker.open_at(request, from_loop, from_time)
        else:
            stream = await self._transport.open(session.subscribe_message(), session.is_two_way)
        session.memory = getattr(stream, "memory", None)
        frames = Subscription(self, session, stream)
        self._subscriptions[next(self._subscription_numbers)] = frames  # Before any wait, so that `close` finds it.
        if self._is_closed:  # The connection was closed while the stream was opened.
            await frames.close_for(_CONNECTION_CLOSED_REASON)
            self._raise_if_closed()
        if self._broker is None:
            await frames.wait_until_accepted()
        return frames

    def _existing_subscriptions(self) -> list[Subscription]:
        """All subscriptions that are not garbage-collected yet, open or closed, the newest last. Other threads may add
        subscriptions at the same time."""
        found = (reference() for reference in self._subscriptions.valuerefs())
        return [frames for frames in found if frames is not None]

    async def close(self) -> None:
        """Closes the connection and its subscriptions."""
        self._is_closed = True
        for frames in self._existing_subscriptions():
            await frames.close_for(_CONNECTION_CLOSED_REASON)
        await self._transport.close()

    async def clock_id_of(self, match_id: str) -> str:
        """The id of the clock that the bridge reads its times from. Only the first call asks the bridge."""
        if self._clock_id is None:
            await self.describe(match_id, without_game_info=True, without_data=True)
        return self._clock_id or ""

    async def _ask(self, kind: RequestKind, message: Any) -> Any:
        self._raise_if_closed()
        return await self._with_clearer_errors(self._transport.ask(kind, message))

    async def _with_clearer_errors(self, call: Awaitable[_Answer]) -> _Answer:
        """Returns the result of a call. Raises a clearer error if the connection was closed or the match has ended."""
        try:
            return await call
        except (BridgeError, ValueError) as error:  # grpcio raises ValueError for a closed channel.
            self._raise_if_closed()  # Another thread or task may have closed the connection.
            await self._raise_if_ended(error)
            raise

    def _raise_if_closed(self) -> None:
        if self._is_closed:
            raise ClosedError(self._closed_text)

    async def _raise_if_ended(self, error: Optional[Exception] = None) -> None:
        """Raises a clearer error instead of a lost connection's `error`, if the match has ended."""
        if self.all_matches_ended and isinstance(error, ConnectionLostError):
            raise ConnectionLostError(
                f"the match has ended ({self.last_end}), and its bridge at {self.address.target} is gone:"
                " start another match"
            ) from error

    @property
    def all_matches_ended(self) -> bool:
        """Whether a subscription has received the end of the last match."""
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
    """A connection to a bridge. Each subscription has its own stream, and requests have another stream. So
    subscriptions and requests do not block each other."""
