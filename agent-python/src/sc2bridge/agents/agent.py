"""The base class of agents. `sc2bridge run` runs an agent."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Optional, Protocol

from sc2bridge.game.queries import Queries

if TYPE_CHECKING:
    from sc2bridge.game.drawing import Drawing
    from sc2bridge.game.events import LastSeen
    from sc2bridge.game.frame import Frame
    from sc2bridge.game.match import Match
    from sc2bridge.game.player import Player
    from sc2bridge.game.words import MatchEnd
    from sc2bridge.s2clientprotocol import sc2api_pb2
    from sc2bridge.units import Unit


class Bridge(Protocol):
    """The requests that an agent can send. During a playback without a bridge, the recording answers them."""

    def describe(
        self,
        match_id: str = "",
        *,
        perspective: Optional[int] = None,
        without_game_info: bool = False,
        without_data: bool = False,
    ) -> Match:
        """Returns the match. Raises BridgeError."""

    def request(
        self, request: sc2api_pb2.Request, *, match_id: str = "", perspective: Optional[int] = None
    ) -> sc2api_pb2.Response:
        """Sends a request to the game and returns its answer. Raises BridgeError."""


class Agent(Queries):
    """Receives the frames of a match, or of the matches of a series. Override the methods that you need. An exception
    in a method ends the agent.

    Any agent can query the game: `self.query_pathing(…)` and others (see `Queries`). An agent that `can_act` also
    commands its units: `self.attack(…)`, `self.train(…)` and others (see `Commands`). `self.debug` draws.
    """

    can_act: bool = False
    """True if agents of this class play for their side; False if they only watch."""

    priority: int = 0
    """If several agents command a unit in one step, the unit obeys the agent with the highest priority."""

    bridge: Optional[Bridge] = None
    """The connection to the bridge; set before `on_start`."""

    player: Optional[Player] = None
    """The subscription, which sends actions and queries; set before `on_start`."""

    match: Match
    """The match, as the agent's perspective sees it; set before `on_start`."""

    def on_start(self, match: Match) -> None:
        """A match begins; its first frame follows. `self.match` is set. Called only once for each match, even if the
        connection is lost and restored."""

    def on_step(self, frame: Frame) -> None:
        """A frame arrived. The methods for the events since the last frame were already called. With `lockstep`, the
        game continues when this method returns."""

    def on_end(self, end: MatchEnd) -> None:
        """The match is over; `self.match.result` is this player's result. Called for each match for which `on_start`
        was called, also if the game failed, the bridge ended, or Ctrl-C was pressed: see `end.aborted`. `str(end)` is a
        readable reason."""

    def on_seek(self, frame: Frame) -> None:
        """The playback of a recording jumped to this frame. Discard what you kept from earlier frames."""

    def on_unit_created(self, unit: Unit) -> None:
        """An own unit, but not a building, was created. As in python-sc2, units of the first frame are not reported."""

    def on_unit_destroyed(self, unit: LastSeen) -> None:
        """A unit of any side died, or a mineral field is empty. `unit` has the state in which it was last seen."""

    def on_unit_took_damage(self, unit: Unit, amount: float) -> None:
        """An own unit or building lost `amount` points of health and shield."""

    def on_unit_type_changed(self, unit: Unit, previous_type: int) -> None:
        """The type of an own unit or building changed: it morphed, burrowed, lifted off or similar."""

    def on_building_construction_started(self, unit: Unit) -> None:
        """The construction of an own building began."""

    def on_building_construction_complete(self, unit: Unit) -> None:
        """An own building is finished."""

    def on_upgrade_complete(self, upgrade: int) -> None:
        """An upgrade is finished. `upgrade` is its id."""

    def on_enemy_unit_first_seen(self, unit: Unit) -> None:
        """A unit or building of an enemy is seen for the first time in the match."""

    @property
    def debug(self) -> Drawing:
        """The drawings of this step on the game's screen."""
        return self._player().debug

    def act(self, actions: Iterable[sc2api_pb2.Action]) -> int:
        """Sends actions now, not at the end of the step; see `Subscription.act`."""
        return self._player().act(actions)

    def do(self, action: sc2api_pb2.Action) -> None:
        """Adds an action of any kind to the commands that are sent at the end of the step."""
        self._player().do(action)

    def request(self, request: sc2api_pb2.Request) -> sc2api_pb2.Response:
        """Sends the game any request that does not change the match, as this player. Raises BridgeError."""
        return self._player().request(request)

    def _current_match(self) -> Match:
        return self.match

    def _begin_match(self) -> None:
        """Called before `on_start`; `self.match` is set. Base classes such as `BotAI` override this method."""

    def _begin_step(self, frame: Frame) -> None:
        """Called for each frame, before the event methods and `on_step`."""

    def _has_step(self, frame: Frame) -> bool:
        """Whether `on_step` is called for a frame."""
        return True

    def _player(self) -> Player:
        if self.player is None:
            raise ValueError("the agent has no match yet: call this in on_start or later")
        return self.player
