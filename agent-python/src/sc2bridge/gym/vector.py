"""Many environments that one process steps together."""

from __future__ import annotations

import os
from collections.abc import Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from typing import Any, Optional, Union

import numpy as np
from gymnasium.vector import AutoresetMode, VectorEnv
from gymnasium.vector.utils import batch_space, concatenate, create_empty_array, iterate

from sc2bridge.gym.arguments import check_choice, check_whole_number
from sc2bridge.gym.backends import BACKENDS
from sc2bridge.gym.env import MatchEnv
from sc2bridge.gym.mirror import Mirror, without_bridge
from sc2bridge.gym.screen import FRAMES_A_SECOND, RENDER_MODES
from sc2bridge.library import processors


_SPIN_LIMIT = "DOTNET_ThreadPool_UnfairSemaphoreSpinLimit"
"""The variable is set to 0 if there are at least as many matches as cores: a thread that spins while it waits for work
would slow down the other matches."""


class MatchVectorEnv(VectorEnv):  # type: ignore[misc]
    """Several `MatchEnv` as one vector environment of gymnasium. Each `MatchEnv` has its own bridge and game; with
    `backend="native"`, this process plays all matches on several threads.

    `send` lets all games continue. `recv` waits for one game after another: while this process computes the arrays of
    one game, the other games play. If an environment's episode has ended, the next step ignores this environment's
    action and begins a new episode (gymnasium's `NEXT_STEP`).
    """

    metadata: dict[str, Any] = {
        "autoreset_mode": AutoresetMode.NEXT_STEP,
        "render_modes": list(RENDER_MODES),
        "render_fps": FRAMES_A_SECOND,
    }

    def __init__(
        self, num_envs: int, *, threads: Optional[int] = None, watch: Optional[int] = None, **kwargs: Any
    ) -> None:
        """threads, watch: only for `backend="native"`; see `NativeVectorEnv`.
        kwargs: see `MatchEnv`. Raises the errors of `MatchEnv`, and ValueError for a wrong `num_envs` or `threads`."""
        check_whole_number("num_envs", num_envs, 1, 10_000)
        self._process = os.getpid()
        self.num_envs, is_native = num_envs, kwargs.get("backend") == "native"
        if not is_native and (threads, watch) != (None, None):
            raise TypeError('threads and watch need backend="native": leave them out')
        if is_native:
            threads = processors() if threads is None else threads
            check_whole_number("threads", threads, 1, 1024)
        elif num_envs >= (os.cpu_count() or 1):
            kwargs["env"] = {_SPIN_LIMIT: os.environ.get(_SPIN_LIMIT, "0"), **kwargs.get("env", {})}
        self._pool = ThreadPoolExecutor(min(num_envs, threads or num_envs), "sc2bridge-match")
        self._mirror = Mirror(watch, num_envs, kwargs)
        kwargs = kwargs if watch is None else without_bridge({**kwargs, "backend": "native"})
        # Only the first environment opens a live page.
        others = {**kwargs, "render_mode": None} if kwargs.get("render_mode") == "human" else kwargs
        begun = [self._pool.submit(MatchEnv, **(others if number else kwargs)) for number in range(num_envs)]
        self.envs: list[MatchEnv] = [each.result() for each in begun if each.exception() is None]
        if len(self.envs) < num_envs:
            self.close_extras()
        for each in begun:
            each.result()
        for env in self.envs:
            env.play_steps_in(self._pool)
        self.render_mode = self.envs[0].render_mode
        self.single_observation_space = self.envs[0].observation_space
        self.single_action_space = self.envs[0].action_space
        self.observation_space = batch_space(self.single_observation_space, num_envs)
        self.action_space = batch_space(self.single_action_space, num_envs)
        self._is_over = np.zeros(num_envs, bool)
        self._resets: dict[int, Future[Any]] = {}

    def reset(
        self, *, seed: Union[int, Sequence[Optional[int]], None] = None, options: Optional[dict[str, Any]] = None
    ) -> tuple[Any, dict[str, Any]]:
        """Begins a match in each environment. seed: a list of seeds, or a number n for the seeds n, n + 1 and so on."""
        if seed is None or isinstance(seed, int):
            seed = [None if seed is None else seed + number for number in range(self.num_envs)]
        self._require_process()
        if len(seed) != self.num_envs:
            raise ValueError(f"{len(seed)} seeds: give {self.num_envs}, one for each match")
        resets = [self._pool.submit(env.reset, seed=each) for env, each in zip(self.envs, seed)]
        begun = [each.result() for each in resets]
        self._begin_mirror()
        self._is_over[:] = False
        self._resets.clear()
        return self._stack([observed for observed, _ in begun]), self._infos([info for _, info in begun])

    def step(self, actions: Any) -> tuple[Any, Any, Any, Any, dict[str, Any]]:
        """Calls `send`, then `recv`."""
        self.send(actions)
        return self.recv()

    def send(self, actions: Any) -> None:
        """Acts in each match, and lets all games continue. For a wrong action, raises ValueError, and sends nothing."""
        self._require_process()
        chosen = list(iterate(self.action_space, actions))
        if len(chosen) != self.num_envs:
            raise ValueError(f"{len(chosen)} actions: give {self.num_envs}, one for each match")
        for env, over, action in zip(self.envs, self._is_over, chosen):
            if not over:
                env.side.check(action)
        for number, (env, action) in enumerate(zip(self.envs, chosen)):
            if self._is_over[number]:
                self._resets[number] = self._pool.submit(env.reset)
            else:
                env.send(action)
                if number == self._mirror.number:
                    self._mirror.send(action)

    def recv(self) -> tuple[Any, Any, Any, Any, dict[str, Any]]:
        """The results of `MatchEnv.step` for all matches, stacked. Infos have the form that gymnasium defines."""
        step_results = []
        for number, env in enumerate(self.envs):
            begun = self._resets.pop(number, None)
            if begun is None:
                step_results.append(env.recv())
                if number == self._mirror.number:
                    self._mirror.recv()
            else:
                observed, info = begun.result()
                if number == self._mirror.number:
                    self._begin_mirror()
                step_results.append((observed, 0.0, False, False, info))
        observed, rewards, terminated, truncated, infos = zip(*step_results)
        ended = np.array(terminated), np.array(truncated)
        self._is_over = ended[0] | ended[1]
        return self._stack(observed), np.array(rewards, np.float64), *ended, self._infos(infos)

    def render(self) -> Optional[tuple[Any, ...]]:
        """With `rgb_array`, the picture of each match; else None."""
        return tuple(env.render() for env in self.envs) if self.render_mode == "rgb_array" else None

    def close_extras(self, **kwargs: Any) -> None:
        """Ends the bridges and their games."""
        self._pool.shutdown()
        self._mirror.close()
        for env in self.envs:
            env.close()

    @property
    def web_address(self) -> Optional[str]:
        """The address of the live page: of the first match, or of the match `watch`; None before the first match."""
        return self.envs[0].web_address if self._mirror.number < 0 else self._mirror.web_address

    def _require_process(self) -> None:
        if os.getpid() != self._process:  # A forked process has no threads of the pool.
            raise RuntimeError(
                "this environment was created before this process was forked: create environments after the fork, or"
                ' use the start method "spawn"'
            )

    def _begin_mirror(self) -> None:
        if self._mirror.number >= 0:
            match = self.envs[self._mirror.number].side.match
            assert match is not None
            self._mirror.begin(match.seed)

    def _stack(self, observed: Sequence[Any]) -> Any:
        space = self.single_observation_space
        return concatenate(space, observed, create_empty_array(space, self.num_envs))

    def _infos(self, infos: Sequence[dict[str, Any]]) -> dict[str, Any]:
        stacked: dict[str, Any] = {}
        for number, info in enumerate(infos):
            stacked = self._add_info(stacked, info, number)
        return stacked


def make_vector_env(num_envs: int, *args: Any, backend: str = "bridge", **kwargs: Any) -> VectorEnv:
    """Creates the vector environment of `sc2bridge/Match-v0`. backend: `bridge` for `MatchVectorEnv`; `native` for
    `sc2bridge.gym.native.NativeVectorEnv`, or for `MatchVectorEnv` if the arguments need it. Both then need the native
    library. args, kwargs: see these classes."""
    check_choice("backend", backend, BACKENDS)
    if backend == "bridge":
        return MatchVectorEnv(num_envs, *args, **kwargs)
    from sc2bridge.gym.native import NativeVectorEnv, NeedsMatchEnvError  # This module imports the other one.

    try:
        return NativeVectorEnv(num_envs, *args, **kwargs)
    except NeedsMatchEnvError:
        kwargs.pop("copy", None)  # `MatchVectorEnv` always returns new arrays.
        return MatchVectorEnv(num_envs, *args, backend=backend, **kwargs)
