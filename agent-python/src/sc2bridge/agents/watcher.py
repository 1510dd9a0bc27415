"""The agent that `sc2bridge match` starts by default."""

from __future__ import annotations

from collections.abc import Sized

from sc2bridge.agents.agent import Agent
from sc2bridge.game.frame import Frame
from sc2bridge.game.match import Match
from sc2bridge.game.words import MatchEnd
from sc2bridge.printing import printable


class Watcher(Agent):
    """Parses observations like other agents, counts them, and prints one line at the end of the match."""

    def __init__(self) -> None:
        self.frames = 0
        self.skipped = 0
        self.bytes = 0
        self.decode_ns = 0
        self.units = 0
        self.first_loop = 0
        self.last_loop = 0
        self.encoding = ""

    def on_start(self, match: Match) -> None:
        kind = "simulated" if match.simulated else "StarCraft II"
        print(printable(f"watching {match.match_id} on {match.map_name} ({kind})"), flush=True)

    def on_step(self, frame: Frame) -> None:
        if frame.content == "columns":
            units: Sized = frame.units
        elif frame.encoding == "json":
            # Reads the dict, as agents for JSON do: building a message takes longer than a step at 22.4 steps a second.
            units = frame.json.get("observation", {}).get("rawData", {}).get("units", [])
        else:
            units = frame.observation.observation.raw_data.units
        if self.frames == 0:
            self.first_loop = frame.game_loop
        self.units = len(units)
        self.last_loop = frame.game_loop
        self.encoding = frame.encoding
        self.frames += 1
        self.bytes += frame.size
        self.decode_ns += frame.decode_ns or 0
        self.skipped += frame.skipped.frames if frame.skipped is not None else 0

    def on_end(self, end: MatchEnd) -> None:
        mean = self.decode_ns / self.frames / 1e6 if self.frames else 0.0
        skipped = f", {self.skipped} skipped" if self.skipped else ""
        print(
            f"{self.frames} frames{skipped}, loops {self.first_loop}-{self.last_loop}, {self.units} units at the end, "
            f"{self.bytes / 2**20:.1f} MiB of {self.encoding or 'nothing'}, {mean:.3f} ms to decode one: "
            f"{printable(str(end))}",
            flush=True,
        )
