"""A subscription, blocking: an iterator of frames, through which an agent also plays."""

from __future__ import annotations

import contextlib
import logging
from collections.abc import Iterable, Iterator
from types import TracebackType
from typing import TYPE_CHECKING, Optional, Union

from sc2bridge.drawing import Drawing
from sc2bridge.errors import BridgeError, ConnectionLost
from sc2bridge.frame import Frame
from sc2bridge.links import GrpcStream, WebSocketStream
from sc2bridge.match import Match
from sc2bridge.outcomes import Outcome
from sc2bridge.questions import Questions
from sc2bridge.s2clientprotocol import sc2api_pb2
from sc2bridge.session import Session, Wire
from sc2bridge.v1 import bridge_pb2

if TYPE_CHECKING:
    from sc2bridge.connection import Connection

_log = logging.getLogger("sc2bridge")


class Subscription(Questions):
    """An iterator of frames that ends with the match; `end` is then its result.

    When the loop asks for the next frame, what was ordered and drawn upon the last one goes out, and it is
    acknowledged.
    Raises BridgeError where the bridge ends the subscription, ConnectionLost where the bridge is gone.
    """

    def __init__(self, connection: Connection, session: Session, stream: Union[GrpcStream, WebSocketStream]) -> None:
        self._connection = connection
        self._session = session
        self._stream = stream
        self._closed = False

    @property
    def end(self) -> Optional[bridge_pb2.MatchEnd]:
        """The match's end and results; None before it."""
        return self._session.end

    def __iter__(self) -> Iterator[Frame]:
        return self

    def __next__(self) -> Frame:
        if not self._closed:
            try:
                frame = self._next()
            except BaseException as error:
                if self._closed and isinstance(error, BridgeError):  # Closed meanwhile, by another thread.
                    raise StopIteration from None
                self.close()
                raise
            if self._closed:  # What still came then is for nobody.
                raise StopIteration
            if frame is not None:
                return frame
            self._closed = True
            with contextlib.suppress(BridgeError):  # All was heard: a bridge that goes now takes nothing away.
                self._stream.finish()
        raise StopIteration

    def _next(self) -> Optional[Frame]:
        """The next frame; None at the match's end."""
        self._draw()
        self._send(self._session.done())
        while True:
            message = self._stream.receive()
            if message is None:
                raise ConnectionLost("the bridge ended the stream before the match's end")
            frame, answers = self._session.received(message)
            self._send(answers)
            if frame is not None:
                if self._session.wants_clock:
                    self._send(self._session.set_clock(self._connection._clock_of(frame.match)))
                self._session.begun(frame)
                if self._session.wants_match:
                    self.describe()
                    self._session.begin_again()
                return frame
            if self._session.end is not None:
                return None

    def begin_again(self) -> None:
        """The agent's time for the frame that came last begins now."""
        self._session.begin_again()

    def act(self, actions: Iterable[sc2api_pb2.Action]) -> int:
        """Has the player do something, upon the frame that came last; of a subscription with `plays`.

        In a stepped match it is done with the next step, in real time at once (in lockstep when the loop's body is
        done). What became of it comes with a later frame, in `frame.outcomes`. Returns the tag that the result bears.
        Raises ValueError where there is nothing to act upon.
        """
        tag, messages = self._session.act(actions)
        self._send(messages)
        return tag

    def do(self, action: sc2api_pb2.Action) -> None:
        """Any action; it goes with those of the other commands when the loop asks for the next frame."""
        self._session.do(action)

    def describe(self) -> Match:
        """The match as this perspective sees it, with the game's constants by name. Raises BridgeError."""
        session = self._session
        if session.match is None:
            return session.set_match(self._connection.describe(session.match_name, perspective=session.perspective))
        return session.match

    @property
    def match(self) -> Match:
        """The match, for who plays: from the first frame on. Who watches calls `describe` first. Raises ValueError."""
        return self._session.known_match()

    @property
    def debug(self) -> Drawing:
        """What the step draws on the game's screen."""
        return self._session.debug

    def request(self, request: sc2api_pb2.Request) -> sc2api_pb2.Response:
        """Asks the game as this perspective: any request that leaves the match as it is. Raises BridgeError."""
        session = self._session
        return self._connection.request(request, match=session.match_name, perspective=session.perspective or 0)

    @property
    def outcomes(self) -> list[Outcome]:
        """What became of actions, each beside its result, as far as no frame has brought it: after the last one."""
        return self._session.outcomes

    @property
    def results(self) -> list[bridge_pb2.ActionsResult]:
        """What became of actions, as far as no frame has brought it: after the last one."""
        return self._session.results

    def close(self) -> None:
        """Ends the subscription; a game that waits for it goes on."""
        if not self._closed:
            self._closed = True
            self._stream.close()

    def __del__(self) -> None:
        # A loop that was left drops it without a word, and a game in lockstep would wait for its answer.
        with contextlib.suppress(Exception):
            self.close()

    def _constants(self) -> Match:
        return self.match

    def _draw(self) -> None:
        request = self._session.debug.take()
        if request is not None:
            try:
                self.request(request)
            except ConnectionLost:
                raise
            except BridgeError as error:  # A recording has no screen, for one: an agent plays on without its drawing.
                _log.warning("nothing was drawn: %s", error.message)

    def _send(self, messages: list[Wire]) -> None:
        for message in messages:
            self._stream.send(message)

    def __enter__(self) -> Subscription:
        return self

    def __exit__(
        self,
        kind: Optional[type[BaseException]],
        error: Optional[BaseException],
        traceback: Optional[TracebackType],
    ) -> None:
        self.close()
