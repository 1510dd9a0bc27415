"""Fake programs that print a bridge's lines, in front of a fake bridge."""

from __future__ import annotations

import os
import pathlib
from collections.abc import Iterator

import pytest
from fake_bridge import GrpcBridge, Match

SAYS = """
echo "$@" > {folder}/arguments
echo 'Game: simulated' >&2
echo '{{"event":"listening","grpc":"{target}","web":"ws://127.0.0.1:7/v1"}}'
echo '{{"event":"match"}}'
"""

# Plays until the end of its input or TERM stops it, and notes that. The trap comes first: a test may stop it at once.
PLAYS = (
    "trap 'echo stopped > {folder}/stopped; exit 130' TERM\n"
    + SAYS
    + "read -r _\necho stopped > {folder}/stopped\nexit 130"
)

# Ends by itself when the test allows it.
ENDS = SAYS + "read -r _ < {folder}/over\n"


class Machine:
    """A folder with a made-up bridge, as SC2BRIDGE_EXECUTABLE names it, and what that notes."""

    def __init__(self, folder: pathlib.Path, monkeypatch: pytest.MonkeyPatch, target: str) -> None:
        self.folder, self.target = folder, target
        self.program = folder / "bridge"
        self.temporary = folder / "temporary"
        self.temporary.mkdir()
        os.mkfifo(folder / "over")
        monkeypatch.setenv("SC2BRIDGE_EXECUTABLE", str(self.program))
        monkeypatch.setattr("tempfile.tempdir", str(self.temporary))

    def has(self, script: str) -> None:
        self.program.write_text("#!/bin/sh\n" + script.format(folder=self.folder, target=self.target))
        self.program.chmod(0o755)

    def end(self) -> None:
        """Has a program of `ENDS` go on to its end."""
        (self.folder / "over").write_text("\n")

    def was_stopped(self) -> bool:
        """Whether the bridge was stopped and left no process or file."""
        return (self.folder / "stopped").exists() and not list(self.temporary.iterdir())


@pytest.fixture
def played() -> Match:
    """The match that the machine's bridge plays."""
    return Match()


@pytest.fixture
def machine(tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch, played: Match) -> Iterator[Machine]:
    with GrpcBridge(played) as bridge:
        yield Machine(tmp_path, monkeypatch, bridge.url[len("grpc://") :])
