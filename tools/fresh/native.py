"""Plays 64 matches at the same time with the native library of the installed wheel. Needs gymnasium:

    python native.py      prints the number of steps
"""

import gymnasium
import numpy as np

import sc2bridge.gym  # registers sc2bridge/Match-v0

envs = gymnasium.make_vec(
    "sc2bridge/Match-v0",
    num_envs=64,
    backend="native",
    scenario="3m",
    opponent="computer:terran:VeryHard",
    actions="multi_discrete",
)
_, infos = envs.reset(seed=1)
ended = 0
for step in range(200):
    actions = (np.random.random(infos["action_mask"].shape) * infos["action_mask"]).argmax(2)
    _, _, terminated, _, infos = envs.step(actions)
    ended += terminated.sum()
envs.close()
assert ended >= 64, "each match should end at least once"
print(f"{200 * 64} native steps, {ended} ended matches")
