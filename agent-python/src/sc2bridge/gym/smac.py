"""The environments of SMAC and SMACv2, on sc2bridge. Code for SMAC only needs another import:

    from sc2bridge.gym.smac import StarCraft2Env  # in place of: from smac.env import StarCraft2Env
    env = StarCraft2Env(map_name="3m")

The arrays have the same numbers in the same order. docs/reference/environments.md lists the differences.
"""

from __future__ import annotations

import json
import logging
import pathlib
import tempfile
from collections.abc import Mapping
from typing import Any, Optional

import numpy as np

from sc2bridge.client.sync import Subscription
from sc2bridge.errors import UNAVAILABLE, BridgeError
from sc2bridge.game.frame import Frame
from sc2bridge.gym import arguments
from sc2bridge.gym import scenario as scenarios
from sc2bridge.gym.backends import open_matches, require_no_bridge
from sc2bridge.gym.matches import drain
from sc2bridge.gym.multiagent import Battles, MultiAgentEnv
from sc2bridge.gym.native_matches import NativeMatches
from sc2bridge.gym.screen import RENDER_MODES, Screen
from sc2bridge.gym.smac_fight import VICTORY, Fight, FightReward
from sc2bridge.gym.smac_layout import HEALER, Layout, Options
from sc2bridge.gym.smac_sizes import LayoutEnv
from sc2bridge.gym.smac_teams import random_scenario
from sc2bridge.s2clientprotocol import sc2api_pb2

_DIFFICULTIES = dict(zip("123456789A", sc2api_pb2.Difficulty.keys()))
_RACE_WITH_SHIELDS = "protoss"


class StarCraft2Env(LayoutEnv):
    """A fight whose agents are the own units, like SMAC's class. The first `reset` starts a bridge and a game, or with
    `backend="native"` a game in this process."""

    def __init__(
        self,
        map_name: str = "8m",
        step_mul: int = 8,
        move_amount: float = 2,
        difficulty: str = "7",
        game_version: Optional[str] = None,
        seed: Optional[int] = None,
        continuing_episode: bool = False,
        obs_all_health: bool = True,
        obs_own_health: bool = True,
        obs_last_action: bool = False,
        obs_pathing_grid: bool = False,
        obs_terrain_height: bool = False,
        obs_instead_of_state: bool = False,
        obs_timestep_number: bool = False,
        state_last_action: bool = True,
        state_timestep_number: bool = False,
        reward_sparse: bool = False,
        reward_only_positive: bool = True,
        reward_death_value: float = 10,
        reward_win: float = 200,
        reward_defeat: float = 0,
        reward_negative_scale: float = 0.5,
        reward_scale: bool = True,
        reward_scale_rate: float = 20,
        replay_dir: str = "",
        replay_prefix: str = "",
        window_size_x: int = 1920,
        window_size_y: int = 1200,
        heuristic_ai: bool = False,
        heuristic_rest: bool = False,
        debug: bool = False,
        *,
        obs_own_pos: bool = False,
        obs_starcraft: bool = True,
        conic_fov: bool = False,
        num_fov_actions: int = 12,
        use_unit_ranges: bool = False,
        min_attack_range: float = 2,
        kill_unit_step_mul: int = 2,
        fully_observable: bool = False,
        capability_config: Mapping[str, Any] = {},
        prob_obs_enemy: float = 1.0,
        action_mask: bool = True,
        backend: str = "bridge",
        **launch: Any,
    ) -> None:
        """The positional arguments are SMAC's. The keyword-only arguments are SMACv2's.
        map_name: a scenario's name, or the path of a file.
        replay_dir: a folder for a recording of each episode.
        game_version, replay_prefix, the window's size, debug, num_fov_actions and kill_unit_step_mul have no effect.
        backend: `bridge` or `native`; see `MatchEnv`.
        launch: further arguments of `sc2bridge.launch` (`game`, `executable` …).
        Raises ValueError or TypeError for a wrong argument, and ValueError for an unsupported value.
        """
        arguments.check_keywords(StarCraft2Env.__init__, launch)
        arguments.check_texts("options", launch.get("options", ()))
        arguments.check_whole_number("step_mul", step_mul, 1, 100_000)
        arguments.check_choice("difficulty", difficulty, _DIFFICULTIES)
        _require_value("heuristic_ai", heuristic_ai, False)
        _require_value("obs_starcraft", obs_starcraft, True)
        _require_value("conic_fov", conic_fov, False)
        _require_value("prob_obs_enemy", prob_obs_enemy, 1)
        _require_value("action_mask", action_mask, True)
        self.map_name = map_name
        self._folder: Optional[tempfile.TemporaryDirectory[str]] = None
        file = scenarios.read(map_name)
        types = _bit_types(file)
        # As in SMACv2, the map's types decide whether there are healers. `capability_config` does not decide this.
        has_healers = HEALER in scenarios.unit_types({"players": file["players"][:1]})
        if capability_config:
            file = random_scenario(file, capability_config)
            self._folder = tempfile.TemporaryDirectory(prefix="sc2bridge-smac-")
            map_name = str(pathlib.Path(self._folder.name) / f"{pathlib.Path(map_name).stem}.json")
            pathlib.Path(map_name).write_text(json.dumps(file), encoding="utf-8")
        if not file.get("reveal") or not file.get("limit") or len(file["players"]) != 2:
            raise ValueError(f"scenario {map_name}: SMAC needs two players, a limit, and `reveal`: true")
        self.n_agents, self.n_enemies = scenarios.unit_counts(file)
        self.episode_limit = int(file["limit"]) // step_mul
        races = [str(player["race"]).casefold() for player in file["players"]]
        self.shield_bits_ally, self.shield_bits_enemy = (int(race == _RACE_WITH_SHIELDS) for race in races)
        self.unit_type_bits = len(types[0])
        options = Options(
            move_amount=move_amount,
            obs_all_health=obs_all_health,
            obs_own_health=obs_own_health,
            obs_last_action=obs_last_action,
            obs_pathing_grid=obs_pathing_grid,
            obs_terrain_height=obs_terrain_height,
            obs_timestep_number=obs_timestep_number,
            state_last_action=state_last_action,
            state_timestep_number=state_timestep_number,
            obs_own_pos=obs_own_pos,
            use_unit_ranges=use_unit_ranges,
            min_attack_range=min_attack_range,
            fully_observable=fully_observable,
            observe_types=bool(capability_config.get("team_gen", {}).get("observe", True)),
        )
        shields = (bool(self.shield_bits_ally), bool(self.shield_bits_enemy))
        self.layout = Layout(self.n_agents, self.n_enemies, types, shields, options, has_healers)
        self.n_actions = self.layout.actions
        self.obs_instead_of_state, self._continuing = obs_instead_of_state, continuing_episode
        self._reward = FightReward(
            reward_sparse,
            reward_only_positive,
            reward_death_value,
            reward_win,
            reward_defeat,
            reward_negative_scale,
            reward_scale_rate if reward_scale else None,
            bool(capability_config),
        )
        self._seed, self._random = seed, np.random.default_rng(seed)
        opponent = f"computer:{races[1]}:{_DIFFICULTIES[difficulty]}"
        launch.setdefault("out", replay_dir or None)
        self.recordings = launch["out"]
        players, flags = [f"agent:{races[0]}", opponent], launch.pop("options", ())
        self._matches = open_matches(backend, None, map_name, players, step_mul, flags, **launch)
        self.battles = Battles()
        self.max_reward: Optional[float] = None
        """The highest possible sum of an episode's rewards before scaling; None before the first match."""
        self._frames: Optional[Subscription] = None
        self._newest_fight: Optional[Fight] = None
        self._screens: dict[str, Screen] = {}

    def reset(self, episode_config: Mapping[str, Any] = {}) -> tuple[list[Any], Any]:
        """Begins a match. Returns the results of `get_obs` and `get_state`. episode_config: must be empty, because the
        constructor's `capability_config` decides the units."""
        _require_value("episode_config", episode_config, {})
        ((self._frames, frame),) = self._matches.begin(int(self._random.integers(1 << 31)))
        self._newest_fight = Fight(self.layout, self._frames.match, frame, self.episode_limit)
        if self.max_reward is None:
            self.max_reward = self._reward.highest_reward_sum(self._newest_fight.enemies)
        return self.get_obs(), self.get_state()

    def step(self, actions: Any) -> tuple[float, bool, dict[str, Any]]:
        """Acts. actions: a number for each unit, as a list, an array or a tensor. Returns the reward, whether the
        episode is over, and an info of numbers. For an action that is not available, raises ValueError and sends
        nothing."""
        fight = self._fight
        if fight.is_over:
            raise RuntimeError("the episode is over: call reset()")
        before = [(team.points, team.alive) for team in (fight.own, fight.enemies)]
        orders = fight.orders([int(each) for each in actions])
        try:
            fight.update(self._next_frame(orders))
        except BridgeError as error:
            logging.getLogger(__name__).warning("the match failed: %s: the next reset begins another match", error)
            self.battles.restarts += 1
            fight.is_over = True
            return 0.0, True, {}
        result = fight.result()
        info: dict[str, Any] = {"battle_won": result == VICTORY}
        info["dead_allies"], info["dead_enemies"] = (int((~team.alive).sum()) for team in (fight.own, fight.enemies))
        at_limit = result is None and (fight.steps >= self.episode_limit or fight.is_over)
        if at_limit and self._continuing:
            info["episode_limit"] = True
        over = fight.is_over = result is not None or at_limit
        self.battles.timeouts += at_limit
        self.battles.episodes += over
        self.battles.won += result == VICTORY
        assert self.max_reward is not None
        return self._reward.of(before, fight, result, self.max_reward), over, info

    def get_obs(self) -> list[Any]:
        """The observation of each unit, an array of float32."""
        return [*self._fight.observed]

    def get_state(self) -> Any:
        """The state; with `obs_instead_of_state`, all observations."""
        fight = self._fight
        if self.obs_instead_of_state:
            return fight.observed.reshape(-1)
        return self.layout.state(fight.own, fight.enemies, fight.ground, fight.last_actions, fight.elapsed_fraction)

    def get_state_dict(self) -> dict[str, Any]:
        """The parts of the state."""
        fight = self._fight
        allies, enemies = self.layout.state_tables(fight.own, fight.enemies, fight.ground)
        state: dict[str, Any] = {"allies": allies, "enemies": enemies}
        if self.layout.options.state_last_action:
            state["last_action"] = fight.last_actions
        if self.layout.options.state_timestep_number:
            state["timestep"] = fight.elapsed_fraction
        return state

    def get_avail_actions(self) -> list[list[int]]:
        found: list[list[int]] = self._fight.available.tolist()
        return found

    def get_visibility_matrix(self) -> Any:
        """A row of booleans for each own unit: which own units it sees, then which enemies."""
        return self.layout.visible(self._fight.own, self._fight.enemies)

    def get_unit_types(self) -> list[int]:
        """The game's types of the own units, then of the enemies, at the start of the match."""
        return self._fight.unit_types

    def get_capabilities(self) -> Any:
        """SMACv2's capabilities: the types of the own units as a flat one-hot array."""
        return self.layout.capabilities(self._fight.own)

    def seed(self) -> Optional[int]:
        """The seed that was passed to the constructor."""
        return self._seed

    def render(self, mode: str = "human") -> Any:
        """With `rgb_array`, returns a picture of the map. The first call with `human` opens the live page."""
        arguments.check_choice("mode", mode, RENDER_MODES)
        if isinstance(self._matches, NativeMatches):
            require_no_bridge((), mode, {})
        screen, bridge = self._screens.setdefault(mode, Screen(mode)), self._matches.bridge
        screen.open(bridge.web_address if bridge is not None else None)
        return screen.picture(self._frames.match if self._frames is not None else None, self._fight.frame)

    def full_restart(self) -> None:
        """Ends the bridge and its game. The next `reset` starts a new bridge and game."""
        self.battles.restarts += 1
        self._matches.close()

    def close(self) -> None:
        """Ends the bridge and its game."""
        self._matches.close()
        if self._folder is not None:
            self._folder.cleanup()

    @property
    def _fight(self) -> Fight:
        if self._newest_fight is None:
            raise RuntimeError("no match is running: call reset()")
        return self._newest_fight

    def _next_frame(self, orders: list[sc2api_pb2.Action]) -> Optional[Frame]:
        assert self._frames is not None
        if orders:
            self._frames.act(orders)
        self._frames.done()
        frame = next(self._frames, None)
        if frame is None or frame.observation.player_result:
            failure = drain(self._frames)
            if failure:
                raise BridgeError(UNAVAILABLE, failure)
        return frame


class StarCraftCapabilityEnvWrapper(StarCraft2Env):
    """SMACv2's environment. `capability_config` describes how each match gets random teams and places."""

    def __init__(self, *, capability_config: Mapping[str, Any], **kwargs: Any) -> None:
        """See `StarCraft2Env`."""
        super().__init__(capability_config=capability_config, **kwargs)


def _require_value(name: str, given: Any, only: Any) -> None:
    if given != only:
        raise ValueError(f"{name}={given!r} is not supported: leave it at {only!r}")


def _bit_types(file: Any) -> tuple[list[str], list[str]]:
    """For each side, the unit types in the order of their bits. Both are empty if each side has only one type.

    SMAC sorts types by name. SMACv2's random teams keep the order of the file. There is one exception: on maps with
    stalkers and zealots, SMAC sorts the enemies by the game's type numbers, and the zealot's number is lower
    (get_unit_type_id).
    """
    groups = [group["type"] for player in file["players"] for group in player.get("units", ())]
    names = scenarios.unit_types(file)
    if max(len(scenarios.unit_types({"players": [player]})) for player in file["players"]) < 2:
        return [], []
    if any(isinstance(kind, dict) for kind in groups):
        return names, names
    names = sorted(names)
    return names, ["Zealot", "Stalker"] if names == ["Stalker", "Zealot"] else names


__all__ = ["MultiAgentEnv", "StarCraft2Env", "StarCraftCapabilityEnvWrapper"]
