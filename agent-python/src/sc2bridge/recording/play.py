"""An agent played through a recording: it hears what it would have heard live, with no bridge, no game and no clock.

What comes of it is what the agent keeps of itself, what it asked of the game, and what it would have done: the match goes
its way. Each frame comes as under the policy `every`; none is skipped, and nothing waits for the agent.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Generic, Optional, TypeVar, Union

from sc2bridge.agent import Agent
from sc2bridge.errors import BridgeError
from sc2bridge.s2clientprotocol import sc2api_pb2
from sc2bridge.v1 import bridge_pb2, recording_pb2

if TYPE_CHECKING:
    from sc2bridge.frame import Frame
    from sc2bridge.recording.frames import Frames
    from sc2bridge.recording.recording import Recording

_A = TypeVar("_A", bound=Agent)

NEARBY = 448
"""How many steps may lie between a question and the recorded one, as in a playback by the bridge: 20 s of steps of one
game loop. Who asks while it handles a frame of its queue is that far behind the match, more or less, at every playing."""

_FAILED_PRECONDITION = 9


@dataclass
class Asked:
    """A question of the agent's, and the answer that the recording has for it."""

    step: Optional[int]
    """The step of the frame that it was asked at; None for one that was asked in `on_start`."""
    game_loop: Optional[int]
    request: sc2api_pb2.Request
    response: Optional[sc2api_pb2.Response] = None
    """None where there is none: nobody asked that about then, or it was refused then too."""
    recorded_step: Optional[int] = None
    """The step at which the same was asked in the match: an answer of another step may be out of date."""


@dataclass
class Acted:
    """What the agent would have had its player do."""

    step: int
    """The step of the frame that it acted upon."""
    game_loop: int
    actions: list[sc2api_pb2.Action]


@dataclass
class Played(Generic[_A]):
    """What came of it."""

    agent: _A
    frames: int = 0
    """How many it heard."""
    last: Optional[Frame] = None
    """The last of them."""
    asked: list[Asked] = field(default_factory=list)
    """Its questions, in order."""
    acted: list[Acted] = field(default_factory=list)
    """Its actions, in order."""
    end: Optional[bridge_pb2.MatchEnd] = None
    """What `on_end` was told: the match's own end, or `stopped` where it was played in part."""


def play(recording: Recording, agent: Union[_A, type[_A]], frames: Frames) -> Played[_A]:
    """Plays frames of a recording to an agent, or to a new one of its class; see `Recording.play`."""
    played: Played[_A] = Played(agent() if isinstance(agent, type) else agent)
    bridge = played.agent.bridge = played.agent.player = RecordedBridge(recording, played.asked, played.acted)
    played.agent.on_start(bridge.describe())
    for frame in frames:
        bridge.frame = played.last = frame
        played.frames += 1
        played.agent.on_step(frame)
    played.end = _end(recording, played.last)
    played.agent.on_end(played.end)
    return played


def _end(recording: Recording, last: Optional[Frame]) -> bridge_pb2.MatchEnd:
    result = recording.result
    if result is not None and (last is None or last.step >= result.step):
        return result
    end = bridge_pb2.MatchEnd(match=recording.match.match, reason="stopped")
    if last is not None:
        end.step, end.game_loop = last.step, last.game_loop
    return end


class RecordedBridge:
    """Stands in for the bridge: answers what was asked in the match too, at about the same step."""

    def __init__(self, recording: Recording, asked: list[Asked], acted: list[Acted]) -> None:
        self.frame: Optional[Frame] = None
        """The one that the agent hears."""
        self._recording = recording
        self._asked = asked
        self._answers = Answers(recording)
        self._acted = acted

    def describe(
        self, match: str = "", *, without_game_info: bool = False, without_data: bool = False
    ) -> bridge_pb2.MatchDescription:
        """The match as it was described to agents live."""
        description = bridge_pb2.MatchDescription()
        description.CopyFrom(self._recording.match)
        if without_game_info:
            description.ClearField("game_info")
        if without_data:
            description.ClearField("data")
        return description

    def request(self, request: sc2api_pb2.Request, *, match: str = "", perspective: int = 0) -> sc2api_pb2.Response:
        """The answer that was recorded. Raises BridgeError where there is none."""
        frame = self.frame
        asked = Asked(None, None, request) if frame is None else Asked(frame.step, frame.game_loop, request)
        self._asked.append(asked)
        found = self._answers.find(asked.step or 0, perspective, request)
        if found is None:
            kind = request.WhichOneof("request") or "request"
            raise BridgeError(
                _FAILED_PRECONDITION,
                f"{self._recording.path} has no answer to this {kind}: nobody asked the same within {NEARBY} steps of step"
                f" {asked.step or 0}",
            )
        asked.recorded_step = found.step
        if found.refusal:
            raise BridgeError(_FAILED_PRECONDITION, f"refused in the match too: {found.refusal}")
        answer: sc2api_pb2.Response = found.response
        asked.response = answer
        return answer

    def act(self, actions: Iterable[sc2api_pb2.Action]) -> int:
        """Keeps what the agent would have done; there is no result. Raises ValueError where no frame was heard yet."""
        if self.frame is None:
            raise ValueError("act upon a frame: there was none yet")
        self._acted.append(Acted(self.frame.step, self.frame.game_loop, list(actions)))
        return len(self._acted)

    @property
    def results(self) -> Sequence[bridge_pb2.ActionsResult]:
        """What became of actions: nothing is known."""
        return ()


class Answers:
    """What agents were answered in the match, by request and perspective: of what was asked several times, the answer
    nearest in steps (of two, the earlier). Reads the recording as far as is needed, and keeps what it read."""

    def __init__(self, recording: Recording) -> None:
        self._unread = iter(recording.requests.whole())
        self._read_to = -1
        self._records: dict[tuple[int, bytes], list[recording_pb2.RequestRecord]] = {}

    def find(self, step: int, perspective: int, request: sc2api_pb2.Request) -> Optional[recording_pb2.RequestRecord]:
        """The record; None where nobody asked that within `NEARBY` steps. Raises RecordingError."""
        while self._read_to <= step + NEARBY:
            record = next(self._unread, None)
            if record is None:
                break
            self._read_to = max(self._read_to, record.step)
            self._records.setdefault((record.perspective, _key(record.request)), []).append(record)
        near = [one for one in self._records.get((perspective, _key(request)), ()) if abs(one.step - step) <= NEARBY]
        return min(near, key=lambda one: (abs(one.step - step), one.step)) if near else None


def _key(request: sc2api_pb2.Request) -> bytes:
    """The request's bytes, without the number that tells requests apart."""
    copy = sc2api_pb2.Request()
    copy.CopyFrom(request)
    copy.ClearField("id")
    return bytes(copy.SerializeToString(deterministic=True))
