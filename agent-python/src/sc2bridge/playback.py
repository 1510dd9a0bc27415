"""What can be done with a match that is played from a recording, beside hearing it."""

from __future__ import annotations

from typing import Generic, Optional, TypeVar, Union

from sc2bridge.v1 import bridge_pb2

Answer = TypeVar("Answer", covariant=True)
"""A PlaybackState, or what is awaited for one."""


class Playback(Generic[Answer]):
    """Holds, moves and paces a playback, for all who hear it; each call answers how it stands from now on.

    In a match that is not played from a recording (whose description has no `recording`) each raises BridgeError
    (FAILED_PRECONDITION). A wish counts before what it asks for was heard: frames that are on their way come first, and
    the first frame after a move has `jumped` set.
    """

    def pause(self, *, match: str = "") -> Answer:
        """Holds it: nothing comes after the answer's `step`."""
        return self._control(bridge_pb2.ControlRequest(match=match, pause=True))

    def resume(self, *, match: str = "") -> Answer:
        """Lets it go on."""
        return self._control(bridge_pb2.ControlRequest(match=match, pause=False))

    def step(self, steps: int = 1, *, match: str = "") -> Answer:
        """Goes on by so many steps and holds there; a negative number goes back. Raises ValueError for 0."""
        if steps == 0 or not -(1 << 31) <= steps < 1 << 31:
            raise ValueError(f"step {steps}: choose how many to go on, or back where it is negative")
        return self._control(bridge_pb2.ControlRequest(match=match, step=steps))

    def seek(self, *, loop: Optional[int] = None, step: Optional[int] = None, match: str = "") -> Answer:
        """Moves it to a game loop, or to a step, or to the next that there is. Raises ValueError but for one of them."""
        if (loop is None) == (step is None):
            raise ValueError("seek: name a loop or a step")
        for name, number, bits in (("loop", loop or 0, 32), ("step", step or 0, 64)):
            if not 0 <= number < 1 << bits:
                raise ValueError(f"{name} {number}: choose a number from 0 to 2**{bits} - 1")
        if loop is not None:
            return self._control(bridge_pb2.ControlRequest(match=match, seek_loop=loop))
        return self._control(bridge_pb2.ControlRequest(match=match, seek_step=step))

    def set_rate(self, rate: Union[float, str], *, match: str = "") -> Answer:
        """Steps a second, or `max`. Raises ValueError for another word."""
        if isinstance(rate, str):
            if rate != "max":
                raise ValueError(f"rate {rate!r}: choose max or steps a second")
            rate = 0.0
        return self._control(bridge_pb2.ControlRequest(match=match, rate=rate))

    def playback(self, *, match: str = "") -> Answer:
        """How it stands."""
        return self._control(bridge_pb2.ControlRequest(match=match))

    def _control(self, request: bridge_pb2.ControlRequest) -> Answer:
        raise NotImplementedError
