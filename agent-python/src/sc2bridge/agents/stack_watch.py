"""Prints the stack of a step that takes long. A post-mortem shows it as the stack of a hung agent."""

from __future__ import annotations

import sys
import threading
import time
import traceback
from typing import Optional

_MOST_STACKS = 5


class StackWatch:
    """A context manager around each step of an agent, on the thread that creates it. C code that holds the GIL is not
    seen."""

    def __init__(self, seconds: Optional[float]) -> None:
        """seconds: a step that takes longer is printed, once, with the stack of its thread. 5 steps at most are printed.
        None: no step is printed."""
        self._step_began: Optional[float] = None
        self._closed = threading.Event()
        self._thread_id = threading.get_ident()
        if seconds is not None:
            threading.Thread(target=self._watch, args=(seconds,), name="sc2bridge stacks", daemon=True).start()

    def __enter__(self) -> None:
        self._step_began = time.monotonic()

    def __exit__(self, *_exception: object) -> None:
        self._step_began = None

    def close(self) -> None:
        """Ends the watch."""
        self._closed.set()

    def _watch(self, seconds: float) -> None:
        printed: list[float] = []
        while len(printed) < _MOST_STACKS and not self._closed.wait(seconds / 8):
            began = self._step_began
            if began is None or began in printed or time.monotonic() - began < seconds:
                continue
            stack = "".join(traceback.format_stack(sys._current_frames()[self._thread_id]))
            if self._step_began == began:
                printed.append(began)
                text = f"Stack of a step that takes {time.monotonic() - began:.1f} s (most recent call last):\n{stack}"
                print(text, end="", file=sys.stderr, flush=True)
