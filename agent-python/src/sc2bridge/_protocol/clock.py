"""Moves this process's times to the bridge's clock."""

from __future__ import annotations

import sys
import time
from typing import Optional

from sc2bridge.v1 import bridge_pb2

_ECHOES = 8


def clock_id() -> str:
    """A text that is the same in all processes that share one monotonic clock; empty where there is no telling."""
    if sys.platform.startswith("linux"):
        try:
            with open("/proc/sys/kernel/random/boot_id", encoding="ascii") as file:
                return file.read().strip()
        except OSError:
            pass
    return ""


class BridgeClock:
    """The bridge's clock as seen from here: the same one, or this one moved by an offset estimated from round trips.

    An echo that came back in the least time says most: the offset's error is at most half that round trip.
    """

    def __init__(self, bridge_clock_id: str) -> None:
        self._shared = bool(bridge_clock_id) and bridge_clock_id == clock_id()
        self._offset = 0
        self._least_round_trip: Optional[int] = None
        self._echoes_left = 0 if self._shared else _ECHOES

    @property
    def source(self) -> int:
        """A ClockSource; CLOCK_SOURCE_UNSPECIFIED where nothing is known yet."""
        if self._shared:
            return bridge_pb2.CLOCK_SOURCE_SHARED
        if self._least_round_trip is None:
            return bridge_pb2.CLOCK_SOURCE_UNSPECIFIED
        return bridge_pb2.CLOCK_SOURCE_ESTIMATED

    def question(self) -> Optional[bridge_pb2.Clock]:
        """The next echo to ask for; None when there are enough."""
        if self._echoes_left == 0:
            return None
        self._echoes_left -= 1
        return bridge_pb2.Clock(agent_ns=time.monotonic_ns())

    def answered(self, echo: bridge_pb2.Clock, now_ns: int) -> None:
        """Learns from an echo that arrived at `now_ns`."""
        round_trip = now_ns - echo.agent_ns
        if round_trip < 0 or (self._least_round_trip is not None and round_trip >= self._least_round_trip):
            return
        self._least_round_trip = round_trip
        self._offset = echo.bridge_ns - (echo.agent_ns + round_trip // 2)

    def to_bridge(self, monotonic_ns: int) -> Optional[int]:
        """A time of `time.monotonic_ns()` on the bridge's clock; None while that is not known."""
        return None if self.source == bridge_pb2.CLOCK_SOURCE_UNSPECIFIED else monotonic_ns + self._offset
