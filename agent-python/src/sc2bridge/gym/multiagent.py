"""SMAC's, SMACv2's and PyMARL's names for the methods of an environment of units.

Source: smac/env/multiagentenv.py and get_stats in smac/env/starcraft2/starcraft2.py of
https://github.com/oxwhirl/smac at d6aab33f76abc3849c50463a8592a84f59a5ef84.
"""

from __future__ import annotations

import logging
from abc import ABC, abstractmethod
from typing import Any, Optional


class Battles:
    """Counts of an environment's episodes."""

    def __init__(self) -> None:
        self.won = self.game = self.timeouts = self.restarts = 0

    def stats(self) -> dict[str, float]:
        """By SMAC's names. `win_rate` is 0 before the first end; SMAC divides by zero there."""
        return {
            "battles_won": self.won,
            "battles_game": self.game,
            "battles_draw": self.timeouts,
            "win_rate": self.won / self.game if self.game else 0.0,
            "timeouts": self.timeouts,
            "restarts": self.restarts,
        }


class MultiAgentEnv(ABC):
    """SMAC's base class: an environment of `n_agents` units. Each of them chooses an action by its number."""

    n_agents: int
    episode_limit: int
    """The most steps of an episode."""
    battles: Battles
    recordings: Optional[str] = None
    """The folder of the recordings of all episodes; None without recordings."""

    @abstractmethod
    def get_obs(self) -> list[Any]:
        """The observation of each unit; zeros for a dead one."""

    @abstractmethod
    def get_state(self) -> Any:
        """The whole fight, as a flat array."""

    @abstractmethod
    def get_avail_actions(self) -> list[list[int]]:
        """1 for each action that a unit may choose, else 0: a list for each unit."""

    @abstractmethod
    def get_obs_size(self) -> int:
        """The length of each unit's observation."""

    @abstractmethod
    def get_state_size(self) -> int:
        """The length of the state."""

    @abstractmethod
    def get_total_actions(self) -> int:
        """How many actions there are."""

    def get_obs_agent(self, agent_id: int) -> Any:
        """The observation of one unit."""
        return self.get_obs()[agent_id]

    def get_avail_agent_actions(self, agent_id: int) -> list[int]:
        """Which actions one unit may choose: 1 or 0."""
        return self.get_avail_actions()[agent_id]

    def get_stats(self) -> dict[str, float]:
        """Counts of episodes."""
        return self.battles.stats()

    def save_replay(self) -> None:
        """Logs where the recordings are. Raises ValueError without a folder: recordings are made while a match is played."""
        if not self.recordings:
            raise ValueError("save_replay: give out=FOLDER (SMAC's replay_dir): the bridge records each episode there")
        logging.getLogger(__name__).info("recordings are in %s", self.recordings)

    def get_env_info(self) -> dict[str, Any]:
        """Sizes."""
        return {
            "state_shape": self.get_state_size(),
            "obs_shape": self.get_obs_size(),
            "n_actions": self.get_total_actions(),
            "n_agents": self.n_agents,
            "episode_limit": self.episode_limit,
        }
