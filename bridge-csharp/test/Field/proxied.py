"""The same bots through the bridge's proxy: `sc2bridge match --ladder-rules --player api:RACE` is the manager."""

from __future__ import annotations

import asyncio
import contextlib
import json
import pathlib
import re
from dataclasses import dataclass, field

from arena import MAP, Bot, Limits, run_bot, start, wait_for_bots

ENDS = {
    "finished": "{winner}Win",
    r"bot (\d) left the game": "{winner}Win",
    r"Bot (\d) closed its connection without leaving the game at game loop \d+": "Player{bot}Crash",
    r"Bot (\d) has sent no request for [\d.]+ s at game loop \d+": "Player{bot}TimeOut",
    r"Ladder rules: a match ends at game loop 80640": "Tie",
}
"""Each end that the bridge reports, and AI Arena's name for it."""


@dataclass
class Proxied:
    """A match that was played through the proxy."""

    ports: dict[int, int] = field(default_factory=dict)
    """Of each player, the port that the bridge opened."""
    lines: list[str] = field(default_factory=list)
    """The bridge's output."""
    exit_code: int | None = None
    result: str = ""
    """AI Arena's name for the result. Empty if the bridge reports no match."""

    @property
    def said(self) -> str:
        return "".join(self.lines)


def arena_result(ended: str, results: dict[str, str]) -> str:
    """AI Arena's name for what `summary.json` reports."""
    winner = next((f"Player{player}" for player, result in results.items() if result == "Victory"), "?")
    for pattern, name in ENDS.items():
        if found := re.match(pattern, ended):
            return name.format(winner=winner, bot=(found.groups() or ("?",))[0])
    return f"unknown end: {ended} {results}"


def play_match(
    program: str, bots: list[Bot], limits: Limits, environment: dict[str, str], out: pathlib.Path
) -> Proxied:
    """Plays one match. Each bot starts once the bridge has printed its address."""
    command = [program, "match", "--game", "simulated", "--map", MAP, "--out", str(out), "--no-agents"]
    command += ["--ladder-rules", "--api-deadline", str(limits.bot), "--grpc", "127.0.0.1:0", "--web", "127.0.0.1:0"]
    command += ["--player", "api:terran"] * len(bots) + ["--json", "-"]

    async def play() -> Proxied:
        played, running = Proxied(), []
        async with contextlib.AsyncExitStack() as stack:
            pipe = asyncio.subprocess.PIPE
            bridge = await start(stack, command, environment, stdout=pipe, stderr=asyncio.subprocess.STDOUT)
            assert bridge.stdout is not None
            async for line in bridge.stdout:
                played.lines.append(line.decode())
                event = json.loads(line) if line.startswith(b"{") else {}
                if event.get("event") == "bot_address":
                    player, port = event["player"], event["port"]
                    played.ports[player] = port
                    bot = bots[player - 1]
                    running.append(asyncio.create_task(run_bot(stack, bot, port, 5000, environment)))
            played.exit_code = await bridge.wait()
            assert len(running) == len(bots), played.said
            await wait_for_bots(running, limits)
        summary = out / "summary.json"
        if summary.exists():
            found = json.loads(summary.read_text())
            played.result = arena_result(found["ended"], found["results"])
        return played

    return asyncio.run(asyncio.wait_for(play(), limits.match))
