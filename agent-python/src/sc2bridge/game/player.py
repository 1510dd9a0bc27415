"""What an agent acts and asks through."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from sc2bridge.game.drawing import Drawing
    from sc2bridge.game.match import Match
    from sc2bridge.game.outcomes import Outcome
    from sc2bridge.s2clientprotocol import sc2api_pb2


class Player(Protocol):
    """An agent's `Subscription`, or a recording that is played."""

    def act(self, actions: Iterable[sc2api_pb2.Action]) -> int:
        """See `Subscription.act`, as for all below."""

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
