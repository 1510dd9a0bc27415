"""Converts times of this process to the bridge's clock."""

from __future__ import annotations

import sys
import time
from typing import Optional

from sc2bridge.v1 import bridge_pb2

_ECHO_COUNT = 8


def clock_id() -> str:
    """An id that is equal in all processes that share a monotonic clock; empty if the system has no such id."""
    if sys.platform.startswith("linux"):
        try:
            with open("/proc/sys/kernel/random/boot_id", encoding="ascii") as file:
                return file.read().strip()
        except OSError:
            pass
    return ""


class BridgeClock:
    """Converts times of this process's monotonic clock to the bridge's clock. If the bridge has another clock, an
    offset is estimated from round trips of echo messages.

    The shortest round trip gives the best estimate: the error of the offset is at most half of that round trip.
    """

    def __init__(self, bridge_clock_id: str) -> None:
        self._is_shared = bool(bridge_clock_id) and bridge_clock_id == clock_id()
        self._offset = 0
        self._shortest_round_trip: Optional[int] = None
        self._echoes_left = 0 if self._is_shared else _ECHO_COUNT

    @property
    def source(self) -> int:
        """A ClockSource; CLOCK_SOURCE_UNSPECIFIED if the offset is not known yet."""
        if self._is_shared:
            return bridge_pb2.CLOCK_SOURCE_SHARED
        if self._shortest_round_trip is None:
            return bridge_pb2.CLOCK_SOURCE_UNSPECIFIED
        return bridge_pb2.CLOCK_SOURCE_ESTIMATED

    def next_echo_request(self) -> Optional[bridge_pb2.Clock]:
        """The next echo request to send; None after enough requests."""
        if self._echoes_left == 0:
            return None
        self._echoes_left -= 1
        return bridge_pb2.Clock(agent_ns=time.monotonic_ns())

    def handle_echo(self, echo: bridge_pb2.Clock, now_ns: int) -> None:
        """Updates the offset from an echo that arrived at `now_ns`."""
        round_trip = now_ns - echo.agent_ns
        if round_trip < 0 or (self._shortest_round_trip is not None and round_trip >= self._shortest_round_trip):
            return
        self._shortest_round_trip = round_trip
        self._offset = echo.bridge_ns - (echo.agent_ns + round_trip // 2)

    def to_bridge_time(self, monotonic_ns: int) -> Optional[int]:
        """Converts a time of `time.monotonic_ns()` to the bridge's clock; None if the offset is not known yet."""
        return None if self.source == bridge_pb2.CLOCK_SOURCE_UNSPECIFIED else monotonic_ns + self._offset
