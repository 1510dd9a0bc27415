"""`sc2bridge.data`: recordings as tables."""

from __future__ import annotations

import os
import pathlib
import pickle
import shutil
from typing import Any

import numpy as np
import pytest
from conftest import ROOT
from recording_case import whole

import sc2bridge
from sc2bridge.data import TABLES, Recordings, batches, dataframes
from sc2bridge.recording._mcap.source import FileSource


@pytest.fixture
def folder(tmp_path: pathlib.Path) -> pathlib.Path:
    """Two recordings of two perspectives each, one of them below another folder."""
    (tmp_path / "more").mkdir()
    (tmp_path / "a.mcap").write_bytes(whole(40, perspectives=(1, 2)).data)
    (tmp_path / "more" / "b.mcap").write_bytes(whole(25, perspectives=(1, 2)).data)
    return tmp_path


@pytest.mark.parametrize("table", TABLES)
def test_batches_have_the_frames_values(folder: pathlib.Path, table: str) -> None:
    recordings = Recordings(folder)
    found = list(batches(recordings, table, frames=16))
    assert [len(np.unique(batch["step"])) for batch in found] == [16, 16, 8] * 2 + [16, 9] * 2
    for number, part in enumerate(recordings):
        with sc2bridge.open_recording(part.path) as recording:
            frames = list(recording.perspective(part.perspective))
        mine = [batch for batch in found if batch["part"][0] == number]
        columns = {name: np.concatenate([batch[name] for batch in mine]) for name in mine[0]}
        assert (columns["perspective"] == part.perspective).all()
        rows = [len(frame.units) if table == "units" else 1 for frame in frames]
        assert columns["step"].tolist() == np.repeat([frame.step for frame in frames], rows).tolist()
        assert columns["game_loop"].tolist() == np.repeat([frame.game_loop for frame in frames], rows).tolist()
        for name, dtype in TABLES[table].items():
            assert columns[name].dtype == dtype
            if table == "units":
                wanted = np.concatenate([getattr(frame.units, name) for frame in frames])
            elif name == "score":
                wanted = [frame.observation.observation.score.score for frame in frames]
            elif name == "present":
                wanted = [1 << 2] * len(frames)  # The minerals alone.
            else:
                wanted = [getattr(frame.common, name) for frame in frames]
            np.testing.assert_array_equal(columns[name], wanted)


@pytest.mark.parametrize("table", TABLES)
def test_frames_before_a_cut_are_returned_before_the_error(table: str) -> None:
    found = []
    with pytest.raises(sc2bridge.RecordingError, match="cut.mcap"):
        for batch in batches(Recordings(ROOT / "recordings" / "cut.mcap", perspective=1), table):
            found += np.unique(batch["step"]).tolist()
    assert found == list(range(11))


def test_batches_have_all_units_of_the_sample() -> None:
    """The sample of the simulated game has the units that it has when it is read frame by frame."""
    recordings = Recordings(ROOT / "recordings" / "sample.mcap")
    with sc2bridge.open_recording(recordings[0].path) as recording:
        units = sum(len(frame.units) for frame in recording)
    assert sum(len(batch["tag"]) for batch in batches(recordings, columns=["tag"])) == units > 0


def test_dataframes_have_the_chosen_columns(folder: pathlib.Path) -> None:
    pytest.importorskip("pandas")
    tables = list(dataframes(Recordings(folder, perspective=2), columns=["tag", "health", "x"], every=8))
    assert [len(table) for table in tables] == [12 * 5, 12 * 4]
    assert list(tables[0]) == ["part", "perspective", "step", "game_loop", "tag", "health", "x"]
    assert tables[0].groupby("step").health.sum().tolist() == [45.0 * 12] * 5
    assert tables[0].tag.dtype == np.uint64


def test_thousands_of_recordings_are_opened_by_their_summaries(tmp_path: pathlib.Path, monkeypatch: Any) -> None:
    data = whole(60, chunk_bytes=20_000).data
    (tmp_path / "0.mcap").write_bytes(data)
    for number in range(1, 1000):
        os.link(tmp_path / "0.mcap", tmp_path / f"{number}.mcap")
    opened = []
    read = FileSource.read

    def counted(self: FileSource, offset: int, length: int) -> bytes:
        opened.append((offset, length))
        return read(self, offset, length)

    monkeypatch.setattr(FileSource, "read", counted)
    recordings = Recordings(tmp_path)
    assert (len(recordings), recordings.frames) == (1000, 60_000)
    with sc2bridge.open_recording(tmp_path / "0.mcap") as recording:
        places = [(chunk.offset, chunk.offset + chunk.length) for chunk in recording._file.index.chunks]
    assert len(places) > 1
    assert not any(begin < at + length and at < end for at, length in opened[:8] for begin, end in places)
    assert len(opened) <= 5 * 1001  # Its beginning, the header, the end, the summary.


def test_few_recordings_are_open_at_a_time_and_they_open_again(tmp_path: pathlib.Path) -> None:
    for number in range(12):
        (tmp_path / f"{number:02}.mcap").write_bytes(whole(3 + number).data)
    recordings = Recordings(tmp_path)
    for _ in range(2):
        assert [len(recordings.open(which)) for which in range(12)] == list(range(3, 15))
        assert len(recordings._open) == 8
    assert pickle.loads(pickle.dumps(recordings))._open == {}
    recordings.close()
    assert recordings.open(3)[0].step == 0


def test_unreadable_files_are_errors(folder: pathlib.Path, tmp_path: pathlib.Path) -> None:
    with pytest.raises(LookupError, match="has perspective 7"):
        Recordings(folder, perspective=7)
    with pytest.raises(FileNotFoundError):
        Recordings(folder / "none.mcap")
    (tmp_path / "empty").mkdir()
    with pytest.raises(FileNotFoundError, match="has no recordings"):
        Recordings(tmp_path / "empty")
    with pytest.raises(ValueError, match="table 'orders': choose units, players"):
        next(batches(Recordings(folder), "orders"))
    with pytest.raises(ValueError, match="column 'hp' of units: choose display_type, alliance, tag"):
        next(batches(Recordings(folder), columns=["hp"]))


def test_files_of_a_folder_that_cannot_be_read_are_left_out(folder: pathlib.Path) -> None:
    readable = Recordings(folder)[:]
    (folder / "0.mcap").touch()
    shutil.copy(__file__, folder / "c.mcap")
    (folder / "d.mcap").symlink_to(folder / "nowhere")
    with pytest.warns(RuntimeWarning) as warned:
        assert Recordings(folder)[:] == readable
    told = [str(each.message) for each in warned if each.filename == __file__]
    assert len(told) == 3 and all(each.startswith("skipped: ") for each in told)
    assert all(f"{name}.mcap" in each for name, each in zip("0cd", told))
    with pytest.raises(sc2bridge.RecordingError, match="c.mcap is not a recording"):
        Recordings(folder / "c.mcap")
    for name in ("a.mcap", "more/b.mcap"):
        (folder / name).unlink()
    with pytest.raises(LookupError, match="no recording in .* has an observation"), pytest.warns(RuntimeWarning):
        Recordings(folder)


def test_a_truncated_recording_gives_its_whole_chunks(tmp_path: pathlib.Path) -> None:
    written = whole(40)
    (tmp_path / "cut.mcap").write_bytes(written.data[: written.chunk_ends[3]])
    recordings = Recordings(tmp_path)
    assert recordings.frames == written.frames_up_to[3][0]
    with pytest.raises(sc2bridge.RecordingError, match="is cut off"):
        list(batches(recordings))
