"""A subscription, for asyncio: an iterator of frames, through which an agent also acts and asks."""

from __future__ import annotations

import contextlib
import itertools
import logging
from collections import deque
from collections.abc import AsyncIterator, Iterable
from types import TracebackType
from typing import TYPE_CHECKING, Optional

from sc2bridge._protocol.envelope import Wire
from sc2bridge._protocol.session import Session
from sc2bridge._transports.transport import Stream
from sc2bridge.client.users import Users, close_forgotten
from sc2bridge.errors import BridgeError, ClosedError, ConnectionLostError
from sc2bridge.game.drawing import Drawing
from sc2bridge.game.frame import Frame
from sc2bridge.game.match import Match
from sc2bridge.game.outcomes import Outcome
from sc2bridge.game.queries import AsyncQueries
from sc2bridge.game.words import MatchEnd
from sc2bridge.s2clientprotocol import sc2api_pb2

if TYPE_CHECKING:
    from sc2bridge.client.aio import BaseConnection

_log = logging.getLogger("sc2bridge")

_LOOK = 64
"""After so many frames each time, a subscription of a launched match looks for others that were left. Their queues are not full sooner."""

_moments = itertools.count(1)
"""A later event has a higher number, also in the same tick of a clock."""


class Subscription(AsyncQueries):
    """An asynchronous iterator of frames that ends with the match; `end` is then its result.

    When the loop asks for the next frame, what was ordered and drawn upon the last one goes out, and it is
    acknowledged. If a task is cancelled while it waits for a frame, the next one that asks gets that frame.
    Raises BridgeError if the bridge ends the subscription, ConnectionLostError if the bridge is gone, ClosedError if the
    subscription was closed before the match's end.
    """

    _closed: Optional[str] = "it was not opened"
    """None while it is open, empty after the match's end, else why it was closed."""

    def __init__(self, connection: BaseConnection, session: Session, stream: Stream) -> None:
        self._connection = connection
        self._session = session
        self._stream = stream
        self._draws = True
        self._users = Users() if connection.waits_for_ever else None
        self._made = next(_moments)
        self._last_frame = 0
        """The moment of the last frame that the agent got."""
        self._frames = 0
        """How many frames the agent got."""
        self._unsent: deque[Wire] = deque()
        self._undrawn: Optional[sc2api_pb2.Request] = None
        self._is_done = False
        """Whether the agent is done with the last frame that it got."""
        self._held: Optional[Frame] = None
        """A frame that was received, and not returned yet."""
        self._closed = None

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
        return "" if self._closed is not None else self._session.id

    async def begin(self) -> None:
        """Waits for the bridge's answer to `subscribe`, which comes before a match begins too. Raises BridgeError,
        ClosedError."""
        try:
            while not self._session.id:
                await self._receive()
        except BaseException as error:
            await self._fail(error)
            raise

    def __aiter__(self) -> AsyncIterator[Frame]:
        return self

    async def __anext__(self) -> Frame:
        frame = await self.next()
        if frame is None:
            raise StopAsyncIteration
        return frame

    async def next(self) -> Optional[Frame]:
        """The next frame; None behind the last. Raises BridgeError, ClosedError."""
        self._check_open()
        if self._closed is not None:
            return None
        if self._users is not None:
            self._users.note()
            if self._frames == 1 or self._frames % _LOOK == 0:
                await close_forgotten(self._connection, self)
        try:
            frame = await self._next()
        except BaseException as error:
            if not _is_cancellation(error):  # Else the next call goes on here.
                await self._fail(error)
            raise
        if self._closed is not None:  # By another thread or task: what still came is dropped.
            raise self._closed_error()
        if frame is None:
            self._closed = ""
            self._connection.last_end = self.end
            with contextlib.suppress(BridgeError):  # All was received: a bridge that goes now takes nothing away.
                await self._stream.finish()
        return frame

    async def _next(self) -> Optional[Frame]:
        session = self._session
        await self.done()
        while self._held is None:
            if session.end is not None:
                return None
            await self._receive()
        frame = self._held
        if session.wants_clock:
            await self._send(session.set_clock(await self._connection.clock_of(frame.match_id)))
        session.begun(frame)
        if session.wants_match:
            await self._describe()
            session.begin_again()
        self._held, self._is_done, self._last_frame = None, False, next(_moments)
        self._frames += 1
        return frame

    async def _receive(self) -> None:
        """Takes the next message; a frame in it is held."""
        message = await self._stream.receive()
        if message is None:
            raise ConnectionLostError("the bridge ended the stream before the match's end")
        self._held, answers = self._session.received(message)
        await self._send(answers)

    async def done(self) -> None:
        """The agent is done with the frame that it holds: what was ordered and drawn upon it goes out, and it is acknowledged.
        Asking for the next frame does the same; who steps several matches calls it for each, and then waits. Raises BridgeError.
        """
        if not self._is_done:
            await self._draw()
            self._unsent.extend(self._session.done())
            self._is_done = True
        await self._send([])

    def begin_again(self) -> None:
        """The agent's time for the frame that came last begins now."""
        self._session.begin_again()

    async def act(self, actions: Iterable[sc2api_pb2.Action]) -> int:
        """Has the player do something, upon the frame that came last; of a subscription with `can_act`.

        In a stepped match it is done with the next step, in real time at once (in lockstep when the loop's body is
        done). What became of it comes with a later frame, in `frame.outcomes`. Returns the tag that those bear.
        Raises ValueError if no frame is held, ClosedError after `close`.
        """
        self._check_open()
        tag, messages = self._session.act(actions)
        await self._send(messages)
        return tag

    def do(self, action: sc2api_pb2.Action) -> None:
        """Any action; it goes with those of the other commands when the loop asks for the next frame."""
        self._check_open()
        self._session.do(action)

    async def describe(self) -> Match:
        """The match as this perspective sees it, with the game's constants by name. Raises BridgeError.

        Before the first frame it is not known yet where the player starts, nor, where `subscribe` was given no
        perspective, for certain whose eyes these are; with that frame it is.
        """
        return self._session.match or await self._describe()

    async def _describe(self) -> Match:
        session = self._session
        described = await self._connection.describe(session.match_id, perspective=session.perspective)
        return session.set_match(described.description)

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
        await self.close_for("close() was called")

    async def close_for(self, why: str) -> None:
        """Closes it, unless it has ended. Reading it after that raises the reason."""
        if self._closed is None:
            self._closed = why
            await self._stream.close()

    def is_forgotten(self, newer: Subscription) -> bool:
        """Whether the caller reads a newer one instead, and no other thread or task could read this one."""
        if self._users is None or self._closed is not None or max(self._made, self._last_frame) >= newer._made:
            return False
        is_left = self._frames > 0 or newer._frames > 0  # Else both may be read in turns.
        return is_left and not self._users.may_come_back()

    @property
    def holds_up_match(self) -> bool:
        """Whether the match waits for it under `lockstep`."""
        return self._session.holds_up_match

    def __del__(self) -> None:
        # A loop that was left drops it without a word, and a game in lockstep would wait for its answer.
        if self._closed is None:
            self._closed = "it was dropped"
            with contextlib.suppress(Exception):
                self._stream.drop()

    def _check_open(self) -> None:
        if self._closed:
            raise self._closed_error()

    def _closed_error(self) -> ClosedError:
        return ClosedError(f"this subscription is closed ({self._closed}): subscribe again")

    async def _fail(self, error: BaseException) -> None:
        """Closes it after an error. Raises ClosedError if the error is that another thread or task has closed it."""
        if self._closed is not None and isinstance(error, BridgeError):
            raise self._closed_error() from None
        interrupted = isinstance(error, KeyboardInterrupt)
        await self.close_for(
            "it was interrupted" if interrupted else f"it failed: {str(error) or type(error).__name__}"
        )

    def _constants(self) -> Match:
        return self.match

    async def _draw(self) -> None:
        request, self._undrawn = self._undrawn or self._session.debug.take(), None
        if request is None or not self._draws:
            return
        self._undrawn = request  # The next call sends it if this one is cancelled.
        try:
            await self.request(request)
        except ConnectionLostError:
            raise
        except (BridgeError, ClosedError) as error:  # An agent plays on without its drawing.
            self._draws = False
            _log.warning("nothing is drawn: %s", getattr(error, "message", error))
        self._undrawn = None

    async def _send(self, messages: list[Wire]) -> None:
        """Sends the messages, after messages that a cancelled call left."""
        self._unsent.extend(messages)
        while self._unsent:
            await self._stream.send(self._unsent.popleft())

    async def __aenter__(self) -> Subscription:
        return self

    async def __aexit__(
        self,
        kind: Optional[type[BaseException]],
        error: Optional[BaseException],
        traceback: Optional[TracebackType],
    ) -> None:
        await self.close_for("its `with` statement was left")


def _is_cancellation(error: BaseException) -> bool:
    import asyncio  # Takes a while.

    return isinstance(error, asyncio.CancelledError)
