"""An environment in which each own unit of a scenario is an agent."""

from __future__ import annotations

from typing import Any, Optional

import numpy as np
from gymnasium import spaces

from sc2bridge.gym import scenario as scenarios
from sc2bridge.gym.actions import FIRST_TARGET
from sc2bridge.gym.env import MatchEnv
from sc2bridge.gym.multiagent import Battles, MultiAgentEnv
from sc2bridge.gym.observations import FEATURES
from sc2bridge.gym.parallel import ParallelEnv
from sc2bridge.gym.screen import FRAMES_A_SECOND, RENDER_MODES

_X, _Y = FEATURES.index("x"), FEATURES.index("y")
SEEN_FEATURES = ("visible", "distance", "can_target")
"""Features of a unit that depend on the observing agent: 1 if the unit is in sight; its distance (cells divided by 9);
1 if the agent may choose the action with this target. In the state, `visible` is 1 for each living unit, and the other
two features are 0."""
_VISIBLE, _DISTANCE, _CAN_TARGET = range(len(FEATURES), len(FEATURES) + len(SEEN_FEATURES))
_SIGHT = 9  # cells: unit_sight_range of SMAC's starcraft2.py
_DEFAULT_LOOP_LIMIT = 1 << 19  # game loops: the limit if a scenario has no `limit`


class UnitsEnv(MultiAgentEnv, ParallelEnv):  # type: ignore[misc]
    """PettingZoo's parallel API (https://pettingzoo.farama.org/api/parallel/) for the own units of a scenario. The
    agents are `unit_0` and so on. All agents get the same reward. SMAC's and SMACv2's methods (`MultiAgentEnv`) work
    too, but only `sc2bridge.gym.smac` has SMAC's exact arrays.

    An agent observes `{"observation": …, "action_mask": …}`. The observation has a row of `features` for each unit:
    first the agent itself, then the other own units, then the enemies. This order is fixed for the whole match. A unit
    farther away than 9 cells has a row of zeros. Places are relative to the agent, in cells divided by 9.

    `UnitActions` documents the actions. With n agents, 6 + j attacks the enemy in row n + j of the agent's observation.
    If the agent heals, 6 + j heals the own unit in row 1 + j. When a unit dies, its agent terminates.

    `state` has a row of `features` for each unit: agents first, then enemies. x and y are divided by the map's size.
    """

    metadata = {
        "name": "sc2bridge_units_v0",
        "render_modes": list(RENDER_MODES),
        "render_fps": FRAMES_A_SECOND,
        "is_parallelizable": True,
    }

    def __init__(self, scenario: str, opponent: str, **kwargs: Any) -> None:
        """See `MatchEnv`."""
        self._env = MatchEnv(
            scenario=scenario, opponent=opponent, observation="units", actions="multi_discrete", **kwargs
        )
        self.render_mode = self._env.render_mode
        slots = self._env.side.slots
        file = scenarios.read(scenario)
        self.episode_limit = -(-file.get("limit", _DEFAULT_LOOP_LIMIT) // kwargs.get("repeat", 8))
        self.battles = Battles()
        self.recordings = kwargs.get("out")
        self.possible_agents = [f"unit_{number}" for number in range(len(slots.tags[slots.own]))]
        self.agents: list[str] = []
        self._seed: Optional[int] = None
        self.n_agents = len(self.possible_agents)
        self._type_names = scenarios.unit_types(file)
        self.features = (*FEATURES, *SEEN_FEATURES, *self._type_names)
        """The names of the numbers in a row: FEATURES, SEEN_FEATURES, then the unit types of the scenario. As in
        SMAC, the number for a unit's own type is 1, and the numbers for the other types are 0. If the scenario does not
        have the unit's type, for example after a morph, all these numbers are 0."""
        self._enemies = len(slots.tags[slots.enemies])
        every = np.arange(slots.count)
        self._row_orders = [np.append(row, np.delete(every, row)) for row in every[slots.own]]
        self._action_count = int(self._env.action_space.nvec[0])
        length = slots.count * len(self.features)
        self._space = spaces.Dict(
            observation=spaces.Box(-1, 1, (length,), np.float32), action_mask=spaces.MultiBinary(self._action_count)
        )
        self.observation_spaces = {agent: self._space for agent in self.possible_agents}
        self.action_spaces = {agent: spaces.Discrete(self._action_count) for agent in self.possible_agents}
        self.state_space = spaces.Box(-1, 1, (length,), np.float32)

    def observation_space(self, agent: str) -> spaces.Space[Any]:
        """An agent's observation space; the same object each time."""
        return self.observation_spaces[agent]

    def action_space(self, agent: str) -> spaces.Space[Any]:
        """An agent's action space; the same object each time."""
        return self.action_spaces[agent]

    def reset(self, seed: Optional[int] = None, options: Optional[dict[str, Any]] = None) -> tuple[Any, Any]:
        """Begins a match. Returns the observations and the infos of the agents."""
        self._seed = self._seed if seed is None else seed
        seen, info = self._env.reset(seed=seed, options=options)
        assert self._env.side.match is not None
        self._types = [int(self._env.side.match.unit_types[name]) for name in self._type_names]
        self._update_table(seen)
        self.agents = list(self.possible_agents)
        self._steps = 0
        return self._observe(self.agents), self._infos(self.agents, info)

    def step(self, actions: Any) -> Any:
        """Acts. actions: a dictionary with an action for each living agent, or a list, an array or a tensor with a
        number for each unit. For a dictionary, returns observations, rewards, terminations, truncations and infos, as
        in PettingZoo. Otherwise, returns the reward, whether the episode is over, and an info of numbers, as in SMAC.
        Raises ValueError for a wrong action.
        """
        if not isinstance(actions, dict):
            return self._step_smac(np.asarray(actions))
        unknown = set(actions) - set(self.possible_agents)
        if unknown:
            raise ValueError(
                f"there is no agent {min(unknown, key=str)!r}: choose from {', '.join(self.possible_agents)}"
            )
        reward, terminated, truncated, info = self._step_env([actions.get(agent, 0) for agent in self.possible_agents])
        there, agents = self._env.side.slots.filled, self.agents
        gone = {agent: terminated or not there[self.possible_agents.index(agent)] for agent in agents}
        self.agents = [] if terminated or truncated else [agent for agent in agents if not gone[agent]]
        return (
            self._observe(agents),
            dict.fromkeys(agents, reward),
            gone,
            dict.fromkeys(agents, truncated),
            self._infos(agents, info),
        )

    def state(self) -> Any:
        """The features of all units, as a flat array."""
        return self._table.reshape(-1).copy()

    def get_state(self) -> Any:
        """Same as `state`."""
        return self.state()

    def get_obs(self) -> list[Any]:
        return [self._observation_of(row) for row in range(len(self.possible_agents))]

    def get_avail_actions(self) -> list[list[int]]:
        avail: list[list[int]] = self._env.side.mask.tolist()
        return avail

    def get_obs_size(self) -> int:
        return int(self.state_space.shape[0])

    def get_state_size(self) -> int:
        return int(self.state_space.shape[0])

    def get_total_actions(self) -> int:
        return self._action_count

    def seed(self) -> Optional[int]:
        """The last seed that was passed to `reset`; None if there was no seed."""
        return self._seed

    def render(self) -> Any:
        """See `MatchEnv.render`."""
        return self._env.render()

    def close(self) -> None:
        """Ends the bridge and its game."""
        self._env.close()

    def _observe(self, agents: list[str]) -> dict[str, Any]:
        rows = {agent: self.possible_agents.index(agent) for agent in agents}
        return {
            agent: {"observation": self._observation_of(row), "action_mask": self._env.side.mask[row]}
            for agent, row in rows.items()
        }

    def _infos(self, agents: list[str], info: dict[str, Any]) -> dict[str, Any]:
        masks = dict(zip(self.possible_agents, self._env.side.mask))
        return {agent: dict(info, action_mask=masks[agent]) for agent in agents}

    def _step_env(self, numbers: Any) -> tuple[float, bool, bool, dict[str, Any]]:
        seen, reward, terminated, truncated, info = self._env.step(numbers)
        self._update_table(seen)
        self.battles.episodes += terminated
        self.battles.won += info.get("result") == "victory"
        self._steps += 1
        self.battles.timeouts += info.get("result") == "tie" and self._steps >= self.episode_limit
        self.battles.restarts += truncated
        return reward, terminated, truncated, info

    def _step_smac(self, numbers: Any) -> tuple[float, bool, dict[str, Any]]:
        reward, terminated, truncated, info = self._step_env(numbers)
        slots = self._env.side.slots
        self.agents = [] if terminated or truncated else [self.possible_agents[row] for row in self._alive()]
        smac_info = {
            "battle_won": info.get("result") == "victory",
            "dead_allies": self.n_agents - len(self._alive()),
            "dead_enemies": int((slots.tags[slots.enemies] > 0).sum() - slots.filled[slots.enemies].sum()),
        }
        return reward, terminated or truncated, smac_info

    def _alive(self) -> list[int]:
        slots = self._env.side.slots
        return [int(row) for row in np.flatnonzero(slots.filled[slots.own])]

    def _update_table(self, seen: dict[str, Any]) -> None:
        types = seen["types"]
        self._heals = [self._env.side.is_healer(kind) for kind in types[: self.n_agents].tolist()]
        seen_by = np.zeros((len(types), len(SEEN_FEATURES)), np.float32)
        seen_by[:, 0] = seen["mask"]
        self._table = np.hstack([seen["units"], seen_by, types[:, None] == self._types], dtype=np.float32)

    def _observation_of(self, row: int) -> Any:
        found, filled, order = np.zeros_like(self._table), self._env.side.slots.filled, self._row_orders[row]
        if filled[row]:
            units = self._table[order]
            apart = (units[:, (_X, _Y)] - units[0, (_X, _Y)]) * self._env.side.map_size
            distance = np.hypot(*apart.T)
            near = filled[order] & (distance <= _SIGHT)
            found[near] = units[near]
            found[:, (_X, _Y)] = np.where(near[:, None], apart / _SIGHT, 0)
            found[near, _DISTANCE] = distance[near] / _SIGHT
            # A healer's targets are the other own units. The targets of any other unit are the enemies.
            first = 1 if self._heals[row] else self.n_agents
            last = self.n_agents if self._heals[row] else self.n_agents + self._enemies
            found[first:last, _CAN_TARGET] = self._env.side.mask[row, FIRST_TARGET : FIRST_TARGET + last - first]
        return found.reshape(-1)
