"""Plays a recording to an agent. The agent receives the same frames as in a live match, without a bridge, a game or a
clock. No frame is skipped, as with the policy `every`.

The result has the agent, its queries, and the actions that it wanted to take. The actions do not change the recorded
match.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from itertools import chain
from typing import TYPE_CHECKING, Generic, Optional, TypeVar, Union

from sc2bridge.game.actions import require_action
from sc2bridge.agents.agent import Agent
from sc2bridge.game.drawing import Drawing
from sc2bridge.errors import FAILED_PRECONDITION, INVALID_ARGUMENT, BridgeError
from sc2bridge.agents.lifecycle import Lifecycle
from sc2bridge.game.match import Match
from sc2bridge.game.queries import Queries
from sc2bridge.game.words import MatchEnd
from sc2bridge.recording._mcap import limits
from sc2bridge.recording._mcap.index import Damage
from sc2bridge.s2clientprotocol import debug_pb2, sc2api_pb2
from sc2bridge.v1 import bridge_pb2, recording_pb2

if TYPE_CHECKING:
    from sc2bridge.game.frame import Frame
    from sc2bridge.game.outcomes import Outcome
    from sc2bridge.recording._mcap.file import Location
    from sc2bridge.recording.frames import Frames
    from sc2bridge.recording.recording import Recording

_A = TypeVar("_A", bound=Agent)

MAX_STEP_DISTANCE = 448
"""A recorded answer is used only if its query is at most this many steps away: 20 s if a step is one game loop. When
an agent asks, it may be some frames behind the match, and their number differs in each run. The bridge's playback has
the same limit."""


@dataclass
class QueryRecord:
    """A query of the agent, and the recorded answer."""

    step: Optional[int]
    """The step of the agent's current frame; None if the agent asked in `on_start`."""
    game_loop: Optional[int]
    request: sc2api_pb2.Request
    response: Optional[sc2api_pb2.Response] = None
    """None if the recording has no answer, or if the query was refused in the match."""
    recorded_step: Optional[int] = None
    """The step of the recorded query. If it differs from `step`, the answer may be out of date."""


@dataclass
class ActionRecord:
    """Actions that the agent wanted to take."""

    step: int
    """The step of the agent's current frame."""
    game_loop: int
    actions: list[sc2api_pb2.Action]


@dataclass
class DrawingRecord:
    """A drawing that the agent wanted to show from a step on."""

    step: int
    drawing: debug_pb2.DebugDraw


@dataclass
class ReplayResult(Generic[_A]):
    """The result of playing a recording to an agent."""

    agent: _A
    frames: int = 0
    """The number of frames that the agent received."""
    last: Optional[Frame] = None
    """The last frame that the agent received."""
    queries: list[QueryRecord] = field(default_factory=list)
    """The agent's queries, in order."""
    actions: list[ActionRecord] = field(default_factory=list)
    """The agent's actions, in order."""
    drawings: list[DrawingRecord] = field(default_factory=list)
    """The agent's drawings, in order. An unchanged drawing is not repeated."""
    end: Optional[MatchEnd] = None
    """The argument of `on_end`: the match's end, or an end with the reason `stopped` if only a part was played."""


def play(recording: Recording, agent: Union[_A, type[_A]], frames: Frames) -> ReplayResult[_A]:
    """Plays frames of a recording to an agent, or to a new agent of a class; see `Recording.play`."""
    played: ReplayResult[_A] = ReplayResult(agent() if isinstance(agent, type) else agent)
    lifecycle = Lifecycle(played.agent)
    bridge = RecordedBridge(recording, played.queries)
    played.agent.bridge = bridge
    remaining = iter(frames)
    first = next(remaining, None)
    if first is None:
        match = bridge.describe()
    else:
        match = bridge.describe(perspective=first.perspective).register_frame(first)
    bridge.perspective = match.player_id
    player = played.agent.player = RecordedPlayer(bridge, match, first, played.actions, played.drawings)
    lifecycle.start(match)
    for frame in remaining if first is None else chain([first], remaining):
        bridge.frame = player.frame = played.last = frame
        played.frames += 1
        lifecycle.step(frame)
        player.done()
    player.frame = None
    played.end = _end_of_play(recording, played.last)
    lifecycle.end(played.end)
    return played


def _end_of_play(recording: Recording, last: Optional[Frame]) -> MatchEnd:
    result = recording.end
    if result is not None and (last is None or last.step >= result.step):
        return result
    last_position = (0, 0) if last is None else (last.step, last.game_loop)
    return MatchEnd(recording.match.match_id, *last_position, "stopped")


class RecordedBridge:
    """Replaces the bridge. Answers a query if the same query was recorded at about the same step."""

    def __init__(self, recording: Recording, queries: list[QueryRecord]) -> None:
        self.frame: Optional[Frame] = None
        """The agent's current frame."""
        self.perspective = 0
        """The agent's own perspective."""
        self._recording = recording
        self._queries = queries
        self._answers = RecordedAnswers(recording)

    def describe(
        self,
        match_id: str = "",
        *,
        perspective: Optional[int] = None,
        without_game_info: bool = False,
        without_data: bool = False,
    ) -> Match:
        """The match's description, as agents received it live. Raises BridgeError for an unrecorded perspective."""
        description = bridge_pb2.MatchDescription()
        try:
            described = self._recording.describe(perspective)
        except LookupError as error:
            raise BridgeError(INVALID_ARGUMENT, str(error)) from None
        description.CopyFrom(described.description)
        if without_game_info:
            description.ClearField("game_info")
        if without_data:
            description.ClearField("data")
        return Match(description, described.player_id)

    def request(
        self, request: sc2api_pb2.Request, *, match_id: str = "", perspective: Optional[int] = None
    ) -> sc2api_pb2.Response:
        """The recorded answer. Raises BridgeError if there is no recorded answer or the request was refused."""
        frame = self.frame
        query = QueryRecord(None, None, request) if frame is None else QueryRecord(frame.step, frame.game_loop, request)
        self._queries.append(query)
        # Builds before 0.1.0 recorded 0 if the request had no perspective.
        perspectives = (self.perspective, 0) if perspective is None else (perspective,)
        found = next(filter(None, (self._answers.find(query.step or 0, one, request) for one in perspectives)), None)
        if found is None:
            kind = request.WhichOneof("request") or "request"
            raise BridgeError(
                FAILED_PRECONDITION,
                f"{self._recording.path} has no answer to this {kind}: no agent sent the same one within"
                f" {MAX_STEP_DISTANCE} steps of step {query.step or 0}",
            )
        query.recorded_step = found.step
        if found.refusal:
            raise BridgeError(FAILED_PRECONDITION, f"the request was also refused in the match: {found.refusal}")
        answer: sc2api_pb2.Response = found.response
        query.response = answer
        return answer


class RecordedPlayer(Queries):
    """Replaces the subscription. Stores the agent's actions and drawings."""

    def __init__(
        self,
        bridge: RecordedBridge,
        match: Match,
        frame: Optional[Frame],
        actions: list[ActionRecord],
        drawings: list[DrawingRecord],
    ) -> None:
        self.match = match
        self.debug = Drawing()
        self.frame = frame
        """The agent's current frame; None before the first frame and after the last."""
        self._bridge = bridge
        self._collected_actions: list[sc2api_pb2.Action] = []
        self._actions = actions
        self._drawings = drawings

    def do(self, action: sc2api_pb2.Action) -> None:
        """Collects an action. Raises ValueError if there is no current frame."""
        self._current_frame()
        self._collected_actions.append(require_action(action))

    def act(self, actions: Iterable[sc2api_pb2.Action]) -> int:
        """Stores the actions, which have no outcomes. Raises ValueError if there is no current frame."""
        frame = self._current_frame()
        all_actions = [*self._collected_actions, *map(require_action, actions)]
        self._actions.append(ActionRecord(frame.step, frame.game_loop, all_actions))
        self._collected_actions = []
        return len(self._actions)

    def request(self, request: sc2api_pb2.Request) -> sc2api_pb2.Response:
        """The recorded answer. Raises BridgeError if there is no recorded answer or the request was refused."""
        return self._bridge.request(request, perspective=self.match.player_id)

    @property
    def outcomes(self) -> Sequence[Outcome]:
        """Always empty, because the actions are not executed."""
        return ()

    def done(self) -> None:
        """Stores the collected actions and the drawing. Called when the agent is done with its frame."""
        if self._collected_actions:
            self.act(())
        request = self.debug.take_request()
        if request is not None:
            self._drawings.append(DrawingRecord(self._current_frame().step, request.debug.debug[0].draw))

    def _current_match(self) -> Match:
        return self.match

    def _current_frame(self) -> Frame:
        if self.frame is None:
            raise ValueError("an agent can only act after it receives a frame and before it asks for the next")
        return self.frame


class RecordedAnswers:
    """Finds recorded answers by request and perspective. If the same request was recorded several times, the answer of
    the nearest step is used; of two equally near answers, the earlier one. The recording is only read as far as needed,
    and only the locations of the answers are kept in memory."""

    def __init__(self, recording: Recording) -> None:
        self._requests = recording.requests
        self._unread_records = recording.requests.undamaged()
        self._last_read_step = -1
        self._read_count = 0
        self._file = recording._file
        self._locations_by_key: dict[bytes, list[tuple[int, Location]]] = {}
        """The step and the location of each answer, by perspective and request."""

    def find(self, step: int, perspective: int, request: sc2api_pb2.Request) -> Optional[recording_pb2.RequestRecord]:
        """Finds a record; None if there is no record within `MAX_STEP_DISTANCE` steps. Raises RecordingError."""
        while self._last_read_step <= step + MAX_STEP_DISTANCE and self._read_count <= limits.ANSWERS:
            new_location, record = next(self._unread_records, (None, None))
            if new_location is None or record is None:
                break
            self._read_count += 1
            self._last_read_step = max(self._last_read_step, record.step)
            self._locations_by_key.setdefault(_key(record.perspective, record.request), []).append(
                (record.step, new_location)
            )
        candidates = [
            (recorded_step, location)
            for recorded_step, location in self._locations_by_key.get(_key(perspective, request), ())
            if abs(recorded_step - step) <= MAX_STEP_DISTANCE
        ]
        if not candidates and self._read_count > limits.ANSWERS:
            raise self._file.error(Damage("foreign", 0, f"it has more than {limits.ANSWERS} recorded answers"))
        if not candidates:
            return None
        _, nearest = min(candidates, key=lambda one: (abs(one[0] - step), one[0]))
        return self._requests.at(nearest)


def _key(perspective: int, request: sc2api_pb2.Request) -> bytes:
    """A hash of a perspective and a request, without the request's `id`, which differs each time."""
    copy = sc2api_pb2.Request()
    copy.CopyFrom(request)
    copy.ClearField("id")
    content = copy.SerializeToString(deterministic=True)
    return hashlib.blake2b(content, digest_size=16, salt=perspective.to_bytes(8, "little")).digest()
