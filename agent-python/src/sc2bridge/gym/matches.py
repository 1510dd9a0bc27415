"""The bridge and the game of an environment: matches one after the other, and another bridge where one has failed."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Optional

from sc2bridge.client.launch import LaunchedMatch, launch
from sc2bridge.client.sync import Subscription
from sc2bridge.errors import BridgeError, LaunchError
from sc2bridge.game.frame import Frame

_ENDLESS = 2**31 - 1
_TRIES = 3


class Matches:
    """Begins matches in one bridge, which is started with the first of them."""

    def __init__(self, map_name: Optional[str], players: list[str], repeat: int, options: Iterable[str], **kwargs: Any):
        """repeat: game loops in a step. options, kwargs: as of `sc2bridge.launch`."""
        # A learner may think for hours between two steps.
        options = ["--restarts", "--step-size", str(repeat), "--lockstep-deadline", "86400", *options]
        if kwargs.get("out") is None:
            options += ["--keep-games", "1"]
        self._launch: dict[str, Any] = {
            "map_name": map_name,
            "players": players,
            "steps": _ENDLESS,
            "options": options,
            **kwargs,
        }
        self.bridge: Optional[LaunchedMatch] = None
        self.frames: Optional[Subscription] = None
        """The match."""

    def begin(self, seed: int) -> Frame:
        """A new match: its first frame. Raises BridgeError, LaunchError where several in turn cannot be started."""
        for attempt in range(_TRIES):
            try:
                return self._begin(seed)
            except BridgeError:
                if attempt == _TRIES - 1:
                    raise
                self.close()
        raise AssertionError

    def _begin(self, seed: int) -> Frame:
        if self.bridge is None:
            self.bridge = launch(seed=seed, **self._launch)
        else:
            self.bridge.restart(seed)
            self.drain()
        self.frames = self.bridge.subscribe(
            "lockstep",
            can_act=True,
            content="columns",
            exclude=("abilities", "map_state", "feature_layers", "render", "ui"),
            report_times=False,
        )
        frame = next(self.frames, None)
        if frame is None:
            reason = self.frames.end.reason if self.frames.end else "it has no frames"
            raise LaunchError(f"the match did not begin: {reason}")
        return frame

    def drain(self) -> str:
        """Takes the rest of the match; why it ended, where that is a failure."""
        try:
            for _ in self.frames or ():
                pass
        except BridgeError as error:
            return str(error)
        end = self.frames.end if self.frames else None
        return end.reason if end is not None and end.aborted else ""

    def close(self) -> None:
        """Ends the bridge with its game. A failure of theirs was told before."""
        bridge, self.bridge, self.frames = self.bridge, None, None
        if bridge is not None:
            try:
                bridge.close()
            except BridgeError:
                pass
