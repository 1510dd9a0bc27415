"""Learns a fight by PPO. All units share one network, and several matches are played in parallel. It needs torch and gymnasium:

    python learn_ppo.py --out curve.json

Then it plays 100 further matches and prints how many of them are won. --out writes the learning curve as JSON: for each 100 episodes, the
seconds until then, and the means of their steps, returns and victories.
"""

from __future__ import annotations

import argparse
import json
import pathlib
import time
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any, Optional

import numpy as np
import torch

from sc2bridge.gym import UnitsEnv

STEPS = 128  # of each match between two changes of the network
EPOCHS, PARTS, RATE, CLIP, ENTROPY = 8, 4, 7e-4, 0.2, 0.01
DISCOUNT, TRACE = 0.99, 0.95
REWARD = 0.2  # Returns are then at most 4, which a network learns sooner than 20.
GAMES = 100


class Network(torch.nn.Module):
    """Chooses an action from what a unit observes, and estimates the return from the state."""

    def __init__(self, info: dict[str, int], width: int = 128) -> None:
        super().__init__()
        self.actor = self.layers(info["obs_shape"], width, info["n_actions"])
        self.critic = self.layers(info["state_shape"], width, 1)

    @staticmethod
    def layers(inputs: int, width: int, outputs: int) -> Any:
        linear, tanh = torch.nn.Linear, torch.nn.Tanh
        return torch.nn.Sequential(linear(inputs, width), tanh(), linear(width, width), tanh(), linear(width, outputs))

    def choices(self, observed: Any, available: Any) -> Any:
        return torch.distributions.Categorical(logits=self.actor(observed).masked_fill(~available, -1e9))


class Matches:
    """Environments that play at the same time."""

    def __init__(self, count: int, seed: int, options: argparse.Namespace) -> None:
        # With more matches than cores, idle threads of the games must not spin.
        given = dict(game="simulated", env={"DOTNET_ThreadPool_UnfairSemaphoreSpinLimit": "0"})
        self.envs = [UnitsEnv(options.scenario, options.opponent, **given) for _ in range(count)]
        self.threads = ThreadPoolExecutor(count)
        self.start = time.monotonic()
        self.episodes: list[tuple[float, int, float, bool]] = []
        """When each episode ended, its steps, its return, and whether it was won."""
        self.returns, self.steps = np.zeros(count), np.zeros(count, int)
        self.begin([seed + number for number in range(count)])

    def begin(self, seeds: Sequence[Optional[int]]) -> None:
        """Begins an episode in each."""
        self.returns[:], self.steps[:] = 0, 0
        list(self.threads.map(lambda env, seed: env.reset(seed=seed), self.envs, seeds))

    def see(self) -> tuple[Any, Any, Any]:
        """Observations, available actions and states, with a row for each match."""
        observed = np.array([env.get_obs() for env in self.envs])
        available = np.array([env.get_avail_actions() for env in self.envs], bool)
        states = np.array([env.get_state() for env in self.envs])
        return torch.from_numpy(observed), torch.from_numpy(available), torch.from_numpy(states)

    def step(self, actions: Any) -> tuple[Any, Any]:
        """Acts. Returns rewards and which episodes have ended; in their place others have begun."""
        told = list(self.threads.map(self._step, range(len(self.envs)), actions))
        return torch.tensor([reward for reward, _ in told]), torch.tensor([over for _, over in told])

    def _step(self, number: int, actions: Any) -> tuple[float, bool]:
        reward, over, info = self.envs[number].step(actions)
        self.returns[number] += reward
        self.steps[number] += 1
        if over:
            seconds = round(time.monotonic() - self.start, 2)
            result = int(self.steps[number]), round(float(self.returns[number]), 4), bool(info["battle_won"])
            self.episodes.append((seconds, *result))
            self.returns[number] = self.steps[number] = 0
            self.envs[number].reset()
        return float(reward), bool(over)

    def close(self) -> None:
        for env in self.envs:
            env.close()


def play(matches: Matches, network: Network) -> dict[str, Any]:
    """STEPS steps of each match: what was seen, chosen and estimated, and how much better each step went than estimated."""
    kept: dict[str, list[Any]] = {}
    with torch.no_grad():
        for _ in range(STEPS):
            observed, available, states = matches.see()
            choices = network.choices(observed, available)
            actions = choices.sample()
            rewards, over = matches.step(actions.numpy())
            values = network.critic(states).squeeze(-1)
            seen = dict(observed=observed, available=available, states=states, actions=actions, values=values)
            for name, each in dict(seen, logs=choices.log_prob(actions), rewards=rewards * REWARD, over=over).items():
                kept.setdefault(name, []).append(each)
        value, gain = network.critic(matches.see()[2]).squeeze(-1), torch.zeros(len(matches.envs))
    played = {name: torch.stack(each) for name, each in kept.items()}
    played["gains"] = torch.zeros(STEPS, len(matches.envs))
    for step in reversed(range(STEPS)):  # Generalised advantage estimation.
        goes_on = (~played["over"][step]).float()
        surprise = played["rewards"][step] + DISCOUNT * value * goes_on - played["values"][step]
        gain = surprise + DISCOUNT * TRACE * goes_on * gain
        played["gains"][step], value = gain, played["values"][step]
    return played


def learn(network: Network, optimizer: Any, played: dict[str, Any], left: float) -> None:
    """PPO's clipped objective (https://arxiv.org/abs/1707.06347), for units that have a choice. left: which part of the episodes is
    to come; the steps and the reward for trying become smaller with it."""
    optimizer.param_groups[0]["lr"] = RATE * left
    flat = {name: each.flatten(0, 1) for name, each in played.items()}
    targets = flat["gains"] + flat["values"]
    gains = (flat["gains"] - flat["gains"].mean()) / (flat["gains"].std() + 1e-6)
    for _ in range(EPOCHS):
        for rows in torch.randperm(len(gains)).chunk(PARTS):
            available, actions = flat["available"][rows], flat["actions"][rows]
            choices = network.choices(flat["observed"][rows], available)
            counts = (available.sum(-1) > 1).float()
            ratio = (choices.log_prob(actions) - flat["logs"][rows]).exp()
            gain = gains[rows, None]
            better = (
                torch.min(ratio * gain, ratio.clamp(1 - CLIP, 1 + CLIP) * gain) + ENTROPY * left * choices.entropy()
            )
            error = (network.critic(flat["states"][rows]).squeeze(-1) - targets[rows]).square().mean()
            optimizer.zero_grad()
            (error / 2 - (better * counts).sum() / counts.sum().clamp(min=1)).backward()
            torch.nn.utils.clip_grad_norm_(network.parameters(), 0.5)
            optimizer.step()


def main() -> None:
    parser = argparse.ArgumentParser(description="Learns a scenario with torch.")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--episodes", type=int, default=4000)
    parser.add_argument("--matches", type=int, default=4, help="how many are played at the same time")
    parser.add_argument("--scenario", default="3m")
    parser.add_argument("--opponent", default="computer:terran:VeryHard")
    parser.add_argument("--out")
    options = parser.parse_args()
    torch.manual_seed(options.seed)
    torch.set_num_threads(1)  # The games need the other cores more.
    matches = Matches(options.matches, options.seed * 1_000_000, options)
    network = Network(matches.envs[0].get_env_info())
    optimizer = torch.optim.Adam(network.parameters(), RATE)
    while len(matches.episodes) < options.episodes:
        played = play(matches, network)
        learn(network, optimizer, played, max(1 - len(matches.episodes) / options.episodes, 0))
        latest = np.array(matches.episodes[-GAMES:]).reshape(-1, 4)
        print(
            f"{len(matches.episodes)} episodes: return {latest[:, 2].mean():.2f}, won {latest[:, 3].mean():.0%}",
            flush=True,
        )
    learned = len(matches.episodes)
    matches.begin([None] * options.matches)
    while len(matches.episodes) < learned + GAMES:
        play(matches, network)
    matches.close()
    won = sum(each[-1] for each in matches.episodes[learned : learned + GAMES])
    print(f"{won} of {GAMES} won")
    if options.out:
        parts = np.array(matches.episodes[: learned - learned % GAMES]).reshape(-1, GAMES, 4)
        curve = np.column_stack([parts[:, -1, 0], parts[:, :, 1:].mean(axis=1)]).round(3).tolist()
        result = {"seed": options.seed, "won": won, "games": GAMES, "curve": curve}
        pathlib.Path(options.out).write_text(json.dumps(result) + "\n")


if __name__ == "__main__":
    main()
