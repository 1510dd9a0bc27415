"""Finds the chunk of a game loop. Without I/O: what a chunk's loops are, the caller looks up."""

from __future__ import annotations

from bisect import bisect_right
from typing import Callable, NamedTuple, Optional

from sc2bridge.errors import RecordingError

# Guesses at where a loop is before the rest is halved.
_GUESSES = 4


class Span(NamedTuple):
    """The game loops of a chunk's first and last frame, and how many frames it has."""

    first: int
    last: int
    frames: int


def chunk_of(loop: int, starts: list[int], step_size: int, span: Callable[[int], Span]) -> int:
    """The first chunk that ends no sooner than a game loop; `len(starts)` where all do.

    starts: the index of each chunk's first frame.
    step_size: how far apart loops may be thought to be at first.
    span: opens a chunk.

    Loops grow along a recording, in steps that are much the same, so that a guess from the last chunk that was opened is
    right or nearly so. A damaged chunk tells nothing, and the next one is asked: so it hides what stands in it, and
    nothing before or behind it. Its RecordingError is raised where the loop is, or may be, in it.
    """
    low, high = 0, len(starts)
    damaged: dict[int, RecordingError] = {}

    def whole(number: int, end: int) -> Optional[int]:
        """The first whole chunk from one up to another."""
        for each in range(number, end):
            try:
                if each not in damaged:
                    span(each)
                    return each
            except RecordingError as error:
                damaged[each] = error
        return None

    index, its_loop, pace = 0, 0, float(step_size)
    attempt = 0
    while low < high:
        if attempt < _GUESSES:
            guess = bisect_right(starts, index + (loop - its_loop) / pace) - 1
            number = min(max(guess, low), high - 1)
        else:
            number = (low + high) // 2
        attempt += 1
        at = whole(number, high)
        if at is None:
            high = number
            continue
        first, last, frames = span(at)
        if loop > last:
            low = at + 1
        elif loop > first:
            return at
        else:
            high = number
        index, its_loop = starts[at], first
        if last > first:
            pace = (last - first) / (frames - 1)
    if low in damaged:
        # The loop is in it, but where the next one begins with it.
        at = whole(low, len(starts))
        if at is None or span(at).first != loop:
            raise damaged[low]
        return at
    return low
