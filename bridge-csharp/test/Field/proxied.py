"""The same bots through the bridge's proxy, which is the ladder manager: `match --player api:RACE` for each bot."""

from __future__ import annotations

import asyncio
import json
import pathlib
import re
import subprocess
from arena import MAP, Bot, run_bot

ENDS = {
    "finished": "{winner}Win",
    r"bot (\d) left the game": "{winner}Win",
    r"Bot (\d) closed its connection without leaving the game at game loop \d+": "Player{bot}Crash",
    r"Bot (\d) has asked for nothing for [\d.]+ s at game loop \d+": "Player{bot}TimeOut",
    r"Ladder rules: a match ends at game loop 80640": "Tie",
}
"""Each end that the bridge reports, and AI Arena's name for it."""


def arena_result(ended: str, results: dict[str, str]) -> str:
    """AI Arena's name for what `summary.json` reports."""
    winner = next((f"Player{player}" for player, result in results.items() if result == "Victory"), "?")
    for pattern, name in ENDS.items():
        if found := re.match(pattern, ended):
            return name.format(winner=winner, bot=(found.groups() or ("?",))[0])
    return f"unknown end: {ended} {results}"


async def play_match(
    program: str, bots: list[Bot], patience: float, environment: dict[str, str], out: pathlib.Path
) -> tuple[str, int | None, str]:
    """Plays one match. AI Arena's name for its result, the bridge's exit code, and what it complained of."""
    command = [program, "match", "--game", "simulated", "--map", MAP, "--out", str(out), "--no-agents"]
    command += ["--ladder-rules", "--api-deadline", str(patience), "--grpc", "127.0.0.1:0", "--web", "127.0.0.1:0"]
    command += ["--player", "api:terran"] * len(bots)
    bridge = await asyncio.create_subprocess_exec(*command, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    assert bridge.stdout is not None and bridge.stderr is not None
    running: list[asyncio.Task[None]] = []
    try:
        async for line in bridge.stdout:
            if said := re.search(r"player (\d): .*ws://127.0.0.1:(\d+)/sc2api", line.decode()):
                bot = bots[int(said[1]) - 1]
                running.append(asyncio.create_task(run_bot(bot, int(said[2]), 5000, environment)))
        complaint = (await bridge.stderr.read()).decode()
        await bridge.wait()
        await asyncio.wait(running, timeout=patience)
    finally:
        if bridge.returncode is None:
            bridge.kill()
            await bridge.wait()
        for task in running:
            task.cancel()
        await asyncio.gather(*running, return_exceptions=True)
    summary = out / "summary.json"
    if not summary.exists():
        return "InitializationError", bridge.returncode, complaint
    found = json.loads(summary.read_text())
    return arena_result(found["ended"], found["results"]), bridge.returncode, complaint
