"""Calls an agent's methods in the usual order: `on_start`, then for each frame the events and `on_step`, then
`on_end`."""

from __future__ import annotations

import inspect
from typing import Any, Callable, Optional

from sc2bridge.agents.agent import Agent
from sc2bridge.game.events import Changes, UnitEvents
from sc2bridge.game.frame import Frame
from sc2bridge.game.match import Match
from sc2bridge.game.words import MatchEnd
from sc2bridge.hints import did_you_mean

_EVENT_METHODS = (
    "on_unit_created",
    "on_unit_destroyed",
    "on_unit_took_damage",
    "on_unit_type_changed",
    "on_building_construction_started",
    "on_building_construction_complete",
    "on_upgrade_complete",
    "on_enemy_unit_first_seen",
)

AgentCall = Callable[..., None]
"""A function that calls the agent's code. Arguments: a name for errors, the method, and the method's arguments."""


def _call_directly(_where: str, method: Callable[..., Any], *arguments: Any) -> None:
    method(*arguments)


def require_callable_methods(agent: Agent) -> None:
    """Raises ValueError for a method `async def on_…`, which nothing would await, and for an unknown method `on_…`,
    which nothing would call."""
    called = [name for name in dir(Agent) if name.startswith("on_")]
    for name in dir(type(agent)):
        method = getattr(type(agent), name) if name.startswith("on_") else None
        if not callable(method):
            continue
        if name not in called:
            advice = (
                f"an agent's methods are {', '.join(called)}. Rename it to one of these, or begin its name with _on_"
            )
            raise ValueError(f"{type(agent).__name__}.{name} is never called: {did_you_mean(name, called, advice)}")
        if inspect.iscoroutinefunction(method) or inspect.isasyncgenfunction(method):
            raise ValueError(
                f"{type(agent).__name__}.{name} is an `async def`, which nothing awaits: write `def`. For asyncio, use"
                " a loop over the frames of sc2bridge.aconnect instead of an Agent"
            )


class Lifecycle:
    """Calls the methods of one agent in one match. Frames are compared only if the agent overrides a method for
    events."""

    def __init__(self, agent: Agent, call: AgentCall = _call_directly) -> None:
        """call: a function that calls the agent's methods. Raises the errors of `require_callable_methods`."""
        require_callable_methods(agent)
        self._agent = agent
        self._call = call
        self._events: Optional[UnitEvents] = None
        self.match: Optional[Match] = None
        """None before `start`."""

    def start(self, match: Match) -> None:
        """Sets the match and calls `on_start`. Call it before the first frame."""
        self.match = self._agent.match = match
        self._agent._begin_match()
        if any(getattr(type(self._agent), name) is not getattr(Agent, name) for name in _EVENT_METHODS):
            self._events = UnitEvents(match)
        self._call("on_start", self._agent.on_start, match)

    def step(self, frame: Frame) -> None:
        """Calls the event methods and `on_step` for a frame."""
        self._agent._begin_step(frame)
        if frame.seeked:
            self._call(f"on_seek at step {frame.step}", self._agent.on_seek, frame)
        if self._events is not None:
            self._call_event_methods(self._events.update(frame), frame.step)
        if self._agent._has_step(frame):
            self._call(f"on_step at step {frame.step}", self._agent.on_step, frame)

    def end(self, end: MatchEnd) -> None:
        """Sets the end of the match and calls `on_end`."""
        if self.match is not None:
            self.match.end = end
        self._call("on_end", self._agent.on_end, end)

    def _call_event_methods(self, changes: Changes, step: int) -> None:
        agent, step_text = self._agent, f" at step {step}"
        for destroyed in changes.destroyed:
            self._call("on_unit_destroyed" + step_text, agent.on_unit_destroyed, destroyed)
        for unit in changes.created:
            self._call("on_unit_created" + step_text, agent.on_unit_created, unit)
        for unit, previous in zip(changes.type_changed, changes.previous_types.tolist()):
            self._call("on_unit_type_changed" + step_text, agent.on_unit_type_changed, unit, previous)
        for unit, amount in zip(changes.damaged, changes.damage.tolist()):
            self._call("on_unit_took_damage" + step_text, agent.on_unit_took_damage, unit, amount)
        for unit in changes.started:
            self._call("on_building_construction_started" + step_text, agent.on_building_construction_started, unit)
        for unit in changes.finished:
            self._call("on_building_construction_complete" + step_text, agent.on_building_construction_complete, unit)
        for upgrade in changes.upgrades:
            self._call("on_upgrade_complete" + step_text, agent.on_upgrade_complete, upgrade)
        for unit in changes.seen:
            self._call("on_enemy_unit_first_seen" + step_text, agent.on_enemy_unit_first_seen, unit)
