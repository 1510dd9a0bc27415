"""The control of a match that is played from a recording."""

from __future__ import annotations

import math
from typing import Literal, Optional, Union

from sc2bridge._protocol.coroutines import blocking
from sc2bridge.v1 import bridge_pb2


class AsyncPlayback:
    """Pauses, moves and paces a playback, for all its subscribers; each call returns its new state.

    In a match that is not played from a recording (whose description has no `recording`) each raises BridgeError
    (FAILED_PRECONDITION). A request counts before what it asks for was received: frames that are on their way come first,
    and the first frame after a move has `seeked` set.
    """

    async def pause(self, *, match_id: str = "") -> bridge_pb2.PlaybackState:
        """Holds it: nothing comes after the answer's `step`."""
        return await self._control(bridge_pb2.ControlRequest(match_id=match_id, pause=True))

    async def resume(self, *, match_id: str = "") -> bridge_pb2.PlaybackState:
        """Lets it go on."""
        return await self._control(bridge_pb2.ControlRequest(match_id=match_id, pause=False))

    async def step(self, steps: int = 1, *, match_id: str = "") -> bridge_pb2.PlaybackState:
        """Goes on by so many steps and pauses there; a negative number goes back. Raises ValueError for 0."""
        if steps == 0 or not -(1 << 31) <= steps < 1 << 31:
            raise ValueError(f"step {steps}: choose how many to go on, or back where it is negative")
        return await self._control(bridge_pb2.ControlRequest(match_id=match_id, step=steps))

    async def seek(
        self, *, loop: Optional[int] = None, step: Optional[int] = None, match_id: str = ""
    ) -> bridge_pb2.PlaybackState:
        """Moves it to a game loop, or to a step, or to the next that there is. Raises ValueError but for one of them."""
        if (loop is None) == (step is None):
            raise ValueError("seek: name a loop or a step")
        for name, number, bits in (("loop", loop or 0, 32), ("step", step or 0, 64)):
            if not 0 <= number < 1 << bits:
                raise ValueError(f"{name} {number}: choose a number from 0 to 2**{bits} - 1")
        if loop is not None:
            return await self._control(bridge_pb2.ControlRequest(match_id=match_id, seek_loop=loop))
        return await self._control(bridge_pb2.ControlRequest(match_id=match_id, seek_step=step))

    async def set_rate(self, rate: Union[float, Literal["max"]], *, match_id: str = "") -> bridge_pb2.PlaybackState:
        """Steps a second, or `max`. Raises ValueError for another word, and for what is no number above 0."""
        if rate == "max":
            rate = 0.0
        elif isinstance(rate, str) or not 0 < rate < math.inf:
            raise ValueError(f"rate {rate!r}: choose max or steps a second, above 0")
        return await self._control(bridge_pb2.ControlRequest(match_id=match_id, rate=rate))

    async def playback(self, *, match_id: str = "") -> bridge_pb2.PlaybackState:
        """The playback's state."""
        return await self._control(bridge_pb2.ControlRequest(match_id=match_id))

    async def _control(self, request: bridge_pb2.ControlRequest) -> bridge_pb2.PlaybackState:
        raise NotImplementedError


class Playback:
    """The same, blocking."""

    pause = blocking(AsyncPlayback.pause)
    resume = blocking(AsyncPlayback.resume)
    step = blocking(AsyncPlayback.step)
    seek = blocking(AsyncPlayback.seek)
    set_rate = blocking(AsyncPlayback.set_rate)
    playback = blocking(AsyncPlayback.playback)
