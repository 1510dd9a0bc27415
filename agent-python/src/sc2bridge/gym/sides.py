"""Both sides of a match, for two agents that play each other."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Optional

import numpy as np
from gymnasium import spaces
from gymnasium.utils import seeding

from sc2bridge.gym import arguments
from sc2bridge.gym import scenario as scenarios
from sc2bridge.gym.matches import Matches
from sc2bridge.gym.parallel import ParallelEnv
from sc2bridge.gym.screen import FRAMES_A_SECOND, RENDER_MODES, Screen
from sc2bridge.gym.side import Side


class SidesEnv(ParallelEnv):  # type: ignore[misc]
    """PettingZoo's parallel API (https://pettingzoo.farama.org/api/parallel/) for the two sides of one match, `player_1` and
    `player_2`: each sees what its own game shows it, and both act in the same step.

    A side observes what `MatchEnv` does, with the mask of its actions: `{"observation": …, "action_mask": …}`.
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
        **launch: Any,
    ) -> None:
        """races: of both players; None for a scenario's, and for Terran without a scenario. All else: as of `MatchEnv`."""
        arguments.keywords(SidesEnv.__init__, launch)
        wanted = scenarios.races(scenario)
        races = wanted or ("terran", "terran") if races is None else races
        arguments.texts("races", races, 2)
        arguments.whole("repeat", repeat, 1, 100_000)
        arguments.texts("options", options)
        arguments.rows(rows)
        arguments.choose("render_mode", render_mode or RENDER_MODES[0], RENDER_MODES)
        self.render_mode = render_mode
        self._screen = Screen(render_mode)
        self.possible_agents = ["player_1", "player_2"]
        self.agents: list[str] = []
        self.sides = {
            agent: Side(
                race,
                found,
                scenario is not None,
                observation=observation,
                actions=actions,
                reward=reward,
                abilities=abilities,
                cells=cells,
            )
            for agent, race, found in zip(self.possible_agents, races, scenarios.rows(scenario, rows, [1, 2]))
        }
        """The arrays of each."""
        arguments.races(scenario, wanted, [(f"races[{number}]", race) for number, race in enumerate(races)])
        players = [f"agent:{race}" for race in races]
        self._matches = Matches(map_name, players, repeat, [*options, *scenarios.flags(scenario)], **launch)
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
        """Where the match can be watched while it is played; None before the first."""
        bridge = self._matches.bridge
        return bridge.web_address if bridge is not None else None

    def observation_space(self, agent: str) -> spaces.Space[Any]:
        """Of an agent; the same each time."""
        return self.observation_spaces[agent]

    def action_space(self, agent: str) -> spaces.Space[Any]:
        """Of an agent; the same each time."""
        space: spaces.Space[Any] = self.action_spaces[agent]
        return space

    def reset(self, seed: Optional[int] = None, options: Optional[dict[str, Any]] = None) -> tuple[Any, Any]:
        """Begins a match: what both observe, and their infos."""
        if seed is not None:
            self._random, _ = seeding.np_random(seed)
        begun = self._begin(int(self._random.integers(1 << 31)) if seed is None else seed % (1 << 32))
        self._screen.open(self.web_address)
        self.agents = list(self.possible_agents)
        return self._masked({agent: observed for agent, (observed, _) in begun.items()}), {
            agent: dict(info, action_mask=self._mask(agent)) for agent, (_, info) in begun.items()
        }

    def step(self, actions: dict[str, Any]) -> tuple[Any, Any, Any, Any, Any]:
        """Both act. Returns observations, rewards, terminations, truncations and infos. Raises ValueError for a wrong action;
        then neither has acted."""
        for agent, side in self.sides.items():
            if agent not in actions:
                raise ValueError(f"there is no action for {agent}: give one for each of {', '.join(self.sides)}")
            side.check(actions[agent])
        for agent, side in self.sides.items():
            side.send(actions[agent])
        # A match ends for both, and its end waits for the frames that either holds.
        if any([side.wait() for side in self.sides.values()]):
            for side in self.sides.values():
                side.done()
        told: dict[str, Any] = {agent: side.outcome() for agent, side in self.sides.items()}
        observed, rewards, terminated, truncated, infos = (
            {agent: each[part] for agent, each in told.items()} for part in range(5)
        )
        if any([*terminated.values(), *truncated.values()]):
            # What fails one side is the other's end as well.
            truncated = {agent: not terminated[agent] for agent in self.agents}
            failure = next((info["failure"] for info in infos.values() if "failure" in info), None)
            why = {"result": ""} if failure is None else {"result": "", "failure": failure}
            infos = {agent: {**why, **info} if truncated[agent] else info for agent, info in infos.items()}
            self.agents = []
        infos = {agent: dict(info, action_mask=self._mask(agent)) for agent, info in infos.items()}
        return self._masked(observed), rewards, terminated, truncated, infos

    def render(self) -> Any:
        """With `rgb_array` the map as player_1 sees it, and to its right as player_2 does; else None."""
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
        """As a space's `sample` takes it."""
        mask = self.sides[agent].mask.copy()
        return tuple(mask) if mask.ndim == 2 else mask


def _mask_space(actions: Any) -> spaces.Space[Any]:
    if isinstance(actions, spaces.MultiDiscrete):
        return spaces.Tuple([spaces.MultiBinary(int(choices)) for choices in actions.nvec])
    return spaces.MultiBinary(int(actions.n))
