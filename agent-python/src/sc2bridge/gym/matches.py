"""The bridge and the game of an environment play one match after another. After a failure, a new bridge is started."""

from __future__ import annotations

import secrets
import sys
from collections.abc import Iterable
from typing import Any, Optional

from sc2bridge.client.launch import LaunchedMatch, launch
from sc2bridge.client.sync import BaseConnection, Subscription, connect
from sc2bridge.errors import BridgeError, ClosedError, LaunchError
from sc2bridge.game.frame import Frame

_MOST_STEPS = 2**31 - 1


class Matches:
    """Begins matches in one bridge. The first match starts the bridge."""

    def __init__(self, map_name: Optional[str], players: list[str], repeat: int, options: Iterable[str], **kwargs: Any):
        """repeat: game loops in a step. options, kwargs: see `sc2bridge.launch`."""
        self._agent_sides = [number for number, player in enumerate(players, 1) if player.startswith("agent:")]
        # A learner may think for hours between two steps.
        options = ["--restarts", "--step-size", str(repeat), "--lockstep-deadline", "86400", *options]
        if kwargs.get("out") is None:
            options += ["--keep-games", "1"]
        self._launch: dict[str, Any] = {
            "map_name": map_name,
            "players": players,
            "steps": _MOST_STEPS,
            "wait": len(self._agent_sides),
            "options": options,
            **kwargs,
        }
        self._uses_shared_memory = sys.platform.startswith("linux")
        self.bridge: Optional[LaunchedMatch] = None
        self._connection: Optional[BaseConnection] = None
        self._frames: list[Subscription] = []

    def begin(self, seed: int) -> list[tuple[Subscription, Frame]]:
        """Begins a match. Returns the subscription and the first frame of each side with an agent. If the bridge or its
        game has failed since the last match, starts a new bridge. Raises LaunchError or BridgeError if a new bridge
        cannot begin the match."""
        while True:
            is_new = self.bridge is None
            try:
                return self._begin(seed)
            except (BridgeError, ClosedError, LaunchError) as error:  # ClosedError: the bridge has ended.
                self.close()
                if is_new and (isinstance(error, LaunchError) or not self._uses_shared_memory):
                    raise
                if is_new:  # Shared memory may be unavailable: try without it.
                    self._uses_shared_memory = False

    def _begin(self, seed: int) -> list[tuple[Subscription, Frame]]:
        if self.bridge is None:
            self._start(seed)
        else:
            self.bridge.restart(seed)
            for frames in self._frames:
                drain(frames)
        assert self._connection is not None
        self._frames = [
            self._connection.subscribe(
                "lockstep",
                perspective=side,
                can_act=True,
                content="columns",
                exclude=("abilities", "map_state", "feature_layers", "render", "ui"),
                report_times=False,
            )
            for side in self._agent_sides
        ]
        return [(frames, _first_frame(frames)) for frames in self._frames]

    def _start(self, seed: int) -> None:
        if not self._uses_shared_memory:
            self._connection = self.bridge = launch(seed=seed, **self._launch)
            return
        # In each step, shared memory takes less time than a stream.
        name = f"sc2bridge-env-{secrets.token_hex(8)}"
        self.bridge = launch(seed=seed, **dict(self._launch, options=[*self._launch["options"], "--shm", name]))
        self._connection = connect(f"shm:{name}", token="")

    def close(self) -> None:
        """Ends the bridge and its game. Ignores errors, because failures were reported before."""
        connections = [each for each in (self._connection, self.bridge) if each is not None]
        self.bridge, self._connection, self._frames = None, None, []
        for each in connections:
            try:
                each.close()
            except (BridgeError, LaunchError):
                pass


def _first_frame(frames: Subscription) -> Frame:
    frame = next(frames, None)
    if frame is None:
        raise LaunchError(f"the match did not begin: {frames.end or 'it has no frames'}")
    return frame


def drain(frames: Subscription) -> str:
    """Reads the remaining frames of a match. If the match failed, returns the reason, else an empty string."""
    try:
        for _ in frames:
            pass
    except (BridgeError, ClosedError) as error:
        return str(error)
    return str(frames.end) if frames.end is not None and frames.end.aborted else ""
