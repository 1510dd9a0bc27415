"""Agents: the base class `Agent`, the code that runs agents, and the built-in agent `Watcher`."""

from sc2bridge.agents.agent import Agent
from sc2bridge.agents.watcher import Watcher

__all__ = ["Agent", "Watcher"]
