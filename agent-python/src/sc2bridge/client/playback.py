"""Controls the playback of a recording."""

from __future__ import annotations

import math
from typing import Literal, Optional, Union

from sc2bridge._protocol.coroutines import blocking
from sc2bridge.v1 import bridge_pb2


class AsyncPlayback:
    """Pauses, seeks and sets the rate of a playback, for all its subscribers. Each method returns the playback's new
    state.

    If the match is not a playback (its description has no `recording`), each method raises BridgeError with the code
    FAILED_PRECONDITION. Frames that the bridge has already sent still arrive after the answer. The first frame after a
    seek has `seeked` set.
    """

    async def pause(self, *, match_id: str = "") -> bridge_pb2.PlaybackState:
        """Pauses the playback. The answer has the step of the last frame before the pause."""
        return await self._control(bridge_pb2.ControlRequest(match_id=match_id, pause=True))

    async def resume(self, *, match_id: str = "") -> bridge_pb2.PlaybackState:
        """Continues the playback."""
        return await self._control(bridge_pb2.ControlRequest(match_id=match_id, pause=False))

    async def step(self, steps: int = 1, *, match_id: str = "") -> bridge_pb2.PlaybackState:
        """Moves by a number of steps and pauses; a negative number moves back. Raises ValueError for 0."""
        if steps == 0 or not -(1 << 31) <= steps < 1 << 31:
            raise ValueError(
                f"step {steps}: choose a positive number of steps to move on, a negative number to move back"
            )
        return await self._control(bridge_pb2.ControlRequest(match_id=match_id, step=steps))

    async def seek(
        self, *, loop: Optional[int] = None, step: Optional[int] = None, match_id: str = ""
    ) -> bridge_pb2.PlaybackState:
        """Moves to a game loop or to a step. If that step was not recorded, moves to the next recorded step.
        Raises ValueError unless exactly one of `loop` and `step` is given."""
        if (loop is None) == (step is None):
            raise ValueError(f"seek(loop={loop}, step={step}): give either loop or step")
        for name, number, bits in (("loop", loop or 0, 32), ("step", step or 0, 64)):
            if not 0 <= number < 1 << bits:
                raise ValueError(f"{name} {number}: choose a number from 0 to 2**{bits} - 1")
        if loop is not None:
            return await self._control(bridge_pb2.ControlRequest(match_id=match_id, seek_loop=loop))
        return await self._control(bridge_pb2.ControlRequest(match_id=match_id, seek_step=step))

    async def set_rate(self, rate: Union[float, Literal["max"]], *, match_id: str = "") -> bridge_pb2.PlaybackState:
        """Sets the rate: steps per second, or `max`. Raises ValueError for other text, and for a number that is not
        positive."""
        if rate == "max":
            rate = 0.0
        elif isinstance(rate, str) or not 0 < rate < math.inf:
            raise ValueError(f"rate {rate!r}: choose max or steps a second, above 0")
        return await self._control(bridge_pb2.ControlRequest(match_id=match_id, rate=rate))

    async def playback(self, *, match_id: str = "") -> bridge_pb2.PlaybackState:
        """Returns the playback's state and changes nothing."""
        return await self._control(bridge_pb2.ControlRequest(match_id=match_id))

    async def _control(self, request: bridge_pb2.ControlRequest) -> bridge_pb2.PlaybackState:
        raise NotImplementedError


class Playback:
    """Like AsyncPlayback, but blocking."""

    pause = blocking(AsyncPlayback.pause)
    resume = blocking(AsyncPlayback.resume)
    step = blocking(AsyncPlayback.step)
    seek = blocking(AsyncPlayback.seek)
    set_rate = blocking(AsyncPlayback.set_rate)
    playback = blocking(AsyncPlayback.playback)
