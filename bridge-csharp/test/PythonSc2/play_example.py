"""
One of python-sc2's examples, played in a process of its own: the bot unmodified, against the computer that its `main`
names, on a simulated map, with a seed and a limit of game time in place of what `main` says of them.

    play_example.py FOLDER MODULE BOT SEED SECONDS

prints a line of JSON: the opponent, the result and the second at which it came.
"""

from __future__ import annotations

import importlib
import json
import random
import sys

import sc2.main
from sc2 import maps
from sc2.bot_ai import BotAI
from sc2.data import Difficulty, Race
from sc2.player import Bot, Computer

MAP = "CinderFortressLE"


class Stop(Exception):
    """Ends the example's own `main` where it would start the game."""


def players_of(module: object, bot: str) -> list[Bot | Computer]:
    """What `main` gives to `run_game`; of an example without one, what python-sc2's workflow lets it play."""
    found: list[Bot | Computer] = []

    def note(game_map: object, players: list[Bot | Computer], **_: object) -> None:
        found.extend(players)
        raise Stop

    if not hasattr(module, "main"):
        return [Bot(Race.Terran, getattr(module, bot)()), Computer(Race.Protoss, Difficulty.Easy)]
    module.run_game = note
    get, maps.get = maps.get, lambda name: None
    try:
        module.main()
    except Stop:
        pass
    finally:
        maps.get = get
    return found


def main() -> None:
    folder, name, bot, seed, seconds = sys.argv[1:]
    sys.path.insert(0, folder)
    players = players_of(importlib.import_module(f"examples.{name}"), bot)
    random.seed(int(seed))
    ai: BotAI = players[0].ai
    result = sc2.main.run_game(
        maps.get(MAP), players, realtime=False, random_seed=int(seed), game_time_limit=int(seconds)
    )
    opponent = f"{players[1].difficulty.name} {players[1].race.name}"
    print(json.dumps({"opponent": opponent, "result": result.name, "seconds": round(ai.time)}))


if __name__ == "__main__":
    main()
