"""The bridge of a launched match: its process, the folder for its files, and the connection to the bridge."""

from __future__ import annotations

import json
import pathlib
import shutil
import sys
import tempfile
import threading
import time
from collections.abc import Iterable, Mapping
from contextlib import suppress
from typing import Optional, TypeVar, Union

from sc2bridge._protocol.choices import Compression
from sc2bridge._transports.transport import Timeouts
from sc2bridge.client import aio, sync
from sc2bridge.client.guard import Guard
from sc2bridge.client.process import BridgeProcess, find_executable
from sc2bridge.errors import BridgeError, ClosedError, ConnectionLostError, LaunchError, SC2BridgeError
from sc2bridge.game.match import Match
from sc2bridge.game.words import MatchEnd, enum_value
from sc2bridge.hints import require_no_string
from sc2bridge.s2clientprotocol import sc2api_pb2
from sc2bridge.v1 import bridge_pb2

_B = TypeVar("_B", bound=aio.BaseConnection)
_C = TypeVar("_C", bound="LaunchedConnection")

_END_TIMEOUT = 30.0
"""After its match, a bridge must close its files and exit within this number of seconds."""

_EXIT_TIMEOUT = 5.0
"""How many seconds to wait for the exit of a bridge's process after the connection to the bridge was lost."""

_LONGEST_DEADLINE = 86400.0
"""The longest deadline that the bridge accepts, in seconds."""

_POLL_INTERVAL = 0.05
"""Seconds between two checks whether the agents of the bridge have subscribed."""

_DEADLINE_OPTIONS = ("--lockstep-deadline", "--pause-deadline", "--agent-timeout")


class LaunchedBridge:
    """A bridge that the constructor starts with a match. Raises LaunchError, or TypeError for a wrong argument."""

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
        deadline: Optional[float] = None,
        executable: Optional[str] = None,
        env: Mapping[str, str] = {},
        start_timeout: float = 300.0,
        compression: Optional[Compression] = None,
        timeouts: Timeouts = Timeouts(),
    ) -> None:
        self._start_timeout, self._compression, self._timeouts = start_timeout, compression, timeouts
        self._guard: Optional[Guard] = None
        self._end_lock = threading.Lock()
        self._has_ended = False
        self._end_in_summary: Optional[MatchEnd] = None
        for name, given in (("players", players), ("agents", agents), ("options", options)):
            require_no_string(name, given)
        players, agents, options = list(players), list(agents), list(options)
        self._agent_count = len(agents)
        program = find_executable(executable)
        arguments = ["match", "--json", "-", "--stop-at-input-end", "--grpc", "127.0.0.1:0", "--web", "127.0.0.1:0"]
        arguments += ["--rate", str(rate), "--wait", str(wait), "--python", sys.executable]
        for option, value in (("--map", map_name), ("--steps", steps), ("--seed", seed)):
            arguments += [] if value is None else [option, str(value)]
        for option, values in (("--player", players), ("--agent", agents)):
            arguments += [word for item in values for word in (option, item)]
        given_options = {item.partition("=")[0] for item in options}
        arguments += [] if "--attach" in given_options else ["--game", game]
        arguments += [] if agents else ["--no-agents"]
        # A settings file in the current folder is for the command line, so `launch` ignores this file.
        arguments += [] if given_options & {"--config", "--no-config"} else ["--no-config"]
        # The caller starts both sides, so the caller's connection may see both sides.
        arguments += ["--open-perspectives"] if sum(not item.startswith("computer:") for item in players) > 1 else []
        self._match_waits_long = deadline is None and rate != "realtime" and "--lockstep-deadline" not in given_options
        for option in _DEADLINE_OPTIONS:
            if option not in given_options:
                arguments += [option, f"{_LONGEST_DEADLINE if deadline is None else deadline:.12g}"]
        self._temporary_folder = None if out else tempfile.mkdtemp(prefix="sc2bridge-")
        self._match_folder = pathlib.Path(out or f"{self._temporary_folder}/match")
        arguments += ["--out", out or str(self._match_folder)]
        arguments += [] if out else ["--no-recording", "--codec-log", "off"]
        try:
            self.process = BridgeProcess(program, arguments + options, env)
        except BaseException:
            self._remove_files()
            raise

    def wait_until_ready(self) -> None:
        """Waits until the bridge listens and all its agents have subscribed. Raises LaunchError."""
        self.process.wait_until_ready(self._start_timeout)
        if self._agent_count:
            with sync.BaseConnection(self._create_connection(aio.BaseConnection, is_blocking=True)) as bridge:
                self._wait_for_agents(bridge)

    def _wait_for_agents(self, bridge: sync.BaseConnection) -> None:
        deadline_time = time.monotonic() + self._start_timeout
        try:
            while _count_subscribers(bridge.status()) < self._agent_count:
                if self.process.has_ended(_POLL_INTERVAL):
                    break
                if time.monotonic() > deadline_time:
                    raise LaunchError(
                        f"the agents did not subscribe within {self._start_timeout:g} s: {self.process.last_output()}"
                    )
        except BridgeError:
            if not self.process.has_ended(_END_TIMEOUT):
                raise
        # If the bridge ended without a failure, the agents may have played the whole match.
        if self.process.has_failed:
            raise LaunchError(self.process.exit_report())

    def connect(self, connection_class: type[_C], is_blocking: bool) -> _C:
        """Connects. Call `wait_until_ready` first. If the connection is garbage-collected, the bridge ends."""
        core = self._create_connection(connection_class, is_blocking)
        core.launched, core.match_waits_long = self, self._match_waits_long
        self._guard = Guard(core, "a match that launch() started", self.process.stop, self._end_unclosed)
        return core

    def _create_connection(self, connection_class: type[_B], is_blocking: bool) -> _B:
        address = f"grpc://{self.process.grpc}"
        return connection_class(
            address, None, self._compression, token="", tls=None, timeouts=self._timeouts, is_blocking=is_blocking
        )

    def end(self, error: Optional[BaseException], bridge_exits_itself: bool = False) -> None:
        """Ends the bridge. Raises LaunchError if the bridge has failed and `error` is None or a BridgeError.

        error: the exception that the caller's code raised; None if it raised no exception.
        bridge_exits_itself: whether the bridge exits by itself, because no other match follows.
        """
        with self._end_lock:
            if self._has_ended:
                return
            self._has_ended = True
            if self._guard is not None:
                self._guard.release()
            try:
                wait_seconds = _END_TIMEOUT if bridge_exits_itself or isinstance(error, ConnectionLostError) else 0
                failure = self.process.end(wait_seconds)
            finally:
                self.read_end()
                self._remove_files()
        if failure is not None and (error is None or isinstance(error, BridgeError)):
            raise LaunchError(failure) from error

    def read_end(self) -> Optional[MatchEnd]:
        """Reads the match's end from summary.json, which the bridge writes before it exits; None without this file."""
        if self._end_in_summary is not None:
            return self._end_in_summary
        with suppress(OSError, ValueError, KeyError):  # KeyError: the summary of a series lacks these keys.
            summary = json.loads((self._match_folder / "summary.json").read_bytes())
            results = [
                sc2api_pb2.PlayerResult(player_id=int(player), result=sc2api_pb2.Result.Value(result))
                for player, result in summary["results"].items()
            ]
            last_position = max(summary["figures"]["steps"] - 1, 0), summary["last_game_loop"]
            match_id, ended, aborted = summary["match"], summary["ended"], summary.get("aborted", False)
            reason = ended if enum_value(bridge_pb2.EndReason, ended) else ""
            self._end_in_summary = MatchEnd(match_id, *last_position, reason, ended, results, aborted)
        return self._end_in_summary

    def _end_unclosed(self) -> None:
        self.end(RuntimeError("the match was not closed"))

    def _remove_files(self) -> None:
        if self._temporary_folder is not None:
            shutil.rmtree(self._temporary_folder, ignore_errors=True)


def _count_subscribers(status: bridge_pb2.StatusResponse) -> int:
    """The number of subscribers, without the bridge's own ones, such as the step log."""
    return sum(not item.internal for item in status.subscribers)


class LaunchedConnection(aio.BaseConnection):
    """The connection to the bridge of a launched match. Its errors describe how the match or the bridge ended."""

    _closed_text = "this match was closed: start another one with sc2bridge.launch"

    launched: LaunchedBridge
    known_match: Optional[Match] = None
    """The match's description without game info and data; None if the match ended before it was described."""

    @property
    def known_end(self) -> Optional[MatchEnd]:
        """The end of the match that a subscription received, or else the end in the bridge's summary."""
        return self.last_end or self.launched.read_end()

    @property
    def known_result(self) -> Optional[str]:
        """See `LaunchedMatch.result`."""
        if self.known_end is None or self.known_match is None:
            return None
        player = next((item.player_id for item in self.known_match.players if item.kind == "agent"), 1)
        match = Match(self.known_match.description, player)
        match.end = self.known_end
        return match.result

    async def _raise_if_ended(self, error: Optional[Exception] = None) -> None:
        self.raise_if_ended(error)

    def raise_if_ended(self, error: Optional[Exception]) -> None:
        """Raises a clearer error than `error` if the match or the bridge has ended. May wait for the bridge's exit."""
        bridge_has_exited = isinstance(error, ConnectionLostError) and self.launched.process.has_ended(_EXIT_TIMEOUT)
        if bridge_has_exited or self.all_matches_ended and (error is None or isinstance(error, BridgeError)):
            raise self._ended_error() from error

    def _ended_error(self) -> SC2BridgeError:
        if self.launched.process.has_failed:
            return LaunchError(self.launched.process.exit_report())
        how_it_ended = self.known_result or self.known_end or "its bridge has ended"
        return ClosedError(f"this match has ended ({how_it_ended}): start another one with sc2bridge.launch")
