"""Many matches of a map or scenario in this process: `gymnasium.make_vec("sc2bridge/Match-v0", …, backend="native")`."""

from __future__ import annotations

import inspect
import weakref
from collections.abc import Sequence
from typing import Any, Optional, Union

import numpy as np
from gymnasium.utils import seeding
from gymnasium.vector import AutoresetMode, VectorEnv
from gymnasium.vector.utils import batch_space

from sc2bridge.gym import arguments
from sc2bridge.gym import scenario as scenarios
from sc2bridge.gym.actions import UnitActions
from sc2bridge.gym.backends import require_no_bridge
from sc2bridge.gym.env import MatchEnv
from sc2bridge.gym.mirror import Mirror
from sc2bridge.gym.observations import UnitTable
from sc2bridge.gym.rewards import REWARDS
from sc2bridge.gym.slots import Slots
from sc2bridge.library import _MatchFailedError, load, processors

_RESULTS = np.array([None, "victory", "defeat", "tie", "undecided", ""], object)  # sc2api.Result, then _FAILED
_FAILED = 5  # SC2BRIDGE_FAILED


class NeedsMatchEnvError(ValueError):
    """An argument needs `MatchEnv`, which also has `backend="native"`."""


class NativeVectorEnv(VectorEnv):  # type: ignore[misc]
    """Several matches of one map or scenario in this process, without a bridge and without other processes.

    Spaces, arrays, rewards, ends and infos equal `MatchVectorEnv`'s, byte for byte. `reset` and `step` return views of
    arrays that the next call overwrites; with `copy=True`, they return new arrays. The limit of a scenario ends the match
    with a tie. A match is truncated only if it fails. One thread at a time can use an environment.
    """

    metadata: dict[str, Any] = {"autoreset_mode": AutoresetMode.NEXT_STEP, "render_modes": []}

    def __init__(
        self,
        num_envs: int,
        map_name: Optional[str] = None,
        opponent: str = "computer:zerg:Easy",
        *,
        race: Optional[str] = None,
        scenario: Optional[str] = None,
        observation: Union[str, Any] = "units",
        actions: str = "discrete",
        reward: Optional[Any] = None,
        repeat: int = 8,
        rows: Optional[Sequence[int]] = None,
        render_mode: Optional[str] = None,
        threads: Optional[int] = None,
        copy: bool = False,
        watch: Optional[int] = None,
        **others: Any,
    ) -> None:
        """threads: how many threads play the matches; None for as many as this process has processors.
        copy: whether `reset` and `step` return new arrays.
        watch: the number of a match, from 0. A bridge plays this match a second time, so that you can watch it at
            `web_address` and record it (`out`). If this bridge fails, a warning is logged, and the matches continue.
        others: see `MatchEnv`. Arguments for a bridge need `watch`. Raises NeedsMatchEnvError, a ValueError, unless the
            opponent is a computer, with `observation="units"`, `actions="multi_discrete"` and the name of a reward.
            Raises FileNotFoundError or RuntimeError without the library, and the errors of `MatchEnv`.
        """
        arguments.check_whole_number("num_envs", num_envs, 1, 10_000)
        arguments.check_opponent(opponent)
        arguments.check_whole_number("repeat", repeat, 1, 100_000)
        if threads is not None:
            arguments.check_whole_number("threads", threads, 1, 1024)
        reward = ("result" if scenario is None else "fight") if reward is None else reward
        _require(isinstance(observation, str) and observation == "units", "observation", observation, "give 'units'")
        _require(actions == "multi_discrete", "actions", actions, "give 'multi_discrete'")
        _require(
            isinstance(reward, str) and reward in REWARDS,
            "reward",
            reward,
            f"give one of the names {', '.join(REWARDS)}",
        )
        _require(render_mode != "rgb_array", "render_mode", render_mode, "leave it out")
        _require(opponent.split(":")[0].strip().casefold() == "computer", "opponent", opponent, "give a computer")
        known = inspect.signature(MatchEnv.__init__).parameters
        launch = {name: each for name, each in others.items() if name not in known}
        arguments.check_keywords(NativeVectorEnv.__init__, launch)
        if watch is None:
            require_no_bridge(others.get("options", ()), render_mode, launch)
        else:
            require_no_bridge((), None, {"game": launch.get("game")})
        given = dict(others, map_name=map_name, opponent=opponent, race=race, scenario=scenario, actions=actions)
        race, row_counts = scenarios.own_side(scenario, opponent, race, rows)
        self._library = load()
        settings = {
            **scenarios.map_settings(map_name, scenario),
            "race": race,
            "opponent": opponent,
            "repeat": int(repeat),
            "rows": [int(each) for each in row_counts],
            "reward": reward,
            "matches": int(num_envs),
            "threads": int(threads or processors()),
        }
        self._handle = self._library.open(settings)
        self._close = weakref.finalize(self, self._library.close, self._handle)
        self.num_envs, self._copies = num_envs, copy
        self._mirror = Mirror(watch, num_envs, dict(given, repeat=repeat, rows=rows, render_mode=render_mode))
        slots = Slots(*row_counts)
        self.single_observation_space = UnitTable().space(slots)
        self.single_action_space = UnitActions(slots, max(row_counts[:2])).space
        self.observation_space = batch_space(self.single_observation_space, num_envs)
        self.action_space = batch_space(self.single_action_space, num_envs)
        self._create_arrays()
        self._generators: list[Any] = [None] * num_envs
        self._is_over, self._has_seed = np.zeros(num_envs, bool), np.zeros(num_envs, bool)

    def _create_arrays(self) -> None:
        count, spaces = self.num_envs, self.single_observation_space.spaces
        self._observation = {name: np.zeros((count, *each.shape), each.dtype) for name, each in spaces.items()}
        choices = self.single_action_space.nvec
        self._action_mask = np.zeros((count, len(choices), max(choices, default=0)), np.int8)
        self._rewards, self._terminated = np.zeros(count, np.float64), np.zeros(count, bool)
        self._results, self._game_loops = np.zeros(count, np.int32), np.zeros(count, np.int64)
        self._truncated, self._all, self._seeds = (
            np.zeros(count, bool),
            np.ones(count, bool),
            np.zeros(count, np.uint32),
        )
        observed = [self._observation[name] for name in ("units", "types", "mask", "player")]
        ends = [self._rewards, self._terminated, self._results, self._game_loops]
        self._library.bind(self._handle, [*observed, self._action_mask, *ends, self._library.sines])

    def reset(
        self, *, seed: Union[int, Sequence[Optional[int]], None] = None, options: Optional[dict[str, Any]] = None
    ) -> tuple[Any, dict[str, Any]]:
        """Begins all matches. seed: a list of seeds, or a number n for the seeds n, n + 1 and so on."""
        if seed is None or isinstance(seed, int):
            seed = [None if seed is None else seed + number for number in range(self.num_envs)]
        if len(seed) != self.num_envs:
            raise ValueError(f"{len(seed)} seeds: give {self.num_envs}, one for each match")
        for number, each in enumerate(seed):
            if each is not None:
                self._generators[number] = seeding.np_random(each)[0]
                self._seeds[number] = each % (1 << 32)
            else:
                self._draw_seed(number)
        self._library.reset(self._handle, self._seeds)
        self._is_over[:] = self._has_seed[:] = self._truncated[:] = False
        self._begin_mirror()
        return self._observed(), self._infos()

    def step(self, actions: Any) -> tuple[Any, Any, Any, Any, dict[str, Any]]:
        """Acts, and plays `repeat` loops of each match. A match that has ended begins again instead. For a wrong action,
        raises ValueError, and no match is stepped."""
        given = np.asarray(actions)
        if given.shape != self.action_space.shape or given.dtype.kind not in "iuf":
            raise ValueError(f"actions of shape {given.shape}: give numbers of shape {self.action_space.shape}")
        numbers = np.ascontiguousarray(given, np.int64)
        # The library writes the results. If Ctrl-C interrupted the last step, this class has not seen them.
        self._is_over[:] = self._results != 0
        self._has_seed &= self._is_over
        if given.dtype.kind == "f" and (numbers != given)[~self._is_over].any():
            raise ValueError("actions: give whole numbers")
        # A wrong action must not change the seed of a match that begins again, so a seed is kept until a step succeeds.
        for number in (self._is_over & ~self._has_seed).nonzero()[0].tolist():
            self._draw_seed(number)
            self._has_seed[number] = True
        self._failure = ""
        try:
            self._library.step(self._handle, numbers, self._seeds)
        except _MatchFailedError as error:
            self._failure = str(error)
        watched = self._mirror.number
        begins = watched >= 0 and self._is_over[watched]
        self._has_seed[:] = False
        self._truncated[:] = self._results == _FAILED
        self._is_over[:] = self._results != 0
        if begins:
            self._begin_mirror()
        elif watched >= 0:
            self._mirror.send(numbers[watched])
            self._mirror.recv()
        rewards, terminated, truncated = map(self._given, (self._rewards, self._terminated, self._truncated))
        return self._observed(), rewards, terminated, truncated, self._infos()

    def close_extras(self, **kwargs: Any) -> None:
        """Ends the matches and their threads."""
        self._close()
        self._mirror.close()

    @property
    def web_address(self) -> Optional[str]:
        """The address of the live page of the match `watch`; None before its first match and without `watch`."""
        return self._mirror.web_address

    def _begin_mirror(self) -> None:
        if self._mirror.number >= 0:
            self._mirror.begin(int(self._seeds[self._mirror.number]))

    def _draw_seed(self, number: int) -> None:
        if self._generators[number] is None:
            self._generators[number] = seeding.np_random(None)[0]
        self._seeds[number] = self._generators[number].integers(1 << 31)

    def _given(self, array: Any) -> Any:
        return array.copy() if self._copies else array

    def _observed(self) -> dict[str, Any]:
        return {name: self._given(array) for name, array in self._observation.items()}

    def _infos(self) -> dict[str, Any]:
        infos = {
            "game_loop": self._given(self._game_loops),
            "_game_loop": self._given(self._all),
            "action_mask": self._given(self._action_mask),
            "_action_mask": self._given(self._all),
        }
        if self._is_over.any():
            infos["result"], infos["_result"] = _RESULTS[self._results], self._is_over.copy()
        if self._truncated.any():
            infos["failure"] = np.where(self._truncated, np.array(self._failure, object), np.array(None, object))
            infos["_failure"] = self._truncated.copy()
        return infos


def _require(is_supported: bool, name: str, value: Any, remedy: str) -> None:
    if not is_supported:
        raise NeedsMatchEnvError(f"{name} {value!r} is not possible with NativeVectorEnv: {remedy}, or use MatchEnv")
