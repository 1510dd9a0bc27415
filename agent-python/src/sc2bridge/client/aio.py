"""A bridge, for asyncio: `connection = await aconnect(url)`, then as `sc2bridge.connect`, awaited.

All that a connection and its subscriptions do is written here, once: `sync` runs the same methods over a transport that
blocks.
"""

from __future__ import annotations

import contextlib
import itertools
import logging
import weakref
from collections.abc import AsyncIterator, Iterable
from types import TracebackType
from typing import Optional

from sc2bridge._protocol.choices import Compression, Content, Encoding, Overflow, Part, Policy
from sc2bridge._protocol.compression import choose
from sc2bridge._protocol.envelope import Wire
from sc2bridge._protocol.requests import CONTROL, DESCRIBE, REQUEST
from sc2bridge._protocol.session import Session
from sc2bridge._protocol.subscribe import side_key, subscribe_request
from sc2bridge._transports.address import Address, parse_address
from sc2bridge._transports.pipe import AsyncNetwork, BlockingNetwork
from sc2bridge._transports.transport import Stream, Timeouts, Transport
from sc2bridge.client.playback import AsyncPlayback
from sc2bridge.errors import BridgeError, ConnectionLostError
from sc2bridge.game.drawing import Drawing
from sc2bridge.game.frame import Frame
from sc2bridge.game.match import Match
from sc2bridge.game.outcomes import Outcome
from sc2bridge.game.queries import AsyncQueries
from sc2bridge.s2clientprotocol import sc2api_pb2
from sc2bridge.v1 import bridge_pb2

_log = logging.getLogger("sc2bridge")


async def connect(
    url: str,
    encoding: Optional[Encoding] = None,
    compression: Optional[Compression] = None,
    key: Optional[str] = None,
    timeouts: Timeouts = Timeouts(),
) -> Connection:
    """As `sc2bridge.connect`."""
    return Connection(url, encoding, compression, key, timeouts)


def open_transport(address: Address, compression: Optional[str], timeouts: Timeouts, blocks: bool) -> Transport:
    """The transport of an address. It connects when it is first used."""
    if address.transport == "grpc":
        from sc2bridge._transports import grpc  # Takes a while to import, and is not everyone's.

        if blocks:
            return grpc.BlockingGrpc(address, compression, timeouts)
        return grpc.AsyncGrpc(address, compression, timeouts)
    from sc2bridge._transports.websocket import WebSocketTransport

    if blocks:
        return WebSocketTransport(address, compression, timeouts, BlockingNetwork())
    return WebSocketTransport(address, compression, timeouts, AsyncNetwork())


class Connection(AsyncPlayback):
    """A bridge. Each subscription has a stream of its own, and requests another, so none waits for another."""

    def __init__(
        self,
        url: str,
        encoding: Optional[Encoding],
        compression: Optional[Compression],
        key: Optional[str],
        timeouts: Timeouts,
        blocks: bool = False,
    ) -> None:
        self.address = parse_address(url, encoding)
        of_transport, self._compression = choose(compression)
        self._key = side_key(key)
        self._transport = open_transport(self.address, of_transport, timeouts, blocks)
        self._tags = itertools.count(1)
        self._clock_id: Optional[str] = None
        self._agent = ""
        self._subscriptions: weakref.WeakSet[Subscription] = weakref.WeakSet()

    async def describe(
        self,
        match_id: str = "",
        *,
        perspective: Optional[int] = None,
        without_game_info: bool = False,
        without_data: bool = False,
    ) -> bridge_pb2.MatchDescription:
        """The match that runs, or a certain one; waits until there is one. Raises BridgeError.

        perspective: whose `game_info`; None for the first perspective's.
        """
        request = bridge_pb2.DescribeRequest(
            match_id=match_id,
            perspective=perspective,
            without_game_info=without_game_info,
            without_data=without_data,
            key=self._key,
        )
        description: bridge_pb2.MatchDescription = await self._transport.ask(DESCRIBE, request)
        self._clock_id = description.clock_id
        return description

    async def request(
        self, request: sc2api_pb2.Request, *, match_id: str = "", perspective: int = 0
    ) -> sc2api_pb2.Response:
        """Asks the game something that leaves the match as it is, such as a query.

        Raises BridgeError, among others for requests that would change the match.
        """
        message = bridge_pb2.GameRequest(
            match_id=match_id,
            perspective=perspective,
            tag=next(self._tags) & 0xFFFFFFFF,
            request=request,
            agent=self._agent,
            key=self._key,
        )
        answer: bridge_pb2.GameResponse = await self._transport.ask(REQUEST, message)
        return answer.response

    async def _control(self, request: bridge_pb2.ControlRequest) -> bridge_pb2.PlaybackState:
        state: bridge_pb2.PlaybackState = await self._transport.ask(CONTROL, request)
        return state

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
    ) -> Subscription:
        """Subscribes to a match's frames; iterate over what is returned.

        policy: `lockstep` (the game waits until the loop's body is done with each step), `latest` (the newest only;
            `frame.skipped` sums up the others) or `every`.
        match_id: the match; empty for the one that runs.
        perspective: a player id, 0 for an observer of all; None for the match's first.
        overflow: under `every`, whether a full queue `pause`s the game or `end`s the subscription; None for the
            bridge's choice.
        exclude: parts to do without: `abilities`, `score`, `raw`, `map_state`, `feature_layers`, `render`, `ui`.
        agent: a name for the bridge's logs and tables, and for what this connection requests from now on.
        queue_bytes: the most that may wait under `every`; 0 for the bridge's choice.
        content: `observation`, or `columns`: the units as vectors that `frame.units` shows as numpy arrays with no unit
            parsed, and the rest of the observation beside them.
        can_act: act for the player whose perspective this is, by `attack` and its like; else the subscription only
            watches.
        priority: of several agents that command a unit in one step, the one with the highest is obeyed.
        report_times: send back what decoding and the loop's body took.
        Raises ValueError for a choice that does not exist. What the bridge refuses shows at the first frame.
        """
        self._agent = agent or self._agent
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
            key=self._key,
        )
        session = Session(request, self.address.encoding)
        stream = await self._transport.open(request, session.opening(), session.is_two_way)
        frames = Subscription(self, session, stream)
        self._subscriptions.add(frames)
        return frames

    async def close(self) -> None:
        """Closes the connection; its subscriptions end."""
        for frames in list(self._subscriptions):
            await frames.close()
        await self._transport.close()

    async def clock_of(self, match_id: str) -> str:
        """Which clock the bridge reads."""
        if self._clock_id is None:
            await self.describe(match_id, without_game_info=True, without_data=True)
        return self._clock_id or ""

    async def __aenter__(self) -> Connection:
        return self

    async def __aexit__(
        self,
        kind: Optional[type[BaseException]],
        error: Optional[BaseException],
        traceback: Optional[TracebackType],
    ) -> None:
        await self.close()


class Subscription(AsyncQueries):
    """An asynchronous iterator of frames that ends with the match; `end` is then its result.

    When the loop asks for the next frame, what was ordered and drawn upon the last one goes out, and it is
    acknowledged.
    Raises BridgeError where the bridge ends the subscription, ConnectionLostError where the bridge is gone.
    """

    _closed = True  # Until it is made.

    def __init__(self, connection: Connection, session: Session, stream: Stream) -> None:
        self._connection = connection
        self._session = session
        self._stream = stream
        self._draws = True
        self._closed = False

    @property
    def end(self) -> Optional[bridge_pb2.MatchEnd]:
        """The match's end and results; None before it."""
        return self._session.end

    def __aiter__(self) -> AsyncIterator[Frame]:
        return self

    async def __anext__(self) -> Frame:
        frame = await self.next()
        if frame is None:
            raise StopAsyncIteration
        return frame

    async def next(self) -> Optional[Frame]:
        """The next frame; None behind the last. Raises BridgeError."""
        if self._closed:
            return None
        try:
            frame = await self._next()
        except BaseException as error:
            if self._closed and isinstance(error, BridgeError):  # Closed meanwhile, by another thread or task.
                return None
            await self.close()
            raise
        if self._closed:  # What still came then is for nobody.
            return None
        if frame is None:
            self._closed = True
            with contextlib.suppress(BridgeError):  # All was received: a bridge that goes now takes nothing away.
                await self._stream.finish()
        return frame

    async def _next(self) -> Optional[Frame]:
        session = self._session
        await self._draw()
        await self._send(session.done())
        while True:
            message = await self._stream.receive()
            if message is None:
                raise ConnectionLostError("the bridge ended the stream before the match's end")
            frame, answers = session.received(message)
            await self._send(answers)
            if frame is not None:
                if session.wants_clock:
                    await self._send(session.set_clock(await self._connection.clock_of(frame.match_id)))
                session.begun(frame)
                if session.wants_match:
                    await self._describe()
                    session.begin_again()
                return frame
            if session.end is not None:
                return None

    def begin_again(self) -> None:
        """The agent's time for the frame that came last begins now."""
        self._session.begin_again()

    async def act(self, actions: Iterable[sc2api_pb2.Action]) -> int:
        """Has the player do something, upon the frame that came last; of a subscription with `can_act`.

        In a stepped match it is done with the next step, in real time at once (in lockstep when the loop's body is
        done). What became of it comes with a later frame, in `frame.outcomes`. Returns the tag that those bear.
        Raises ValueError where there is nothing to act upon.
        """
        tag, messages = self._session.act(actions)
        await self._send(messages)
        return tag

    def do(self, action: sc2api_pb2.Action) -> None:
        """Any action; it goes with those of the other commands when the loop asks for the next frame."""
        self._session.do(action)

    async def describe(self) -> Match:
        """The match as this perspective sees it, with the game's constants by name. Raises BridgeError.

        Before the first frame it is not known yet where the player starts, nor, where `subscribe` was given no
        perspective, for certain whose eyes these are; with that frame it is.
        """
        return self._session.match or await self._describe()

    async def _describe(self) -> Match:
        session = self._session
        return session.set_match(await self._connection.describe(session.match_id, perspective=session.perspective))

    @property
    def match(self) -> Match:
        """The match, for who acts: from the first frame on. Who watches calls `describe` first. Raises ValueError."""
        return self._session.known_match()

    @property
    def debug(self) -> Drawing:
        """What the step draws on the game's screen. Where the game or the bridge refuses it once, as a recording does,
        that is logged, and no more is sent."""
        return self._session.debug

    async def request(self, request: sc2api_pb2.Request) -> sc2api_pb2.Response:
        """Asks the game as this perspective: any request that leaves the match as it is. Raises BridgeError."""
        session = self._session
        return await self._connection.request(request, match_id=session.match_id, perspective=session.perspective or 0)

    @property
    def outcomes(self) -> list[Outcome]:
        """What became of actions, as far as no frame has brought it: after the last one."""
        return self._session.outcomes

    async def close(self) -> None:
        """Ends the subscription; a game that waits for it goes on."""
        if not self._closed:
            self._closed = True
            await self._stream.close()

    def __del__(self) -> None:
        # A loop that was left drops it without a word, and a game in lockstep would wait for its answer.
        if not self._closed:
            self._closed = True
            with contextlib.suppress(Exception):
                self._stream.drop()

    def _constants(self) -> Match:
        return self.match

    async def _draw(self) -> None:
        request = self._session.debug.take()
        if request is None or not self._draws:
            return
        try:
            await self.request(request)
        except ConnectionLostError:
            raise
        except BridgeError as error:  # An agent plays on without its drawing.
            self._draws = False
            _log.warning("nothing is drawn: %s", error.message)

    async def _send(self, messages: list[Wire]) -> None:
        for message in messages:
            await self._stream.send(message)

    async def __aenter__(self) -> Subscription:
        return self

    async def __aexit__(
        self,
        kind: Optional[type[BaseException]],
        error: Optional[BaseException],
        traceback: Optional[TracebackType],
    ) -> None:
        await self.close()
