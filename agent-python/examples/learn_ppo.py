"""Learns a fight by PPO. All units share one network. Many matches are played at the same time. Needs torch and gymnasium:

    python learn_ppo.py --out curve.json                              # plays in this process, with the native library
    python learn_ppo.py --backend bridge --matches 4 --steps 20000    # plays with a bridge and a game for each match

Afterwards it plays at least 100 further matches, and prints how many it won. --out writes the learning curve as JSON: for
each 100 episodes, the seconds and the steps of all matches until their end, and the means of their lengths (in steps),
returns and victories.
"""

from __future__ import annotations

import argparse
import json
import pathlib
import time
from typing import Any, Optional

import gymnasium
import numpy as np
import torch

import sc2bridge.gym  # registers sc2bridge/Match-v0
from sc2bridge.gym.observations import FEATURES

STEPS = 32  # steps of each match between two updates of the network
EPOCHS, BATCHES, RATE, CLIP, ENTROPY, DISCOUNT, GAE_LAMBDA = 4, 4, 3e-3, 0.2, 0.005, 0.99, 0.95
SCALE = 0.2  # Scales returns from at most 20 to at most 4, which a network learns sooner.
NEAR = 4  # Scales distances, because units in sight are at most about a quarter of the map away.
GAMES = 100  # at least so many matches are played after learning
PLACE = slice(FEATURES.index("x"), FEATURES.index("y") + 1)


class Network(torch.nn.Module):
    """Chooses an action for each own unit, and estimates the return from all units."""

    def __init__(self, rows: int, own: int, actions: int, width: int = 64) -> None:
        super().__init__()
        # The rows that own unit i observes: first its own, then the others in their order.
        self.order = torch.tensor([[i, *(row for row in range(rows) if row != i)] for i in range(own)])
        self.actor = self.layers(rows * len(FEATURES) + actions, width, actions)
        self.critic = self.layers(rows * len(FEATURES), width, 1)

    @staticmethod
    def layers(inputs: int, width: int, outputs: int) -> Any:
        linear, tanh = torch.nn.Linear, torch.nn.Tanh
        return torch.nn.Sequential(linear(inputs, width), tanh(), linear(width, width), tanh(), linear(width, outputs))

    def choices(self, units: Any, mask: Any) -> Any:
        """The distribution of the units' actions. units: [N, rows, 15]. mask: [N, own units, actions]."""
        seen = units[:, self.order]
        exists = seen[..., :3].amax(-1, keepdim=True)  # A row without a unit keeps its zeros.
        seen[..., PLACE] = (seen[..., PLACE] - seen[..., :1, PLACE]) * NEAR * exists
        logits = self.actor(torch.cat([seen.flatten(2), mask.float()], -1))
        return torch.distributions.Categorical(logits=logits.masked_fill(~mask, -1e9))

    def value(self, units: Any) -> Any:
        return self.critic(units.flatten(1)).squeeze(-1)


class Matches:
    """Matches that play at the same time, and what happened in their episodes."""

    def __init__(self, options: argparse.Namespace) -> None:
        given = dict(num_envs=options.matches, backend=options.backend, actions="multi_discrete")
        given.update(scenario=options.scenario, opponent=options.opponent)
        self.envs = gymnasium.make_vec("sc2bridge/Match-v0", **given)
        self.start, self.seconds, self.steps = time.monotonic(), 0.0, 0
        """The time of the start, how long the environment took since then, and the steps of all matches."""
        self.episodes: list[tuple[float, ...]] = []
        """For each episode: the seconds and the steps of all matches until its end, its length, its return, and whether
        it was won."""
        self.begin(options.seed * 1_000_000)

    def begin(self, seed: Optional[int] = None) -> None:
        """Begins all matches."""
        self.observed, self.infos = self.envs.reset(seed=seed)
        self.over = np.zeros(self.envs.num_envs, bool)
        self.lengths, self.returns = np.zeros((2, self.envs.num_envs))

    def observe(self) -> tuple[Any, Any]:
        """Returns copies of the rows of units, [N, rows, 15], and of the available actions, [N, own units, actions]."""
        return torch.tensor(self.observed["units"]), torch.tensor(self.infos["action_mask"]).bool()

    def step(self, actions: Any) -> tuple[Any, Any, Any]:
        """Acts. Returns the rewards, which matches have ended, and which matches acted: a match that ended in the step
        before ignores the action and begins again."""
        acted, began = ~self.over, time.monotonic()
        self.observed, rewards, terminated, truncated, self.infos = self.envs.step(actions.numpy())
        now = time.monotonic()
        self.seconds += now - began
        self.steps += int(acted.sum())
        self.over = terminated | truncated
        self.won = self.over & (self.infos.get("result", np.full(len(acted), None)) == "victory")
        self.lengths, self.returns = (self.lengths + 1) * acted, (self.returns + rewards) * acted
        for at in self.over.nonzero()[0]:
            self.episodes.append((now - self.start, self.steps, self.lengths[at], self.returns[at], self.won[at]))
        return torch.tensor(rewards, dtype=torch.float32), torch.from_numpy(self.over), torch.from_numpy(acted)


def play(matches: Matches, network: Network) -> dict[str, Any]:
    """Plays STEPS steps of each match. Returns what was observed and chosen, and each step's gain over the estimate, in
    one row for each step of a match that acted."""
    kept: dict[str, list[Any]] = {}
    with torch.no_grad():
        for _ in range(STEPS):
            units, mask = matches.observe()
            choices = network.choices(units, mask)
            actions = choices.sample()
            rewards, over, acted = matches.step(actions)
            step = dict(units=units, mask=mask, actions=actions, logs=choices.log_prob(actions), acted=acted)
            step.update(rewards=rewards * SCALE, over=over, values=network.value(units))
            for name, each in step.items():
                kept.setdefault(name, []).append(each)
        value = network.value(matches.observe()[0])
    played = {name: torch.stack(each) for name, each in kept.items()}
    played["gains"], gain = torch.zeros(played["values"].shape), torch.zeros(len(value))
    for step in reversed(range(STEPS)):  # Generalised advantage estimation.
        continues = DISCOUNT * ~played["over"][step]
        gain = played["rewards"][step] + continues * (value + GAE_LAMBDA * gain) - played["values"][step]
        played["gains"][step], value = gain, played["values"][step]
    return {name: each[played["acted"]] for name, each in played.items()}


def learn(network: Network, optimizer: Any, played: dict[str, Any], left: float) -> None:
    """Updates the network by PPO's clipped objective (https://arxiv.org/abs/1707.06347), for units that have a choice.
    left: the part of the steps that is left; the learning rate and the bonus for exploration decrease with it."""
    optimizer.param_groups[0]["lr"] = RATE * left
    targets, gains = played["gains"] + played["values"], played["gains"]
    gains = (gains - gains.mean()) / (gains.std() + 1e-6)
    for _ in range(EPOCHS):
        for rows in torch.randperm(len(gains)).chunk(BATCHES):
            units, mask = played["units"][rows], played["mask"][rows]
            choices = network.choices(units, mask)
            counts = (mask.sum(-1) > 1).float()
            ratio = (choices.log_prob(played["actions"][rows]) - played["logs"][rows]).exp()
            gain = gains[rows, None]
            better = torch.min(ratio * gain, ratio.clamp(1 - CLIP, 1 + CLIP) * gain)
            better = better + ENTROPY * left * choices.entropy()
            error = (network.value(units) - targets[rows]).square().mean()
            optimizer.zero_grad()
            (error / 2 - (better * counts).sum() / counts.sum().clamp(min=1)).backward()
            torch.nn.utils.clip_grad_norm_(network.parameters(), 0.5)
            optimizer.step()


def count_victories(matches: Matches, network: Network) -> int:
    """Plays one match in each environment. Returns how many were won."""
    matches.begin()
    won, waiting = 0, ~matches.over
    while waiting.any():
        with torch.no_grad():
            matches.step(network.choices(*matches.observe()).sample())
        won += int((matches.won & waiting).sum())
        waiting &= ~matches.over
    return won


def main() -> None:
    parser = argparse.ArgumentParser(description="Learns a scenario with torch.")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--steps", type=int, default=400_000, help="how many steps all matches play together")
    parser.add_argument("--matches", type=int, default=100, help="how many matches are played at the same time")
    parser.add_argument("--backend", choices=("native", "bridge"), default="native")
    parser.add_argument("--scenario", default="3m")
    parser.add_argument("--opponent", default="computer:terran:VeryHard")
    parser.add_argument("--out")
    options = parser.parse_args()
    torch.manual_seed(options.seed)
    torch.set_num_threads(1)  # The matches need the other cores.
    matches = Matches(options)
    network = Network(matches.observed["units"].shape[1], *matches.infos["action_mask"].shape[1:])
    optimizer = torch.optim.Adam(network.parameters(), RATE)
    while matches.steps < options.steps:
        learn(network, optimizer, play(matches, network), max(1 - matches.steps / options.steps, 0))
        latest = np.mean(matches.episodes[-GAMES:] or [[0] * 5], axis=0)
        print(f"{matches.steps} steps: return {latest[3]:.2f}, won {latest[4]:.0%}", flush=True)
    seconds = round(time.monotonic() - matches.start, 1), round(matches.seconds, 1), round(time.process_time(), 1)
    print("{} s, of them {} s in the environment; processor time {} s".format(*seconds))
    curve = np.array(matches.episodes[: len(matches.episodes) // GAMES * GAMES]).reshape(-1, GAMES, 5)
    curve = np.column_stack([curve[:, -1, :2], curve[:, :, 2:].mean(axis=1)]).round(2)
    games = -(-GAMES // options.matches) * options.matches
    won = sum(count_victories(matches, network) for _ in range(0, games, options.matches))
    matches.envs.close()
    print(f"{won} of {games} won")
    if options.out:
        figures = {"seed": options.seed, "backend": options.backend, "won": won, "games": games, "seconds": seconds}
        pathlib.Path(options.out).write_text(json.dumps({**figures, "curve": curve.tolist()}) + "\n")


if __name__ == "__main__":
    main()
