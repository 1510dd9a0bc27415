"""One subscription's conversation without I/O: messages in, frames out, and what to send back."""

from __future__ import annotations

import logging
import time
from collections.abc import Iterable
from typing import Any, Optional, Protocol

from sc2bridge._protocol.choices import Encoding
from sc2bridge._protocol.clock import BridgeClock
from sc2bridge._protocol.compression import Groups, alone
from sc2bridge._protocol.envelope import Envelope, Wire, open_event
from sc2bridge._protocol.requests import encode, numbered
from sc2bridge._protocol.versions import check_bridge
from sc2bridge.errors import MalformedMessageError, bridge_error
from sc2bridge.game.actions import checked
from sc2bridge.game.drawing import Drawing
from sc2bridge.game.frame import Frame
from sc2bridge.game.match import Match
from sc2bridge.game.outcomes import Outcome, PendingActions, outcomes_of
from sc2bridge.game.words import MatchEnd
from sc2bridge.s2clientprotocol import sc2api_pb2
from sc2bridge.v1 import bridge_pb2

_log = logging.getLogger("sc2bridge")

# Times are sent back in batches: a message for each step would cost more than most agents' thinking.
_BATCH_STEPS = 32
_BATCH_NS = 100_000_000


class Memory(Protocol):
    """Memory that is shared with the bridge."""

    def view(self, offset: int, length: int) -> memoryview:
        """A block of it, read-only: given back when nothing uses it any more. Raises BridgeError."""

    def take(self) -> None:
        """A frame was received, wherever its content is."""


class Session:
    """The state of a subscription. Every message received goes to `received`, in order."""

    def __init__(self, request: bridge_pb2.SubscribeRequest, encoding: Encoding) -> None:
        self.request = request
        self.id = ""
        """SubscribeResponse.session_id."""
        self.name = ""
        """SubscribeResponse.name."""
        self.end: Optional[MatchEnd] = None
        self.outcomes: list[Outcome] = []
        self.debug = Drawing()
        self.match: Optional[Match] = None
        self.memory: Optional[Memory] = None
        self._collected: list[sc2api_pb2.Action] = []
        self._pending = PendingActions()
        self._actions_sent = 0
        # Actions are added to it in place: protobuf copies a message that is passed to a constructor.
        self._acknowledgement = bridge_pb2.PlayRequest()
        self._encoding = encoding
        self._lockstep = request.policy == bridge_pb2.POLICY_LOCKSTEP
        self._report_times = request.reports_times
        self._clock: Optional[BridgeClock] = None
        self._times: list[bridge_pb2.StepTimes] = []
        self._sent_ns = time.monotonic_ns()
        self._last: Optional[Frame] = None
        self._handed_over_ns = 0
        self._groups = Groups()
        self._seeked = False
        self._match_id = ""
        self._perspective: Optional[int] = None

    @property
    def is_two_way(self) -> bool:
        """Whether anything is sent after the request itself."""
        return self._lockstep or self._report_times or self.request.can_act

    @property
    def wants_clock(self) -> bool:
        """True from the first frame on until `set_clock` was called."""
        return self._report_times and self._clock is None

    @property
    def wants_match(self) -> bool:
        """Whether the match is to be described now, upon the frame that is held: `set_match`."""
        if self._last is None or self.match is None:
            return self._last is not None and self.request.can_act
        # Described before the perspective was known, with another one's GameInfo.
        return self.match.player_id != self.perspective

    @property
    def holds_up_match(self) -> bool:
        """Whether the match waits for the agent under `lockstep`: it holds a frame, or has not received its first one."""
        return self._lockstep and (self._last is not None or not self._match_id)

    @property
    def perspective(self) -> Optional[int]:
        """The perspective: the newest frame's, else as requested; None for the match's choice."""
        if self._perspective is None and self.request.HasField("perspective"):
            return self.request.perspective
        return self._perspective

    @property
    def match_id(self) -> str:
        """The match that the newest frame is of, else the one that was requested."""
        return self._match_id or self.request.match_id

    def set_match(self, description: bridge_pb2.MatchDescription) -> Match:
        """Learns what match it is."""
        known = self.perspective
        perspective = next(iter(description.perspectives), 0) if known is None else known
        if self.match is None:
            self.match = Match(description, perspective)
        else:
            self.match.set_description(description, perspective)
        self.match.end = self.end
        if self._last is not None:
            self.match.begin(self._last)
        return self.match

    def known_match(self) -> Match:
        """The match. Raises ValueError where it is not known yet."""
        if self.match is None:
            raise ValueError(
                "the match is not known: who acts knows it from the first frame on, others call describe()"
            )
        return self.match

    def opening(self) -> bridge_pb2.PlayRequest:
        """The message that subscribes."""
        return numbered("subscribe", self.request)

    def set_clock(self, bridge_clock_id: str) -> list[Wire]:
        """Learns which clock the bridge reads; what is returned goes to the bridge."""
        self._clock = BridgeClock(bridge_clock_id)
        return self._ask_clock()

    def received(self, message: Wire) -> tuple[Optional[Frame], list[Wire]]:
        """Takes a message: the frame in it, if it is one, and what goes back to the bridge.

        Sets `end` at the match's end. Raises BridgeError where the bridge ended the subscription,
        MalformedMessageError.
        """
        now = time.monotonic_ns()
        event = open_event(message, self._encoding)
        if isinstance(event, tuple):
            return self._frame(event[0], event[1], now, len(message)), []
        kind = event.WhichOneof("event")
        if kind == "match_end":
            self.end = MatchEnd.of(event.match_end)
            self._match_id = self._match_id or event.match_end.match_id
            if self.match is not None:
                self.match.end = self.end
            return None, self.flush()
        if kind == "hello":
            check_bridge(event.hello)
        if kind == "subscribe":
            self.id, self.name = event.subscribe.session_id, event.subscribe.name
        if kind == "actions_outcome":
            self.outcomes += outcomes_of(self._pending.take(event.actions_outcome))
        if kind == "playback":
            self._seeked = True
        if kind == "clock" and self._clock is not None:
            self._clock.answered(event.clock, now)
            return None, self._ask_clock()
        if kind == "error":
            error = event.error
            if error.fatal or event.request_id:
                raise bridge_error(error.code, error.message)
            _log.warning("%s%s", f"step {error.step}: " if error.HasField("step") else "", error.message)
        return None, []

    def _frame(self, envelope: Envelope, content: Any, now: int, size: int) -> Frame:
        if self.memory is not None:
            self.memory.take()
        if envelope.payload == "block":
            content = self._groups.add(content)
        elif envelope.payload == "zstd":
            content = alone(content)
        elif envelope.payload == "shared":
            if self.memory is None:
                raise MalformedMessageError("a frame in shared memory, of which there is none")
            content = self.memory.view(content.offset, content.length)
            size += len(content)
        seeked, self._seeked = self._seeked, False
        acted = [self._pending.take(each) for each in envelope.outcomes]
        return Frame(envelope, content, self._encoding, now, size, seeked, acted)

    def begun(self, frame: Frame) -> None:
        """The frame goes to the agent now."""
        self._last = frame
        self._match_id, self._perspective = frame.match_id, frame.perspective
        if self.match is not None and self.match.player_id == frame.perspective:
            self.match.begin(frame)
        self._handed_over_ns = time.monotonic_ns()

    def begin_again(self) -> None:
        """The agent's time for the last frame begins now."""
        self._handed_over_ns = time.monotonic_ns()

    def do(self, action: sc2api_pb2.Action) -> None:
        """Collects an action upon the last frame; it goes with `act` or `done`. Raises ValueError as `act`."""
        self._acting()
        self._collected.append(checked(action))

    def act(self, actions: Iterable[sc2api_pb2.Action]) -> tuple[int, list[Wire]]:
        """Actions upon the last frame, behind those collected: the tag that their outcomes will have, and what goes to the
        bridge now. In lockstep that is nothing: they go with the acknowledgement.

        Raises ValueError where the subscription only watches, or the agent holds no frame.
        """
        step = self._acting().step
        number = self._actions_sent = self._actions_sent % 0xFFFFFFFF + 1
        every, self._collected = [*self._collected, *map(checked, actions)], []
        self._pending.sent(number, every)
        if self._lockstep:
            self._acknowledgement.acknowledge.actions.add(step=step, request_id=number).actions.extend(every)
            return number, []
        sent = bridge_pb2.Actions(step=step, request_id=number, actions=every)
        return number, [encode(bridge_pb2.PlayRequest(actions=sent), self._encoding)]

    def _acting(self) -> Frame:
        if not self.request.can_act:
            raise ValueError(
                "this subscription only watches: to act, set can_act = True in the Agent's class, or"
                " subscribe(can_act=True)"
            )
        if self._last is None:
            raise ValueError("act upon a frame: between receiving it and asking for the next")
        return self._last

    def done(self) -> list[Wire]:
        """The agent is done with the last frame; what is returned goes to the bridge."""
        acted = self.act([])[1] if self._collected else []
        return acted + self._done()

    def _done(self) -> list[Wire]:
        frame, self._last = self._last, None
        if frame is None or not self.is_two_way:
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
        # For an agent that acts and is not waited for, this is the sign of life.
        if self._lockstep or (full and (self._times or self.request.can_act)):
            return self._acknowledge(frame.step, with_times=full)
        return []

    def flush(self) -> list[Wire]:
        """What is left to say, at the end."""
        return self._acknowledge(self._times[-1].step, with_times=True) if self._times else []

    def _acknowledge(self, step: int, with_times: bool) -> list[Wire]:
        message, self._acknowledgement = self._acknowledgement, bridge_pb2.PlayRequest()
        acknowledgement = message.acknowledge
        acknowledgement.SetInParent()  # Step 0 alone would leave it unset.
        acknowledgement.step = step
        if with_times:
            acknowledgement.times.extend(self._times)
            self._times, self._sent_ns = [], time.monotonic_ns()
        return [encode(message, self._encoding)]

    def _ask_clock(self) -> list[Wire]:
        question = self._clock.question() if self._clock else None
        return [encode(bridge_pb2.PlayRequest(clock=question), self._encoding)] if question else []
