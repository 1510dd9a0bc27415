"""One side of a match as a gymnasium environment."""

from __future__ import annotations

from collections.abc import Sequence
from concurrent.futures import Executor
from typing import Any, Optional, Union

import gymnasium

from sc2bridge.game.frame import Frame
from sc2bridge.gym import arguments
from sc2bridge.gym import scenario as scenarios
from sc2bridge.gym.backends import open_matches
from sc2bridge.gym.native_matches import NativeMatches
from sc2bridge.gym.screen import FRAMES_A_SECOND, RENDER_MODES, Screen
from sc2bridge.gym.side import Reward, Side


class MatchEnv(gymnasium.Env[Any, Any]):  # type: ignore[misc]
    """One side of a match, or of a scenario, against the game's computer: `sc2bridge/Match-v0`.

    The environment owns its bridge and game. The first `reset` starts them; with `discrete` actions, the constructor
    starts them. Later resets use the same bridge and game. If the bridge or the game fails, the episode is truncated,
    `info["failure"]` has the reason, and the next `reset` starts another bridge. With `backend="native"`, there is no
    bridge, and the game is in this process. `info["action_mask"]` shows which actions can be chosen. At the end of an
    episode, `info["result"]` is the match's result.
    """

    metadata: dict[str, Any] = {"render_modes": list(RENDER_MODES), "render_fps": FRAMES_A_SECOND}

    def __init__(
        self,
        map_name: Optional[str] = None,
        opponent: str = "computer:zerg:Easy",
        *,
        race: Optional[str] = None,
        scenario: Optional[str] = None,
        observation: Union[str, Any] = "units",
        actions: str = "discrete",
        reward: Optional[Reward] = None,
        repeat: int = 8,
        rows: Optional[Sequence[int]] = None,
        abilities: Optional[Sequence[str]] = None,
        cells: int = 4,
        options: Sequence[str] = (),
        render_mode: Optional[str] = None,
        backend: str = "bridge",
        **launch: Any,
    ) -> None:
        """map_name, opponent: see `--map` and `--player` of `sc2bridge match`.
        race: the own race; None for the scenario's race, or Terran without a scenario.
        scenario: instead of a map, a scenario's name such as `3m`, or the path of a file.
        observation: `units`, `planes` or `columns`, or an object with their methods.
        actions: `discrete` (`TeamActions`) or `multi_discrete` (`UnitActions`).
        reward: `result`, `score` or `fight`; or a function of the frame before the step, the frame after it, and the
            result. None means `fight` in a scenario, else `result`.
        repeat: game loops in a step.
        rows: how many rows of the arrays are for own, enemy and neutral units. None: as many as the scenario has
            units; without a scenario, 128, 128 and 64.
        abilities: for `TeamActions`; None for the race's usual abilities. cells: the cells along each edge of the grid.
        render_mode: with `rgb_array`, `render` draws the map. With `human`, the first `reset` opens the live page in a
            browser. None for neither.
        backend: `bridge`; or `native` to play the simulated game with the native library, in this process.
        options: flags of `sc2bridge match`. launch: arguments of `sc2bridge.launch` (`out`, `game`, `executable` …).
            Both need a bridge.
        Raises ValueError or TypeError for a wrong argument, before a program is started.
        """
        arguments.check_keywords(MatchEnv.__init__, launch)
        arguments.check_opponent(opponent)
        arguments.check_whole_number("repeat", repeat, 1, 100_000)
        arguments.check_texts("options", options)
        arguments.check_choice("render_mode", render_mode or RENDER_MODES[0], RENDER_MODES)
        self.render_mode = render_mode
        race, row_counts = scenarios.own_side(scenario, opponent, race, rows)
        self.side = Side(
            race,
            row_counts,
            scenario is not None,
            observation=observation,
            actions=actions,
            reward=reward,
            abilities=abilities,
            cells=cells,
        )
        """Computes this side's observations, masks and rewards."""
        players = [f"agent:{race}", opponent]
        self._matches = open_matches(backend, map_name, scenario, players, repeat, options, render_mode, **launch)
        self._screen = Screen(render_mode)
        self.observation_space = self.side.observation_space
        if actions != "multi_discrete":
            self._begin(0)
        self.action_space = self.side.action_space

    @property
    def frame(self) -> Optional[Frame]:
        """The newest complete frame; None before the first frame."""
        return self.side.frame

    @property
    def web_address(self) -> Optional[str]:
        """The address of the live page of the match; None before the first match."""
        bridge = self._matches.bridge
        return bridge.web_address if bridge is not None else None

    def reset(
        self, *, seed: Optional[int] = None, options: Optional[dict[str, Any]] = None
    ) -> tuple[Any, dict[str, Any]]:
        """Begins a match. Without a seed, draws a seed from the generator that the last given seed started."""
        super().reset(seed=seed)
        begun = self._begin(int(self.np_random.integers(1 << 31)) if seed is None else seed % (1 << 32))
        self._screen.open(self.web_address)
        return begun

    def step(self, action: Any) -> tuple[Any, float, bool, bool, dict[str, Any]]:
        """Acts, and waits while the game plays `repeat` loops, like `send` and then `recv`. For an action outside the
        action space, raises ValueError and sends nothing."""
        self.send(action)
        return self.recv()

    def send(self, action: Any) -> None:
        """The first half of `step`: acts, and lets the game continue."""
        self.side.send(action)

    def recv(self) -> tuple[Any, float, bool, bool, dict[str, Any]]:
        """The second half of `step`: waits for the next frame, and returns the results of `step`."""
        self.side.wait_for_frame()
        return self.side.step_results()

    def render(self) -> Any:
        """With `rgb_array`, returns a picture of the map; else None. Raises ResetNeeded before the first match."""
        return self._screen.picture(self.side.match, self.side.frame)

    def close(self) -> None:
        """Ends the bridge and its game."""
        self._matches.close()
        self.side.frame = None

    def play_steps_in(self, pool: Executor) -> None:
        """Plays the steps of native matches in a pool of threads, so that several matches play at the same time."""
        if isinstance(self._matches, NativeMatches):
            self._matches.pool = pool

    def _begin(self, seed: int) -> tuple[Any, dict[str, Any]]:
        ((frames, frame),) = self._matches.begin(seed)
        return self.side.begin(frames, frame)
