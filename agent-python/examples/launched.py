"""Starts a bridge from a script, plays one side of a match step by step, and ends the bridge: `python launched.py`."""

from __future__ import annotations

import sys

import sc2bridge


def main(steps: int = 1000) -> None:
    players = ["agent:terran", "computer:zerg:Easy"]
    with sc2bridge.launch("Cinder Fortress LE", players, steps=steps) as match:
        frames = match.subscribe("lockstep", agent="trainer", can_act=True, content="columns")
        for frame in frames:
            halls = frame.units.own.of_type(frames.match.unit_types.COMMANDCENTER)
            if frame.common.minerals >= 50:
                frames.train(halls.idle, "SCV")
        workers = frame.units.own.of_type(frames.match.unit_types.SCV)
        print(f"{len(workers)} workers at loop {frame.game_loop}: {frames.end.reason if frames.end else 'stopped'}")


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
