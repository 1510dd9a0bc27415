"""Finds the chunk that contains a game loop, without I/O: a function of the caller reads the chunks."""

from __future__ import annotations

from bisect import bisect_right
from typing import Callable, NamedTuple, Optional

from sc2bridge.errors import RecordingError

# The number of guesses from the average step size, before a binary search.
_MAX_GUESSES = 4


class ChunkSpan(NamedTuple):
    """The game loops of a chunk's first and last frame, and the chunk's number of frames."""

    first: int
    last: int
    frames: int


def find_chunk(loop: int, starts: list[int], step_size: int, read_span: Callable[[int], ChunkSpan]) -> int:
    """Finds the first chunk whose last game loop is at least `loop`. Returns its number; `len(starts)` if all chunks
    end before the loop.

    starts: the index of each chunk's first frame.
    step_size: the expected number of game loops between two frames, for the first guess.
    read_span: a function that reads a chunk and returns its span.

    Game loops increase by nearly the same number at each frame. So a guess from the newest known chunk is right or
    almost right. If a chunk is damaged, the next chunk is read instead, so that frames of all other chunks are found.
    The RecordingError of a damaged chunk is raised if the loop is, or may be, in that chunk.
    """
    low, high = 0, len(starts)
    damaged: dict[int, RecordingError] = {}

    def first_undamaged(number: int, end: int) -> Optional[int]:
        """The first undamaged chunk in range(number, end)."""
        for each in range(number, end):
            try:
                if each not in damaged:
                    read_span(each)
                    return each
            except RecordingError as error:
                damaged[each] = error
        return None

    known_index, known_loop, loops_per_frame = 0, 0, float(step_size)
    guesses = 0
    while low < high:
        if guesses < _MAX_GUESSES:
            guess = bisect_right(starts, known_index + (loop - known_loop) / loops_per_frame) - 1
            number = min(max(guess, low), high - 1)
        else:
            number = (low + high) // 2
        guesses += 1
        found = first_undamaged(number, high)
        if found is None:
            high = number
            continue
        first, last, frames = read_span(found)
        if loop > last:
            low = found + 1
        elif loop > first:
            return found
        else:
            high = number
        known_index, known_loop = starts[found], first
        if last > first:
            loops_per_frame = (last - first) / (frames - 1)
    if low in damaged:
        # The loop is in the damaged chunk, unless the next undamaged chunk begins with exactly this loop.
        found = first_undamaged(low, len(starts))
        if found is None or read_span(found).first != loop:
            raise damaged[low]
        return found
    return low
