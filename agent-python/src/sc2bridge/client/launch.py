"""A match for a script or a notebook: `launch` starts the bridge, connects to it, and ends it."""

from __future__ import annotations

import asyncio
import html
import inspect
from collections.abc import Iterable
from contextlib import suppress
from types import TracebackType
from typing import TYPE_CHECKING, Any, Callable, Optional, TypeVar

from sc2bridge.client import sync
from sc2bridge.client.launched import LaunchedBridge, LaunchedConnection
from sc2bridge.errors import SC2BridgeError
from sc2bridge.game.match import Match
from sc2bridge.game.words import MatchEnd, MatchPlayer
from sc2bridge.hints import did_you_mean
from sc2bridge.printing import printable

if TYPE_CHECKING:
    from typing_extensions import ParamSpec

    _P = ParamSpec("_P")

_T = TypeVar("_T")

_OF_PLAYBACKS = ("pause", "resume", "step", "seek", "set_rate", "playback")


class _Words:
    """The match and the addresses of a launched bridge."""

    _launched: LaunchedBridge

    @property
    def _connection(self) -> LaunchedConnection:
        raise NotImplementedError

    @property
    def map_name(self) -> str:
        """The map's name, as the game has it."""
        return self._described().map_name

    @property
    def players(self) -> list[MatchPlayer]:
        """The players, with `kind` and `race` as words."""
        return self._described().players

    @property
    def end(self) -> Optional[MatchEnd]:
        """The end of the match, once a subscription has received it or the bridge has ended; None before."""
        return self._connection.known_end

    @property
    def result(self) -> Optional[str]:
        """`victory`, `defeat`, `tie` or `undecided` for the first player that agents play, else for player 1; None before
        the end, and if there is no result."""
        return self._connection.result_of_end

    def _described(self) -> Match:
        known = self._connection.known
        if known is None:
            raise ValueError("the match is not known: it was over before launch() returned")
        return known

    @property
    def lines(self) -> list[str]:
        """The last lines of the bridge, and of agents that it started, on standard error. The logger `sc2bridge.launch` gets all of it."""
        return list(self._launched.process.lines)

    @property
    def web_address(self) -> str:
        """Its WebSocket, for further agents: `ws://HOST:PORT/v1`; the live page is at `http://HOST:PORT`."""
        return self._launched.process.web

    def __repr__(self) -> str:
        known = self._connection.known
        of = f" on {known.map_name}" if known is not None else ""
        state = f", {self.result or self.end}" if self.end is not None else ""
        return printable(f"<{type(self).__name__}{of} at {self.web_address}{state}>")

    def _repr_html_(self) -> str:
        shown, page = html.escape(repr(self)), html.escape(page_of(self.web_address))
        return f'{shown} <a href="{page}/" target="_blank">live page</a>'

    if not TYPE_CHECKING:

        def __getattr__(self, name: str) -> Any:
            if name in _OF_PLAYBACKS:
                raise AttributeError(
                    f"a launched match has no {name!r}, as it is not a playback of a recording: a subscription with"
                    " policy 'lockstep' steps it, whenever it asks for the next frame"
                )
            raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}")


class LaunchedMatch(_Words, sync.BaseConnection):
    """A connection to the bridge that `launch` started, which ends with it.

    Leaving it ends the match if it still runs; so does the garbage collector, if nothing refers to it and to its
    subscriptions any more. Raises LaunchError if the bridge has failed, ClosedError after its end.
    """

    _core: LaunchedConnection

    def __init__(self, launched: LaunchedBridge) -> None:
        super().__init__(launched.connect(LaunchedConnection, blocks=True))
        self._launched = launched
        with suppress(SC2BridgeError):  # Agents may have played the whole match by now.
            self._core.known = self.describe(without_game_info=True, without_data=True)

    @property
    def _connection(self) -> LaunchedConnection:
        return self._core

    def close(self) -> None:  # type: ignore[override]
        """Ends the bridge, and the match where it still runs. Raises LaunchError where the bridge has failed."""
        self._end(None)

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
            self._launched.end(error, self._core.is_over)


class AsyncLaunchedMatch(_Words, LaunchedConnection):
    """As `LaunchedMatch`, for asyncio."""

    @property
    def _connection(self) -> LaunchedConnection:
        return self

    async def _check_lost(self, error: Optional[Exception] = None) -> None:
        # On another thread, because a wait would stop the event loop.
        await asyncio.get_running_loop().run_in_executor(None, self.check_bridge, error)

    async def close(self) -> None:
        """As of `LaunchedMatch`."""
        await self._end(None)

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
            await _to_its_end(self._launched, error, self.is_over)


async def _to_its_end(launched: LaunchedBridge, error: Optional[BaseException], is_over: bool = False) -> None:
    # Also where who waits is cancelled meanwhile.
    await asyncio.shield(asyncio.get_running_loop().run_in_executor(None, launched.end, error, is_over))


def _as(made: Callable[_P, Any], returned: type) -> Callable[[Callable[..., _T]], Callable[_P, _T]]:
    """A function that takes what another one takes."""

    def decorate(function: Callable[..., _T]) -> Callable[_P, _T]:
        signature = inspect.signature(made).replace(return_annotation=returned.__name__)
        function.__signature__ = signature  # type: ignore[attr-defined]
        return function

    return decorate


def page_of(web_address: str) -> str:
    """The address of the live page, from the one of the WebSocket."""
    return web_address.replace("ws", "http", 1).removesuffix("/v1")


def _check_names(given: Iterable[str]) -> None:
    """Raises TypeError for an argument that `launch` does not have."""
    names = list(inspect.signature(LaunchedBridge).parameters)
    for name in given:
        if name not in names:
            near = did_you_mean(name, names) or f"it has {', '.join(names)}"
            raise TypeError(f"launch has no argument {name!r}: {near}")


@_as(LaunchedBridge, LaunchedMatch)
def launch(*args: Any, **kwargs: Any) -> LaunchedMatch:
    """Starts the bridge with a match, and connects to it; use it in a `with` statement, whose end ends both.

    The match begins when `wait` subscribers are there. Ports are chosen by the system.

    map_name, players, rate, steps, seed, game: as `--map`, `--player`, `--rate`, `--steps`, `--seed` and `--game` of `sc2bridge
        match`; what is not given is as there.
    agents: agents that the bridge starts, as `--agent` has them, on this Python.
    wait: subscribers that the match waits for, beside those agents.
    out: a folder for its files and its recording; None for none.
    options: further flags of `sc2bridge match`, such as `["--disable-fog"]`.
    deadline: how many seconds the match waits for a subscriber, and for an agent that the bridge has started, before it goes
        on without it; None for as long as it takes, for example while a notebook's cell is not run.
    executable: the bridge's program; None for SC2BRIDGE_EXECUTABLE of the environment, else `./sc2bridge` of the clone that holds
        this package, which builds the program first if it is missing, else the installed program.
    env: variables of its environment beside this process's own.
    start_timeout: seconds until it must listen; StarCraft II may take minutes. A build in a clone does not count.
    compression, timeouts: as of `connect`.
    Raises LaunchError if it or one of `agents` cannot be started, with what was printed last; TypeError for a wrong argument.
    """
    _check_names(kwargs)
    launched = LaunchedBridge(*args, **kwargs)
    try:
        launched.wait_until_ready()
        return LaunchedMatch(launched)
    except BaseException as error:
        launched.end(error)
        raise


@_as(LaunchedBridge, AsyncLaunchedMatch)
async def alaunch(*args: Any, **kwargs: Any) -> AsyncLaunchedMatch:
    """As `sc2bridge.launch`, for asyncio: `async with await sc2bridge.alaunch(…) as match`."""
    _check_names(kwargs)
    launched = LaunchedBridge(*args, **kwargs)
    try:
        await asyncio.get_running_loop().run_in_executor(None, launched.wait_until_ready)
        match = launched.connect(AsyncLaunchedMatch, blocks=False)
        match._launched = launched
        with suppress(SC2BridgeError):
            match.known = await match.describe(without_game_info=True, without_data=True)
        return match
    except BaseException as error:
        await _to_its_end(launched, error)
        raise
