"""The sizes and the names of SMAC's arrays, by the names of SMAC's methods."""

from __future__ import annotations

from typing import Any

from sc2bridge.gym.multiagent import MultiAgentEnv
from sc2bridge.gym.smac_layout import Layout


class LayoutEnv(MultiAgentEnv):
    """An environment whose arrays a layout describes."""

    layout: Layout
    """The layout of the arrays."""
    n_enemies: int
    n_actions: int
    unit_type_bits: int
    obs_instead_of_state: bool

    def get_obs_feature_names(self) -> list[str]:
        """A name for each number of unit 0's observation."""
        return self.layout.obs_names()

    def get_state_feature_names(self) -> list[str]:
        """A name for each number of the state."""
        return self.layout.state_names()

    def get_obs_move_feats_size(self) -> int:
        """How many numbers of an observation are about moves."""
        return len([name for name in self.layout.obs_names() if name.startswith(("move_", "pathing_", "terrain_"))])

    def get_obs_enemy_feats_size(self) -> tuple[int, int]:
        """Enemies, and numbers for each, in an observation."""
        return self._rows("enemy_", self.n_enemies)

    def get_obs_ally_feats_size(self) -> tuple[int, int]:
        """Other own units, and numbers for each, in an observation."""
        return self._rows("ally_", self.n_agents - 1)

    def get_obs_own_feats_size(self) -> int:
        """How many numbers of an observation are about the unit itself."""
        return len([name for name in self.layout.obs_names() if name.startswith("own_")])

    def get_cap_size(self) -> int:
        """How many numbers a unit's capabilities are."""
        return self.unit_type_bits

    def get_obs_size(self) -> int:
        """The length of each unit's observation."""
        return len(self.layout.obs_names())

    def get_state_size(self) -> int:
        """The length of the state."""
        return self.get_obs_size() * self.n_agents if self.obs_instead_of_state else len(self.layout.state_names())

    def get_total_actions(self) -> int:
        """How many actions there are."""
        return self.n_actions

    def get_env_info(self) -> dict[str, Any]:
        """Sizes, and the names of what the state holds of a unit."""
        return {
            **super().get_env_info(),
            "cap_shape": self.get_cap_size(),
            "agent_features": self.layout.ally_names,
            "enemy_features": self.layout.enemy_names,
        }

    def _rows(self, what: str, count: int) -> tuple[int, int]:
        return count, len([name for name in self.layout.obs_names() if name.startswith(what)]) // max(count, 1)
