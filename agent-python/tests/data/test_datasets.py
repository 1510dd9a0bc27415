"""`sc2bridge.data.datasets`: frames for training, with torch and without it."""

from __future__ import annotations

import pathlib
from typing import Any

import numpy as np
import pytest
from recording_case import whole

from sc2bridge.data import Recordings
from sc2bridge.data.datasets import FrameDataset, Padded, ShuffledFrames


@pytest.fixture
def recordings(tmp_path: pathlib.Path) -> Recordings:
    for number, steps in enumerate((30, 1, 47)):
        (tmp_path / f"{number}.mcap").write_bytes(whole(steps, step_size=3).data)
    return Recordings(tmp_path)


def loops(*steps: int) -> list[int]:
    return [loop for count in steps for loop in range(0, 3 * count, 3)]


def test_frames_are_found_by_their_index(recordings: Recordings) -> None:
    frames = FrameDataset(recordings, lambda frame: frame.game_loop)
    assert [frames[index] for index in range(len(frames))] == list(frames) == loops(30, 1, 47)
    assert frames[-1] == 46 * 3
    every = FrameDataset(recordings, lambda frame: frame.game_loop, every=4)
    assert list(every) == [loop for count in (30, 1, 47) for loop in range(0, 3 * count, 12)]
    with pytest.raises(IndexError):
        frames[78]


def test_frames_are_shuffled_by_windows_and_by_the_seed(recordings: Recordings) -> None:
    def order(seed: int, epoch: int = 0) -> list[int]:
        frames = ShuffledFrames(recordings, lambda frame: frame.game_loop, window=8, seed=seed)
        frames.set_epoch(epoch)
        assert len(frames) == len(list(frames)) == 78
        return list(frames)

    assert order(1) == order(1)
    assert len({tuple(order(seed, epoch)) for seed in (1, 2) for epoch in (0, 1)}) == 4
    assert sorted(order(1)) == sorted(loops(30, 1, 47)) and order(1) != sorted(order(1))
    # A window is read at once: neighbours are at most a window apart, except at its end.
    assert sum(abs(one - other) > 7 * 3 for one, other in zip(order(1), order(1)[1:])) <= 11


def test_padded_gives_arrays_of_a_fixed_size(recordings: Recordings) -> None:
    frame = recordings.open(0)[10]
    item = FrameDataset(recordings, Padded(rows=16))[10]
    assert item["mask"].tolist() == [True] * 12 + [False] * 4
    np.testing.assert_array_equal(item["x"][:12], frame.units.x)
    assert (item["unit_type"][:12] == 45).all() and not item["unit_type"][12:].any()
    assert (item["game_loop"], item["minerals"], item["score"]) == (30, 50 + 30, 0)
    with pytest.raises(ValueError, match="has 12 units, but there are only 8 rows: give more rows"):
        FrameDataset(recordings, Padded(rows=8))[0]


def loop_of(frame: Any) -> int:
    return int(frame.game_loop)


@pytest.mark.slow
@pytest.mark.parametrize("start", ["fork", "spawn"])
def test_torch_reads_them_in_workers(recordings: Recordings, start: str) -> None:
    data = pytest.importorskip("torch.utils.data", reason="torch is not installed")
    recordings.open(0)  # Workers must not use this process's open file.

    def seen(seed: int) -> list[int]:
        frames = ShuffledFrames(recordings, loop_of, window=8, seed=seed)
        loader = data.DataLoader(frames, batch_size=10, num_workers=2, multiprocessing_context=start)
        return [int(loop) for batch in loader for loop in batch]

    assert sorted(seen(1)) == sorted(loops(30, 1, 47))
    if start == "fork":
        assert seen(1) == seen(1) != seen(2)
        shuffled = data.DataLoader(FrameDataset(recordings, Padded(rows=16)), batch_size=7, shuffle=True, num_workers=2)
        found = list(shuffled)
        assert {len(batch["x"]) for batch in found} == {7, 1}
        assert sorted(int(loop) for batch in found for loop in batch["game_loop"]) == sorted(loops(30, 1, 47))
        assert found[0]["x"].shape == (7, 16) and bool(found[0]["mask"].any())
