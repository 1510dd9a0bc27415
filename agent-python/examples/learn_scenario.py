"""Learns a fight with numpy alone: by REINFORCE, with a linear softmax policy. `pip install sc2bridge[gym]`, then

    python learn_scenario.py --seed 1 --minutes 10

It plays 100 episodes at random, and learns until the minutes are over. Then it prints two mean returns: of the random
episodes, and of the last 100 episodes. --out writes the time and the return of each episode as JSON.
"""

from __future__ import annotations

import argparse
import json
import pathlib
import time
from typing import Any

import numpy as np

from sc2bridge.gym import UnitsEnv

EPISODES = 100  # episodes of a mean
BATCH = 8  # episodes between two updates of the policy
RATE, ENTROPY = 0.02, 0.01


def features(env: UnitsEnv) -> Any:
    """For each unit, its observation, and a 1 for the constant term of the linear policy."""
    observed = np.array(env.get_obs(), np.float64)
    return np.concatenate([observed, np.ones((len(observed), 1))], axis=1)


def policy(weights: Any, seen: Any, masks: Any) -> Any:
    """For each unit, the probability of each action."""
    scores = np.where(masks, seen @ weights, -np.inf)
    scores = np.exp(scores - scores.max(axis=1, keepdims=True))
    return scores / scores.sum(axis=1, keepdims=True)


def play(env: UnitsEnv, weights: Any, random: np.random.Generator, seed: int) -> tuple[list[Any], list[float]]:
    """Plays an episode. Returns what was observed, allowed and chosen in each step, and the rewards."""
    env.reset(seed=seed)
    steps, rewards = [], []
    while env.agents:
        seen, masks = features(env), np.array(env.get_avail_actions(), bool)
        chances = policy(weights, seen, masks)
        chosen = (chances.cumsum(axis=1) > random.random((len(chances), 1))).argmax(axis=1)
        steps.append((seen, masks, chosen))
        _, reward, _, _, _ = env.step(dict(zip(env.possible_agents, chosen.tolist())))
        rewards.append(next(iter(reward.values())))
    return steps, rewards


def gradient(weights: Any, steps: list[Any], gains: Any) -> Any:
    """The gradient of the expected gain and of the entropy, by the weights."""
    total = np.zeros_like(weights)
    for (seen, masks, chosen), gain in zip(steps, gains):
        chances = policy(weights, seen, masks)
        logs = np.log(np.maximum(chances, 1e-12))
        surprise = -chances * (logs - (chances * logs).sum(axis=1, keepdims=True))
        wish = (np.eye(chances.shape[1])[chosen] - chances) * gain + ENTROPY * surprise
        total += seen.T @ wish
    return total


def main() -> None:
    parser = argparse.ArgumentParser(description="Learns a scenario.")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--minutes", type=float, default=10)
    parser.add_argument("--scenario", default="3m")
    parser.add_argument("--opponent", default="computer:terran:VeryHard")
    parser.add_argument("--out")
    options = parser.parse_args()
    random, start = np.random.default_rng(options.seed), time.monotonic()
    env = UnitsEnv(options.scenario, options.opponent, game="simulated")
    info = env.get_env_info()
    weights = np.zeros((info["obs_shape"] + 1, info["n_actions"]))
    mean, square = np.zeros_like(weights), np.zeros_like(weights)
    returns: list[tuple[float, float]] = []
    batch: list[tuple[list[Any], Any]] = []
    updates = 0
    while len(returns) < 2 * EPISODES or time.monotonic() - start < options.minutes * 60:
        steps, rewards = play(env, weights, random, options.seed * 1_000_000 + len(returns))
        returns.append((round(time.monotonic() - start, 2), round(sum(rewards), 4)))
        if len(returns) <= EPISODES:
            continue
        batch.append((steps, np.cumsum(rewards[::-1])[::-1]))
        if len(batch) == BATCH:
            gains = np.concatenate([gain for _, gain in batch])
            centre, spread = gains.mean(), gains.std() + 1e-6
            total = sum(gradient(weights, steps, (gain - centre) / spread) for steps, gain in batch) / len(gains)
            updates += 1  # The optimizer is Adam.
            mean, square = 0.9 * mean + 0.1 * total, 0.999 * square + 0.001 * total**2
            weights += RATE * (mean / (1 - 0.9**updates)) / (np.sqrt(square / (1 - 0.999**updates)) + 1e-8)
            batch.clear()
        if len(returns) % EPISODES == 0:
            print(
                f"{len(returns)} episodes, {returns[-1][0]:.0f} s: {np.mean([r for _, r in returns[-EPISODES:]]):.2f}",
                flush=True,
            )
    env.close()
    chance, learned = (float(np.mean([r for _, r in part])) for part in (returns[:EPISODES], returns[-EPISODES:]))
    print(f"random {chance:.2f}, learned {learned:.2f}: {learned / chance:.2f} times")
    if options.out:
        result = {"seed": options.seed, "random": chance, "learned": learned, "episodes": returns}
        pathlib.Path(options.out).write_text(json.dumps(result) + "\n")


if __name__ == "__main__":
    main()
