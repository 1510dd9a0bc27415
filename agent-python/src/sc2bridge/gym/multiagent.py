"""The method names of SMAC, SMACv2 and PyMARL for an environment of units.

Source: smac/env/multiagentenv.py and get_stats in smac/env/starcraft2/starcraft2.py of
https://github.com/oxwhirl/smac at d6aab33f76abc3849c50463a8592a84f59a5ef84.
"""

from __future__ import annotations

import logging
from abc import ABC, abstractmethod
from typing import Any, Optional


class Battles:
    """Counts episodes that ended, victories (`won`), ends by the step limit (`timeouts`), and failures (`restarts`)."""

    def __init__(self) -> None:
        self.won = self.episodes = self.timeouts = self.restarts = 0

    def stats(self) -> dict[str, float]:
        """The counts with SMAC's names. Before the first episode ends, `win_rate` is 0; SMAC divides by zero."""
        return {
            "battles_won": self.won,
            "battles_game": self.episodes,
            "battles_draw": self.timeouts,
            "win_rate": self.won / self.episodes if self.episodes else 0.0,
            "timeouts": self.timeouts,
            "restarts": self.restarts,
        }


class MultiAgentEnv(ABC):
    """SMAC's base class: an environment of `n_agents` units. Each unit chooses an action by its number."""

    n_agents: int
    episode_limit: int
    """The most steps of an episode."""
    battles: Battles
    recordings: Optional[str] = None
    """The folder of the recordings of all episodes; None without recordings."""

    @abstractmethod
    def get_obs(self) -> list[Any]:
        """The observation of each unit; zeros for a dead unit."""

    @abstractmethod
    def get_state(self) -> Any:
        """The whole fight, as a flat array."""

    @abstractmethod
    def get_avail_actions(self) -> list[list[int]]:
        """For each unit and action: 1 if the unit may choose the action, else 0."""

    @abstractmethod
    def get_obs_size(self) -> int:
        """The length of each unit's observation."""

    @abstractmethod
    def get_state_size(self) -> int:
        """The length of the state."""

    @abstractmethod
    def get_total_actions(self) -> int:
        """The number of actions."""

    def get_obs_agent(self, agent_id: int) -> Any:
        """The observation of one unit."""
        return self.get_obs()[agent_id]

    def get_avail_agent_actions(self, agent_id: int) -> list[int]:
        """For each action: 1 if the unit may choose the action, else 0."""
        return self.get_avail_actions()[agent_id]

    def get_stats(self) -> dict[str, float]:
        """The counts of the episodes, with SMAC's names."""
        return self.battles.stats()

    def save_replay(self) -> None:
        """Logs the folder to which each match adds a recording. Raises ValueError if there is no such folder."""
        if not self.recordings:
            raise ValueError("save_replay: no recordings: give out=FOLDER (SMAC's replay_dir) to record all episodes")
        logging.getLogger(__name__).info("recordings are in %s", self.recordings)

    def get_env_info(self) -> dict[str, Any]:
        """The sizes of the arrays, the number of units and the limit of an episode, with SMAC's names."""
        return {
            "state_shape": self.get_state_size(),
            "obs_shape": self.get_obs_size(),
            "n_actions": self.get_total_actions(),
            "n_agents": self.n_agents,
            "episode_limit": self.episode_limit,
        }
