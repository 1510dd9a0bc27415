"""How fast a recording is read: raw and parsed, beside the `mcap` package's own reader where it is installed and beside
`zstandard` decompressing the same chunks and doing nothing else; in turns, round by round. And how long a seek takes.

All is of one perspective, from the chunk of a game loop to the end. Each way opens the file anew, but for bare zstandard,
whose chunks are in memory before anything is timed.
"""

from __future__ import annotations

import gc
import os
import random
import statistics
import time
from typing import Any, Callable, Dict, List, Tuple

from sc2bridge.measuring.libraries import optional
from sc2bridge.recording import Recording, open_recording
from sc2bridge.recording._mcap import records as mcap
from sc2bridge.s2clientprotocol import sc2api_pb2

mcap_reader = optional("mcap.reader")
zstandard = optional("zstandard")

SEEKS = 100


class Stretch:
    """What every way is to read."""

    def __init__(self, path: str, from_loop: int) -> None:
        self.path = path
        with open_recording(path) as recording:
            frames = recording.perspective()
            self.topic = f"/observation/{frames.perspective}"
            track = frames._track
            index = frames.index_of(from_loop)
            chunk = max(at for at, start in enumerate(track.starts) if start <= index)
            # Whole chunks, so that all decompress the same.
            self.first = track.starts[chunk]
            self.observations = len(frames) - self.first
            self.first_ns = frames[self.first].observed_ns
            self.loops = frames[self.first].game_loop, frames[-1].game_loop
            self.bytes = sum(len(raw) for raw in frames[self.first :].raw())
            self.chunks = [_packed(recording, number) for number in track.chunks[chunk:]]


def _packed(recording: Recording, number: int) -> Tuple[bytes, int]:
    """A chunk's compressed bytes, and how many they make."""
    place = recording._file.index.chunks[number]
    content = memoryview(recording._file._source.read(place.offset, place.length))[mcap.HEAD.size :]
    head, begin = mcap.read_chunk_head(content)
    return bytes(content[begin : begin + head.compressed_size]), head.uncompressed_size


def ways() -> Dict[str, Callable[[Stretch], int]]:
    """Each reads a stretch and gives how many observations it was; bare zstandard knows of none."""

    def raw(stretch: Stretch) -> int:
        with open_recording(stretch.path) as recording:
            return sum(1 for frame in recording[stretch.first :] if frame.raw)

    def bytes_alone(stretch: Stretch) -> int:
        with open_recording(stretch.path) as recording:
            return sum(1 for data in recording[stretch.first :].raw() if data)

    def parsed(stretch: Stretch) -> int:
        with open_recording(stretch.path) as recording:
            return sum(1 for frame in recording[stretch.first :] if frame.observation is not None)

    def bare(stretch: Stretch) -> int:
        decompressor = zstandard.ZstdDecompressor()
        for data, size in stretch.chunks:
            decompressor.decompress(data, max_output_size=size)
        return stretch.observations

    def messages(stretch: Stretch) -> Any:
        with open(stretch.path, "rb") as file:
            for _, _, message in mcap_reader.make_reader(file).iter_messages(
                topics=[stretch.topic], starting_at=stretch.first_ns
            ):
                yield message.data

    def theirs(stretch: Stretch) -> int:
        return sum(1 for data in messages(stretch) if data)

    def theirs_parsed(stretch: Stretch) -> int:
        parse = sc2api_pb2.ResponseObservation.FromString
        return sum(1 for data in messages(stretch) if parse(data) is not None)

    found: Dict[str, Callable[[Stretch], int]] = {"raw": raw, "bytes": bytes_alone, "zstandard": bare}
    if mcap_reader is not None:
        found["mcap"] = theirs
    found["parsed"] = parsed
    if mcap_reader is not None:
        found["mcap parsed"] = theirs_parsed
    return found


def measure(path: str, from_loop: int = 0, rounds: int = 5) -> Dict[str, Any]:
    """Medians of the rounds, observations a second, and each way relative to the others."""
    stretch = Stretch(path, from_loop)
    seconds: Dict[str, List[float]] = {name: [] for name in ways()}
    for turn in range(rounds + 1):
        for name, way in ways().items():
            gc.collect()
            began = time.perf_counter()
            count = way(stretch)
            took = time.perf_counter() - began
            if count != stretch.observations:
                raise ValueError(f"{name} read {count} of {stretch.observations} observations")
            if turn:  # The first round warms up.
                seconds[name].append(took)
    rows = {
        name: {
            "observations_per_s": stretch.observations / statistics.median(times),
            "mb_per_s": stretch.bytes / statistics.median(times) / 1e6,
            "least_per_s": stretch.observations / max(times),
            "most_per_s": stretch.observations / min(times),
        }
        for name, times in seconds.items()
    }
    return {
        "file": os.path.basename(path),
        "observations": stretch.observations,
        "loops": stretch.loops,
        "mean_bytes": stretch.bytes / max(1, stretch.observations),
        "chunks": len(stretch.chunks),
        "rounds": rounds,
        "ways": rows,
        "relative": {
            f"{ours} / {peer}": statistics.median(other / own for own, other in zip(seconds[ours], seconds[peer]))
            for ours, peer in (("raw", "mcap"), ("raw", "zstandard"), ("bytes", "mcap"), ("parsed", "mcap parsed"))
            if peer in seconds
        },
        "seek_ms": _seeks(stretch),
    }


def _seeks(stretch: Stretch) -> Dict[str, float]:
    some = random.Random(1)
    first: List[float] = []
    later: List[float] = []
    for _ in range(SEEKS // 10):
        with open_recording(stretch.path) as recording:
            recording.perspective()
            for times in [first, *[later] * 9]:
                loop = some.randint(*stretch.loops)
                began = time.perf_counter()
                recording.at_loop(loop)
                times.append((time.perf_counter() - began) * 1e3)
    return {
        "first_median": statistics.median(first),
        "median": statistics.median(later),
        "most": max(first + later),
    }


def lines(result: Dict[str, Any]) -> List[str]:
    """The result as people read it."""
    begin, end = result["loops"]
    text = [
        f"{result['observations']} observations of {result['mean_bytes'] / 1024:.0f} KiB, loops {begin} to {end}, "
        f"{result['chunks']} chunks; medians of {result['rounds']} rounds",
        f"{'':14}{'observations/s':>16}{'MB/s':>8}",
    ]
    text += [
        f"{name:14}{row['observations_per_s']:16.0f}{row['mb_per_s']:8.0f}" for name, row in result["ways"].items()
    ]
    text += [f"{name}: {ratio:.2f}" for name, ratio in result["relative"].items()]
    seek = result["seek_ms"]
    text.append(
        f"seek: {seek['median']:.1f} ms, the first of an opened file {seek['first_median']:.1f}, at most {seek['most']:.1f}"
    )
    return text
