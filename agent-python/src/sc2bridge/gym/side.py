"""A side of a match as arrays: what it observes, may do and is rewarded for."""

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
from sc2bridge.gym.arguments import choose, texts, whole
from sc2bridge.gym.matches import drain
from sc2bridge.gym.observations import OBSERVATIONS
from sc2bridge.gym.rewards import REWARDS
from sc2bridge.gym.slots import Slots

RACES = {"terran": 1, "zerg": 2, "protoss": 3}
"""Numbers of `common_pb2.Race`, by what `--player` calls them."""

Reward = Union[str, Callable[[Frame, Frame, Optional[str]], float]]


class Side:
    """One player's. A step is `send`, which lets the game go on, `wait`, for the next frame, and `outcome`."""

    def __init__(
        self,
        race: str,
        rows: Sequence[int],
        fights: bool,
        *,
        observation: Union[str, Any] = "units",
        actions: str = "discrete",
        reward: Optional[Reward] = None,
        abilities: Optional[Sequence[str]] = None,
        cells: int = 4,
    ) -> None:
        """As of `MatchEnv`. fights: it is a fight of a scenario. Raises ValueError or TypeError for a wrong argument."""
        reward = ("fight" if fights else "result") if reward is None else reward
        choose("race", race, RACES)
        choose("observation", observation, OBSERVATIONS, ("space", "of"), "an object with the methods space and of")
        choose("actions", actions, ACTIONS)
        choose("reward", reward, REWARDS, ("__call__",), "a function")
        whole("cells", cells, 1, 256)
        if abilities is not None:
            texts("abilities", abilities)
        self.slots = Slots(*rows)
        """The rows of the arrays."""
        self.frame: Optional[Frame] = None
        """The newest frame, whole; None before the first."""
        self.match: Optional[Match] = None
        """The match that is played; None before the first."""
        self.mask: Any = None
        """What can be chosen."""
        self.size = (0, 0)
        """The map's, in cells."""
        self._race, self._fights, self._abilities, self._cells = RACES[race], fights, abilities, cells
        self._observer: Any = OBSERVATIONS[observation]() if isinstance(observation, str) else observation
        self._reward: Any = REWARDS[reward]() if isinstance(reward, str) else reward
        self._frames: Optional[Subscription] = None
        self._ended = False
        self._actions: Any = UnitActions(self.slots, max(rows[:2])) if actions == "multi_discrete" else None
        self.observation_space = self._observer.space(self.slots)

    @property
    def action_space(self) -> Any:
        """None before the first match where it is `discrete`: the abilities of a match are known when it is there."""
        return self._actions.space if self._actions is not None else None

    def heals(self, unit_type: int) -> bool:
        """Whether `multi_discrete` actions from 6 on heal, for a unit of this type, once a match has begun."""
        return bool(self._actions.heals(unit_type))

    def begin(self, frames: Subscription, frame: Frame) -> tuple[Any, dict[str, Any]]:
        """A match begins: what is observed, and the info."""
        self._frames, self.frame, self.match, self._ended = frames, frame, frames.match, False
        size = frames.match.game_info.start_raw.map_size
        self.size = (size.x, size.y)
        if self._actions is None:
            abilities = self._abilities or usual_abilities(frames.match, self._race, self._fights)
            self._actions = TeamActions(self.slots, list(abilities), self._cells, frames.match)
        self._actions.begin(frames.match)
        self.slots.clear()
        self.slots.place(frame.units)
        getattr(self._reward, "begin", lambda frame: None)(frame)
        return self._observe(), self._info(False)

    def check(self, action: Any) -> None:
        """Raises ValueError for an action that is not in the action space."""
        if self._actions is not None:  # `discrete` actions are known with the first match.
            self._actions.check(action)

    def send(self, action: Any) -> None:
        """Acts, and has the game go on. Raises as `check`, and ResetNeeded before a match and after its end; then nothing is sent."""
        if self._frames is None or self.frame is None or self._ended:
            raise gymnasium.error.ResetNeeded("reset() begins a match")
        self._failure = ""
        try:
            self._actions.act(action, self.frame.units, self._frames)
        except BridgeError as error:
            self._failure = str(error)
        try:
            # Also where it could not act: the other side's next frame waits for this one.
            self._frames.done()
        except BridgeError as error:
            self._failure = str(error)

    def wait(self) -> bool:
        """Waits for the next frame; True where the match is over."""
        assert self._frames is not None and self.frame is not None
        self._before, after = self.frame, None
        try:
            after = None if self._failure else next(self._frames, None)
        except BridgeError as error:
            self._failure = str(error)
        if after is not None:
            self.frame = after
            self.slots.place(after.units)
        self._ended = after is None or bool(after.observation.player_result)
        return self._ended

    def done(self) -> None:
        """Lets go of the frame that it holds, which another side's end may wait for."""
        try:
            if self._frames is not None:
                self._frames.done()
        except BridgeError:
            pass  # What fails is told by the end.

    def outcome(self) -> tuple[Any, float, bool, bool, dict[str, Any]]:
        """Of the step: observation, reward, terminated, truncated, info."""
        assert self._frames is not None
        result = None
        if self._ended:
            self._failure = self._failure or drain(self._frames)
            result = self._frames.match.result
        reward = float(self._reward(self._before, self.frame, result))
        info = self._info(self._ended)
        if self._ended:
            info["result"] = result or ""
            if self._failure:
                info["failure"] = self._failure
        return self._observe(), reward, self._ended and not self._failure, bool(self._failure), info

    def _observe(self) -> Any:
        return self._observer.of(self.frame, self.slots, self.size)

    def _info(self, ended: bool) -> dict[str, Any]:
        assert self.frame is not None and self._frames is not None
        if not (ended and self._actions.asks_game):
            try:
                self.mask = self._actions.mask(self.frame.units, self._frames)
            except BridgeError:
                pass  # The game is gone: the next step tells.
        return {"game_loop": self.frame.game_loop, "action_mask": np.array(self.mask)}
