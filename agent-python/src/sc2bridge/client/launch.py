"""`launch` starts a bridge with a match for a script or a notebook, connects to the bridge, and ends it."""

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

_PLAYBACK_METHODS = ("pause", "resume", "step", "seek", "set_rate", "playback")


class _LaunchedInfo:
    """The properties that both forms of a launched match have."""

    _launched: LaunchedBridge

    @property
    def _connection(self) -> LaunchedConnection:
        raise NotImplementedError

    @property
    def map_name(self) -> str:
        """The map's name in the game."""
        return self._require_match().map_name

    @property
    def players(self) -> list[MatchPlayer]:
        """The players. Their `kind` and `race` are text."""
        return self._require_match().players

    @property
    def end(self) -> Optional[MatchEnd]:
        """The end of the match. None until a subscription has received the end, or the bridge has ended."""
        return self._connection.known_end

    @property
    def result(self) -> Optional[str]:
        """`victory`, `defeat`, `tie` or `undecided` for the first player that an agent plays; for player 1 if there is
        no such player. None before the end, and if the match has no result."""
        return self._connection.known_result

    def _require_match(self) -> Match:
        known_match = self._connection.known_match
        if known_match is None:
            raise ValueError(
                "the match is unknown, because it ended before launch() returned: start another one with wait=1 or more"
            )
        return known_match

    @property
    def lines(self) -> list[str]:
        """The last lines of text that the bridge and its agents printed. The logger `sc2bridge.launch` gets all
        lines."""
        return list(self._launched.process.lines)

    @property
    def web_address(self) -> str:
        """The address of the bridge's WebSocket, for more agents: `ws://HOST:PORT/v1`. The live page is at
        `http://HOST:PORT`."""
        return self._launched.process.web

    def __repr__(self) -> str:
        known_match = self._connection.known_match
        map_text = f" on {known_match.map_name}" if known_match is not None else ""
        end_text = f", {self.result or self.end}" if self.end is not None else ""
        return printable(f"<{type(self).__name__}{map_text} at {self.web_address}{end_text}>")

    def _repr_html_(self) -> str:
        shown, page = html.escape(repr(self)), html.escape(live_page_of(self.web_address))
        return f'{shown} <a href="{page}/" target="_blank">live page</a>'

    if not TYPE_CHECKING:

        def __getattr__(self, name: str) -> Any:
            if name in _PLAYBACK_METHODS:
                raise AttributeError(
                    f"a launched match has no {name!r}, because it is not a playback of a recording: to step"
                    " the match, subscribe with the policy 'lockstep' and ask for the next frame"
                )
            raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}")


class LaunchedMatch(_LaunchedInfo, sync.BaseConnection):
    """A connection to the bridge that `launch` started. Closing it ends the bridge.

    A running match ends at the end of the `with` block, or after this object and its subscriptions are
    garbage-collected. Each method that asks the bridge raises LaunchError if the bridge has failed, and ClosedError
    after the match has ended or was closed.
    """

    _core: LaunchedConnection

    def __init__(self, launched: LaunchedBridge) -> None:
        super().__init__(launched.connect(LaunchedConnection, is_blocking=True))
        self._launched = launched
        with suppress(SC2BridgeError):  # The agents may have played the whole match already.
            self._core.known_match = self.describe(without_game_info=True, without_data=True)

    @property
    def _connection(self) -> LaunchedConnection:
        return self._core

    def close(self) -> None:  # type: ignore[override]
        """Ends the bridge, and the match if it still runs. Raises LaunchError if the bridge has failed."""
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
            self._launched.end(error, self._core.all_matches_ended)


class AsyncLaunchedMatch(_LaunchedInfo, LaunchedConnection):
    """Like `LaunchedMatch`, for asyncio."""

    @property
    def _connection(self) -> LaunchedConnection:
        return self

    async def _raise_if_ended(self, error: Optional[Exception] = None) -> None:
        # `raise_if_ended` may wait, so it runs on another thread and does not block the event loop.
        await asyncio.get_running_loop().run_in_executor(None, self.raise_if_ended, error)

    async def close(self) -> None:
        """Like `LaunchedMatch.close`."""
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
            await _end_in_executor(self._launched, error, self.all_matches_ended)


async def _end_in_executor(
    launched: LaunchedBridge, error: Optional[BaseException], bridge_exits_itself: bool = False
) -> None:
    # If the caller is cancelled, `shield` lets `launched.end` continue.
    await asyncio.shield(asyncio.get_running_loop().run_in_executor(None, launched.end, error, bridge_exits_itself))


def _with_signature_of(
    signature_source: Callable[_P, Any], returned_class: type
) -> Callable[[Callable[..., _T]], Callable[_P, _T]]:
    """Returns a decorator that gives functions the parameters of `signature_source` and the result `returned_class`."""

    def decorate(function: Callable[..., _T]) -> Callable[_P, _T]:
        signature = inspect.signature(signature_source).replace(return_annotation=returned_class.__name__)
        function.__signature__ = signature  # type: ignore[attr-defined]
        return function

    return decorate


def live_page_of(web_address: str) -> str:
    """Returns the address of a bridge's live page. web_address: the address of the bridge's WebSocket."""
    return web_address.replace("ws", "http", 1).removesuffix("/v1")


def _check_argument_names(given: Iterable[str]) -> None:
    names = list(inspect.signature(LaunchedBridge).parameters)
    for name in given:
        if name not in names:
            hint = did_you_mean(name, names) or f"it has {', '.join(names)}"
            raise TypeError(f"launch has no argument {name!r}: {hint}")


@_with_signature_of(LaunchedBridge, LaunchedMatch)
def launch(*args: Any, **kwargs: Any) -> LaunchedMatch:
    """Starts a bridge with a match, and connects to the bridge. The `with` statement ends both.

    The match begins when all `agents` are connected, and in addition the number of subscribers that `wait` gives. The
    system chooses the bridge's ports.

    map_name, players, rate, steps, seed, game: like `--map`, `--player`, `--rate`, `--steps`, `--seed` and `--game` of
        `sc2bridge match`, with the same defaults.
    agents: agents that the bridge starts with this Python, each in the form of the option `--agent`.
    wait: the number of subscribers that the match waits for, in addition to `agents`.
    out: a folder for the files of the match and its recording; None to keep no files.
    options: more options of `sc2bridge match`, such as `["--disable-fog"]`.
    deadline: how many seconds the match waits for a subscriber, or for an agent that the bridge has started. Then the
        match continues without that program. None for one day, the longest limit, as notebooks may pause between cells.
    executable: the bridge's program. None for the first that exists: SC2BRIDGE_EXECUTABLE in the environment;
        `./sc2bridge` in a clone that contains this package (builds the program if needed); the installed program.
    env: environment variables for the bridge, in addition to those of this process.
    start_timeout: the limit in seconds for each of two waits: until the bridge listens, and then until `agents` have
        subscribed. StarCraft II may take minutes to start. The time to build the program in a clone does not count.
    compression, timeouts: the arguments of `connect`.
    Raises LaunchError, with the last printed lines, if the bridge or one of `agents` cannot be started. Raises
    TypeError for a wrong argument.
    """
    _check_argument_names(kwargs)
    launched = LaunchedBridge(*args, **kwargs)
    try:
        launched.wait_until_ready()
        return LaunchedMatch(launched)
    except BaseException as error:
        launched.end(error)
        raise


@_with_signature_of(LaunchedBridge, AsyncLaunchedMatch)
async def alaunch(*args: Any, **kwargs: Any) -> AsyncLaunchedMatch:
    """Like `sc2bridge.launch`, for asyncio: `async with await sc2bridge.alaunch(…) as match`."""
    _check_argument_names(kwargs)
    launched = LaunchedBridge(*args, **kwargs)
    try:
        await asyncio.get_running_loop().run_in_executor(None, launched.wait_until_ready)
        match = launched.connect(AsyncLaunchedMatch, is_blocking=False)
        match._launched = launched
        with suppress(SC2BridgeError):
            match.known_match = await match.describe(without_game_info=True, without_data=True)
        return match
    except BaseException as error:
        await _end_in_executor(launched, error)
        raise
