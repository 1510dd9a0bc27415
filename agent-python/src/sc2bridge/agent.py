"""The base class of agents that `python -m sc2bridge run` runs."""

from __future__ import annotations

from typing import TYPE_CHECKING, Optional

if TYPE_CHECKING:
    from sc2bridge.connection import Connection
    from sc2bridge.frame import Frame
    from sc2bridge.v1.bridge_pb2 import MatchDescription, MatchEnd


class Agent:
    """Hears one match. Override what you need; what a method raises ends the agent."""

    bridge: Optional[Connection] = None
    """The connection, for `self.bridge.request(…)`; set before `on_start`."""

    def on_start(self, match: MatchDescription) -> None:
        """The match, before its first frame. Called once, also where the connection was lost and made again."""

    def on_step(self, frame: Frame) -> None:
        """A frame. Under `lockstep` the game goes on when this returns."""

    def on_end(self, result: MatchEnd) -> None:
        """The match is over."""
