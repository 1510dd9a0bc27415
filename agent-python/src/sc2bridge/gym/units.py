"""Each own unit of a scenario as an agent."""

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
"""What a row says of its unit as an agent sees it: 1 if it is in sight, how far away it is (cells divided by 9), and 1 if the agent may
choose the action that aims at it. In the state, `visible` is 1 for each unit that is alive, and the other two are 0."""
_VISIBLE, _DISTANCE, _CAN_TARGET = range(len(FEATURES), len(FEATURES) + len(SEEN_FEATURES))
_SIGHT = 9  # cells: unit_sight_range of SMAC's starcraft2.py
_ENDLESS = 1 << 19  # game loops: the limit of a scenario that has none


class UnitsEnv(MultiAgentEnv, ParallelEnv):  # type: ignore[misc]
    """PettingZoo's parallel API (https://pettingzoo.farama.org/api/parallel/) for the units of a scenario, `unit_0` and so on, which
    share the reward; and the names of SMAC and SMACv2 (`MultiAgentEnv`). `sc2bridge.gym.smac` has SMAC's exact arrays.

    An agent observes `{"observation": …, "action_mask": …}`. The observation has a row of `features` for each unit: first the agent
    itself, then the other own units, then the enemies, both in the order of their slots, which stay as they are for the whole match.
    A unit that is farther away than 9 cells has a row of zeros. Places are relative to the agent, in cells divided by 9.

    `UnitActions` numbers the actions. If there are n agents, 6 + j attacks the enemy in row n + j of the agent's observation; an agent that
    can heal heals the own unit in row 1 + j. A unit that dies is an agent that has terminated.

    `state` has a row of `features` for each unit: agents first, then enemies, with places on the map.
    """

    metadata = {
        "name": "sc2bridge_units_v0",
        "render_modes": list(RENDER_MODES),
        "render_fps": FRAMES_A_SECOND,
        "is_parallelizable": True,
    }

    def __init__(self, scenario: str, opponent: str, **kwargs: Any) -> None:
        """As of `MatchEnv`."""
        self._env = MatchEnv(
            scenario=scenario, opponent=opponent, observation="units", actions="multi_discrete", **kwargs
        )
        self.render_mode = self._env.render_mode
        slots = self._env.side.slots
        file = scenarios.read(scenario)
        self.episode_limit = -(-file.get("limit", _ENDLESS) // kwargs.get("repeat", 8))
        """The most steps of an episode."""
        self.battles = Battles()
        """Counts of its episodes."""
        self.recordings = kwargs.get("out")
        self.possible_agents = [f"unit_{number}" for number in range(len(slots.tags[slots.own]))]
        self.agents: list[str] = []
        self._seed: Optional[int] = None
        self.n_agents = len(self.possible_agents)
        self._names = scenarios.types(file)
        self.features = (*FEATURES, *SEEN_FEATURES, *self._names)
        """The numbers of a row: FEATURES, SEEN_FEATURES, then for each unit type of the scenario's players, by its name, 1 if it is the
        unit's type and else 0, as SMAC's one-hot of the unit type. A unit of another type, such as one that has changed its form, has
        zeros there."""
        self._enemies = len(slots.tags[slots.enemies])
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
        self._seed = self._seed if seed is None else seed
        seen, info = self._env.reset(seed=seed, options=options)
        assert self._env.side.match is not None
        self._types = [int(self._env.side.match.unit_types[name]) for name in self._names]
        self._see(seen)
        self.agents = list(self.possible_agents)
        self._steps = 0
        return self._observe(self.agents), self._infos(self.agents, info)

    def step(self, actions: Any) -> Any:
        """Acts. Of a dictionary, with an action for each agent that is left: what agents observe, their rewards, terminations,
        truncations and infos. Of a list, an array or a tensor, with a number for each unit: SMAC's reward, whether the episode is
        over, and an info of numbers. Raises ValueError for a wrong action.
        """
        if not isinstance(actions, dict):
            return self._step_all(np.asarray(actions))
        unknown = set(actions) - set(self.possible_agents)
        if unknown:
            raise ValueError(
                f"there is no agent {min(unknown, key=str)!r}: there are {', '.join(self.possible_agents)}"
            )
        reward, terminated, truncated, info = self._act([actions.get(agent, 0) for agent in self.possible_agents])
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

    def get_obs_size(self) -> int:
        """The length of each unit's observation."""
        return int(self.state_space.shape[0])

    def get_state_size(self) -> int:
        """The length of the state."""
        return int(self.state_space.shape[0])

    def get_total_actions(self) -> int:
        """How many actions there are."""
        return self._choices

    def seed(self) -> Optional[int]:
        """The last random seed that `reset` was given; None if it never was."""
        return self._seed

    def render(self) -> Any:
        """As `MatchEnv.render`."""
        return self._env.render()

    def close(self) -> None:
        """Ends the bridge and its game."""
        self._env.close()

    def _observe(self, agents: list[str]) -> dict[str, Any]:
        rows = {agent: self.possible_agents.index(agent) for agent in agents}
        return {
            agent: {"observation": self._of(row), "action_mask": self._env.side.mask[row]}
            for agent, row in rows.items()
        }

    def _infos(self, agents: list[str], info: dict[str, Any]) -> dict[str, Any]:
        masks = dict(zip(self.possible_agents, self._env.side.mask))
        return {agent: dict(info, action_mask=masks[agent]) for agent in agents}

    def _act(self, numbers: Any) -> tuple[float, bool, bool, dict[str, Any]]:
        seen, reward, terminated, truncated, info = self._env.step(numbers)
        self._see(seen)
        self.battles.game += terminated
        self.battles.won += info.get("result") == "victory"
        self._steps += 1
        self.battles.timeouts += info.get("result") == "tie" and self._steps >= self.episode_limit
        self.battles.restarts += truncated
        return reward, terminated, truncated, info

    def _step_all(self, numbers: Any) -> tuple[float, bool, dict[str, Any]]:
        reward, terminated, truncated, info = self._act(numbers)
        slots = self._env.side.slots
        self.agents = [] if terminated or truncated else [self.possible_agents[row] for row in self._alive()]
        told = {
            "battle_won": info.get("result") == "victory",
            "dead_allies": self.n_agents - len(self._alive()),
            "dead_enemies": int((slots.tags[slots.enemies] > 0).sum() - slots.filled[slots.enemies].sum()),
        }
        return reward, terminated or truncated, told

    def _alive(self) -> list[int]:
        slots = self._env.side.slots
        return [int(row) for row in np.flatnonzero(slots.filled[slots.own])]

    def _see(self, seen: dict[str, Any]) -> None:
        types = seen["types"]
        self._heals = [self._env.side.heals(kind) for kind in types[: self.n_agents].tolist()]
        seen_by = np.zeros((len(types), len(SEEN_FEATURES)), np.float32)
        seen_by[:, 0] = seen["mask"]
        self._table = np.hstack([seen["units"], seen_by, types[:, None] == self._types], dtype=np.float32)

    def _of(self, row: int) -> Any:
        found, filled, order = np.zeros_like(self._table), self._env.side.slots.filled, self._orders[row]
        if filled[row]:
            units = self._table[order]
            apart = (units[:, (_X, _Y)] - units[0, (_X, _Y)]) * self._env.side.size
            distance = np.hypot(*apart.T)
            near = filled[order] & (distance <= _SIGHT)
            found[near] = units[near]
            found[:, (_X, _Y)] = np.where(near[:, None], apart / _SIGHT, 0)
            found[near, _DISTANCE] = distance[near] / _SIGHT
            # A healer's targets are the rows after its own, of others the enemies'.
            first = 1 if self._heals[row] else self.n_agents
            last = self.n_agents if self._heals[row] else self.n_agents + self._enemies
            found[first:last, _CAN_TARGET] = self._env.side.mask[row, FIRST_TARGET : FIRST_TARGET + last - first]
        return found.reshape(-1)
