"""Both sides of a match, for two agents that play each other."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Optional

import numpy as np
from gymnasium import spaces
from gymnasium.utils import seeding

from sc2bridge.gym import arguments
from sc2bridge.gym import scenario as scenarios
from sc2bridge.gym.backends import open_matches
from sc2bridge.gym.parallel import ParallelEnv
from sc2bridge.gym.screen import FRAMES_A_SECOND, RENDER_MODES, Screen
from sc2bridge.gym.side import Side


class SidesEnv(ParallelEnv):  # type: ignore[misc]
    """PettingZoo's parallel API (https://pettingzoo.farama.org/api/parallel/) for the two sides of one match,
    `player_1` and `player_2`. Each side observes its own game. Both sides act in the same step.

    A side observes `{"observation": …, "action_mask": …}`: the observation of `MatchEnv`, and the mask of its actions.
    """

    metadata = {
        "name": "sc2bridge_sides_v0",
        "render_modes": list(RENDER_MODES),
        "render_fps": FRAMES_A_SECOND,
        "is_parallelizable": True,
    }

    def __init__(
        self,
        map_name: Optional[str] = None,
        races: Optional[Sequence[str]] = None,
        *,
        scenario: Optional[str] = None,
        repeat: int = 8,
        rows: Optional[Sequence[int]] = None,
        observation: Any = "units",
        actions: str = "multi_discrete",
        reward: Any = None,
        abilities: Optional[Sequence[str]] = None,
        cells: int = 4,
        options: Sequence[str] = (),
        render_mode: Optional[str] = None,
        backend: str = "bridge",
        **launch: Any,
    ) -> None:
        """races: the races of both players; None for the scenario's races, or Terran without a scenario. For the other
        arguments see `MatchEnv`."""
        arguments.check_keywords(SidesEnv.__init__, launch)
        scenario_races = scenarios.races(scenario)
        races = scenario_races or ("terran", "terran") if races is None else races
        arguments.check_texts("races", races, 2)
        arguments.check_whole_number("repeat", repeat, 1, 100_000)
        arguments.check_texts("options", options)
        arguments.check_rows(rows)
        arguments.check_choice("render_mode", render_mode or RENDER_MODES[0], RENDER_MODES)
        self.render_mode = render_mode
        self._screen = Screen(render_mode)
        self.possible_agents = ["player_1", "player_2"]
        self.agents: list[str] = []
        self.sides = {
            agent: Side(
                race,
                row_counts,
                scenario is not None,
                observation=observation,
                actions=actions,
                reward=reward,
                abilities=abilities,
                cells=cells,
            )
            for agent, race, row_counts in zip(
                self.possible_agents, races, scenarios.row_counts(scenario, rows, [1, 2])
            )
        }
        """Each player's side, which computes the player's arrays."""
        given = [(f"races[{number}]", race) for number, race in enumerate(races)]
        arguments.check_races(scenario, scenario_races, given)
        players = [f"agent:{race}" for race in races]
        self._matches = open_matches(backend, map_name, scenario, players, repeat, options, render_mode, **launch)
        self._random, _ = seeding.np_random()
        if actions != "multi_discrete":
            self._begin(0)
        self.action_spaces = {agent: side.action_space for agent, side in self.sides.items()}
        self.observation_spaces = {
            agent: spaces.Dict(observation=side.observation_space, action_mask=_mask_space(side.action_space))
            for agent, side in self.sides.items()
        }

    @property
    def web_address(self) -> Optional[str]:
        """The address of the live page of the match; None before the first match."""
        bridge = self._matches.bridge
        return bridge.web_address if bridge is not None else None

    def observation_space(self, agent: str) -> spaces.Space[Any]:
        """An agent's observation space; the same object each time."""
        return self.observation_spaces[agent]

    def action_space(self, agent: str) -> spaces.Space[Any]:
        """An agent's action space; the same object each time."""
        space: spaces.Space[Any] = self.action_spaces[agent]
        return space

    def reset(self, seed: Optional[int] = None, options: Optional[dict[str, Any]] = None) -> tuple[Any, Any]:
        """Begins a match. Returns the observations and the infos of both sides."""
        if seed is not None:
            self._random, _ = seeding.np_random(seed)
        begun = self._begin(int(self._random.integers(1 << 31)) if seed is None else seed % (1 << 32))
        self._screen.open(self.web_address)
        self.agents = list(self.possible_agents)
        return self._masked({agent: observed for agent, (observed, _) in begun.items()}), {
            agent: dict(info, action_mask=self._mask(agent)) for agent, (_, info) in begun.items()
        }

    def step(self, actions: dict[str, Any]) -> tuple[Any, Any, Any, Any, Any]:
        """Acts for both sides. Returns observations, rewards, terminations, truncations and infos. For a wrong action,
        raises ValueError, and neither side acts."""
        for agent, side in self.sides.items():
            if agent not in actions:
                raise ValueError(f"there is no action for {agent}: give an action for each of {', '.join(self.sides)}")
            side.check(actions[agent])
        for agent, side in self.sides.items():
            side.send(actions[agent])
        # A match ends only when both sides are done with their frames.
        for side in self.sides.values():
            side.wait_for_frame()
        if any(side.is_over for side in self.sides.values()):
            for side in self.sides.values():
                side.done()
        step_results: dict[str, Any] = {agent: side.step_results() for agent, side in self.sides.items()}
        observed, rewards, terminated, truncated, infos = (
            {agent: each[part] for agent, each in step_results.items()} for part in range(5)
        )
        if any([*terminated.values(), *truncated.values()]):
            # If one side fails, the match ends for the other side too.
            truncated = {agent: not terminated[agent] for agent in self.agents}
            failure = next((info["failure"] for info in infos.values() if "failure" in info), None)
            why = {"result": ""} if failure is None else {"result": "", "failure": failure}
            infos = {agent: {**why, **info} if truncated[agent] else info for agent, info in infos.items()}
            self.agents = []
        infos = {agent: dict(info, action_mask=self._mask(agent)) for agent, info in infos.items()}
        return self._masked(observed), rewards, terminated, truncated, infos

    def render(self) -> Any:
        """With `rgb_array`, one picture: player_1's view of the map, with player_2's view on its right. Else None."""
        pictures = [self._screen.picture(side.match, side.frame) for side in self.sides.values()]
        return None if pictures[0] is None else np.hstack(pictures)

    def close(self) -> None:
        """Ends the bridge and its games."""
        self._matches.close()

    def _begin(self, seed: int) -> dict[str, tuple[Any, dict[str, Any]]]:
        begun = self._matches.begin(seed)
        return {agent: side.begin(*each) for (agent, side), each in zip(self.sides.items(), begun)}

    def _masked(self, observed: dict[str, Any]) -> dict[str, Any]:
        return {agent: {"observation": each, "action_mask": self._mask(agent)} for agent, each in observed.items()}

    def _mask(self, agent: str) -> Any:
        """The mask in the form that the method `sample` of a space accepts."""
        mask = self.sides[agent].mask.copy()
        return tuple(mask) if mask.ndim == 2 else mask


def _mask_space(actions: Any) -> spaces.Space[Any]:
    if isinstance(actions, spaces.MultiDiscrete):
        return spaces.Tuple([spaces.MultiBinary(int(choices)) for choices in actions.nvec])
    return spaces.MultiBinary(int(actions.n))
