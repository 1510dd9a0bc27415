"""A subscription by asyncio; see `subscription`, its blocking counterpart."""

from __future__ import annotations

import contextlib
import logging
from collections.abc import AsyncIterator, Iterable
from types import TracebackType
from typing import TYPE_CHECKING, Optional, Union

from sc2bridge.aio_links import GrpcStream, WebSocketStream
from sc2bridge.aio_questions import Questions
from sc2bridge.drawing import Drawing
from sc2bridge.errors import BridgeError, ConnectionLost
from sc2bridge.frame import Frame
from sc2bridge.match import Match
from sc2bridge.outcomes import Outcome
from sc2bridge.s2clientprotocol import sc2api_pb2
from sc2bridge.session import Session, Wire
from sc2bridge.v1 import bridge_pb2

if TYPE_CHECKING:
    from sc2bridge.aio import Connection

_log = logging.getLogger("sc2bridge")


class Subscription(Questions):
    """An asynchronous iterator of frames; see `sc2bridge.subscription.Subscription`."""

    def __init__(self, connection: Connection, session: Session, stream: Union[GrpcStream, WebSocketStream]) -> None:
        self._connection = connection
        self._session = session
        self._stream = stream
        self._closed = False

    @property
    def end(self) -> Optional[bridge_pb2.MatchEnd]:
        """The match's end and results; None before it."""
        return self._session.end

    def __aiter__(self) -> AsyncIterator[Frame]:
        return self

    async def __anext__(self) -> Frame:
        if not self._closed:
            try:
                frame = await self._next()
            except BaseException as error:
                if self._closed and isinstance(error, BridgeError):  # Closed meanwhile, by another task.
                    raise StopAsyncIteration from None
                await self.close()
                raise
            if self._closed:  # What still came then is for nobody.
                raise StopAsyncIteration
            if frame is not None:
                return frame
            self._end()
            with contextlib.suppress(BridgeError):  # All was heard: a bridge that goes now takes nothing away.
                await self._stream.finish()
        raise StopAsyncIteration

    async def _next(self) -> Optional[Frame]:
        """The next frame; None at the match's end."""
        await self._draw()
        await self._send(self._session.done())
        while True:
            message = await self._stream.receive()
            if message is None:
                raise ConnectionLost("the bridge ended the stream before the match's end")
            frame, answers = self._session.received(message)
            await self._send(answers)
            if frame is not None:
                if self._session.wants_clock:
                    await self._send(self._session.set_clock(await self._connection._clock_of(frame.match)))
                self._session.begun(frame)
                if self._session.wants_match:
                    await self.describe()
                    self._session.begin_again()
                return frame
            if self._session.end is not None:
                return None

    async def act(self, actions: Iterable[sc2api_pb2.Action]) -> int:
        """As `sc2bridge.subscription.Subscription.act`."""
        tag, messages = self._session.act(actions)
        await self._send(messages)
        return tag

    def do(self, action: sc2api_pb2.Action) -> None:
        """Any action; it goes with those of the other commands when the loop asks for the next frame."""
        self._session.do(action)

    async def describe(self) -> Match:
        """The match as this perspective sees it, with the game's constants by name. Raises BridgeError."""
        session = self._session
        if session.match is None:
            return session.set_match(
                await self._connection.describe(session.match_name, perspective=session.perspective)
            )
        return session.match

    @property
    def match(self) -> Match:
        """The match, for who plays: from the first frame on. Who watches awaits `describe` first. Raises ValueError."""
        return self._session.known_match()

    @property
    def debug(self) -> Drawing:
        """What the step draws on the game's screen."""
        return self._session.debug

    async def request(self, request: sc2api_pb2.Request) -> sc2api_pb2.Response:
        """Asks the game as this perspective: any request that leaves the match as it is. Raises BridgeError."""
        session = self._session
        return await self._connection.request(request, match=session.match_name, perspective=session.perspective or 0)

    @property
    def outcomes(self) -> list[Outcome]:
        """What became of actions, each beside its result, as far as no frame has brought it: after the last one."""
        return self._session.outcomes

    @property
    def results(self) -> list[bridge_pb2.ActionsResult]:
        """What became of actions, as far as no frame has brought it: after the last one."""
        return self._session.results

    async def close(self) -> None:
        """Ends the subscription; a game that waits for it goes on."""
        if not self._closed:
            self._end()
            await self._stream.close()

    def _end(self) -> None:
        self._closed = True
        self._connection._subscriptions.discard(self)

    def _constants(self) -> Match:
        return self.match

    async def _draw(self) -> None:
        request = self._session.debug.take()
        if request is not None:
            try:
                await self.request(request)
            except ConnectionLost:
                raise
            except BridgeError as error:  # A recording has no screen, for one: an agent plays on without its drawing.
                _log.warning("nothing was drawn: %s", error.message)

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
