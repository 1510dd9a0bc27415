"""A match for a script or a notebook: `launch` starts the bridge, connects to it, and ends it."""

from __future__ import annotations

import asyncio
import inspect
import shutil
import sys
import tempfile
from collections.abc import Iterable, Mapping
from types import TracebackType
from typing import TYPE_CHECKING, Any, Callable, Optional, TypeVar, Union

from sc2bridge._protocol.choices import Compression
from sc2bridge._transports.transport import Timeouts
from sc2bridge.client import aio, sync
from sc2bridge.client.process import BridgeProcess, find_executable
from sc2bridge.errors import BridgeError, ConnectionLostError, LaunchError

if TYPE_CHECKING:
    from typing_extensions import ParamSpec

    _P = ParamSpec("_P")

_T = TypeVar("_T")
_C = TypeVar("_C", bound=aio.Connection)

_ENDING = 30.0
"""Seconds that a bridge whose match is over may take to close its files and end."""


class _Launched:
    """A bridge's process, the folder of its match's files, and the connection to it."""

    def __init__(
        self,
        map_name: Optional[str] = None,
        players: Iterable[str] = (),
        *,
        rate: Union[str, float] = "max",
        steps: Optional[int] = None,
        seed: Optional[int] = None,
        game: str = "auto",
        agents: Iterable[str] = (),
        wait: int = 1,
        out: Optional[str] = None,
        options: Iterable[str] = (),
        executable: Optional[str] = None,
        env: Mapping[str, str] = {},
        start_timeout: float = 300.0,
        compression: Optional[Compression] = None,
        timeouts: Timeouts = Timeouts(),
    ) -> None:
        self._start_timeout, self._compression, self._timeouts = start_timeout, compression, timeouts
        self._core: Optional[aio.Connection] = None
        program = find_executable(executable)
        players, agents, options = list(players), list(agents), list(options)
        words = ["match", "--stop-at-input-end", "--grpc", "127.0.0.1:0", "--web", "127.0.0.1:0"]
        words += ["--rate", str(rate), "--wait", str(wait), "--python", sys.executable]
        for flag, value in (("--map", map_name), ("--steps", steps), ("--seed", seed)):
            words += [] if value is None else [flag, str(value)]
        for flag, values in (("--player", players), ("--agent", agents)):
            words += [word for each in values for word in (flag, each)]
        words += [] if any(each.partition("=")[0] == "--attach" for each in options) else ["--game", game]
        words += [] if agents else ["--no-agents"]
        # Who starts both sides is kept from neither.
        words += ["--open-perspectives"] if sum(not each.startswith("computer:") for each in players) > 1 else []
        self._temporary = None if out else tempfile.mkdtemp(prefix="sc2bridge-")
        words += (
            ["--out", out] if out else ["--out", f"{self._temporary}/match", "--no-recording", "--codec-log", "off"]
        )
        try:
            self.process = BridgeProcess(program, words + options, env)
        except BaseException:
            self._remove_files()
            raise

    def wait_until_ready(self) -> None:
        """Raises LaunchError."""
        self.process.wait_until_ready(self._start_timeout)

    def connect(self, make: Callable[..., _C], blocks: bool) -> _C:
        """A connection to it, once it listens."""
        core = make(
            f"grpc://{self.process.grpc}",
            None,
            self._compression,
            token="",
            tls=None,
            timeouts=self._timeouts,
            blocks=blocks,
        )
        self._core = core
        return core

    def end(self, error: Optional[BaseException]) -> None:
        """Ends the bridge. Raises LaunchError where it has failed, but for an error that has nothing to do with that."""
        is_over = isinstance(error, ConnectionLostError) or (self._core is not None and self._core.is_over)
        try:
            failed = self.process.end(_ENDING if is_over else 0)
        finally:
            self._remove_files()
        if failed is not None and (error is None or isinstance(error, BridgeError)):
            raise LaunchError(failed) from error

    def _remove_files(self) -> None:
        if self._temporary is not None:
            shutil.rmtree(self._temporary, ignore_errors=True)


class _Words:
    """What a launched bridge says."""

    _launched: _Launched

    @property
    def lines(self) -> list[str]:
        """What the bridge, and agents that it started, printed last. The logger `sc2bridge.launch` gets all of it."""
        return list(self._launched.process.lines)

    @property
    def web_address(self) -> str:
        """Its WebSocket, for further agents: `ws://HOST:PORT/v1`; the live page is at `http://HOST:PORT`."""
        return self._launched.process.web


class LaunchedMatch(_Words, sync.Connection):
    """A connection to the bridge that `launch` started, which ends with it.

    Leaving it ends the match where it still runs. Raises LaunchError where the bridge has failed.
    """

    def __init__(self, launched: _Launched) -> None:
        super().__init__(launched.connect(aio.Connection, blocks=True))
        self._launched = launched

    def close(self) -> None:  # type: ignore[override]
        """Ends the bridge, and the match where it still runs. Raises LaunchError where the bridge has failed."""
        self._end(None)

    def __enter__(self) -> LaunchedMatch:
        return self

    def __exit__(
        self,
        kind: Optional[type[BaseException]],
        error: Optional[BaseException],
        traceback: Optional[TracebackType],
    ) -> None:
        self._end(error)

    def _end(self, error: Optional[BaseException]) -> None:
        try:
            super().close()
        finally:
            self._launched.end(error)


class AsyncLaunchedMatch(_Words, aio.Connection):
    """As `LaunchedMatch`, for asyncio."""

    async def close(self) -> None:
        """As of `LaunchedMatch`."""
        await self._end(None)

    async def __aenter__(self) -> AsyncLaunchedMatch:
        return self

    async def __aexit__(
        self,
        kind: Optional[type[BaseException]],
        error: Optional[BaseException],
        traceback: Optional[TracebackType],
    ) -> None:
        await self._end(error)

    async def _end(self, error: Optional[BaseException]) -> None:
        try:
            await super().close()
        finally:
            await _to_its_end(self._launched, error)


async def _to_its_end(launched: _Launched, error: Optional[BaseException]) -> None:
    # Also where who waits is cancelled meanwhile.
    await asyncio.shield(asyncio.get_running_loop().run_in_executor(None, launched.end, error))


def _as(made: Callable[_P, Any]) -> Callable[[Callable[..., _T]], Callable[_P, _T]]:
    """A function that takes what another one takes."""

    def decorate(function: Callable[..., _T]) -> Callable[_P, _T]:
        function.__signature__ = inspect.signature(made)  # type: ignore[attr-defined]
        return function

    return decorate


@_as(_Launched)
def launch(*args: Any, **kwargs: Any) -> LaunchedMatch:
    """Starts the bridge with a match, and connects to it; use it in a `with` statement, whose end ends both.

    The match begins when `wait` subscribers are there. Ports are chosen by the system.

    map_name, players, rate, steps, seed, game: as `--map`, `--player`, `--rate`, `--steps`, `--seed` and `--game` of `sc2bridge
        match`; what is not given is as there.
    agents: agents that the bridge starts, as `--agent` has them, on this Python.
    wait: subscribers that the match waits for, beside those agents.
    out: a folder for its files and its recording; None for none.
    options: further flags of `sc2bridge match`, such as `["--disable-fog"]`.
    executable: the bridge's program; None for SC2BRIDGE_EXECUTABLE of the environment, else `./sc2bridge` of the clone that holds
        this package, which builds the program first if it is missing, else the installed program.
    env: variables of its environment beside this process's own.
    start_timeout: seconds until it must listen; StarCraft II may take minutes. A build in a clone does not count.
    compression, timeouts: as of `connect`.
    Raises LaunchError where it cannot be started, with what it printed last.
    """
    launched = _Launched(*args, **kwargs)
    try:
        launched.wait_until_ready()
        return LaunchedMatch(launched)
    except BaseException as error:
        launched.end(error)
        raise


@_as(_Launched)
async def alaunch(*args: Any, **kwargs: Any) -> AsyncLaunchedMatch:
    """As `sc2bridge.launch`, for asyncio: `async with await sc2bridge.alaunch(…) as match`."""
    launched = _Launched(*args, **kwargs)
    try:
        await asyncio.get_running_loop().run_in_executor(None, launched.wait_until_ready)
        match = launched.connect(AsyncLaunchedMatch, blocks=False)
        match._launched = launched
        return match
    except BaseException as error:
        await _to_its_end(launched, error)
        raise
