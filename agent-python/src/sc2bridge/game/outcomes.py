"""The outcomes of an agent's actions."""

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
    """The newest step when the game received the action, or when the bridge refused the action."""
    result: int
    """The ActionResult number; 0 if the action was not sent to the game."""
    tag: int = 0
    """The number that `act` returned when it sent the action. It is not the tag of a unit."""
    refusal: str = ""
    """Why the bridge did not send the action to the game; empty if the bridge sent it."""
    overridden_unit_tags: tuple[int, ...] = ()
    """Units that did not get the order, because an agent with a higher priority commanded them in the same step."""

    @property
    def succeeded(self) -> bool:
        """True if the game accepted the action. It can still fail later: see `action_errors` in the observation."""
        return self.result == _SUCCESS

    @property
    def reason(self) -> str:
        """Why the action failed: the bridge's message, or the game's name of the result, such as `NotEnoughMinerals`.
        Empty if the action succeeded."""
        if self.succeeded or self.refusal:
            return self.refusal
        named = error_pb2.ActionResult.DESCRIPTOR.values_by_number.get(self.result)
        return str(named.name) if named is not None else f"result {self.result}"


class PendingActions:
    """Actions that were sent, and that have no outcome yet."""

    def __init__(self) -> None:
        self._sent: dict[int, list[sc2api_pb2.Action]] = {}

    def add(self, request_id: int, actions: list[sc2api_pb2.Action]) -> None:
        self._sent[request_id] = actions

    def pop(self, answer: bridge_pb2.ActionsOutcome) -> SentAndOutcome:
        """Removes the actions with the answer's request id. Returns these actions and the answer."""
        return self._sent.pop(answer.request_id, []), answer


SentAndOutcome = tuple[list[sc2api_pb2.Action], bridge_pb2.ActionsOutcome]
"""Actions that were sent together, and the bridge's answer."""


def outcomes_of(pair: SentAndOutcome) -> list[Outcome]:
    sent, answer = pair
    step, request_id = answer.step, answer.request_id
    if answer.HasField("error"):
        return [Outcome(action, step, 0, request_id, answer.error.message) for action in sent]
    return [
        Outcome(action, step, each.result, request_id, each.refusal, tuple(each.overridden_unit_tags))
        for action, each in zip(sent, answer.outcomes)
    ]
