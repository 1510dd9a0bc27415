"""Makes the small recordings that every reader is tested with, and their expected contents: `make_recordings.py FOLDER`.

`tools/make-recordings` runs it, and also makes the sample. The JSON next to a file comes from the written data, not from a
reader.
"""

from __future__ import annotations

import hashlib
import io
import json
import pathlib
import sys
from typing import Any, Callable, Optional

from google.protobuf import json_format
from mcap_case import Writer
from recording_case import Case, Written

from sc2bridge.game.words import MatchEnd
from sc2bridge.v1 import recording_pb2

STEPS = 30


def expected(written: Written, what: str, gaps: tuple[Any, ...] = ()) -> dict[str, Any]:
    """Of a whole recording."""
    return {
        "what": what,
        "error": None,
        "frames": {str(number): list(map(frame_facts, frames)) for number, frames in written.frames.items()},
        "behind": {},
        "gaps": [json_format.MessageToDict(gap) for gap in gaps],
        "end": None if written.end is None else written.end.reason,
    }


def frame_facts(frame: tuple[int, int, bytes]) -> list[Any]:
    step, loop, data = frame
    return [step, loop, len(data), hashlib.sha256(data).hexdigest()]


def plain(
    perspectives: tuple[int, ...] = (0,),
    missing: range = range(0),
    gaps: tuple[Any, ...] = (),
    step_size: int = 1,
    **closing: Any,
) -> Written:
    case = Case(
        perspectives=perspectives,
        step_size=step_size,
        chunk_bytes=4000,
        library="sc2bridge fixtures",
        repeat_schemas=False,
    )
    # Another protobuf can write longer schemas. The chunks after them should not depend on this.
    case.end_chunk()
    for step in range(STEPS):
        if gaps and step == missing.stop:
            for gap in gaps:
                case.match(gap=gap)
        if step not in missing:
            case.step(step)
    return case.close(**closing)


def whole() -> tuple[bytes, dict[str, Any]]:
    written = plain(step_size=4)
    return written.data, expected(written, "one perspective, a step of four game loops, closed as it should be")


def perspectives() -> tuple[bytes, dict[str, Any]]:
    written = plain((0, 1, 2))
    return written.data, expected(written, "what an observer and two players saw")


def gap() -> tuple[bytes, dict[str, Any]]:
    gaps = (recording_pb2.Gap(first_step=10, steps=8, reason="the disk was too slow"),)
    written = plain(missing=range(10, 18), gaps=gaps)
    return written.data, expected(written, "eight observations could not be written down", gaps)


def no_summary() -> tuple[bytes, dict[str, Any]]:
    written = plain(summary=False)
    return written.data, expected(written, "an MCAP file without a summary, which MCAP allows")


def damaged_summary() -> tuple[bytes, dict[str, Any]]:
    written = plain()
    data = bytearray(written.data)
    data[-60] ^= 0x10
    return bytes(data), expected(written, "a bit of the summary is another: all chunks are whole")


def cut() -> tuple[bytes, dict[str, Any]]:
    written = plain((1, 2))
    begin, end = written.chunk_ends[4], written.chunk_ends[5]
    says = expected(written, "cut off in the middle of its sixth chunk")
    says.update(error="truncated", end=None, frames=up_to(written, says, 4))
    return written.data[: (begin + end) // 2], says


def cut_between_chunks() -> tuple[bytes, dict[str, Any]]:
    written = plain()
    says = expected(written, "cut off right behind its fourth chunk")
    says.update(error="truncated", end=None, frames=up_to(written, says, 3))
    return written.data[: written.chunk_ends[3]], says


def damaged() -> tuple[bytes, dict[str, Any]]:
    written = plain((1, 2))
    data = bytearray(written.data)
    data[written.chunk_ends[5] - 12] ^= 0x04
    says = expected(written, "a bit of its sixth chunk is another: what is behind it is found by index and loop")
    says["behind"] = {
        number: frames[written.frames_up_to[5][int(number)] :] for number, frames in says["frames"].items()
    }
    says.update(error="damaged", frames=up_to(written, says, 4))
    return bytes(data), says


def damaged_and_cut() -> tuple[bytes, dict[str, Any]]:
    written = plain()
    data = bytearray(written.data[: written.chunk_ends[6]])
    data[written.chunk_ends[3] - 12] ^= 0x04
    says = expected(written, "cut off behind its seventh chunk, and a bit of the fourth is another")
    says.update(error="damaged", end=None, frames=up_to(written, says, 2))
    return bytes(data), says


def other() -> tuple[bytes, dict[str, Any]]:
    file = io.BytesIO()
    writer = Writer(file, profile="ros2", library="sc2bridge fixtures")
    writer.message(writer.channel("/points", writer.schema("Points", b"")), 0, 1, 1, b"data")
    writer.close()
    says = {"what": "an MCAP file of something else", "error": "foreign", "frames": {}, "behind": {}, "gaps": []}
    return file.getvalue(), {**says, "end": None}


def up_to(written: Written, says: dict[str, Any], chunk: int) -> dict[str, Any]:
    """The frames of a chunk and those before it."""
    return {number: frames[: written.frames_up_to[chunk][int(number)]] for number, frames in says["frames"].items()}


MAKERS: dict[str, Callable[[], tuple[bytes, dict[str, Any]]]] = {
    maker.__name__.replace("_", "-"): maker
    for maker in (
        whole,
        perspectives,
        gap,
        no_summary,
        damaged_summary,
        cut,
        cut_between_chunks,
        damaged,
        damaged_and_cut,
        other,
    )
}


def sample(path: pathlib.Path) -> dict[str, Any]:
    """The contents of a bridge's recording, as the package `mcap` reads it."""
    from mcap.reader import make_reader

    frames: dict[str, list[Any]] = {}
    gaps, end = [], None
    with open(path, "rb") as file:
        for _, channel, message in make_reader(file, validate_crcs=True).iter_messages(log_time_order=False):
            if channel.topic.startswith("/observation/"):
                from sc2bridge.s2clientprotocol import sc2api_pb2

                loop = sc2api_pb2.ResponseObservation.FromString(message.data).observation.game_loop
                number = channel.topic.rpartition("/")[2]
                frames.setdefault(number, []).append(frame_facts((message.sequence, loop, message.data)))
            elif channel.topic == "/match":
                record = recording_pb2.MatchRecord.FromString(message.data)
                if record.HasField("gap"):
                    gaps.append(json_format.MessageToDict(record.gap))
                end = str(MatchEnd.of(record.end)) if record.HasField("end") else end
    what = "the start of a simulated match, recorded by the bridge"
    return {"what": what, "error": None, "frames": frames, "behind": {}, "gaps": gaps, "end": end}


def write(path: pathlib.Path, says: dict[str, Any], data: Optional[bytes] = None) -> None:
    if data is not None:
        path.write_bytes(data)
    # A frame a line.
    text = json.dumps(says, indent=1)
    for number, frames in [*says["frames"].items(), *says["behind"].items()]:
        del number
        for frame in frames:
            text = text.replace(json.dumps(frame, indent=1).replace("\n", "\n   "), json.dumps(frame), 1)
    path.with_suffix(".json").write_text(text + "\n")


def main() -> None:
    folder = pathlib.Path(sys.argv[1])
    for name, maker in MAKERS.items():
        data, says = maker()
        write(folder / f"{name}.mcap", says, data)
    for path in [*folder.glob("sample*.mcap"), *folder.glob("release-*.mcap")]:
        write(path, sample(path))


if __name__ == "__main__":
    main()
