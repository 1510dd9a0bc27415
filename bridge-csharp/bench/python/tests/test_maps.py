"""Pictures and films of a recorded match's map."""

from __future__ import annotations

import pathlib
import shutil
import subprocess
from typing import Any, List, Optional

import numpy as np
import pytest
from conftest import ROOT

import sc2bridge
from sc2bridge.game.images import to_array
from sc2bridge_bench import __main__ as command

pytest.importorskip("matplotlib", reason="pictures need matplotlib, which tools/test --all installs")
from matplotlib import colors, image  # noqa: E402

from sc2bridge_bench import maps  # noqa: E402

SAMPLE = str(ROOT / "recordings" / "sample.mcap")


@pytest.mark.parametrize("loop", [0, 800, None])
def test_units_creep_and_sight_are_at_the_observed_places(tmp_path: pathlib.Path, loop: Optional[int]) -> None:
    target = tmp_path / "map.png"
    assert command.main(["map", SAMPLE, str(target), *([] if loop is None else ["--loop", str(loop)])]) == 0
    pixels = image.imread(str(target))[..., :3]
    with sc2bridge.open_recording(SAMPLE) as recording:
        frame = recording[-1] if loop is None else recording.at_loop(loop)
        raw = recording.match.game_info.start_raw
        units, state = frame.units, frame.observation.observation.raw_data.map_state
        minerals = {unit.unit_id for unit in recording.match.data.units if unit.has_minerals}
    area = raw.playable_area
    foot = round(maps.FOOT * maps.DPI)

    def at(x: float, y: float) -> Any:
        row = pixels.shape[0] - foot - (y - area.p0.y) * maps.PIXELS_PER_CELL
        return pixels[int(row), int((x - area.p0.x) * maps.PIXELS_PER_CELL)]

    # Halls, which nothing stands on, and a patch of minerals.
    large = np.flatnonzero((units.radius > 2) & (units.owner < maps.NEUTRAL))
    assert {int(units.owner[each]) for each in large} == {1, 2}
    for each in large:
        wanted = colors.to_rgb(maps.colour_of(int(units.owner[each])))
        assert np.allclose(at(units.x[each], units.y[each]), wanted, atol=0.1)
    patch = next(
        i for i, kind in enumerate(units.unit_type.tolist()) if kind in minerals and units.display_type[i] == 1
    )
    assert np.allclose(at(units.x[patch], units.y[patch]), colors.to_rgb(maps.MINERALS), atol=0.1)

    # Free ground: creep is purple, what is not seen darker than what is.
    creep, seen, walkable = to_array(state.creep), to_array(state.visibility), to_array(raw.pathing_grid)
    bare = np.ones_like(creep)
    for x, y, radius in zip(units.x, units.y, units.radius):
        rows, columns = np.ogrid[: bare.shape[0], : bare.shape[1]]
        bare &= (columns + 0.5 - x) ** 2 + (rows + 0.5 - y) ** 2 > (radius + 1.5) ** 2
    bare[:, : area.p0.x] = bare[:, area.p1.x :] = bare[: area.p0.y] = bare[area.p1.y :] = False

    def ground(where: Any) -> Any:
        places = np.argwhere(where & bare)
        assert len(places) > 20
        return np.array([at(x + 0.5, y + 0.5) for y, x in places])

    red, green, _ = ground(creep & (seen == 2)).T
    assert (red > green + 0.1).all()
    height = to_array(raw.terrain_height)
    level = height == np.bincount(height[walkable & ~creep & (seen == 2) & bare]).argmax()
    lit, dark = (ground(walkable & ~creep & level & (seen == value)).mean() for value in (2, 0))
    assert lit > 1.5 * dark


def test_its_head_and_legend_name_the_match() -> None:
    with sc2bridge.open_recording(SAMPLE) as recording:
        drawing = maps.MapDrawing(recording, None)
        assert (
            drawing.head(recording.at_loop(800)) == "Cinder Fortress LE, game loop 800 (0:35), as an observer sees it"
        )
        (legend,) = drawing.figure.legends
        named = [text.get_text() for text in legend.get_texts()]
        drawing.close()
    assert named == ["1 Terran VeryHard", "2 Zerg VeryHard", "minerals", "vespene", "neutral"]


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["--loop", "99999"], "the last frame is of loop 1192"),
        (["--observe", "2"], "perspective 2 was not recorded: choose 0"),
    ],
)
def test_a_loop_or_perspective_that_was_not_recorded_is_an_error(
    tmp_path: pathlib.Path, capsys: pytest.CaptureFixture[str], arguments: List[str], says: str
) -> None:
    assert command.main(["map", SAMPLE, str(tmp_path / "map.png"), *arguments]) == 1
    assert says in capsys.readouterr().err


def test_a_video_needs_ffmpeg(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    assert command.main(["can-film", "match.avi"]) == 1
    assert "end its name in .mp4, .mkv, .webm, .gif" in capsys.readouterr().err
    monkeypatch.setenv("PATH", "")
    assert command.main(["can-film", "match.mp4"]) == 1
    assert "a video needs ffmpeg, which is not installed: install it" in capsys.readouterr().err


def test_a_part_is_filmed_frame_by_frame(tmp_path: pathlib.Path) -> None:
    if shutil.which("ffmpeg") is None:
        pytest.skip("a video needs ffmpeg")
    target = tmp_path / "match.mp4"
    assert command.main(["film", SAMPLE, str(target), "--from", "0", "--to", "80"]) == 0
    with sc2bridge.open_recording(SAMPLE) as recording:
        frames = len(recording.perspective().between(0, 80))
    counted = subprocess.run(
        ["ffmpeg", "-i", target, "-f", "null", "-"], capture_output=True, text=True, check=True
    ).stderr
    assert f"frame={frames:>5}" in counted


def test_a_video_on_a_full_disk_is_an_error(tmp_path: pathlib.Path, capsys: pytest.CaptureFixture[str]) -> None:
    if shutil.which("ffmpeg") is None or not pathlib.Path("/dev/full").exists():
        pytest.skip("a video needs ffmpeg")
    target = tmp_path / "full.mp4"
    target.symlink_to("/dev/full")
    assert command.main(["film", SAMPLE, str(target), "--from", "0", "--to", "20"]) == 1
    assert f"ffmpeg did not write {target} whole" in capsys.readouterr().err
