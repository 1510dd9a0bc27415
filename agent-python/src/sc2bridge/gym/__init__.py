"""Environments for reinforcement learning (`pip install sc2bridge[gym]`).

    import gymnasium
    import sc2bridge.gym  # registers sc2bridge/Match-v0

    env = gymnasium.make("sc2bridge/Match-v0", scenario="3m", opponent="computer:terran:VeryHard")

`MatchEnv` is a side of a match or a scenario, `MatchVectorEnv` many of them. In PettingZoo's parallel API, `SidesEnv` has both sides
of a match as agents, and `UnitsEnv` each unit of a scenario, with SMAC's names too. `sc2bridge.gym.smac` has SMAC's and SMACv2's own classes.
docs/guide/environments.md documents observations, actions and rewards.
"""

from gymnasium.envs.registration import register, registry

from sc2bridge.gym.env import MatchEnv
from sc2bridge.gym.sides import SidesEnv
from sc2bridge.gym.units import UnitsEnv
from sc2bridge.gym.vector import MatchVectorEnv

__all__ = ["MatchEnv", "MatchVectorEnv", "SidesEnv", "UnitsEnv"]

if "sc2bridge/Match-v0" not in registry:
    register("sc2bridge/Match-v0", entry_point="sc2bridge.gym.env:MatchEnv", vector_entry_point=MatchVectorEnv)
