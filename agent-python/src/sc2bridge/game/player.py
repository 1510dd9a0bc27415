"""The interface through which an agent acts and sends queries."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from sc2bridge.game.drawing import Drawing
    from sc2bridge.game.match import Match
    from sc2bridge.game.outcomes import Outcome
    from sc2bridge.s2clientprotocol import sc2api_pb2


class Player(Protocol):
    """An agent's `Subscription`, or the object that replaces it when the agent plays with a recording's frames.
    `Subscription` documents the members."""

    def act(self, actions: Iterable[sc2api_pb2.Action]) -> int:
        """See `Subscription.act`."""

    def do(self, action: sc2api_pb2.Action) -> None:
        ...

    def request(self, request: sc2api_pb2.Request) -> sc2api_pb2.Response:
        ...

    @property
    def match(self) -> Match:
        ...

    @property
    def debug(self) -> Drawing:
        ...

    @property
    def outcomes(self) -> Sequence[Outcome]:
        ...
