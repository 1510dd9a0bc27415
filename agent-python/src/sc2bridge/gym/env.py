"""A side of a match as a gymnasium environment."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Callable, Optional, Union

import gymnasium
import numpy as np

from sc2bridge.errors import BridgeError
from sc2bridge.game.frame import Frame
from sc2bridge.gym import scenario as scenarios
from sc2bridge.gym.actions import ACTIONS, TeamActions, UnitActions, usual_abilities
from sc2bridge.gym.matches import Matches
from sc2bridge.gym.observations import OBSERVATIONS
from sc2bridge.gym.rewards import REWARDS
from sc2bridge.gym.slots import Slots

_RACES = {"terran": 1, "zerg": 2, "protoss": 3}
Reward = Union[str, Callable[[Frame, Frame, Optional[str]], float]]


class MatchEnv(gymnasium.Env[Any, Any]):  # type: ignore[misc]
    """A side of a match, or of a scenario, against the game's computer: `sc2bridge/Match-v0`.

    It owns its bridge and game, which are started with the first `reset` (with the first use of the action space, where that is
    discrete) and stay for further ones. What fails of them truncates the episode (`info["failure"]` says why), and is started anew
    with the next. The mask of actions is `info["action_mask"]`; the result, at the end, `info["result"]`.
    """

    metadata: dict[str, Any] = {"render_modes": []}

    def __init__(
        self,
        map_name: Optional[str] = None,
        opponent: str = "computer:zerg:Easy",
        *,
        race: str = "terran",
        scenario: Optional[str] = None,
        observation: Union[str, Any] = "units",
        actions: str = "discrete",
        reward: Optional[Reward] = None,
        repeat: int = 8,
        rows: Optional[Sequence[int]] = None,
        abilities: Optional[Sequence[str]] = None,
        cells: int = 4,
        options: Sequence[str] = (),
        **launch: Any,
    ) -> None:
        """map_name, opponent, race: as `--map` and `--player` of `sc2bridge match` have them.
        scenario: a file, as `--scenario` has it, in place of a map.
        observation: `units`, `planes` or `columns`, or an object with their methods.
        actions: `discrete` (`TeamActions`) or `multi_discrete` (`UnitActions`).
        reward: `result`, `score`, `fight` (a scenario's, where none is given), or a function of the frame before, the frame after and
            the result.
        repeat: game loops that an action lasts.
        rows: own units, enemies and neutral ones that are observed; None for a scenario's, and 128, 128, 64 in a match.
        abilities, cells: of `TeamActions`; None for the usual ones of the race.
        options, launch: further flags of `sc2bridge match`, and arguments of `sc2bridge.launch` (`out`, `game`, `executable` …).
        Raises ValueError for a choice that does not exist.
        """
        reward = reward or ("fight" if scenario else "result")
        for what, chosen, choices in (
            ("observation", observation, OBSERVATIONS),
            ("actions", actions, ACTIONS),
            ("reward", reward, REWARDS),
        ):
            if isinstance(chosen, str) and chosen not in choices:
                raise ValueError(f"{what} {chosen!r}: choose {', '.join(choices)}")
        if race not in _RACES:
            raise ValueError(f"race {race!r}: choose {', '.join(_RACES)}")
        rows = rows or (128, 128, 64)
        options = list(options)
        if scenario is not None:
            counts = scenarios.counts(scenarios.read(scenario))
            rows = (counts[0], sum(counts[1:]), 0)
            options += ["--scenario", scenario]
        self.slots = Slots(*rows)
        """The rows of the arrays."""
        self._matches = Matches(map_name, [f"agent:{race}", opponent], repeat, options, **launch)
        self._race, self._fights, self._abilities, self._cells = _RACES[race], scenario is not None, abilities, cells
        self._observer = OBSERVATIONS[observation]() if isinstance(observation, str) else observation
        self._reward: Any = REWARDS[reward]() if isinstance(reward, str) else reward
        self.observation_space = self._observer.space(self.slots)
        self.frame: Optional[Frame] = None
        """The newest frame, whole."""
        self._seed = 0
        self._actions: Any = None
        if actions == "multi_discrete":
            self._actions = UnitActions(self.slots, max(rows[0], rows[1]))
            self.action_space = self._actions.space
        else:
            self._begin(0)  # The abilities of a match are known when it is there.

    @property
    def web_address(self) -> Optional[str]:
        """Where the match can be watched while it is played; None before the first."""
        bridge = self._matches.bridge
        return bridge.web_address if bridge is not None else None

    def reset(
        self, *, seed: Optional[int] = None, options: Optional[dict[str, Any]] = None
    ) -> tuple[Any, dict[str, Any]]:
        """Begins a match: with this random seed, else with one that follows from the seeds before."""
        super().reset(seed=seed)
        self._begin(int(self.np_random.integers(1 << 31)) if seed is None else seed % (1 << 32))
        return self._observe(), self._info()

    def step(self, action: Any) -> tuple[Any, float, bool, bool, dict[str, Any]]:
        """Acts, and lets the game go on for `repeat` loops."""
        frames, before = self._matches.frames, self.frame
        if frames is None or before is None:
            raise gymnasium.error.ResetNeeded("reset() begins a match")
        result, failure, after, ended = None, "", None, False
        try:
            self._actions.act(action, before.units, frames)
            after = next(frames, None)
        except BridgeError as error:
            failure, ended = str(error), True
        if after is not None:
            self.frame = after
            self.slots.place(after.units)
            ended = bool(after.observation.player_result)
        elif not failure:
            ended = True
        if ended:
            failure = failure or self._matches.drain()
            result = frames.match.result
        reward = float(self._reward(before, self.frame, result))
        info = self._info(ended)
        if ended:
            info["result"] = result or ""
            if failure:
                info["failure"] = failure
        return self._observe(), reward, ended and not failure, bool(failure), info

    def close(self) -> None:
        """Ends the bridge and its game."""
        self._matches.close()
        self.frame = None

    def _begin(self, seed: int) -> None:
        self.frame = frame = self._matches.begin(seed)
        assert self._matches.frames is not None
        match = self._matches.frames.match
        size = match.game_info.start_raw.map_size
        self._size = (size.x, size.y)
        if self._actions is None:
            abilities = self._abilities or usual_abilities(match, self._race, self._fights)
            self._actions = TeamActions(self.slots, list(abilities), self._cells, match)
            self.action_space = self._actions.space
        self._actions.begin(match)
        self.slots.clear()
        self.slots.place(frame.units)
        getattr(self._reward, "begin", lambda frame: None)(frame)

    def _observe(self) -> Any:
        assert self.frame is not None
        return self._observer.of(self.frame, self.slots, self._size)

    def _info(self, ended: bool = False) -> dict[str, Any]:
        assert self.frame is not None and self._matches.frames is not None
        info: dict[str, Any] = {"game_loop": self.frame.game_loop}
        if not ended:
            try:
                self.mask = self._actions.mask(self.frame.units, self._matches.frames)
            except BridgeError:
                pass  # The game is gone: the next step tells.
        info["action_mask"] = np.array(self.mask)
        return info
