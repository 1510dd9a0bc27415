"""Environments for reinforcement learning (`pip install sc2bridge[gym]`).

    import gymnasium
    import sc2bridge.gym  # registers sc2bridge/Match-v0

    env = gymnasium.make("sc2bridge/Match-v0", scenario="scenarios/3m.json", opponent="computer:terran:VeryHard")

`MatchEnv` is a side of a match or a scenario; `UnitsEnv` has each unit of a scenario as an agent, in PettingZoo's parallel API
and with SMAC's names. docs/guide/environments.md tells of observations, actions and rewards.
"""

from gymnasium.envs.registration import register, registry

from sc2bridge.gym.env import MatchEnv
from sc2bridge.gym.units import UnitsEnv

__all__ = ["MatchEnv", "UnitsEnv"]

if "sc2bridge/Match-v0" not in registry:
    register("sc2bridge/Match-v0", entry_point="sc2bridge.gym.env:MatchEnv")
