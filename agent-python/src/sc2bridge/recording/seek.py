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
    span: opens a chunk; its RecordingError passes through where that chunk could be the one.

    Loops grow along a recording, in steps that are much the same, so that a guess from the last chunk that was opened is
    right or nearly so. A damaged chunk counts as one that could be: so damage hides nothing that is before it.
    """
    low, high = 0, len(starts)
    hidden: Optional[tuple[int, RecordingError]] = None
    index, its_loop, pace = 0, 0, float(step_size)
    attempt = 0
    while low < high:
        if attempt < _GUESSES:
            guess = bisect_right(starts, index + (loop - its_loop) / pace) - 1
            number = min(max(guess, low), high - 1)
        else:
            number = (low + high) // 2
        attempt += 1
        try:
            first, last, frames = span(number)
        except RecordingError as error:
            hidden, high = (number, error), number
            continue
        if loop > last:
            low = number + 1
        else:
            high = number
            if loop > first:
                return number
        index, its_loop = starts[number], first
        if last > first:
            pace = (last - first) / (frames - 1)
    if hidden is not None and hidden[0] == low:
        raise hidden[1]
    return low
