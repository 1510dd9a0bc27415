"""The base class of agents that `sc2bridge run` runs."""

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
    """What an agent may ask in a match: of a bridge (a `Connection`), or of a recording that is played."""

    def describe(
        self,
        match_id: str = "",
        *,
        perspective: Optional[int] = None,
        without_game_info: bool = False,
        without_data: bool = False,
    ) -> Match:
        """The match. Raises BridgeError."""

    def request(
        self, request: sc2api_pb2.Request, *, match_id: str = "", perspective: Optional[int] = None
    ) -> sc2api_pb2.Response:
        """What the game answers. Raises BridgeError."""


class Agent(Queries):
    """Receives a match, or the matches of a series. Override what you need; what a method raises ends the agent.

    An agent that `can_act` commands its units by `self.attack(…)`, `self.train(…)` and the like (see `Commands`), draws
    by `self.debug`, and any agent asks by `self.query_pathing(…)` and the like (see `Queries`).
    """

    can_act: bool = False
    """True in a class whose agents act for their side; others only watch."""

    priority: int = 0
    """Of several agents that command a unit in one step, the one with the highest is obeyed."""

    bridge: Optional[Bridge] = None
    """The connection; set before `on_start`."""

    player: Optional[Player] = None
    """The subscription, which acts and asks; set before `on_start`."""

    match: Match
    """The match, as its perspective sees it; set before `on_start`."""

    def on_start(self, match: Match) -> None:
        """A match, before its first frame: also `self.match` from here on. Called once for a match, also where the
        connection was lost and made again; in a series anew for each."""

    def on_step(self, frame: Frame) -> None:
        """A frame, after what happened since the last one. Under `lockstep` the game goes on when this returns."""

    def on_end(self, end: MatchEnd) -> None:
        """The match is over; `self.match.result` is this player's result. Called whenever `on_start` was called, also if
        a game failed, the bridge is gone, or Ctrl-C was pressed: see `end.aborted`. `str(end)` is the reason for people.
        """

    def on_seek(self, frame: Frame) -> None:
        """The playback of a recording was moved to this frame: forget what was before, and look at what is there
        now."""

    def on_unit_created(self, unit: Unit) -> None:
        """An own unit, no building, that was not there before. As for python-sc2, those of the first frame are not
        reported."""

    def on_unit_destroyed(self, unit: LastSeen) -> None:
        """A unit of any side that was seen before is dead, or a mineral field empty: as it was when it was last
        seen."""

    def on_unit_took_damage(self, unit: Unit, amount: float) -> None:
        """An own unit or building lost so many points of health and shield."""

    def on_unit_type_changed(self, unit: Unit, previous_type: int) -> None:
        """An own unit or building morphed, burrowed, lifted off and the like."""

    def on_building_construction_started(self, unit: Unit) -> None:
        """An own building was begun."""

    def on_building_construction_complete(self, unit: Unit) -> None:
        """An own building is finished."""

    def on_upgrade_complete(self, upgrade: int) -> None:
        """An upgrade is finished: its id."""

    def on_enemy_unit_first_seen(self, unit: Unit) -> None:
        """An enemy's unit or building is seen for the first time in the match."""

    @property
    def debug(self) -> Drawing:
        """What the step draws on the game's screen."""
        return self._player().debug

    def act(self, actions: Iterable[sc2api_pb2.Action]) -> int:
        """Has the player do something now, not when the step is done; see `Subscription.act`."""
        return self._player().act(actions)

    def do(self, action: sc2api_pb2.Action) -> None:
        """Any action; it goes with those of the other commands when the step is done."""
        self._player().do(action)

    def request(self, request: sc2api_pb2.Request) -> sc2api_pb2.Response:
        """Any request of the game's that leaves the match as it is, as this player. Raises BridgeError."""
        return self._player().request(request)

    def _constants(self) -> Match:
        return self.match

    def _begin_match(self) -> None:
        """A match is set, before `on_start`: for a class between this one and an author's."""

    def _begin_step(self, frame: Frame) -> None:
        """The same for a frame, before what happened and `on_step`."""

    def _has_step(self, frame: Frame) -> bool:
        """Whether `on_step` is called for a frame."""
        return True

    def _player(self) -> Player:
        if self.player is None:
            raise ValueError("there is no match to act in")
        return self.player
