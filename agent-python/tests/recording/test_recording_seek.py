"""Finding the chunk of a game loop, whichever chunks are damaged."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from sc2bridge.errors import RecordingError
from sc2bridge.recording.seek import ChunkSpan, find_chunk

CHUNKS = st.lists(st.lists(st.integers(1, 9), min_size=1, max_size=5), min_size=1, max_size=30)


@given(CHUNKS, st.sets(st.integers(0, 29)), st.integers(-1, 200), st.sampled_from([1, 4, 22]))
def test_loops_in_undamaged_chunks_are_found(
    steps: list[list[int]], damaged: set[int], loop: int, step_size: int
) -> None:
    chunks: list[list[int]] = []
    last = 0
    for chunk in steps:
        chunks.append([])
        for step in chunk:
            last += step
            chunks[-1].append(last)
    damaged = {number for number in damaged if number < len(chunks)}
    starts = [sum(map(len, chunks[:number])) for number in range(len(chunks))]

    def span(number: int) -> ChunkSpan:
        if number in damaged:
            raise RecordingError("damaged", "a.mcap", 0, f"chunk {number}")  # type: ignore[arg-type]
        return ChunkSpan(chunks[number][0], chunks[number][-1], len(chunks[number]))

    wanted = next((number for number, chunk in enumerate(chunks) if chunk[-1] >= loop), len(chunks))
    hidden = (
        wanted > 0
        and wanted - 1 in damaged
        and (wanted == len(chunks) or chunks[wanted][0] > loop)  # A loop between two chunks may be in the first.
    )
    try:
        found = find_chunk(loop, starts, step_size, span)
    except RecordingError:
        assert hidden or wanted in damaged
    else:
        assert found == wanted and not hidden and wanted not in damaged
