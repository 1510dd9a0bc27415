"""A client of `environments`: an agent's loop with one library, which plays the ordered number of steps.

All clients do the same. Every eight game loops they observe in the library's own form, and move eight workers a little further.
"""

from __future__ import annotations

import json
import random
import sys
import time
import types
import unittest.mock
from typing import Any, Iterator

from sc2bridge_bench.libraries import versions

MAP, REPEAT, COMMANDS, SCV = "CinderFortressLE", 8, 8, 45
MATCH = {"map_name": "Cinder Fortress LE", "race": "terran", "opponent": "computer:zerg:VeryEasy", "game": "simulated"}
MOVES = [(0, 2), (0, -2), (2, 0), (-2, 0)]


def turns(*libraries: str) -> Iterator[int]:
    """Yields a number for each ordered step, and reports how long each order took."""
    print(json.dumps({"client": versions(*libraries)}), flush=True)
    number = 0
    for line in sys.stdin:
        steps = json.loads(line)["steps"]
        began, cpu_began = time.monotonic_ns(), time.process_time_ns()
        for _ in range(steps):
            yield number
            number += 1
        took, cpu = time.monotonic_ns() - began, time.process_time_ns() - cpu_began
        print(json.dumps({"seconds": took / 1e9, "cpu_us": cpu / 1e3 / steps}), flush=True)


def environment(observation: str, actions: str) -> None:
    """`sc2bridge/Match-v0`."""
    from sc2bridge.gym import MatchEnv

    env = MatchEnv(observation=observation, actions=actions, **MATCH)
    try:
        observed, info = env.reset(seed=1)
        choice = np_random()
        for number in turns("gymnasium", "numpy"):
            if actions == "discrete":
                action: Any = choice.choice(info["action_mask"].nonzero()[0])
            else:
                action = moves(observed["types"], len(info["action_mask"]), number)
            observed, _, terminated, truncated, info = env.step(action)
            if terminated or truncated:
                observed, info = env.reset()
    finally:
        env.close()


def moves(types: Any, own: int, number: int) -> Any:
    """The numbers of `multi_discrete` for the own rows: eight workers move, the others continue."""
    import numpy as np

    action = np.zeros(own, np.int64)
    action[(types[:own] == SCV).nonzero()[0][:COMMANDS]] = 2 + number % len(MOVES)
    return action


def np_random() -> Any:
    import numpy as np

    return np.random.default_rng(1)


def frames() -> None:
    """The frames alone, without arrays, rewards and masks: what the bridge gives to an environment."""
    from sc2bridge.gym.matches import Matches

    matches = Matches(MATCH["map_name"], ["agent:terran", MATCH["opponent"]], REPEAT, [], game="simulated")
    try:
        ((frames, frame),) = matches.begin(1)
        for number in turns("numpy"):
            workers = frame.units.own.of_type(SCV)
            dx, dy = MOVES[number % len(MOVES)]
            for unit in workers[:COMMANDS]:
                frames.move(unit.tag, (unit.pos[0] + dx, unit.pos[1] + dy))
            frame = next(frames)
    finally:
        matches.close()


def vector(count: int, own: bool) -> None:
    """Many environments at once; a step is one of each."""
    import gymnasium
    import numpy as np

    import sc2bridge.gym

    arguments = {"actions": "multi_discrete", **MATCH}
    if own:
        envs: Any = sc2bridge.gym.MatchVectorEnv(count, **arguments)
    else:
        make = lambda: gymnasium.make("sc2bridge/Match-v0", disable_env_checker=True, **arguments)  # noqa: E731
        envs = gymnasium.vector.AsyncVectorEnv([make] * count)
    try:
        observed, _ = envs.reset(seed=1)
        for number in turns("gymnasium", "numpy"):
            chosen = [moves(types, envs.action_space.shape[1], number) for types in observed["types"]]
            observed, _, _, _, _ = envs.step(np.array(chosen))
    finally:
        envs.close()


def python_sc2() -> None:
    """python-sc2's own loop, with what it prepares for a bot at each step."""
    import sc2.maps
    from loguru import logger
    from sc2.bot_ai import BotAI
    from sc2.data import Difficulty, Race
    from sc2.ids.unit_typeid import UnitTypeId
    from sc2.main import run_game
    from sc2.player import Bot, Computer

    logger.remove()
    order = turns("burnysc2", "aiohttp")

    class Mover(BotAI):
        async def on_start(self) -> None:
            self.client.game_step = REPEAT

        async def on_step(self, iteration: int) -> None:
            number = next(order, None)
            if number is None:
                await self.client.leave()
                return
            for worker in self.units(UnitTypeId.SCV)[:COMMANDS]:
                worker.move(worker.position.offset(MOVES[number % len(MOVES)]))

    players = [Bot(Race.Terran, Mover()), Computer(Race.Zerg, Difficulty.VeryEasy)]
    run_game(sc2.maps.get(MAP), players, realtime=False, random_seed=1)


def pysc2() -> None:
    """PySC2's environment on raw units, its quickest: without feature layers."""
    for name in ("pygame", "skvideo", "skvideo.io"):  # For drawing and filming, which is not needed here.
        sys.modules.setdefault(name, unittest.mock.MagicMock())
    sys.modules["skvideo"].io = types.SimpleNamespace(FFmpegWriter=object)  # type: ignore[attr-defined]
    shuffle = random.shuffle
    random.shuffle = lambda x, source=None: shuffle(x)  # type: ignore[assignment]  # Python 3.11 has one parameter.
    from absl import flags
    from pysc2.env import sc2_env
    from pysc2.lib import actions
    from pysc2.maps import lib

    class CinderFortressLE(lib.Map):
        directory, filename, players = "Melee", MAP, 2

    flags.FLAGS(["stepping"])
    with sc2_env.SC2Env(
        map_name=CinderFortressLE.__name__,
        players=[sc2_env.Agent(sc2_env.Race.terran), sc2_env.Bot(sc2_env.Race.zerg, sc2_env.Difficulty.very_easy)],
        agent_interface_format=sc2_env.AgentInterfaceFormat(
            action_space=sc2_env.ActionSpace.RAW, use_raw_units=True, raw_resolution=160, max_raw_actions=COMMANDS
        ),
        step_mul=REPEAT,
        game_steps_per_episode=0,
        random_seed=1,
    ) as env:
        (observed,) = env.reset()
        move = actions.RAW_FUNCTIONS.Move_pt
        for number in turns("pysc2", "websocket-client"):
            units = observed.observation.raw_units
            dx, dy = MOVES[number % len(MOVES)]
            own = units[(units[:, 0] == SCV) & (units[:, 1] == 1)][:COMMANDS]
            (observed,) = env.step([[move("now", [unit.tag], (unit.x + dx, unit.y + dy)) for unit in own]])


def main(way: str) -> None:
    """Plays by this way."""
    name, *more = way.split("+")
    if name == "python-sc2":
        python_sc2()
    elif name == "pysc2":
        pysc2()
    elif name == "frames":
        frames()
    elif name in ("batch", "async"):
        vector(int(more[0]), name == "batch")
    else:
        environment(*more)
