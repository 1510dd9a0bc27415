"""The native library reads frames into the same arrays as Python, and damaged recordings raise the same errors."""

from __future__ import annotations

import os
import pathlib
import random
import warnings
from collections.abc import Iterator
from typing import Any, Callable, Optional

import numpy as np
import pytest
from observation_case import random_observations
from recording_case import Case, observation, whole

from sc2bridge import library
from sc2bridge.data import TABLES, Recordings, batches
from sc2bridge.data.datasets import FrameDataset, Padded, ShuffledFrames
from sc2bridge.recording._mcap.file import RecordingFile

pytestmark = [pytest.mark.slow, pytest.mark.usefixtures("native")]

RECORDINGS = pathlib.Path(__file__).parents[3] / "recordings"
ALL = Padded(64, TABLES["units"], TABLES["players"])


def write(path: pathlib.Path, observations: Iterator[bytes], **options: Any) -> None:
    case = Case(**{"chunk_bytes": 30_000, **options})
    for step, data in enumerate(observations):
        case.step(step, {0: data})
    path.write_bytes(case.close().data)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> pathlib.Path:
    """Recordings with zstd and its checksum, with the chunks' checksums only, and without compression."""
    found = tmp_path_factory.mktemp("recordings")
    for number, options in enumerate(({}, {"checksum": False}, {"compression": ""}, {"compression": "", "crc": False})):
        write(found / f"{number}.mcap", random_observations(number, 40 + 7 * number), **options)
    return found


def assert_same(expected: Any, found: Any) -> None:
    assert list(expected) == list(found)
    for name, value in expected.items():
        assert type(value) is type(found[name]), name
        assert (value.dtype, value.shape) == (found[name].dtype, found[name].shape), name
        np.testing.assert_array_equal(value, found[name], name)  # Python may change the bits of a NaN.


def outcome(read: Callable[[], Iterator[Any]]) -> tuple[list[Any], Optional[Exception]]:
    """The values that a reader yields, and the error that ends it."""
    found = []
    try:
        for each in read():
            found.append(each)
    except Exception as error:  # Compared with the other reader's error.
        return found, error
    return found, None


def assert_same_outcome(read: Callable[[Recordings], Iterator[Any]], *paths: pathlib.Path) -> Optional[Exception]:
    """Compares both readers, and returns their error."""

    def opened(native: bool) -> Iterator[Any]:
        return read(Recordings(*paths, native=native))

    (expected, error), (found, other) = outcome(lambda: opened(False)), outcome(lambda: opened(True))
    assert (type(error), str(error)) == (type(other), str(other))
    assert len(expected) == len(found)
    for one, another in zip(expected, found):
        assert_same(one, another)
    return error


READERS: dict[str, Callable[[Recordings], Iterator[Any]]] = {
    "samples": lambda recordings: iter(ShuffledFrames(recordings, ALL, window=16, seed=4)),
    "every": lambda recordings: iter(ShuffledFrames(recordings, ALL, every=3, window=5, seed=4)),
    "batches": lambda recordings: iter(ShuffledFrames(recordings, ALL, window=16, seed=4, batch=7)),
    "sequences": lambda recordings: iter(ShuffledFrames(recordings, ALL, window=20, length=5)),
    "both": lambda recordings: iter(ShuffledFrames(recordings, ALL, window=20, length=5, batch=3)),
    "index": lambda recordings: iter(FrameDataset(recordings, ALL, every=2)),
    "units": lambda recordings: batches(recordings, frames=20),
    "players": lambda recordings: batches(recordings, "players", every=3),
}


@pytest.mark.parametrize("name", READERS)
def test_both_readers_return_the_same(folder: pathlib.Path, name: str) -> None:
    assert assert_same_outcome(READERS[name], folder) is None


def test_batches_and_sequences_have_the_samples_in_order(folder: pathlib.Path) -> None:
    recordings = Recordings(folder, native=True)
    samples = list(ShuffledFrames(recordings, ALL, window=16, seed=4))
    joined = list(ShuffledFrames(recordings, ALL, window=16, seed=4, batch=7))  # All are kept, and stay as they are.
    assert {len(batch["x"]) for batch in joined[:-1]} == {7} and sum(len(batch["x"]) for batch in joined) == len(
        samples
    )
    for name in samples[0]:
        assert [sample[name].tolist() for sample in samples] == [
            one.tolist() for batch in joined for one in batch[name]
        ]
    frames = ShuffledFrames(recordings, ALL, window=20, length=5, seed=2)
    sequences = list(frames)
    assert len(sequences) == len(frames) == sum(part.frames // 5 for part in recordings)
    assert {sequence["x"].shape for sequence in sequences} == {(5, 64)}
    assert all((np.diff(sequence["game_loop"]) == 1).all() for sequence in sequences)
    with pytest.raises(TypeError, match="workers"):
        len(ShuffledFrames(recordings, ALL, batch=7))


@pytest.mark.parametrize(
    "wrong", [{"length": 0}, {"batch": 0}, {"batch": -1}, {"length": 7}, {"transform": len, "batch": 2}]
)
def test_wrong_arguments_are_refused(folder: pathlib.Path, wrong: dict[str, Any]) -> None:
    with pytest.raises(ValueError, match="choose|must be"):
        ShuffledFrames(Recordings(folder), **wrong)


def test_more_units_than_rows_are_an_error_only_for_fixed_arrays(tmp_path: pathlib.Path) -> None:
    path = tmp_path / "many.mcap"
    write(path, (observation(loop, units=3 if loop < 30 else 700).SerializeToString() for loop in range(40)))
    error = assert_same_outcome(lambda found: iter(ShuffledFrames(found, Padded(10), window=4, batch=3)), path)
    assert isinstance(error, ValueError) and "has 700 units, but there are only 10 rows: give more rows" in str(error)
    assert assert_same_outcome(batches, path) is None


def test_damaged_files_raise_the_same_errors_after_the_same_frames(tmp_path: pathlib.Path) -> None:
    """Truncations and flipped bytes; the checksums of the chunks detect those in chunks."""
    some, path = random.Random(5), tmp_path / "damaged.mcap"
    write(path, random_observations(9, 30), chunk_bytes=20_000)
    data, errors = path.read_bytes(), set()
    for number in range(120):
        changed = bytearray(data[: some.randrange(len(data))] if number % 3 == 0 else data)
        for _ in range(some.randrange(1, 4) if number % 3 else 0):
            changed[some.randrange(len(changed))] ^= some.randrange(1, 256)
        path.write_bytes(changed)
        reader = list(READERS.values())[number % len(READERS)]
        errors.add(type(assert_same_outcome(reader, path)).__name__)
    assert errors >= {"RecordingError", "NoneType"}


@pytest.mark.parametrize("path", sorted(RECORDINGS.glob("*.mcap")), ids=lambda path: path.stem)
def test_both_readers_agree_on_all_fixtures(path: pathlib.Path) -> None:
    assert_same_outcome(lambda found: batches(found, columns=["tag", "x", "health"], frames=50), path)
    assert_same_outcome(lambda found: iter(ShuffledFrames(found, Padded(400), window=32, batch=10)), path)


def test_changed_observations_never_crash_it_and_equal_if_both_read_them(tmp_path: pathlib.Path) -> None:
    """Changes that no checksum detects, so that they reach the parsers. The library does not check what it skips."""
    some, path, compared = random.Random(6), tmp_path / "changed.mcap", 0
    for number in range(150):
        write(path, random_observations(number, 4), compression="", crc=False)
        changed = bytearray(path.read_bytes())
        chunk = RecordingFile(path).index.chunks[-1]  # It has all frames.
        for _ in range(some.randrange(8)):
            changed[some.randrange(chunk.offset + 100, chunk.offset + chunk.length)] = some.choice(
                [0, 1, 0x12, 0x7F, 0x80, 0xFF]
            )
        path.write_bytes(changed)
        (expected, error), (found, other) = (
            outcome(lambda: batches(Recordings(path, native=native), frames=1)) for native in (False, True)
        )
        compared += error is None
        assert other is None or type(other) is type(error)
        for one, another in zip(expected, found):
            assert_same(one, another)
    assert compared > 20


def test_wrong_calls_return_an_argument_error(native: library.Library) -> None:
    records = np.frombuffer(b"\x80" + bytes(8), np.uint8)  # One private record.

    def read(
        chunk: dict[str, int] = {}, column: dict[str, int] = {}, places: Any = (), rows: int = 4, frames: int = 2
    ) -> None:
        array = np.zeros(16, np.int64)
        size = len(records)
        given = {"data": records.ctypes.data, "bytes": size, "records_bytes": size, **chunk}
        to = {"data": array.ctypes.data, "bytes": 32, "table": 0, "field": 7, "size": 4, **column}
        order = np.array(places, np.int32).reshape(-1, 2)
        native.read_frames(
            (library.Chunk * 1)(library.Chunk(**given)), order, (library.Column * 1)(library.Column(**to)), rows, frames
        )

    read()
    for column in (
        *(
            {"table": 3},
            {"table": -1},
            {"field": 22},
            {"field": -1},
            {"field": 64},
            {"field": 6},
            {"size": 8},
            {"size": 0},
        ),
        *(
            {"bytes": 31},
            {"bytes": -1},
            {"data": 0},
            {"reserved": 1},
            {"table": 2, "field": 3},
            {"table": 1, "field": 30},
        ),
    ):
        with pytest.raises(ValueError, match="column"):
            read(column=column)
    for given in (
        {"rows": 0},
        {"rows": -1},
        {"rows": 2**40},
        {"frames": 0},
        {"frames": 2**40},
        {"frames": 2**62},
    ):
        with pytest.raises(ValueError, match="give"):
            read(**given)  # type: ignore[arg-type]
    for chunk in ({"wanted": 1}, {"wanted": -1}, {"data": 0}):
        with pytest.raises(ValueError, match="chunk 0"):
            read(chunk)
    for places in ([[0, 2]], [[0, -1]], [[0, 0]], [[-1, 0]]):
        with pytest.raises(ValueError, match="frame"):
            read({"wanted": 1}, places=places)
    for chunk in (
        {"bytes": 0},
        {"bytes": 8},
        {"records_bytes": 2**40},
        {"is_zstd": 1},
        {"frames": 1},
        {"messages": -1},
        {"crc": 1},
    ):
        with pytest.raises(library._DamagedError, match="chunk 0"):
            read(chunk)


def test_without_a_library_python_reads(folder: pathlib.Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(library.VARIABLE, str(folder / "missing.so"))
    library.load.cache_clear()
    try:
        assert len(list(ShuffledFrames(Recordings(folder), ALL))) == 202
        with pytest.raises(FileNotFoundError, match="missing.so"):
            Recordings(folder, native=True)
    finally:
        monkeypatch.undo()
        library.load.cache_clear()


def test_a_process_forked_after_the_library_was_used_reads_with_python(folder: pathlib.Path) -> None:
    recordings = Recordings(folder)
    expected = [int(batch["game_loop"].sum()) for batch in ShuffledFrames(recordings, ALL, batch=9)]
    child = os.fork()
    if child == 0:
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            found = [int(batch["game_loop"].sum()) for batch in ShuffledFrames(recordings, ALL, batch=9)]
        os._exit(0 if found == expected and "spawn" in str(caught[0].message) else 1)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0


WORKERS = """
import sys, warnings
import numpy as np
from torch.utils.data import DataLoader
from sc2bridge.data import Recordings
from sc2bridge.data.datasets import Padded, ShuffledFrames

def main():
    warnings.simplefilter("error")
    recordings, seen = Recordings(sys.argv[1], native=True), {}
    for start in ("fork", "spawn"):
        frames = ShuffledFrames(recordings, Padded(64), window=8, seed=1, batch=5)
        loader = DataLoader(frames, batch_size=None, num_workers=2, multiprocessing_context=start)
        seen[start] = [int(loop) for batch in loader for loop in batch["game_loop"]]
    assert len(seen["fork"]) == recordings.frames and seen["fork"] == seen["spawn"]
    assert next(iter(DataLoader(frames, batch_size=None)))["x"].shape == (5, 64)

if __name__ == "__main__":
    main()
"""


def test_workers_of_a_loader_load_the_library_themselves(folder: pathlib.Path, tmp_path: pathlib.Path) -> None:
    import subprocess
    import sys

    pytest.importorskip("torch.utils.data", reason="torch is not installed")
    program = tmp_path / "workers.py"
    program.write_text(WORKERS)
    subprocess.run([sys.executable, str(program), str(folder)], check=True, timeout=120)


def test_many_files_are_read_without_many_open_files(tmp_path: pathlib.Path) -> None:
    for number in range(30):
        (tmp_path / f"{number}.mcap").write_bytes(whole(8, step_size=2).data)
    assert (
        assert_same_outcome(lambda found: iter(ShuffledFrames(found, Padded(16), window=3, batch=4)), tmp_path) is None
    )
