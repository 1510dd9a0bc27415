"""Plays a match of the native backend a second time on a bridge, so that you can watch and record it."""

from __future__ import annotations

import inspect
import logging
import operator
from typing import Any, Callable, Optional

from sc2bridge.errors import SC2BridgeError
from sc2bridge.gym.arguments import check_whole_number
from sc2bridge.gym.env import MatchEnv


class Mirror:
    """A `MatchEnv` on a bridge that gets the seeds and actions of one native match of a vector environment, and so plays
    the same match. If it fails, it logs a warning, and ends."""

    def __init__(self, watch: Optional[int], num_envs: int, given: dict[str, Any]) -> None:
        """watch: the match's number, from 0; None for no mirror. given: arguments of `MatchEnv`. Raises ValueError or
        TypeError if they are wrong."""
        self._env: Optional[MatchEnv] = None
        self._is_over = True
        self.number = -1
        """The match's number; -1 for no mirror."""
        if watch is None:
            return
        check_whole_number("watch", watch, 0, num_envs - 1)
        self.number = operator.index(watch)
        mode = "human" if given.get("render_mode") == "human" else None
        own: dict[str, Any] = {"game": given.get("game") or "simulated", "render_mode": mode, "backend": "bridge"}
        own.update(observation="units", reward="result")  # The bridge's arrays are not used.
        try:
            self._env = MatchEnv(**{**given, **own})
        except SC2BridgeError as error:
            self._fail(error)

    @property
    def web_address(self) -> Optional[str]:
        """The address of the live page of the match; None before the first match and after a failure."""
        return self._env.web_address if self._env is not None else None

    def begin(self, seed: int) -> None:
        """Begins the match with the same seed."""
        self._is_over = False
        self._call(lambda env: env.reset(seed=seed))

    def send(self, action: Any) -> None:
        """Acts, and lets the game continue."""
        if not self._is_over:
            self._call(lambda env: env.send(action))

    def recv(self) -> None:
        """Waits for the end of the step."""
        if not self._is_over:
            self._call(self._recv)

    def close(self) -> None:
        """Ends the bridge and its game."""
        env, self._env = self._env, None
        if env is not None:
            env.close()

    def _recv(self, env: MatchEnv) -> None:
        _, _, terminated, truncated, info = env.recv()
        self._is_over = terminated or truncated
        if truncated:
            raise SC2BridgeError(info["failure"])

    def _call(self, use: Callable[[MatchEnv], Any]) -> None:
        if self._env is not None:
            try:
                use(self._env)
            except Exception as error:  # No failure of the bridge may end the training.
                self._fail(error)

    def _fail(self, error: Exception) -> None:
        logging.getLogger(__name__).warning("the bridge of the watched match failed, training goes on: %s", error)
        self.close()


def without_bridge(given: dict[str, Any]) -> dict[str, Any]:
    """The arguments of `MatchEnv` that do not need a bridge."""
    known = inspect.signature(MatchEnv.__init__).parameters.keys() - {"options"}
    kept = {name: each for name, each in given.items() if name in known or name == "game"}
    if kept.get("render_mode") != "rgb_array":
        kept.pop("render_mode", None)
    return kept
