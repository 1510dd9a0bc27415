"""Learns a fight by PPO. All units share one network. Several matches are played at a time. Needs torch and gymnasium:

    python learn_ppo.py --out curve.json

Afterwards it plays 100 further matches, and prints how many it won. --out writes the learning curve as JSON: for each
100 episodes, the seconds until their end, and the means of their steps, returns and victories.
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

STEPS = 128  # steps of each match between two updates of the network
EPOCHS, BATCHES, RATE, CLIP, ENTROPY = 8, 4, 7e-4, 0.2, 0.01
DISCOUNT, GAE_LAMBDA = 0.99, 0.95
SCALE = 0.2  # Scales returns from at most 20 to at most 4, which a network learns sooner.
GAMES = 100  # matches that are played after learning


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
        """For each episode: the seconds until its end, its steps, its return, and whether it was won."""
        self.returns, self.steps = np.zeros(count), np.zeros(count, int)
        self.begin([seed + number for number in range(count)])

    def begin(self, seeds: Sequence[Optional[int]]) -> None:
        """Begins an episode in each environment."""
        self.returns[:], self.steps[:] = 0, 0
        list(self.threads.map(lambda env, seed: env.reset(seed=seed), self.envs, seeds))

    def observe(self) -> tuple[Any, Any, Any]:
        """Returns observations, available actions and states, with a row for each match."""
        observed = np.array([env.get_obs() for env in self.envs])
        available = np.array([env.get_avail_actions() for env in self.envs], bool)
        states = np.array([env.get_state() for env in self.envs])
        return torch.from_numpy(observed), torch.from_numpy(available), torch.from_numpy(states)

    def step(self, actions: Any) -> tuple[Any, Any]:
        """Acts. Returns the rewards, and which episodes have ended. New episodes have begun after these."""
        results = list(self.threads.map(self._step, range(len(self.envs)), actions))
        return torch.tensor([reward for reward, _ in results]), torch.tensor([over for _, over in results])

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
    """Plays STEPS steps of each match. Returns what was observed and chosen, and each step's gain over the estimate."""
    kept: dict[str, list[Any]] = {}
    with torch.no_grad():
        for _ in range(STEPS):
            observed, available, states = matches.observe()
            choices = network.choices(observed, available)
            actions = choices.sample()
            rewards, over = matches.step(actions.numpy())
            values = network.critic(states).squeeze(-1)
            seen = dict(observed=observed, available=available, states=states, actions=actions, values=values)
            for name, each in dict(seen, logs=choices.log_prob(actions), rewards=rewards * SCALE, over=over).items():
                kept.setdefault(name, []).append(each)
        value, gain = network.critic(matches.observe()[2]).squeeze(-1), torch.zeros(len(matches.envs))
    played = {name: torch.stack(each) for name, each in kept.items()}
    played["gains"] = torch.zeros(STEPS, len(matches.envs))
    for step in reversed(range(STEPS)):  # Generalised advantage estimation.
        continues = (~played["over"][step]).float()
        surprise = played["rewards"][step] + DISCOUNT * value * continues - played["values"][step]
        gain = surprise + DISCOUNT * GAE_LAMBDA * continues * gain
        played["gains"][step], value = gain, played["values"][step]
    return played


def learn(network: Network, optimizer: Any, played: dict[str, Any], left: float) -> None:
    """Updates the network by PPO's clipped objective (https://arxiv.org/abs/1707.06347), for units that have a choice.
    left: the part of the episodes that is left; the learning rate and the bonus for exploration decrease with it."""
    optimizer.param_groups[0]["lr"] = RATE * left
    flat = {name: each.flatten(0, 1) for name, each in played.items()}
    targets = flat["gains"] + flat["values"]
    gains = (flat["gains"] - flat["gains"].mean()) / (flat["gains"].std() + 1e-6)
    for _ in range(EPOCHS):
        for rows in torch.randperm(len(gains)).chunk(BATCHES):
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
    parser.add_argument("--matches", type=int, default=4, help="how many matches are played at the same time")
    parser.add_argument("--scenario", default="3m")
    parser.add_argument("--opponent", default="computer:terran:VeryHard")
    parser.add_argument("--out")
    options = parser.parse_args()
    torch.manual_seed(options.seed)
    torch.set_num_threads(1)  # The games need the other cores.
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
        groups = np.array(matches.episodes[: learned - learned % GAMES]).reshape(-1, GAMES, 4)
        curve = np.column_stack([groups[:, -1, 0], groups[:, :, 1:].mean(axis=1)]).round(3).tolist()
        result = {"seed": options.seed, "won": won, "games": GAMES, "curve": curve}
        pathlib.Path(options.out).write_text(json.dumps(result) + "\n")


if __name__ == "__main__":
    main()
