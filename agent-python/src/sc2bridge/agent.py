"""The base class of agents that `python -m sc2bridge run` runs."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Optional, Protocol

if TYPE_CHECKING:
    from sc2bridge.frame import Frame
    from sc2bridge.s2clientprotocol import sc2api_pb2
    from sc2bridge.v1.bridge_pb2 import ActionsResult, MatchDescription, MatchEnd


class Bridge(Protocol):
    """What an agent may ask while it hears a match: of a bridge (a `Connection`), or of a recording that is played."""

    def describe(
        self, match: str = "", *, without_game_info: bool = False, without_data: bool = False
    ) -> MatchDescription:
        """The match. Raises BridgeError."""

    def request(self, request: sc2api_pb2.Request, *, match: str = "", perspective: int = 0) -> sc2api_pb2.Response:
        """What the game answers. Raises BridgeError."""


class Player(Protocol):
    """What an agent that plays acts through: its `Subscription`, or a recording that is played."""

    def act(self, actions: Iterable[sc2api_pb2.Action]) -> int:
        """See `Subscription.act`."""

    @property
    def results(self) -> Sequence[ActionsResult]:
        """See `Subscription.results`."""


class Agent:
    """Hears one match. Override what you need; what a method raises ends the agent."""

    plays: bool = False
    """True in a class whose agents play their side, by `act`; others only watch."""

    priority: int = 0
    """Of several agents that command a unit in one step, the one with the highest is obeyed."""

    bridge: Optional[Bridge] = None
    """For `self.bridge.request(…)`; set before `on_start`."""

    player: Optional[Player] = None
    """What `act` acts through; set before `on_start`."""

    def act(self, actions: Iterable[sc2api_pb2.Action]) -> int:
        """Has the player do something, from within `on_step` of a class that `plays`; see `Subscription.act`."""
        if self.player is None:
            raise ValueError("there is no match to act in")
        return self.player.act(actions)

    def on_start(self, match: MatchDescription) -> None:
        """The match, before its first frame. Called once, also where the connection was lost and made again."""

    def on_step(self, frame: Frame) -> None:
        """A frame. Under `lockstep` the game goes on when this returns."""

    def on_end(self, result: MatchEnd) -> None:
        """The match is over."""
