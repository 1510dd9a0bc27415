"""Clients of the first release play with the bridge of this tree, and clients of this tree with the bridge of the first release.

tools/set-up --part released released-bridge makes the release from the repository's history, in .setup/released.
"""

from __future__ import annotations

import json
import os
import pathlib
import subprocess
import sys
from typing import Any

import pytest

HERE = pathlib.Path(__file__).parent
ROOT = HERE.parents[2]
RELEASE = ROOT / ".setup/released"
OPTIONS = "--player agent:terran --player computer:zerg:Easy --steps 40 --step-size 8 --no-agents --wait 1".split()
results: dict[str, Any] = {}
"""The result of the first client of each content. All other clients must have the same, because the match has a seed."""


def age(tree: pathlib.Path) -> str:
    return "old" if tree == RELEASE else "new"


def bridge_command(tree: pathlib.Path) -> list[str]:
    if tree == ROOT and "SC2BRIDGE_EXECUTABLE" in os.environ:
        return [os.environ["SC2BRIDGE_EXECUTABLE"]]
    return ["dotnet", str(tree / "bridge-csharp/src/Sc2Bridge.Cli/bin/Release/net10.0/sc2bridge.dll")]


def play(
    bridge: pathlib.Path, client: pathlib.Path, language: str, transport: str, content: str, out: pathlib.Path
) -> Any:
    """Plays a match of the tree `bridge` with a client of the tree `client`. Returns what the client printed."""
    command = [*bridge_command(bridge), "match", "--game", "simulated", *OPTIONS, "--out", str(out), "--json", "-"]
    command += ["--grpc", "127.0.0.1:0", "--web", "127.0.0.1:0"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        try:
            assert process.stdout is not None
            listening = json.loads(process.stdout.readline())
            url = f"grpc://{listening['grpc']}" if transport == "grpc" else listening["web"]
            if language == "Python":
                words = [sys.executable, str(HERE / "client.py"), url, transport, content]
            else:
                words = ["node", str(HERE / "client.js"), str(client / "agent-js"), url, transport, content]
            environment = {**os.environ, "PYTHONPATH": str(client / "agent-python/src")}
            return json.loads(
                subprocess.run(words, env=environment, check=True, timeout=100, stdout=subprocess.PIPE).stdout
            )
        finally:
            process.terminate()


NEW, OLD = ROOT, RELEASE
TRANSPORTS = {"Python": ("grpc", "proto", "json"), "JavaScript": ("proto", "json")}
CELLS = [
    pytest.param(
        *(bridge, client, language, transport, content),
        id=f"{age(bridge)} bridge, {age(client)} {language}, {transport}, {content}",
        # Without --all, only clients in Python play with the new bridge.
        marks=[pytest.mark.long] if bridge == OLD or language == "JavaScript" or content == "columns" else [],
    )
    for content in ("observation", "columns")
    for bridge, client in ((NEW, NEW), (NEW, OLD), (OLD, NEW))
    for language, transports in TRANSPORTS.items()
    for transport in transports
]


@pytest.mark.parametrize("bridge, client, language, transport, content", CELLS)
def test_a_client_and_a_bridge_of_different_releases(
    bridge: pathlib.Path, client: pathlib.Path, language: str, transport: str, content: str, tmp_path: pathlib.Path
) -> None:
    result = play(bridge, client, language, transport, content, tmp_path / "out")
    assert result["frames"] == 40 and result["succeeded"] == 10 and result["abilities"] > 0
    assert result == results.setdefault(content, result)


@pytest.mark.long
@pytest.mark.parametrize(
    "bridge, reader", [(NEW, OLD), (OLD, NEW)], ids=["new recording, old reader", "old recording, new reader"]
)
def test_a_recording_of_another_release_is_read(
    bridge: pathlib.Path, reader: pathlib.Path, tmp_path: pathlib.Path
) -> None:
    play(bridge, bridge, "Python", "grpc", "columns", tmp_path / "out")
    code = (
        "import sys, sc2bridge\n"
        "with sc2bridge.open_recording(sys.argv[1]) as recording:\n"
        "    frames = recording.perspective(1)\n"
        "    print(len(frames), recording.end.reason, sum(len(frame.units) for frame in frames), recording.match.map_name)"
    )
    environment = {**os.environ, "PYTHONPATH": str(reader / "agent-python/src")}
    words = [sys.executable, "-c", code, str(tmp_path / "out/match.mcap")]
    printed = subprocess.run(words, env=environment, check=True, timeout=100, stdout=subprocess.PIPE, text=True).stdout
    assert printed.startswith("40 step limit ") and printed.endswith(" Cinder Fortress LE\n")
