"""What became of an agent's actions."""

from __future__ import annotations

from dataclasses import dataclass

from sc2bridge.s2clientprotocol import error_pb2, sc2api_pb2
from sc2bridge.v1 import bridge_pb2

_SUCCESS = 1


@dataclass(frozen=True)
class Outcome:
    """An action, and the game's answer to it."""

    action: sc2api_pb2.Action
    step: int
    """The newest step when the game got it, or when it was refused."""
    result: int
    """A number of ActionResult; 0 where the game was not asked."""
    tag: int = 0
    """What `act` returned when it was sent."""
    refusal: str = ""
    """Why the bridge did not pass it on."""
    overridden_unit_tags: tuple[int, ...] = ()
    """Units that another agent of this side commanded in the same step, by its priority."""

    @property
    def succeeded(self) -> bool:
        """The game took it. Whether it comes about is another matter: see `action_errors` in the observation."""
        return self.result == _SUCCESS

    @property
    def reason(self) -> str:
        """Why not: the bridge's words, or the game's name for it, as `NotEnoughMinerals`; empty where it succeeded."""
        if self.succeeded or self.refusal:
            return self.refusal
        named = error_pb2.ActionResult.DESCRIPTOR.values_by_number.get(self.result)
        return str(named.name) if named is not None else f"result {self.result}"


class PendingActions:
    """The actions that were sent and have no outcome yet."""

    def __init__(self) -> None:
        self._sent: dict[int, list[sc2api_pb2.Action]] = {}

    def sent(self, tag: int, actions: list[sc2api_pb2.Action]) -> None:
        """Actions that went out with a tag."""
        self._sent[tag] = actions

    def take(self, answer: bridge_pb2.ActionsOutcome) -> SentAndOutcome:
        """Removes the actions that an answer is about; returns them, and the answer."""
        return self._sent.pop(answer.request_id, []), answer


SentAndOutcome = tuple[list[sc2api_pb2.Action], bridge_pb2.ActionsOutcome]
"""Actions that were sent together, and what the bridge says of them."""


def outcomes_of(pair: SentAndOutcome) -> list[Outcome]:
    """What became of each action."""
    sent, answer = pair
    step, tag = answer.step, answer.request_id
    if answer.HasField("error"):
        return [Outcome(action, step, 0, tag, answer.error.message) for action in sent]
    return [
        Outcome(action, step, each.result, tag, each.refusal, tuple(each.overridden_unit_tags))
        for action, each in zip(sent, answer.outcomes)
    ]
