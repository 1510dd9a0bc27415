"""An agent played through a recording: it receives what it would have received live, with no bridge, no game and no clock.

What comes of it is what the agent keeps of itself, what it asked of the game, and what it would have done: the match
goes its way. Each frame comes as under the policy `every`; none is skipped, and nothing waits for the agent.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from itertools import chain
from typing import TYPE_CHECKING, Generic, Optional, TypeVar, Union

from sc2bridge.game.actions import checked
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

NEARBY = 448
"""How many steps may lie between a query and the recorded one, as in a playback by the bridge: 20 s of steps of one
game loop. Who asks while it handles a frame of its queue is that far behind the match, more or less, at every
playing."""


@dataclass
class QueryRecord:
    """A query of the agent's, and the answer that the recording has for it."""

    step: Optional[int]
    """The step of the frame that it was asked at; None for one that was asked in `on_start`."""
    game_loop: Optional[int]
    request: sc2api_pb2.Request
    response: Optional[sc2api_pb2.Response] = None
    """None where there is none: it was not asked about then, or was refused then too."""
    recorded_step: Optional[int] = None
    """The step at which the same was asked in the match: an answer of another step may be out of date."""


@dataclass
class ActionRecord:
    """What the agent would have had its player do."""

    step: int
    """The step of the frame that it acted upon."""
    game_loop: int
    actions: list[sc2api_pb2.Action]


@dataclass
class DrawingRecord:
    """What the agent would have had the game draw from a step on."""

    step: int
    drawing: debug_pb2.DebugDraw


@dataclass
class ReplayResult(Generic[_A]):
    """What came of it."""

    agent: _A
    frames: int = 0
    """How many it received."""
    last: Optional[Frame] = None
    """The last of them."""
    queries: list[QueryRecord] = field(default_factory=list)
    """Its queries, in order."""
    actions: list[ActionRecord] = field(default_factory=list)
    """Its actions, in order."""
    drawings: list[DrawingRecord] = field(default_factory=list)
    """Its drawings, where they changed."""
    end: Optional[MatchEnd] = None
    """What `on_end` was given: the match's own end, or `stopped` where it was played in part."""


def play(recording: Recording, agent: Union[_A, type[_A]], frames: Frames) -> ReplayResult[_A]:
    """Plays frames of a recording to an agent, or to a new one of its class; see `Recording.play`."""
    played: ReplayResult[_A] = ReplayResult(agent() if isinstance(agent, type) else agent)
    life = Lifecycle(played.agent)
    bridge = RecordedBridge(recording, played.queries)
    played.agent.bridge = bridge
    coming = iter(frames)
    first = next(coming, None)
    if first is None:
        match = bridge.describe()
    else:
        match = bridge.describe(perspective=first.perspective).begin(first)
    bridge.perspective = match.player_id
    player = played.agent.player = RecordedPlayer(bridge, match, first, played.actions, played.drawings)
    life.start(match)
    for frame in coming if first is None else chain([first], coming):
        bridge.frame = player.frame = played.last = frame
        played.frames += 1
        life.step(frame)
        player.done()
    player.frame = None
    played.end = _end(recording, played.last)
    life.end(played.end)
    return played


def _end(recording: Recording, last: Optional[Frame]) -> MatchEnd:
    result = recording.end
    if result is not None and (last is None or last.step >= result.step):
        return result
    at = (0, 0) if last is None else (last.step, last.game_loop)
    return MatchEnd(recording.match.match_id, *at, "stopped")


class RecordedBridge:
    """Stands in for the bridge: answers what was asked in the match too, at about the same step."""

    def __init__(self, recording: Recording, queries: list[QueryRecord]) -> None:
        self.frame: Optional[Frame] = None
        """The one that the agent holds."""
        self.perspective = 0
        """The agent's own."""
        self._recording = recording
        self._queries = queries
        self._answers = Answers(recording)

    def describe(
        self,
        match_id: str = "",
        *,
        perspective: Optional[int] = None,
        without_game_info: bool = False,
        without_data: bool = False,
    ) -> Match:
        """The match as it was described to agents live. Raises BridgeError for a perspective that was not recorded."""
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
        """The answer that was recorded. Raises BridgeError where there is none."""
        frame = self.frame
        query = QueryRecord(None, None, request) if frame is None else QueryRecord(frame.step, frame.game_loop, request)
        self._queries.append(query)
        # Builds before 0.1.0 took 0 for a perspective that was left out.
        chosen = (self.perspective, 0) if perspective is None else (perspective,)
        found = next(filter(None, (self._answers.find(query.step or 0, one, request) for one in chosen)), None)
        if found is None:
            kind = request.WhichOneof("request") or "request"
            raise BridgeError(
                FAILED_PRECONDITION,
                f"{self._recording.path} has no answer to this {kind}: nobody asked the same within {NEARBY} steps of"
                f" step {query.step or 0}",
            )
        query.recorded_step = found.step
        if found.refusal:
            raise BridgeError(FAILED_PRECONDITION, f"refused in the match too: {found.refusal}")
        answer: sc2api_pb2.Response = found.response
        query.response = answer
        return answer


class RecordedPlayer(Queries):
    """Stands in for the subscription: keeps what the agent would have done."""

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
        """The one that the agent holds; None before the first and after the last."""
        self._bridge = bridge
        self._collected: list[sc2api_pb2.Action] = []
        self._actions = actions
        self._drawings = drawings

    def do(self, action: sc2api_pb2.Action) -> None:
        """Collects an action. Raises ValueError where no frame is held."""
        self._held()
        self._collected.append(checked(action))

    def act(self, actions: Iterable[sc2api_pb2.Action]) -> int:
        """Keeps what the agent would have done; there is no outcome. Raises ValueError where no frame is held."""
        frame = self._held()
        self._actions.append(ActionRecord(frame.step, frame.game_loop, [*self._collected, *map(checked, actions)]))
        self._collected = []
        return len(self._actions)

    def request(self, request: sc2api_pb2.Request) -> sc2api_pb2.Response:
        """The answer that was recorded. Raises BridgeError where there is none."""
        return self._bridge.request(request, perspective=self.match.player_id)

    @property
    def outcomes(self) -> Sequence[Outcome]:
        """What became of actions: nothing is known."""
        return ()

    def done(self) -> None:
        """The agent is done with its frame."""
        if self._collected:
            self.act(())
        request = self.debug.take()
        if request is not None:
            self._drawings.append(DrawingRecord(self._held().step, request.debug.debug[0].draw))

    def _constants(self) -> Match:
        return self.match

    def _held(self) -> Frame:
        if self.frame is None:
            raise ValueError("act upon a frame: there is none")
        return self.frame


class Answers:
    """What agents were answered in the match, by request and perspective: of what was asked several times, the answer
    nearest in steps (of two, the earlier). Reads the recording as far as is needed, and keeps where each answer is."""

    def __init__(self, recording: Recording) -> None:
        self._requests = recording.requests
        self._unread = recording.requests.whole()
        self._read_to = -1
        self._count = 0
        self._file = recording._file
        self._found: dict[bytes, list[tuple[int, Location]]] = {}
        """The step and the place of each, by perspective and request."""

    def find(self, step: int, perspective: int, request: sc2api_pb2.Request) -> Optional[recording_pb2.RequestRecord]:
        """The record; None where it was not asked within `NEARBY` steps. Raises RecordingError."""
        while self._read_to <= step + NEARBY and self._count <= limits.ANSWERS:
            location, record = next(self._unread, (None, None))
            if location is None or record is None:
                break
            self._count += 1
            self._read_to = max(self._read_to, record.step)
            self._found.setdefault(_key(record.perspective, record.request), []).append((record.step, location))
        near = [one for one in self._found.get(_key(perspective, request), ()) if abs(one[0] - step) <= NEARBY]
        if not near and self._count > limits.ANSWERS:
            raise self._file.error(Damage("foreign", 0, f"it has more than {limits.ANSWERS} recorded answers"))
        if not near:
            return None
        _, nearest = min(near, key=lambda one: (abs(one[0] - step), one[0]))
        return self._requests.at(nearest)


def _key(perspective: int, request: sc2api_pb2.Request) -> bytes:
    """Stands for a perspective and a request, without the number that tells requests apart."""
    copy = sc2api_pb2.Request()
    copy.CopyFrom(request)
    copy.ClearField("id")
    content = copy.SerializeToString(deterministic=True)
    return hashlib.blake2b(content, digest_size=16, salt=perspective.to_bytes(8, "little")).digest()
