"""A subscription for asyncio: an iterator of frames, with methods to act and to send queries."""

from __future__ import annotations

import contextlib
import itertools
import logging
from collections import deque
from collections.abc import AsyncIterator, Iterable
from types import TracebackType
from typing import TYPE_CHECKING, Optional

from sc2bridge._protocol.envelope import WireMessage
from sc2bridge._protocol.session import Session
from sc2bridge._transports.transport import Stream
from sc2bridge.client.users import Users, close_abandoned
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

_CHECK_INTERVAL = 64
"""The number of frames after which a subscription of a launched match looks for abandoned subscriptions again, so that
their queues do not become full."""

_moments = itertools.count(1)
"""Numbers that order events. Unlike two times of a clock, two of these numbers are never equal."""


class Subscription(AsyncQueries):
    """An asynchronous iterator of frames. The iteration ends with the match; then `end` has the match's results.

    When your loop asks for the next frame, the client sends the commands and drawings for the current frame, and
    acknowledges the current frame. If a task is cancelled while it waits for a frame, the next call returns that frame.
    Raises BridgeError if the bridge ends the subscription, ConnectionLostError if the connection is lost, ClosedError
    if the subscription was closed before the match's end.
    """

    _close_reason: Optional[str] = "it was not opened"
    """None while the subscription is open, empty after the match's end, otherwise the reason for the close."""

    def __init__(self, connection: BaseConnection, session: Session, stream: Stream) -> None:
        self._connection = connection
        self._session = session
        self._stream = stream
        self._can_draw = True
        self._users = Users() if connection.match_waits_long else None
        self._creation_moment = next(_moments)
        self._last_frame_moment = 0
        """When the agent received its last frame, as a number of `_moments`."""
        self._frame_count = 0
        self._unsent_messages: deque[WireMessage] = deque()
        self._unsent_drawing: Optional[sc2api_pb2.Request] = None
        self._is_frame_done = False
        """Whether the agent is done with its current frame."""
        self._next_frame: Optional[Frame] = None
        """A frame that was received but not returned yet."""
        self._close_reason = None

    @property
    def end(self) -> Optional[MatchEnd]:
        """The match's end and results; None before the end."""
        return self._session.end

    @property
    def name(self) -> str:
        """The subscription's unique name at the bridge: the argument `agent`, with a number if the name was already in
        use. Empty with a broker."""
        return self._session.name

    @property
    def session_id(self) -> str:
        """The session's id, a secret: every call with this id counts as a call of this subscription, also over another
        connection. Empty after the subscription's end."""
        return "" if self._close_reason is not None else self._session.id

    async def wait_until_accepted(self) -> None:
        """Waits for the bridge's answer to `subscribe`. The bridge answers before a match begins. Raises BridgeError,
        ClosedError."""
        try:
            while not self._session.id:
                await self._receive()
        except BaseException as error:
            await self._close_after_error(error)
            raise

    def __aiter__(self) -> AsyncIterator[Frame]:
        return self

    async def __anext__(self) -> Frame:
        frame = await self.next()
        if frame is None:
            raise StopAsyncIteration
        return frame

    async def next(self) -> Optional[Frame]:
        """The next frame; None after the last one. Raises BridgeError, ClosedError."""
        self._raise_if_closed()
        if self._close_reason is not None:
            return None
        if self._users is not None:
            self._users.record_user()
            if self._frame_count == 1 or self._frame_count % _CHECK_INTERVAL == 0:
                await close_abandoned(self._connection, self)
        try:
            frame = await self._next()
        except BaseException as error:
            if not _is_cancellation(error):  # After a cancellation, the next call continues.
                await self._close_after_error(error)
            raise
        if self._close_reason is not None:  # Another thread or task closed the subscription.
            raise self._closed_error()
        if frame is None:
            self._close_reason = ""
            self._connection.last_end = self.end
            with contextlib.suppress(BridgeError):  # All frames were received, so a lost connection does not matter.
                await self._stream.finish()
        return frame

    async def _next(self) -> Optional[Frame]:
        session = self._session
        await self.done()
        while self._next_frame is None:
            if session.end is not None:
                return None
            await self._receive()
        frame = self._next_frame
        if session.needs_clock:
            await self._send(session.set_clock(await self._connection.clock_id_of(frame.match_id)))
        session.begin_frame(frame)
        if session.needs_match:
            await self._describe()
            session.restart_think_time()
        self._next_frame, self._is_frame_done, self._last_frame_moment = None, False, next(_moments)
        self._frame_count += 1
        return frame

    async def _receive(self) -> None:
        """Receives one message. If the message is a frame, stores it in `_next_frame`."""
        message = await self._stream.receive()
        if message is None:
            raise ConnectionLostError("the bridge ended the stream before the match's end")
        self._next_frame, answers = self._session.handle_message(message)
        await self._send(answers)

    async def done(self) -> None:
        """Sends the commands and drawings for the current frame, and acknowledges the frame. A request for the next
        frame does the same. A program that plays several matches in turn calls `done` for each match, and then waits
        for their frames. Raises BridgeError."""
        if not self._is_frame_done:
            await self._draw()
            self._unsent_messages.extend(self._session.finish_frame())
            self._is_frame_done = True
        await self._send([])

    def restart_think_time(self) -> None:
        """Restarts the measurement of the think time: the agent's time for the current frame."""
        self._session.restart_think_time()

    async def act(self, actions: Iterable[sc2api_pb2.Action]) -> int:
        """Sends actions of the player for the current frame. Needs a subscription with `can_act`.

        In a stepped match, the game executes them in the next step. In real time, it executes them at once, or, with
        the policy `lockstep`, when your loop's body is done. A later frame has the outcomes in `frame.outcomes`.
        Returns a number, the `tag` of these outcomes. Raises ValueError if there is no current frame, ClosedError after
        `close`.
        """
        self._raise_if_closed()
        tag, messages = self._session.act(actions)
        await self._send(messages)
        return tag

    def do(self, action: sc2api_pb2.Action) -> None:
        """Collects an action of any kind. The client sends it when your loop asks for the next frame."""
        self._raise_if_closed()
        self._session.do(action)

    async def describe(self) -> Match:
        """The match as this perspective sees it, with the game's constants by name. Raises BridgeError.

        The player's start location is unknown before the first frame. If `subscribe` was called without a perspective,
        the perspective is not certain before the first frame either.
        """
        return self._session.match or await self._describe()

    async def _describe(self) -> Match:
        session = self._session
        described = await self._connection.describe(session.match_id, perspective=session.perspective)
        return session.set_match(described.description)

    @property
    def match(self) -> Match:
        """The match. Available from the first frame on if the agent can act; otherwise after a call of `describe`.
        Raises ValueError before that."""
        return self._session.require_match()

    @property
    def debug(self) -> Drawing:
        """The drawing of this step on the game's screen. If the game or the bridge refuses a drawing, as a playback
        does, the client logs the refusal and sends no more drawings."""
        return self._session.debug

    async def request(self, request: sc2api_pb2.Request) -> sc2api_pb2.Response:
        """Sends the game a request that does not change the match, as this perspective. Raises BridgeError."""
        session = self._session
        return await self._connection.call_game(request, session.match_id, session.perspective, self.session_id)

    @property
    def outcomes(self) -> list[Outcome]:
        """The outcomes of actions after which no frame arrived, such as actions in the last step."""
        return self._session.outcomes

    async def close(self) -> None:
        """Ends the subscription. If the game waits for this subscription, the game continues."""
        await self.close_for("close() was called")

    async def close_for(self, reason: str) -> None:
        """Closes the subscription, unless it has ended. Later calls raise ClosedError with this reason."""
        if self._close_reason is None:
            self._close_reason = reason
            await self._stream.close()

    def is_abandoned(self, newer: Subscription) -> bool:
        """Whether the caller reads the subscription `newer` instead, and no other thread or task can read `self`."""
        if self._users is None or self._close_reason is not None:
            return False
        if max(self._creation_moment, self._last_frame_moment) >= newer._creation_moment:
            return False
        # If neither subscription has received a frame, the caller may be about to read both in turn.
        has_frame = self._frame_count > 0 or newer._frame_count > 0
        return has_frame and not self._users.may_read_again()

    @property
    def match_waits(self) -> bool:
        """Whether the match waits for this subscription, because its policy is `lockstep`."""
        return self._session.match_waits

    def __del__(self) -> None:
        # A loop that ends by `break` does not close the subscription. A game in lockstep would wait for it forever.
        if self._close_reason is None:
            self._close_reason = "it was garbage-collected"
            with contextlib.suppress(Exception):
                self._stream.drop()

    def _raise_if_closed(self) -> None:
        if self._close_reason:
            raise self._closed_error()

    def _closed_error(self) -> ClosedError:
        return ClosedError(f"this subscription is closed ({self._close_reason}): subscribe again")

    async def _close_after_error(self, error: BaseException) -> None:
        """Closes the subscription. Raises ClosedError if another thread or task closed it and so caused the error."""
        if self._close_reason is not None and isinstance(error, BridgeError):
            raise self._closed_error() from None
        is_interrupt = isinstance(error, KeyboardInterrupt)
        await self.close_for(
            "it was interrupted" if is_interrupt else f"it failed: {str(error) or type(error).__name__}"
        )

    def _current_match(self) -> Match:
        return self.match

    async def _draw(self) -> None:
        request, self._unsent_drawing = self._unsent_drawing or self._session.debug.take_request(), None
        if request is None or not self._can_draw:
            return
        self._unsent_drawing = request  # If this call is cancelled, the next call sends the drawing.
        try:
            await self.request(request)
        except ConnectionLostError:
            raise
        except (BridgeError, ClosedError) as error:  # The agent continues without drawings.
            self._can_draw = False
            _log.warning("drawings are turned off: %s", getattr(error, "message", error))
        self._unsent_drawing = None

    async def _send(self, messages: list[WireMessage]) -> None:
        """Sends the messages, after those that a cancelled call did not send."""
        self._unsent_messages.extend(messages)
        while self._unsent_messages:
            await self._stream.send(self._unsent_messages.popleft())

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
    import asyncio  # A slow import, so only on use.

    return isinstance(error, asyncio.CancelledError)
