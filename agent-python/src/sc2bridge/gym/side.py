"""One side of a match as arrays: observations, actions and rewards."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Callable, Optional, Union

import gymnasium
import numpy as np

from sc2bridge.client.sync import Subscription
from sc2bridge.errors import BridgeError
from sc2bridge.game.frame import Frame
from sc2bridge.game.match import Match
from sc2bridge.gym.actions import ACTIONS, TeamActions, UnitActions, usual_abilities
from sc2bridge.gym.arguments import check_choice, check_texts, check_whole_number
from sc2bridge.gym.matches import drain
from sc2bridge.gym.observations import OBSERVATIONS
from sc2bridge.gym.rewards import REWARDS
from sc2bridge.gym.scenario import RACES
from sc2bridge.gym.slots import Slots

Reward = Union[str, Callable[[Frame, Frame, Optional[str]], float]]


class Side:
    """One player's side. In each step, call `send`, then `wait_for_frame`, then `step_results`."""

    def __init__(
        self,
        race: str,
        rows: Sequence[int],
        is_scenario: bool,
        *,
        observation: Union[str, Any] = "units",
        actions: str = "discrete",
        reward: Optional[Reward] = None,
        abilities: Optional[Sequence[str]] = None,
        cells: int = 4,
    ) -> None:
        """See `MatchEnv`. Raises ValueError or TypeError for a wrong argument."""
        reward = ("fight" if is_scenario else "result") if reward is None else reward
        check_choice("race", race, RACES)
        check_choice("observation", observation, OBSERVATIONS, ("space", "of"), "an object with methods space and of")
        check_choice("actions", actions, ACTIONS)
        check_choice("reward", reward, REWARDS, ("__call__",), "a function")
        check_whole_number("cells", cells, 1, 256)
        if abilities is not None:
            check_texts("abilities", abilities)
        self.slots = Slots(*rows)
        """Assigns units to rows of the arrays."""
        self.frame: Optional[Frame] = None
        """The newest complete frame; None before the first frame."""
        self.match: Optional[Match] = None
        """The current match; None before the first match."""
        self.mask: Any = None
        """Which actions can be chosen."""
        self.map_size = (0, 0)
        """The map's width and height in cells."""
        self._race, self._is_scenario = RACES[race], is_scenario
        self._abilities, self._cells_per_edge = abilities, cells
        self._observer: Any = OBSERVATIONS[observation]() if isinstance(observation, str) else observation
        self._reward: Any = REWARDS[reward]() if isinstance(reward, str) else reward
        self._frames: Optional[Subscription] = None
        self.is_over = False
        """Whether the match is over."""
        self._actions: Any = UnitActions(self.slots, max(rows[:2])) if actions == "multi_discrete" else None
        self.observation_space = self._observer.space(self.slots)

    @property
    def action_space(self) -> Any:
        """The action space. For `discrete` actions, None before the first match: the match decides the abilities."""
        return self._actions.space if self._actions is not None else None

    def is_healer(self, unit_type: int) -> bool:
        """For `multi_discrete`: whether units of this type heal instead of attacking. Call `begin` first."""
        return bool(self._actions.is_healer(unit_type))

    def begin(self, frames: Subscription, frame: Frame) -> tuple[Any, dict[str, Any]]:
        """Begins a match. Returns the first observation and its info."""
        self._frames, self.frame, self.match, self.is_over = frames, frame, frames.match, False
        map_size = frames.match.game_info.start_raw.map_size
        self.map_size = (map_size.x, map_size.y)
        if self._actions is None:
            abilities = self._abilities or usual_abilities(frames.match, self._race, self._is_scenario)
            self._actions = TeamActions(self.slots, list(abilities), self._cells_per_edge, frames.match)
        self._actions.begin(frames.match)
        self.slots.clear()
        self.slots.assign(frame.units)
        getattr(self._reward, "begin", lambda frame: None)(frame)
        return self._observe(), self._info(False)

    def check(self, action: Any) -> None:
        """Raises ValueError for an action outside the action space."""
        if self._actions is not None:  # Before the first match, `discrete` actions are not known.
            self._actions.to_numbers(action)

    def send(self, action: Any) -> None:
        """Acts, and lets the game continue. Raises ValueError like `check`, or ResetNeeded if no match is running. In
        both cases, it sends nothing."""
        if self._frames is None or self.frame is None or self.is_over:
            raise gymnasium.error.ResetNeeded("no match is running: call reset()")
        self._failure = ""
        try:
            self._actions.act(action, self.frame.units, self._frames)
        except BridgeError as error:
            self._failure = str(error)
        try:
            # Needed even if the action failed: the other side gets its next frame when this side is done.
            self._frames.done()
        except BridgeError as error:
            self._failure = str(error)

    def wait_for_frame(self) -> None:
        """Waits for the next frame, or for the end of the match."""
        assert self._frames is not None and self.frame is not None
        self._frame_before, after = self.frame, None
        try:
            after = None if self._failure else next(self._frames, None)
        except BridgeError as error:
            self._failure = str(error)
        if after is not None:
            self.frame = after
            self.slots.assign(after.units)
        self.is_over = after is None or bool(after.observation.player_result)

    def done(self) -> None:
        """Reports that this side is done with its frame. The match ends only when both sides have reported this."""
        try:
            if self._frames is not None:
                self._frames.done()
        except BridgeError:
            pass  # `step_results` reports the failure.

    def step_results(self) -> tuple[Any, float, bool, bool, dict[str, Any]]:
        """Returns the observation, reward, terminated, truncated and info of the step."""
        assert self._frames is not None
        result = None
        if self.is_over:
            self._failure = self._failure or drain(self._frames)
            result = self._frames.match.result
        reward = float(self._reward(self._frame_before, self.frame, result))
        info = self._info(self.is_over)
        if self.is_over:
            info["result"] = result or ""
            if self._failure:
                info["failure"] = self._failure
        return self._observe(), reward, self.is_over and not self._failure, bool(self._failure), info

    def _observe(self) -> Any:
        return self._observer.of(self.frame, self.slots, self.map_size)

    def _info(self, ended: bool) -> dict[str, Any]:
        assert self.frame is not None and self._frames is not None
        if not (ended and self._actions.queries_game):
            try:
                self.mask = self._actions.mask(self.frame.units, self._frames)
            except BridgeError:
                pass  # The game has failed: the next step reports the failure.
        return {"game_loop": self.frame.game_loop, "action_mask": np.array(self.mask)}
