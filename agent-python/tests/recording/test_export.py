"""The unit table as CSV and as npz: what `frame.units` has."""

from __future__ import annotations

import csv
import pathlib
from typing import Any

import numpy as np
import pytest
from columns_case import observations
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from recording_case import Case, Written, whole

import sc2bridge
from sc2bridge.recording import export
from sc2bridge.__main__ import main
from sc2bridge.units.columns import UNIT_FIELDS
from sc2bridge.units.tables import PARTS


@pytest.fixture
def match(tmp_path: pathlib.Path) -> pathlib.Path:
    path = tmp_path / "match.mcap"
    path.write_bytes(whole(40, perspectives=(1, 2), step_size=3).data)
    return path


def write(folder: pathlib.Path, messages: list[Any]) -> pathlib.Path:
    case = Case()
    for step, message in enumerate(messages):
        case.step(step, {0: message.SerializeToString()})
    path = folder / "match.mcap"
    path.write_bytes(case.close().data)
    return path


@settings(max_examples=50, suppress_health_check=[HealthCheck.too_slow, HealthCheck.function_scoped_fixture])
@given(messages=st.lists(observations(), max_size=3))
def test_both_formats_have_the_units_values(tmp_path: pathlib.Path, messages: list[Any]) -> None:
    with sc2bridge.open_recording(write(tmp_path, messages)) as recording:
        tables = [frame.units for frame in recording]
        count = export.Exported(len(tables), sum(map(len, tables)))
        assert export.to_csv(recording, tmp_path / "units.csv") == count
        assert export.to_npz(recording, tmp_path / "units.npz") == count
    with open(tmp_path / "units.csv", newline="") as file:
        rows = list(csv.DictReader(file))
    arrays = np.load(tmp_path / "units.npz")
    assert arrays["step"].tolist() == list(range(len(tables)))
    assert arrays["game_loop"].tolist() == [7] * len(tables)
    assert arrays["offsets"].tolist() == [0, *np.cumsum([len(units) for units in tables])]
    assert [(row["step"], row["game_loop"]) for row in rows] == [
        (str(step), "7") for step, units in enumerate(tables) for _ in range(len(units))
    ]
    for step, units in enumerate(tables):
        mine = slice(arrays["offsets"][step], arrays["offsets"][step + 1])
        for name, field in UNIT_FIELDS.items():
            np.testing.assert_array_equal(arrays[name][mine], getattr(units, name))
            bits = arrays["present"][mine] >> np.uint64(field.number) & np.uint64(1)
            assert bits.astype(bool).tolist() == units.present(name).tolist()
        for part, name in enumerate(PARTS):
            bits = arrays["present"][mine] >> np.uint64(61 + part) & np.uint64(1)
            assert bits.astype(bool).tolist() == units.present(name).tolist()
        for name, dtype in export.COLUMNS.items():
            for row, value, there in zip(rows[mine], getattr(units, name), units.present(name)):
                if not there:
                    assert row[name] == ""
                elif dtype == bool:
                    assert row[name] == str(bool(value))
                else:
                    np.testing.assert_array_equal(dtype.type(row[name]), value)


def test_the_command_exports_the_chosen_frames(match: pathlib.Path, capsys: Any) -> None:
    out = str(match.with_name("units"))
    assert main(["export", str(match), "--csv", f"{out}.csv"]) == 0
    assert capsys.readouterr().out == f"{out}.csv: 480 units of 40 frames\n"
    chosen = ["--from", "10", "--to", "60", "--every", "4", "--perspective", "2"]
    assert main(["export", str(match), "--npz", f"{out}.npz", *chosen]) == 0
    assert capsys.readouterr().out == f"{out}.npz: 60 units of 5 frames\n"
    arrays = np.load(f"{out}.npz")
    assert arrays["game_loop"].tolist() == [12, 24, 36, 48, 60] and arrays["step"].tolist() == [4, 8, 12, 16, 20]
    assert (arrays["pos"][:, 2] == 2).all()  # As the case has it for perspective 2.
    assert sorted(path.name for path in match.parent.iterdir()) == ["match.mcap", "units.csv", "units.npz"]


@pytest.mark.parametrize(
    "arguments, code, says",
    [
        (["none.mcap", "--csv", "u.csv"], 1, "none.mcap: No such file or directory"),
        (["{match}", "--csv", "no/u.csv"], 1, "no/u.csv: No such file or directory"),
        (["{match}", "--npz", "no/u.npz"], 1, "No such file or directory"),
        ([__file__, "--csv", "{out}"], 1, "is not a recording: it is not an MCAP file"),
        (["{match}", "--csv", "{out}", "--to", "999"], 2, "loop 999: the last frame is of loop 117"),
        (
            ["{match}", "--csv", "{out}", "--from", "9", "--to", "3"],
            2,
            "loops 9 to 3: the first must not be greater than the last",
        ),
        (["{match}", "--csv", "/dev/full"], 1, "/dev/full: No space left on device"),
        (["{match}", "--csv", "{match}"], 2, "is the recording itself: choose another file"),
        (["{match}", "--csv", "{out}", "--every", "0"], 2, "--every 0: choose 1 or more"),
        (["{match}", "--csv", "{out}", "--perspective", "7"], 2, "perspective 7 was not recorded: choose 1, 2"),
    ],
)
def test_wrong_exports_are_refused(match: pathlib.Path, capsys: Any, arguments: Any, code: int, says: str) -> None:
    names = {"match": match, "out": match.with_name("out")}
    assert main(["export", *(argument.format(**names) for argument in arguments)]) == code
    said = capsys.readouterr().err
    assert said.startswith("sc2bridge: ") and says in said and said.count("\n") == 1


@pytest.mark.parametrize("form", ["csv", "npz"])
def test_a_cut_recording_exports_the_frames_before_the_cut(form: str, tmp_path: pathlib.Path, capsys: Any) -> None:
    written: Written = whole(40)
    path, out = tmp_path / "cut.mcap", tmp_path / f"units.{form}"
    path.write_bytes(written.data[: written.chunk_ends[3]])
    assert main(["export", str(path), f"--{form}", str(out)]) == 1
    assert "is cut off" in capsys.readouterr().err
    frames = written.frames_up_to[3][0]
    if form == "csv":
        assert len(out.read_text().splitlines()) == 1 + 12 * frames
    else:
        assert len(np.load(out)["step"]) == frames and len(np.load(out)["tag"]) == 12 * frames
