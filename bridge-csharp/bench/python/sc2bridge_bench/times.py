"""Times of an operation that is done again and again."""

from __future__ import annotations

import time
from typing import Any, Callable, Dict, List, Union


def trimmed_mean(values: List[float]) -> float:
    """The 25 % trimmed mean: an eighth of the values is dropped at each end. NaN without values."""
    drop = len(values) // 8
    kept = sorted(values)[drop : len(values) - drop]
    return sum(kept) / len(kept) if kept else float("nan")


class Times:
    """Gathers times in milliseconds."""

    def __init__(self) -> None:
        self.ms: List[float] = []

    def of(self, operation: Callable[..., Any], *arguments: Any) -> Any:
        """Calls an operation, stores its time, and returns its result."""
        began = time.perf_counter_ns()
        result = operation(*arguments)
        self.ms.append((time.perf_counter_ns() - began) / 1e6)
        return result

    def summary(self) -> Dict[str, Union[int, float]]:
        """As `sc2bridge codec` reads it."""
        return {
            "steps": len(self.ms),
            "min_ms": min(self.ms),
            "mean_ms": trimmed_mean(self.ms),
            "max_ms": max(self.ms),
        }
