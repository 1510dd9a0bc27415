"""Calls an agent in the order that authors of bots know: the start, then for each frame what happened and
the step, and the end."""

from __future__ import annotations

import inspect
from typing import Any, Callable, Optional

from sc2bridge.agents.agent import Agent
from sc2bridge.game.events import Changes, UnitEvents
from sc2bridge.game.frame import Frame
from sc2bridge.game.match import Match
from sc2bridge.game.words import MatchEnd
from sc2bridge.hints import did_you_mean

_EVENTS = (
    "on_unit_created",
    "on_unit_destroyed",
    "on_unit_took_damage",
    "on_unit_type_changed",
    "on_building_construction_started",
    "on_building_construction_complete",
    "on_upgrade_complete",
    "on_enemy_unit_first_seen",
)

Call = Callable[..., None]
"""Calls the agent's own code: its name for messages, then the method and its arguments."""


def _plainly(_where: str, method: Callable[..., Any], *arguments: Any) -> None:
    method(*arguments)


def require_plain_methods(agent: Agent) -> None:
    """Raises ValueError for an agent with an `async def on_…`, which nothing awaits, or with a method `on_…` that nothing calls."""
    called = [name for name in dir(Agent) if name.startswith("on_")]
    for name in dir(type(agent)):
        method = getattr(type(agent), name) if name.startswith("on_") else None
        if not callable(method):
            continue
        if name not in called:
            methods = (
                f"an agent's methods are {', '.join(called)}. Rename it, or begin the name of an own method with _on_"
            )
            raise ValueError(f"{type(agent).__name__}.{name} is never called: {did_you_mean(name, called, methods)}")
        if inspect.iscoroutinefunction(method) or inspect.isasyncgenfunction(method):
            raise ValueError(
                f"{type(agent).__name__}.{name} is an `async def`, which nothing awaits: write `def`. An agent for asyncio is"
                " a loop over the frames of sc2bridge.aconnect"
            )


class Lifecycle:
    """One agent's way through one match. Frames are compared only for an agent that has a method for what happened."""

    def __init__(self, agent: Agent, call: Call = _plainly) -> None:
        """Raises ValueError as `require_plain_methods`."""
        require_plain_methods(agent)
        self._agent = agent
        self._call = call
        self._events: Optional[UnitEvents] = None
        self.match: Optional[Match] = None
        """Set by `start`; None before."""

    def start(self, match: Match) -> None:
        """The match, before its first frame."""
        self.match = self._agent.match = match
        self._agent._begin_match()
        if any(getattr(type(self._agent), name) is not getattr(Agent, name) for name in _EVENTS):
            self._events = UnitEvents(match)
        self._call("on_start", self._agent.on_start, match)

    def step(self, frame: Frame) -> None:
        """A frame."""
        self._agent._begin_step(frame)
        if frame.seeked:
            self._call(f"on_seek at step {frame.step}", self._agent.on_seek, frame)
        if self._events is not None:
            self._report(self._events.update(frame), frame.step)
        if self._agent._has_step(frame):
            self._call(f"on_step at step {frame.step}", self._agent.on_step, frame)

    def end(self, end: MatchEnd) -> None:
        """The end."""
        if self.match is not None:
            self.match.end = end
        self._call("on_end", self._agent.on_end, end)

    def _report(self, changes: Changes, step: int) -> None:
        agent, at = self._agent, f" at step {step}"
        for gone in changes.destroyed:
            self._call("on_unit_destroyed" + at, agent.on_unit_destroyed, gone)
        for unit in changes.created:
            self._call("on_unit_created" + at, agent.on_unit_created, unit)
        for unit, previous in zip(changes.type_changed, changes.previous_types.tolist()):
            self._call("on_unit_type_changed" + at, agent.on_unit_type_changed, unit, previous)
        for unit, amount in zip(changes.damaged, changes.damage.tolist()):
            self._call("on_unit_took_damage" + at, agent.on_unit_took_damage, unit, amount)
        for unit in changes.started:
            self._call("on_building_construction_started" + at, agent.on_building_construction_started, unit)
        for unit in changes.finished:
            self._call("on_building_construction_complete" + at, agent.on_building_construction_complete, unit)
        for upgrade in changes.upgrades:
            self._call("on_upgrade_complete" + at, agent.on_upgrade_complete, upgrade)
        for unit in changes.seen:
            self._call("on_enemy_unit_first_seen" + at, agent.on_enemy_unit_first_seen, unit)
