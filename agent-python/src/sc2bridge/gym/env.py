"""A side of a match as a gymnasium environment."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Optional, Union

import gymnasium

from sc2bridge.game.frame import Frame
from sc2bridge.gym import arguments
from sc2bridge.gym import scenario as scenarios
from sc2bridge.gym.matches import Matches
from sc2bridge.gym.screen import FRAMES_A_SECOND, RENDER_MODES, Screen
from sc2bridge.gym.side import Reward, Side


class MatchEnv(gymnasium.Env[Any, Any]):  # type: ignore[misc]
    """A side of a match, or of a scenario, against the game's computer: `sc2bridge/Match-v0`.

    It owns its bridge and game, which are started with the first `reset` (when it is made, where the action space is discrete) and
    stay for further ones. What fails of them truncates the episode (`info["failure"]` says why), and is started anew with the next.
    The mask of actions is `info["action_mask"]`; the result, at the end, `info["result"]`.
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
        **launch: Any,
    ) -> None:
        """map_name, opponent, race: as `--map` and `--player` of `sc2bridge match` have them. The race is the own one; None for a
            scenario's, and for Terran without a scenario.
        scenario: instead of a map, a scenario's name such as `3m`, or the path of a file.
        observation: `units`, `planes` or `columns`, or an object with their methods.
        actions: `discrete` (`TeamActions`) or `multi_discrete` (`UnitActions`).
        reward: `result`, `score`, `fight` (a scenario's, where none is given), or a function of the frame before, the frame after and
            the result.
        repeat: game loops that an action lasts.
        rows: own units, enemies and neutral ones that are observed; None for a scenario's, and 128, 128, 64 in a match.
        abilities, cells: of `TeamActions`; None for the usual ones of the race.
        render_mode: `rgb_array`, with which `render` draws the map; `human`, with which the first `reset` opens the live page in a
            browser; None for neither.
        options, launch: further flags of `sc2bridge match`, and arguments of `sc2bridge.launch` (`out`, `game`, `executable` …).
        Raises ValueError or TypeError for a wrong argument, before a program is started.
        """
        arguments.keywords(MatchEnv.__init__, launch)
        arguments.opponent(opponent)
        arguments.whole("repeat", repeat, 1, 100_000)
        arguments.texts("options", options)
        arguments.rows(rows)
        arguments.choose("render_mode", render_mode or RENDER_MODES[0], RENDER_MODES)
        self.render_mode = render_mode
        (found,), races = scenarios.rows(scenario, rows, [1]), scenarios.races(scenario)
        race = race or next(iter(races), "") or "terran"
        self.side = Side(
            race,
            found,
            scenario is not None,
            observation=observation,
            actions=actions,
            reward=reward,
            abilities=abilities,
            cells=cells,
        )
        """Its arrays."""
        given = [(f"race {race!r}", race), (f"opponent {opponent!r}", opponent.split(":")[1])]
        arguments.races(scenario, races, given)
        options = [*options, *scenarios.flags(scenario)]
        self._matches = Matches(map_name, [f"agent:{race}", opponent], repeat, options, **launch)
        self._screen = Screen(render_mode)
        self.observation_space = self.side.observation_space
        if actions != "multi_discrete":
            self._begin(0)
        self.action_space = self.side.action_space

    @property
    def frame(self) -> Optional[Frame]:
        """The newest frame, whole; None before the first."""
        return self.side.frame

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
        begun = self._begin(int(self.np_random.integers(1 << 31)) if seed is None else seed % (1 << 32))
        self._screen.open(self.web_address)
        return begun

    def step(self, action: Any) -> tuple[Any, float, bool, bool, dict[str, Any]]:
        """Acts, and lets the game go on for `repeat` loops: `send` and `recv`. Raises ValueError for an action that is not in the
        action space; then nothing is sent."""
        self.send(action)
        return self.recv()

    def send(self, action: Any) -> None:
        """The first half of a step: acts, and has the game go on."""
        self.side.send(action)

    def recv(self) -> tuple[Any, float, bool, bool, dict[str, Any]]:
        """The second half: waits for the game."""
        self.side.wait()
        return self.side.outcome()

    def render(self) -> Any:
        """The map as `draw_map` draws it, with `rgb_array`; else None. Raises ResetNeeded before the first match."""
        return self._screen.picture(self.side.match, self.side.frame)

    def close(self) -> None:
        """Ends the bridge and its game."""
        self._matches.close()
        self.side.frame = None

    def _begin(self, seed: int) -> tuple[Any, dict[str, Any]]:
        ((frames, frame),) = self._matches.begin(seed)
        return self.side.begin(frames, frame)
