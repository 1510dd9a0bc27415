"""Each own unit of a scenario as an agent."""

from __future__ import annotations

from typing import Any, Optional

import numpy as np
from gymnasium import spaces

from sc2bridge.gym import scenario as scenarios
from sc2bridge.gym.env import MatchEnv
from sc2bridge.gym.observations import FEATURES
from sc2bridge.gym.parallel import ParallelEnv

_X, _Y = FEATURES.index("x"), FEATURES.index("y")
_SIGHT = 9  # cells: unit_sight_range of SMAC's starcraft2.py


class UnitsEnv(ParallelEnv):  # type: ignore[misc]
    """PettingZoo's parallel API (https://pettingzoo.farama.org/api/parallel/) for the units of a scenario, `unit_0` and so on, which
    share the reward; and `get_obs`, `get_state`, `get_avail_actions` and `get_env_info` as SMAC and SMACv2 have them.

    An agent observes `{"observation": …, "action_mask": …}`. The observation has a row of `features` for each unit: first the agent
    itself, then the other own units, then the enemies, both in the order of their slots, which stay as they are for the whole match.
    A unit that is farther away than 9 cells has a row of zeros. Places are relative to the agent, in nines of a cell.

    `UnitActions` numbers the actions. If there are n agents, 6 + j attacks the enemy in row n + j of the agent's observation; an agent that
    can heal heals the own unit in row 1 + j. A unit that dies is an agent that has terminated.

    `state` has a row of `features` for each unit: agents first, then enemies, with places on the map.
    """

    metadata = {"name": "sc2bridge_units_v0", "render_modes": [], "is_parallelizable": True}
    render_mode = None

    def __init__(self, scenario: str, opponent: str, **kwargs: Any) -> None:
        """As of `MatchEnv`."""
        self._env = MatchEnv(
            scenario=scenario, opponent=opponent, observation="units", actions="multi_discrete", **kwargs
        )
        slots = self._env.side.slots
        self.possible_agents = [f"unit_{number}" for number in range(len(slots.tags[slots.own]))]
        self.agents: list[str] = []
        self._names = scenarios.types(scenarios.read(scenario))
        self.features = (*FEATURES, *self._names)
        """The numbers of a row: FEATURES, then for each unit type of the scenario's players, by its name, 1 if it is the unit's type and
        else 0, as SMAC's one-hot of the unit type. A unit of another type, such as one that has changed its form, has zeros there."""
        every = np.arange(slots.count)
        self._orders = [np.append(row, np.delete(every, row)) for row in every[slots.own]]
        self._choices = int(self._env.action_space.nvec[0])
        length = slots.count * len(self.features)
        self._space = spaces.Dict(
            observation=spaces.Box(-1, 1, (length,), np.float32), action_mask=spaces.MultiBinary(self._choices)
        )
        self.observation_spaces = {agent: self._space for agent in self.possible_agents}
        self.action_spaces = {agent: spaces.Discrete(self._choices) for agent in self.possible_agents}
        self.state_space = spaces.Box(-1, 1, (length,), np.float32)

    def observation_space(self, agent: str) -> spaces.Space[Any]:
        """Of an agent; the same each time."""
        return self.observation_spaces[agent]

    def action_space(self, agent: str) -> spaces.Space[Any]:
        """Of an agent; the same each time."""
        return self.action_spaces[agent]

    def reset(self, seed: Optional[int] = None, options: Optional[dict[str, Any]] = None) -> tuple[Any, Any]:
        """Begins a match: what the agents observe, and their infos."""
        seen, info = self._env.reset(seed=seed, options=options)
        assert self._env.side.match is not None
        self._types = [int(self._env.side.match.unit_types[name]) for name in self._names]
        self._see(seen)
        self.agents = list(self.possible_agents)
        return self._observe(self.agents), {agent: dict(info, action_mask=None) for agent in self.agents}

    def step(self, actions: dict[str, int]) -> tuple[Any, Any, Any, Any, Any]:
        """Acts: an action for each agent that is left. What agents observe, their rewards, terminations, truncations and infos."""
        numbers = [actions.get(agent, 0) for agent in self.possible_agents]
        seen, reward, terminated, truncated, info = self._env.step(numbers)
        self._see(seen)
        there, agents = self._env.side.slots.filled, self.agents
        gone = {agent: terminated or not there[self.possible_agents.index(agent)] for agent in agents}
        infos = {agent: dict(info, action_mask=None) for agent in agents}
        self.agents = [] if terminated or truncated else [agent for agent in agents if not gone[agent]]
        return (
            self._observe(agents),
            dict.fromkeys(agents, reward),
            gone,
            dict.fromkeys(agents, truncated),
            infos,
        )

    def state(self) -> Any:
        """The features of all units, flat."""
        return self._table.reshape(-1).copy()

    def get_state(self) -> Any:
        """As `state`."""
        return self.state()

    def get_obs(self) -> list[Any]:
        """What each unit observes, the dead ones' zeros."""
        return [self._of(row) for row in range(len(self.possible_agents))]

    def get_avail_actions(self) -> list[list[int]]:
        """For each unit which numbers it may choose: 1 or 0."""
        avail: list[list[int]] = self._env.side.mask.tolist()
        return avail

    def get_env_info(self) -> dict[str, int]:
        """Sizes, by SMAC's names."""
        length = int(self.state_space.shape[0])
        return {
            "state_shape": length,
            "obs_shape": length,
            "n_actions": self._choices,
            "n_agents": len(self.possible_agents),
        }

    def render(self) -> None:
        """Nothing: `MatchEnv.web_address` shows the match."""

    def close(self) -> None:
        """Ends the bridge and its game."""
        self._env.close()

    def _observe(self, agents: list[str]) -> dict[str, Any]:
        rows = {agent: self.possible_agents.index(agent) for agent in agents}
        return {
            agent: {"observation": self._of(row), "action_mask": self._env.side.mask[row]}
            for agent, row in rows.items()
        }

    def _see(self, seen: dict[str, Any]) -> None:
        self._table = np.hstack([seen["units"], seen["types"][:, None] == self._types], dtype=np.float32)

    def _of(self, row: int) -> Any:
        found, filled, order = np.zeros_like(self._table), self._env.side.slots.filled, self._orders[row]
        if filled[row]:
            units = self._table[order]
            apart = (units[:, (_X, _Y)] - units[0, (_X, _Y)]) * self._env.side.size
            near = filled[order] & (np.hypot(*apart.T) <= _SIGHT)
            found[near] = units[near]
            found[:, (_X, _Y)] = np.where(near[:, None], apart / _SIGHT, 0)
        return found.reshape(-1)
