"""Agents: the class that they derive from, what runs them, and one that comes with the package."""

from sc2bridge.agents.agent import Agent
from sc2bridge.agents.watcher import Watcher

__all__ = ["Agent", "Watcher"]
