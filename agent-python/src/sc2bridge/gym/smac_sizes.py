"""SMAC's methods that return the sizes of the arrays, and the names of the numbers in the arrays."""

from __future__ import annotations

from typing import Any

from sc2bridge.gym.multiagent import MultiAgentEnv
from sc2bridge.gym.smac_layout import Layout


class LayoutEnv(MultiAgentEnv):
    """An environment whose arrays a `Layout` describes."""

    layout: Layout
    n_enemies: int
    n_actions: int
    unit_type_bits: int
    obs_instead_of_state: bool

    def get_obs_feature_names(self) -> list[str]:
        """A name for each number in the observation of unit 0."""
        return self.layout.obs_names()

    def get_state_feature_names(self) -> list[str]:
        """A name for each number in the state."""
        return self.layout.state_names()

    def get_obs_move_feats_size(self) -> int:
        """How many numbers of an observation are about moves."""
        return len([name for name in self.layout.obs_names() if name.startswith(("move_", "pathing_", "terrain_"))])

    def get_obs_enemy_feats_size(self) -> tuple[int, int]:
        """The number of enemies in an observation, and how many numbers each enemy has."""
        return self._rows_and_width("enemy_", self.n_enemies)

    def get_obs_ally_feats_size(self) -> tuple[int, int]:
        """The number of other own units in an observation, and how many numbers each unit has."""
        return self._rows_and_width("ally_", self.n_agents - 1)

    def get_obs_own_feats_size(self) -> int:
        """How many numbers of an observation are about the unit itself."""
        return len([name for name in self.layout.obs_names() if name.startswith("own_")])

    def get_cap_size(self) -> int:
        """How many numbers a unit's capabilities have."""
        return self.unit_type_bits

    def get_obs_size(self) -> int:
        return len(self.layout.obs_names())

    def get_state_size(self) -> int:
        return self.get_obs_size() * self.n_agents if self.obs_instead_of_state else len(self.layout.state_names())

    def get_total_actions(self) -> int:
        return self.n_actions

    def get_env_info(self) -> dict[str, Any]:
        """The sizes of the arrays, and the names of a unit's numbers in the state. The keys are SMAC's names."""
        return {
            **super().get_env_info(),
            "cap_shape": self.get_cap_size(),
            "agent_features": self.layout.ally_names,
            "enemy_features": self.layout.enemy_names,
        }

    def _rows_and_width(self, what: str, count: int) -> tuple[int, int]:
        return count, len([name for name in self.layout.obs_names() if name.startswith(what)]) // max(count, 1)
