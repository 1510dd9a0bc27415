"""One open recording, read by several processes at once, as the workers of a data loader do after a fork."""

from __future__ import annotations

import multiprocessing
import pathlib
import random
import sys
from typing import Any

import pytest
from recording_case import Case

import sc2bridge

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="nothing forks on Windows")

FRAMES, READS, WORKERS = 200, 1500, 4


@pytest.mark.parametrize("reads_by", ["pread", "seek and read"])
def test_forked_workers_read_the_written_frames(tmp_path: pathlib.Path, monkeypatch: Any, reads_by: str) -> None:
    case = Case(chunk_bytes=3000)
    for step in range(FRAMES):
        case.step(step)
    written = case.close()
    (tmp_path / "match.mcap").write_bytes(written.data)
    expected = [data for _, _, data in written.frames[0]]
    if reads_by != "pread":
        monkeypatch.delattr("os.pread")
    with sc2bridge.open_recording(tmp_path / "match.mcap") as recording:
        _ = recording[0]

        def read(seed: int, wrong: Any) -> None:
            chance = random.Random(seed)
            for _ in range(READS):
                which = chance.randrange(FRAMES)
                try:
                    if bytes(recording[which].raw) != expected[which]:
                        wrong.put(f"frame {which} is another")
                except sc2bridge.RecordingError as error:
                    wrong.put(str(error))

        context = multiprocessing.get_context("fork")
        wrong = context.SimpleQueue()
        workers = [context.Process(target=read, args=(seed, wrong)) for seed in range(WORKERS)]
        for worker in workers:
            worker.start()
        for worker in workers:
            worker.join()
        assert [worker.exitcode for worker in workers] == [0] * WORKERS
        assert wrong.empty(), wrong.get()
