"""A subscription, for asyncio: an iterator of frames, through which an agent also acts and asks."""

from __future__ import annotations

import contextlib
import logging
from collections.abc import AsyncIterator, Iterable
from types import TracebackType
from typing import TYPE_CHECKING, Optional

from sc2bridge._protocol.envelope import Wire
from sc2bridge._protocol.session import Session
from sc2bridge._transports.transport import Stream
from sc2bridge.errors import BridgeError, ConnectionLostError
from sc2bridge.game.drawing import Drawing
from sc2bridge.game.frame import Frame
from sc2bridge.game.match import Match
from sc2bridge.game.outcomes import Outcome
from sc2bridge.game.queries import AsyncQueries
from sc2bridge.game.words import MatchEnd
from sc2bridge.s2clientprotocol import sc2api_pb2

if TYPE_CHECKING:
    from sc2bridge.client.aio import Connection

_log = logging.getLogger("sc2bridge")


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
    def end(self) -> Optional[MatchEnd]:
        """The match's end and results; None before it."""
        return self._session.end

    @property
    def name(self) -> str:
        """Its unique name at the bridge: `agent`, with a number if that name was taken. Empty over a broker."""
        return self._session.name

    @property
    def session_id(self) -> str:
        """A secret: calls on other connections that have it belong to this subscription. Empty after its end."""
        return "" if self._closed else self._session.id

    async def begin(self) -> None:
        """Waits for the bridge's answer to `subscribe`, which comes before a match begins too. Raises BridgeError."""
        try:
            while not self._session.id:
                await self._receive()
        except BaseException:
            await self.close()
            raise

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
        if self._closed:  # Drops what still came.
            return None
        if frame is None:
            self._closed = True
            if self.end is not None and not self.end.next_follows:
                self._connection.is_over = True
            with contextlib.suppress(BridgeError):  # All was received: a bridge that goes now takes nothing away.
                await self._stream.finish()
        return frame

    async def _next(self) -> Optional[Frame]:
        session = self._session
        await self.done()
        while True:
            frame = await self._receive()
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

    async def _receive(self) -> Optional[Frame]:
        """The frame in the next message, if it is one."""
        message = await self._stream.receive()
        if message is None:
            raise ConnectionLostError("the bridge ended the stream before the match's end")
        frame, answers = self._session.received(message)
        await self._send(answers)
        return frame

    async def done(self) -> None:
        """The agent is done with the frame that it holds: what was ordered and drawn upon it goes out, and it is acknowledged.
        Asking for the next frame does the same; who steps several matches calls it for each, and then waits. Raises BridgeError.
        """
        await self._draw()
        await self._send(self._session.done())

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
        """The match: for agents that act, from the first frame on; for others, once `describe` was called. Raises
        ValueError."""
        return self._session.known_match()

    @property
    def debug(self) -> Drawing:
        """What the step draws on the game's screen. Where the game or the bridge refuses it once, as a recording does,
        that is logged, and no more is sent."""
        return self._session.debug

    async def request(self, request: sc2api_pb2.Request) -> sc2api_pb2.Response:
        """Asks the game as this perspective: any request that leaves the match as it is. Raises BridgeError."""
        session = self._session
        return await self._connection.call_game(request, session.match_id, session.perspective, self.session_id)

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
