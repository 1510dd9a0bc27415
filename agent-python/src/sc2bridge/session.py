"""One subscription's conversation without I/O: messages in, frames out, and what to send back.

Used by both `connection` (blocking) and `aio`: they only carry the bytes.
"""

from __future__ import annotations

import logging
import time
from collections.abc import Iterable
from typing import Any, Optional, Union

from google.protobuf import json_format

from sc2bridge.actions import checked
from sc2bridge.clock import BridgeClock
from sc2bridge.compression import Content, Groups, alone
from sc2bridge.envelope import Envelope, open_event, open_event_text
from sc2bridge.errors import BridgeError, ConnectionLost
from sc2bridge.drawing import Drawing
from sc2bridge.frame import Frame
from sc2bridge.match import Match
from sc2bridge.outcomes import Outcome, Pending
from sc2bridge.s2clientprotocol import sc2api_pb2
from sc2bridge.v1 import bridge_pb2

Wire = Union[bytes, str]

_UNAVAILABLE = 14
_log = logging.getLogger("sc2bridge")

# Times are sent back in batches: a message for each step would cost more than most agents' thinking.
_BATCH_STEPS = 32
_BATCH_NS = 100_000_000


def encode(message: Any, encoding: str) -> Wire:
    """A message as the encoding carries it."""
    if encoding == "json":
        return str(json_format.MessageToJson(message, indent=None))
    return bytes(message.SerializeToString())


class Session:
    """The state of a subscription. Every message received goes to `received`, in order."""

    def __init__(self, request: bridge_pb2.Subscription, encoding: str) -> None:
        self.request = request
        self.end: Optional[bridge_pb2.MatchEnd] = None
        self.results: list[bridge_pb2.ActionsResult] = []
        self.outcomes: list[Outcome] = []
        self.debug = Drawing()
        self.match: Optional[Match] = None
        self._collected: list[sc2api_pb2.Action] = []
        self._pending = Pending()
        self._tag = 0
        self._deeds: list[bridge_pb2.Actions] = []
        self._encoding = encoding
        self._lockstep = request.policy == bridge_pb2.POLICY_LOCKSTEP
        self._report_times = request.reports_times
        self._clock: Optional[BridgeClock] = None
        self._times: list[bridge_pb2.StepTimes] = []
        self._sent_ns = time.monotonic_ns()
        self._last: Optional[Frame] = None
        self._handed_over_ns = 0
        self._groups = Groups()
        self._jumped = False
        self._match_name = ""
        self._perspective: Optional[int] = None
        self._compressed = "columns" if request.content == bridge_pb2.CONTENT_COLUMNS else "observation"

    @property
    def speaks(self) -> bool:
        """Whether anything is sent after the subscription itself."""
        return self._lockstep or self._report_times or self.request.plays

    @property
    def wants_clock(self) -> bool:
        """True from the first frame on until `set_clock` was called."""
        return self._report_times and self._clock is None

    @property
    def wants_match(self) -> bool:
        """Whether who plays is to learn what match the last frame is of: `set_match`."""
        return self.request.plays and self._last is not None and self.match is None

    @property
    def perspective(self) -> Optional[int]:
        """Whose eyes: the newest frame's, else as it was asked for; None for the match's choice."""
        if self._perspective is None and self.request.HasField("perspective"):
            return self.request.perspective
        return self._perspective

    @property
    def match_name(self) -> str:
        """The match that the newest frame is of, else the one that was asked for."""
        return self._match_name or self.request.match

    def set_match(self, description: bridge_pb2.MatchDescription) -> Match:
        """Learns what match it is, and where its player stands in the frame that is held."""
        self.match = Match(description, self.perspective or 0)
        if self._last is not None:
            self.match.begun(self._last)
        return self.match

    def known_match(self) -> Match:
        """The match. Raises ValueError where it is not known yet."""
        if self.match is None:
            raise ValueError(
                "the match is not known: who plays knows it from the first frame on, others call describe()"
            )
        return self.match

    def opening(self) -> Wire:
        """The first message of the stream."""
        return encode(bridge_pb2.AgentMessage(subscribe=self.request), self._encoding)

    def set_clock(self, bridge_clock_id: str) -> list[Wire]:
        """Learns which clock the bridge reads; what is returned goes to the bridge."""
        self._clock = BridgeClock(bridge_clock_id)
        return self._ask_clock()

    def received(self, message: Wire) -> tuple[Optional[Frame], list[Wire]]:
        """Takes a message: the frame in it, if it is one, and what goes back to the bridge.

        Sets `end` at the match's end. Raises BridgeError where the bridge ended the subscription, MalformedMessage.
        """
        now = time.monotonic_ns()
        if self._encoding == "json":
            opened = open_event_text(message)
            if isinstance(opened, Envelope):
                return self._frame(opened, message, "json", now, len(message)), []
        else:
            opened = open_event(message)  # type: ignore[arg-type]
            if isinstance(opened, tuple):
                return self._frame(opened[0], opened[1], "proto", now, len(message)), []
        kind = opened.WhichOneof("event")
        if kind == "match_end":
            self.end = opened.match_end
            self._match_name = self._match_name or opened.match_end.match
            return None, self.flush()
        if kind == "actions_result":
            self.results.append(opened.actions_result)
            self.outcomes += self._pending.answered(opened.actions_result)
        if kind == "playback":
            self._jumped = True
        if kind == "clock" and self._clock is not None:
            self._clock.answered(opened.clock, now)
            return None, self._ask_clock()
        if kind == "error":
            error = opened.error
            if error.fatal:
                raise (
                    ConnectionLost(error.message)
                    if error.code == _UNAVAILABLE
                    else BridgeError(error.code, error.message)
                )
            _log.warning("%s%s", f"step {error.step}: " if error.HasField("step") else "", error.message)
        return None, []

    def _frame(self, envelope: Envelope, raw: Union[Wire, memoryview], encoding: str, now: int, size: int) -> Frame:
        payload = envelope.payload
        content: Union[Wire, memoryview, Content] = raw
        if payload == "block":
            payload, content = self._compressed, self._groups.add(envelope.compressed)
        elif payload == "zstd":
            payload, content = self._compressed, alone(envelope.compressed)  # type: ignore[arg-type]
        jumped, self._jumped = self._jumped, False
        frame = Frame(envelope, content, encoding, now, size, payload, jumped)
        frame.outcomes = [outcome for result in envelope.results for outcome in self._pending.answered(result)]
        return frame

    def begun(self, frame: Frame) -> None:
        """The frame goes to the agent now."""
        self._last = frame
        self._match_name, self._perspective = frame.match, frame.perspective
        self._handed_over_ns = time.monotonic_ns()

    def begin_again(self) -> None:
        """The agent's time for the last frame begins now."""
        self._handed_over_ns = time.monotonic_ns()

    def do(self, action: sc2api_pb2.Action) -> None:
        """Collects an action upon the last frame; it goes with `act` or `done`. Raises ValueError as `act`."""
        self._acting()
        self._collected.append(checked(action))

    def act(self, actions: Iterable[sc2api_pb2.Action]) -> tuple[int, list[Wire]]:
        """Actions upon the last frame, behind those collected: the tag that their result will have, and what goes to the
        bridge now. In lockstep that is nothing: they go with the acknowledgement.

        Raises ValueError where the subscription does not play, or the agent holds no frame.
        """
        step = self._acting().step
        self._tag = self._tag % 0xFFFFFFFF + 1
        every, self._collected = [*self._collected, *map(checked, actions)], []
        self._pending.sent(self._tag, every)
        deeds = bridge_pb2.Actions(step=step, tag=self._tag, actions=every)
        if self._lockstep:
            self._deeds.append(deeds)
            return self._tag, []
        return self._tag, [encode(bridge_pb2.AgentMessage(actions=deeds), self._encoding)]

    def _acting(self) -> Frame:
        if not self.request.plays:
            raise ValueError("this subscription only watches: subscribe(plays=True) to act")
        if self._last is None:
            raise ValueError("act upon a frame: between receiving it and asking for the next")
        return self._last

    def done(self) -> list[Wire]:
        """The agent is done with the last frame; what is returned goes to the bridge."""
        acted = self.act([])[1] if self._collected else []
        return acted + self._done()

    def _done(self) -> list[Wire]:
        frame, self._last = self._last, None
        if frame is None or not self.speaks:
            return []
        now = time.monotonic_ns()
        if self._report_times and self._clock is not None:
            times = bridge_pb2.StepTimes(
                step=frame.step,
                received_ns=self._clock.to_bridge(frame.received_ns),
                decode_ns=frame.decode_ns,
                think_ns=max(0, now - self._handed_over_ns - (frame.decode_ns or 0)),
                clock=self._clock.source,  # type: ignore[arg-type]
            )
            self._times.append(times)
        full = len(self._times) >= _BATCH_STEPS or now - self._sent_ns >= _BATCH_NS
        # Who plays and is never waited for shows by this that it is there.
        if self._lockstep or (full and (self._times or self.request.plays)):
            return self._acknowledge(frame.step, with_times=full)
        return []

    def flush(self) -> list[Wire]:
        """What is left to say, at the end."""
        return self._acknowledge(self._times[-1].step, with_times=True) if self._times else []

    def _acknowledge(self, step: int, with_times: bool) -> list[Wire]:
        times: list[bridge_pb2.StepTimes] = []
        if with_times:
            times, self._times = self._times, []
            self._sent_ns = time.monotonic_ns()
        deeds, self._deeds = self._deeds, []
        acknowledgement = bridge_pb2.Acknowledgement(step=step, times=times, actions=deeds)
        return [encode(bridge_pb2.AgentMessage(acknowledge=acknowledgement), self._encoding)]

    def _ask_clock(self) -> list[Wire]:
        question = self._clock.question() if self._clock else None
        return [encode(bridge_pb2.AgentMessage(clock=question), self._encoding)] if question else []


def read_answer(message: Wire, encoding: str, kind: str) -> Any:
    """The answer of a given kind (`description`, `response`, `playback`) in an event; None where the event is another.

    Raises BridgeError where it is a refusal, MalformedMessage.
    """
    event = open_event_text(message) if encoding == "json" else open_event(message)  # type: ignore[arg-type]
    if isinstance(event, (Envelope, tuple)):
        return None
    found = event.WhichOneof("event")
    if found == "error":
        raise BridgeError(event.error.code, event.error.message)
    return getattr(event, kind) if found == kind else None
