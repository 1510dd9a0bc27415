"""The protocol of one subscription, without I/O: handles the received messages, and returns frames and messages to
send."""

from __future__ import annotations

import logging
import time
from collections.abc import Iterable
from typing import Any, Optional, Protocol

from sc2bridge._protocol.choices import Encoding
from sc2bridge._protocol.clock import BridgeClock
from sc2bridge._protocol.compression import GroupDecompressor, open_zstd_frame
from sc2bridge._protocol.envelope import Envelope, WireMessage, open_event
from sc2bridge._protocol.requests import encode, numbered_request
from sc2bridge._protocol.versions import check_bridge_version
from sc2bridge.errors import MalformedMessageError, bridge_error
from sc2bridge.game.actions import require_action
from sc2bridge.game.drawing import Drawing
from sc2bridge.game.frame import Frame
from sc2bridge.game.match import Match
from sc2bridge.game.outcomes import Outcome, PendingActions, outcomes_of
from sc2bridge.game.words import MatchEnd
from sc2bridge.s2clientprotocol import sc2api_pb2
from sc2bridge.v1 import bridge_pb2

_log = logging.getLogger("sc2bridge")

# Times are sent in batches: a message for each step would take longer than most agents need for a step.
_BATCH_STEPS = 32
_BATCH_NS = 100_000_000


class Memory(Protocol):
    """Memory that is shared with the bridge and contains the content of frames."""

    def view(self, offset: int, length: int) -> memoryview:
        """A read-only view of a block of the memory. The bridge may overwrite the block after the last view of it was
        freed. Raises BridgeError."""

    def count_frame(self) -> None:
        """Counts a received frame, also if its content is not in shared memory."""


class Session:
    """The state of a subscription. Pass every received message to `handle_message`, in the order of arrival."""

    def __init__(self, request: bridge_pb2.SubscribeRequest, encoding: Encoding) -> None:
        self.request = request
        self.id = ""
        """`SubscribeResponse.session_id`; empty before the answer."""
        self.name = ""
        """`SubscribeResponse.name`; empty before the answer."""
        self.end: Optional[MatchEnd] = None
        self.outcomes: list[Outcome] = []
        self.debug = Drawing()
        self.match: Optional[Match] = None
        self.memory: Optional[Memory] = None
        self._collected_actions: list[sc2api_pb2.Action] = []
        self._pending_actions = PendingActions()
        self._last_request_id = 0
        # Actions are added to this message in place: protobuf would copy messages that are passed to a constructor.
        self._acknowledgement = bridge_pb2.PlayRequest()
        self._encoding = encoding
        self._is_lockstep = request.policy == bridge_pb2.POLICY_LOCKSTEP
        self._report_times = request.reports_times
        self._clock: Optional[BridgeClock] = None
        self._unsent_times: list[bridge_pb2.StepTimes] = []
        self._last_batch_ns = time.monotonic_ns()
        self._current_frame: Optional[Frame] = None
        self._handed_over_ns = 0
        self._decompressor = GroupDecompressor()
        self._has_seeked = False
        self._match_id = ""
        self._perspective: Optional[int] = None

    @property
    def is_two_way(self) -> bool:
        """Whether the client sends more messages after the subscribe request."""
        return self._is_lockstep or self._report_times or self.request.can_act

    @property
    def needs_clock(self) -> bool:
        """Whether `set_clock` must be called now, because times are reported and the bridge's clock is unknown."""
        return self._report_times and self._clock is None

    @property
    def needs_match(self) -> bool:
        """Whether the match must be described now, before the agent receives the current frame; see `set_match`."""
        if self._current_frame is None or self.match is None:
            return self._current_frame is not None and self.request.can_act
        # If the match was described before the perspective was known, it has the GameInfo of another perspective.
        return self.match.player_id != self.perspective

    @property
    def match_waits(self) -> bool:
        """Whether the match waits for the agent: the policy is `lockstep`, and the agent has a current frame or waits
        for its first frame."""
        return self._is_lockstep and (self._current_frame is not None or not self._match_id)

    @property
    def perspective(self) -> Optional[int]:
        """The perspective of the newest frame, or else the requested perspective; None if neither is known."""
        if self._perspective is None and self.request.HasField("perspective"):
            return self.request.perspective
        return self._perspective

    @property
    def match_id(self) -> str:
        """The match id of the newest frame, or else the requested match id."""
        return self._match_id or self.request.match_id

    def set_match(self, description: bridge_pb2.MatchDescription) -> Match:
        """Sets the match, or updates it, from a description. Returns the match."""
        known_perspective = self.perspective
        perspective = next(iter(description.perspectives), 0) if known_perspective is None else known_perspective
        if self.match is None:
            self.match = Match(description, perspective)
        else:
            self.match.set_description(description, perspective)
        self.match.end = self.end
        if self._current_frame is not None:
            self.match.register_frame(self._current_frame)
        return self.match

    def require_match(self) -> Match:
        """The match. Raises ValueError if it is not known yet."""
        if self.match is None:
            raise ValueError(
                "the match is not known yet: call describe(), or wait for the first frame with can_act=True"
            )
        return self.match

    def subscribe_message(self) -> bridge_pb2.PlayRequest:
        return numbered_request("subscribe", self.request)

    def set_clock(self, bridge_clock_id: str) -> list[WireMessage]:
        """Sets the bridge's clock by its id. Returns messages to send to the bridge."""
        self._clock = BridgeClock(bridge_clock_id)
        return self._echo_messages()

    def handle_message(self, message: WireMessage) -> tuple[Optional[Frame], list[WireMessage]]:
        """Handles a message. Returns the frame (None if the message is not a frame), and messages to send to the
        bridge.

        Sets `end` at the match's end. Raises MalformedMessageError, BridgeError if the bridge ended the subscription.
        """
        now = time.monotonic_ns()
        event = open_event(message, self._encoding)
        if isinstance(event, tuple):
            return self._create_frame(event[0], event[1], now, len(message)), []
        kind = event.WhichOneof("event")
        if kind == "match_end":
            self.end = MatchEnd.of(event.match_end)
            self._match_id = self._match_id or event.match_end.match_id
            if self.match is not None:
                self.match.end = self.end
            return None, self.final_messages()
        if kind == "hello":
            check_bridge_version(event.hello)
        if kind == "subscribe":
            self.id, self.name = event.subscribe.session_id, event.subscribe.name
        if kind == "actions_outcome":
            self.outcomes += outcomes_of(self._pending_actions.pop(event.actions_outcome))
        if kind == "playback":
            self._has_seeked = True
        if kind == "clock" and self._clock is not None:
            self._clock.handle_echo(event.clock, now)
            return None, self._echo_messages()
        if kind == "error":
            error = event.error
            if error.fatal or event.request_id:
                raise bridge_error(error.code, error.message)
            _log.warning("%s%s", f"step {error.step}: " if error.HasField("step") else "", error.message)
        return None, []

    def _create_frame(self, envelope: Envelope, content: Any, now: int, message_bytes: int) -> Frame:
        if self.memory is not None:
            self.memory.count_frame()
        if envelope.payload == "block":
            content = self._decompressor.add(content)
        elif envelope.payload == "zstd":
            content = open_zstd_frame(content)
        elif envelope.payload == "shared":
            if self.memory is None:
                raise MalformedMessageError("a frame is in shared memory, but this connection has no shared memory")
            content = self.memory.view(content.offset, content.length)
            message_bytes += len(content)
        seeked, self._has_seeked = self._has_seeked, False
        outcomes = [self._pending_actions.pop(each) for each in envelope.outcomes]
        return Frame(envelope, content, self._encoding, now, message_bytes, seeked, outcomes)

    def begin_frame(self, frame: Frame) -> None:
        """Makes a frame the current one. Call it when the agent receives the frame."""
        self._current_frame = frame
        self._match_id, self._perspective = frame.match_id, frame.perspective
        if self.match is not None and self.match.player_id == frame.perspective:
            self.match.register_frame(frame)
        self._handed_over_ns = time.monotonic_ns()

    def restart_think_time(self) -> None:
        self._handed_over_ns = time.monotonic_ns()

    def do(self, action: sc2api_pb2.Action) -> None:
        """Collects an action for the current frame. `act` or `finish_frame` sends the action. Raises the errors of
        `act`."""
        self._require_acting_frame()
        self._collected_actions.append(require_action(action))

    def act(self, actions: Iterable[sc2api_pb2.Action]) -> tuple[int, list[WireMessage]]:
        """Puts the collected actions and `actions` into one request for the current frame. Returns the request's id,
        and messages to send to the bridge. In lockstep the list is empty, because the acknowledgement has the actions.

        Raises ValueError if the subscription may not act, or there is no current frame.
        """
        step = self._require_acting_frame().step
        request_id = self._last_request_id = self._last_request_id % 0xFFFFFFFF + 1
        all_actions, self._collected_actions = [*self._collected_actions, *map(require_action, actions)], []
        self._pending_actions.add(request_id, all_actions)
        if self._is_lockstep:
            self._acknowledgement.acknowledge.actions.add(step=step, request_id=request_id).actions.extend(all_actions)
            return request_id, []
        message = bridge_pb2.Actions(step=step, request_id=request_id, actions=all_actions)
        return request_id, [encode(bridge_pb2.PlayRequest(actions=message), self._encoding)]

    def _require_acting_frame(self) -> Frame:
        if not self.request.can_act:
            raise ValueError(
                "this subscription may not act: set can_act = True in the Agent's class, or call"
                " subscribe(can_act=True)"
            )
        if self._current_frame is None:
            raise ValueError("an agent can only act after it receives a frame and before it asks for the next")
        return self._current_frame

    def finish_frame(self) -> list[WireMessage]:
        """Call it when the agent is done with the current frame. Returns messages to send to the bridge."""
        messages = self.act([])[1] if self._collected_actions else []
        return messages + self._acknowledge_frame()

    def _acknowledge_frame(self) -> list[WireMessage]:
        frame, self._current_frame = self._current_frame, None
        if frame is None or not self.is_two_way:
            return []
        now = time.monotonic_ns()
        if self._report_times and self._clock is not None:
            times = bridge_pb2.StepTimes(
                step=frame.step,
                received_ns=self._clock.to_bridge_time(frame.received_ns),
                decode_ns=frame.decode_ns,
                think_ns=max(0, now - self._handed_over_ns - (frame.decode_ns or 0)),
                clock=self._clock.source,  # type: ignore[arg-type]
            )
            self._unsent_times.append(times)
        is_batch_full = len(self._unsent_times) >= _BATCH_STEPS or now - self._last_batch_ns >= _BATCH_NS
        # If an agent acts without lockstep, this message shows the bridge that the agent still runs.
        if self._is_lockstep or (is_batch_full and (self._unsent_times or self.request.can_act)):
            return self._acknowledge(frame.step, with_times=is_batch_full)
        return []

    def final_messages(self) -> list[WireMessage]:
        """Returns the messages to send to the bridge at the end of the match."""
        return self._acknowledge(self._unsent_times[-1].step, with_times=True) if self._unsent_times else []

    def _acknowledge(self, step: int, with_times: bool) -> list[WireMessage]:
        message, self._acknowledgement = self._acknowledgement, bridge_pb2.PlayRequest()
        acknowledgement = message.acknowledge
        acknowledgement.SetInParent()  # Otherwise an acknowledgement of step 0 would not be sent.
        acknowledgement.step = step
        if with_times:
            acknowledgement.times.extend(self._unsent_times)
            self._unsent_times, self._last_batch_ns = [], time.monotonic_ns()
        return [encode(message, self._encoding)]

    def _echo_messages(self) -> list[WireMessage]:
        echo_request = self._clock.next_echo_request() if self._clock else None
        return [encode(bridge_pb2.PlayRequest(clock=echo_request), self._encoding)] if echo_request else []
