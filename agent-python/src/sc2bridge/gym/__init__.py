"""Environments for reinforcement learning (`pip install sc2bridge[gym]`).

    import gymnasium
    import sc2bridge.gym  # registers sc2bridge/Match-v0

    env = gymnasium.make("sc2bridge/Match-v0", scenario="3m", opponent="computer:terran:VeryHard")

`MatchEnv` is one side of a match or a scenario. `MatchVectorEnv` steps many `MatchEnv` together. With
`backend="native"`, a library plays the matches in this process; `sc2bridge.gym.native.NativeVectorEnv` plays many of them
with the fewest calls of Python. `SidesEnv` and `UnitsEnv` have PettingZoo's parallel API. The agents of `SidesEnv` are
both sides of a match. The agents of `UnitsEnv` are the own units of a scenario. `UnitsEnv` also has SMAC's method names.
`sc2bridge.gym.smac` has the classes of SMAC and SMACv2. docs/guide/environments.md documents observations, actions and
rewards.
"""

from gymnasium.envs.registration import register, registry

from sc2bridge.gym.env import MatchEnv
from sc2bridge.gym.sides import SidesEnv
from sc2bridge.gym.units import UnitsEnv
from sc2bridge.gym.vector import MatchVectorEnv, make_vector_env

__all__ = ["MatchEnv", "MatchVectorEnv", "SidesEnv", "UnitsEnv"]

if "sc2bridge/Match-v0" not in registry:
    register("sc2bridge/Match-v0", entry_point="sc2bridge.gym.env:MatchEnv", vector_entry_point=make_vector_env)
