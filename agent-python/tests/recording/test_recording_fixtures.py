"""The recordings that every reader is tested with: `recordings/`, each with its contents in a JSON file."""

from __future__ import annotations

import hashlib
import json
import os
import pathlib
import subprocess
import sys
from typing import Any

import make_recordings
import pytest
from conftest import ROOT
from google.protobuf import json_format
from recording_case import Case

import sc2bridge
from sc2bridge.recording import Frames
from sc2bridge.v1 import bridge_pb2

FOLDER = ROOT / "recordings"
FILES = sorted(FOLDER.glob("*.mcap"))


def facts(frame: Any) -> list[Any]:
    return [frame.step, frame.game_loop, len(frame.raw), hashlib.sha256(frame.raw).hexdigest()]


def given(frames: Frames) -> tuple[list[Any], Any]:
    """The frames up to an error, and that."""
    found: list[Any] = []
    try:
        for frame in frames:
            found.append(facts(frame))
    except sc2bridge.RecordingError as error:
        return found, error
    return found, None


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_a_recording_has_its_documented_contents(path: pathlib.Path) -> None:
    says = json.loads(path.with_suffix(".json").read_text())
    if says["error"] == "foreign":
        with pytest.raises(sc2bridge.RecordingError) as error:
            sc2bridge.open_recording(path)
        assert error.value.kind == "foreign"
        return
    with sc2bridge.open_recording(path) as recording:
        assert [str(number) for number in recording.perspectives] == list(says["frames"])
        for number, frames in says["frames"].items():
            perspective = recording.perspective(int(number))
            found, error_met = given(perspective)
            assert found == frames
            assert (None if error_met is None else error_met.kind) == says["error"]
            assert [bytes(raw) for raw in perspective[: len(frames)].raw()] == [
                bytes(frame.raw) for frame in perspective[: len(frames)]
            ]
            for index in {0, len(frames) // 2, len(frames) - 1}:
                assert facts(perspective[index]) == frames[index]
            behind = says["behind"].get(number, [])
            if behind:
                assert list(map(facts, perspective[-len(behind) :])) == behind
            # A seek finds frames before and after the damage, and reports the damage for frames inside it.
            for frame in reversed(frames + behind):
                with sc2bridge.open_recording(path) as fresh:
                    assert facts(fresh.perspective(int(number)).at_loop(frame[1])) == frame
            if says["error"] == "damaged":
                with pytest.raises(sc2bridge.RecordingError):
                    perspective.at_loop(frames[-1][1] + 1)
        assert [json_format.MessageToDict(gap) for gap in recording.gaps] == says["gaps"]
        assert (None if recording.end is None else recording.end.reason) == says["end"]
        players = [[p.player_id, p.kind, p.race, p.difficulty] for p in recording.match.players]
        assert says.get("players", players) == players
        assert recording.match.map_name.startswith("Cinder Fortress LE") and recording.match.HasField("data")


def test_all_recordings_and_their_descriptions_exist() -> None:
    others = {"sample", "earlier-f227c0b", "earlier-2df1b033", "release-0.1.0"}
    assert {path.stem for path in FILES} == {*make_recordings.MAKERS, *others}
    assert all(path.with_suffix(".json").exists() for path in FILES)
    assert sum(path.stat().st_size for path in FILES) < 2 << 20


@pytest.mark.parametrize("name", make_recordings.MAKERS)
def test_recordings_made_again_are_equal(name: str, tmp_path: pathlib.Path) -> None:
    """The decompressed contents are equal. The bytes may differ, because another libzstd can compress differently."""
    data, says = make_recordings.MAKERS[name]()
    make_recordings.write(tmp_path / f"{name}.mcap", says, data)
    assert (tmp_path / f"{name}.json").read_text() == (FOLDER / f"{name}.json").read_text()
    test_a_recording_has_its_documented_contents(tmp_path / f"{name}.mcap")


def test_the_example_of_a_test_passes() -> None:
    """`examples/test_scout.py`, as a bot's author runs it."""
    source = ROOT / "agent-python" / "src"
    done = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-p", "pytest_sc2bridge", "-p", "no:cacheprovider", "."],
        cwd=ROOT / "agent-python" / "examples",
        env={**os.environ, "PYTHONPATH": str(source)},
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0 and "3 passed" in done.stdout, done.stdout + done.stderr


@pytest.mark.parametrize(
    ("text", "word"),
    [
        ("finished", "finished"),
        ("range end", "range end"),
        ("forfeited by player 2: no agent plays it any more", "forfeit"),
        ("no agent plays any more", "no agent"),
        ("the game closed the connection", "failed"),
        ("bot 2 left the game", "forfeit"),
        ("Ladder rules: a match ends at game loop 60486", "step limit"),
        ("", ""),
    ],
)
def test_an_end_that_a_build_before_0_1_0_wrote_is_read(tmp_path: pathlib.Path, text: str, word: str) -> None:
    case = Case()
    case.step(0)
    case.match(end=bridge_pb2.MatchEnd(match_id="m1", detail=text, aborted=word == "failed"))
    path = tmp_path / "match.mcap"
    path.write_bytes(case.close(end=False).data)
    with sc2bridge.open_recording(path) as recording:
        assert recording.end is not None
        assert (recording.end.reason, str(recording.end)) == (word, text)
