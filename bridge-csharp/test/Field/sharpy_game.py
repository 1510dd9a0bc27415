"""
Plays one game of a dummy of sharpy-sc2 against an Easy computer: `python sharpy_game.py FOLDER DUMMY MAP SECONDS`. The
seconds are the game's; a game that takes longer is a tie.
"""

from __future__ import annotations

import random
import sys
import types

import numpy as np
from scipy.sparse import coo_matrix
from scipy.sparse.csgraph import connected_components
from scipy.spatial import cKDTree


class Clusters:
    """
    Stands for the part of scikit-learn that sharpy needs, because the tests' environment does not have it: DBSCAN with
    min_samples=1. Then each point is a core point, and chains of neighbours make a cluster
    (`sharpy/combat/group_combat_manager.py`).
    """

    def __init__(self, eps: float, min_samples: int, algorithm: str = "auto") -> None:
        assert min_samples == 1
        self.eps = eps

    def fit(self, points: np.ndarray) -> Clusters:
        pairs = cKDTree(points).query_pairs(self.eps, output_type="ndarray")
        links = coo_matrix((np.ones(len(pairs)), pairs.T), shape=(len(points), len(points)))
        self.labels_ = connected_components(links, directed=False)[1]
        return self


def play(folder: str, dummy: str, map_name: str, seconds: int) -> str:
    # sharpy's own python-sc2, its submodule, comes before the installed one.
    sys.path[:0] = [f"{folder}/python-sc2", folder]
    cluster = types.ModuleType("sklearn.cluster")
    cluster.DBSCAN = Clusters  # type: ignore[attr-defined]
    sys.modules["sklearn.cluster"] = cluster
    sys.modules["sklearn"] = types.ModuleType("sklearn")
    from bot_loader import BotDefinitions
    from sc2 import maps
    from sc2.data import Difficulty, Race
    from sc2.main import run_game
    from sc2.player import Computer

    random.seed(3)  # Some dummies choose one of several builds.
    name, *parameters = dummy.split(".")
    bot = BotDefinitions().playable[name](parameters)
    players = [bot, Computer(Race.Zerg, Difficulty.Easy)]
    result = run_game(maps.get(map_name), players, realtime=False, random_seed=3, game_time_limit=seconds)
    return f"RESULT {result.name} after {bot.ai.time:.0f} s"


if __name__ == "__main__":
    print(play(*sys.argv[1:4], int(sys.argv[4])))
