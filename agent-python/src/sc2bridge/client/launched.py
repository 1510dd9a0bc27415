"""The bridge of a launched match: its process, the folder of its files, and the connection to it."""

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
from sc2bridge.game.words import MatchEnd, number
from sc2bridge.hints import refuse_text
from sc2bridge.s2clientprotocol import sc2api_pb2
from sc2bridge.v1 import bridge_pb2

_B = TypeVar("_B", bound=aio.BaseConnection)
_C = TypeVar("_C", bound="LaunchedConnection")

_ENDING = 30.0
"""Seconds that a bridge whose match is over may take to close its files and end."""

_LEAVING = 5.0
"""Seconds that the process of a lost bridge may take to end."""

_NO_DEADLINE = 86400.0
"""Seconds: the longest that the bridge takes as a deadline."""

_GLANCE = 0.05
"""Seconds between two looks at the agents that the bridge starts."""

_DEADLINES = ("--lockstep-deadline", "--pause-deadline", "--agent-timeout")


class LaunchedBridge:
    """The constructor starts the bridge. Raises LaunchError, TypeError for a wrong argument."""

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
        self._turn = threading.Lock()
        self._has_ended = False
        self._end: Optional[MatchEnd] = None
        for name, given in (("players", players), ("agents", agents), ("options", options)):
            refuse_text(name, given)
        players, agents, options = list(players), list(agents), list(options)
        self._agents = len(agents)
        program = find_executable(executable)
        words = ["match", "--json", "-", "--stop-at-input-end", "--grpc", "127.0.0.1:0", "--web", "127.0.0.1:0"]
        words += ["--rate", str(rate), "--wait", str(wait), "--python", sys.executable]
        for flag, value in (("--map", map_name), ("--steps", steps), ("--seed", seed)):
            words += [] if value is None else [flag, str(value)]
        for flag, values in (("--player", players), ("--agent", agents)):
            words += [word for each in values for word in (flag, each)]
        named = {each.partition("=")[0] for each in options}
        words += [] if "--attach" in named else ["--game", game]
        words += [] if agents else ["--no-agents"]
        # A file in the current folder is for people, who see that it is read.
        words += [] if named & {"--config", "--no-config"} else ["--no-config"]
        # Who starts both sides is kept from neither.
        words += ["--open-perspectives"] if sum(not each.startswith("computer:") for each in players) > 1 else []
        self._waits_for_ever = deadline is None and rate != "realtime" and "--lockstep-deadline" not in named
        for flag in _DEADLINES:
            words += [] if flag in named else [flag, f"{_NO_DEADLINE if deadline is None else deadline:.12g}"]
        self._temporary = None if out else tempfile.mkdtemp(prefix="sc2bridge-")
        self._files = pathlib.Path(out or f"{self._temporary}/match")
        words += ["--out", out] if out else ["--out", str(self._files), "--no-recording", "--codec-log", "off"]
        try:
            self.process = BridgeProcess(program, words + options, env)
        except BaseException:
            self._remove_files()
            raise

    def wait_until_ready(self) -> None:
        """Waits until it listens, and until the agents that it starts have subscribed. Raises LaunchError."""
        self.process.wait_until_ready(self._start_timeout)
        if self._agents:
            with sync.BaseConnection(self._open(aio.BaseConnection, blocks=True)) as bridge:
                self._wait_for_agents(bridge)

    def _wait_for_agents(self, bridge: sync.BaseConnection) -> None:
        late = time.monotonic() + self._start_timeout
        try:
            while _agents_of(bridge.status()) < self._agents and not self.process.has_ended(_GLANCE):
                if time.monotonic() > late:
                    raise LaunchError(
                        f"the agents did not subscribe within {self._start_timeout:g} s: {self.process.last_words()}"
                    )
        except BridgeError:
            if not self.process.has_ended(_ENDING):
                raise
        if self.process.failed:  # Else the agents may have played the whole match.
            raise LaunchError(self.process.how_it_ended())

    def connect(self, make: type[_C], blocks: bool) -> _C:
        """The match's own connection, once it listens. If nothing refers to it any more, the bridge is ended."""
        core = self._open(make, blocks)
        core.launched, core.waits_for_ever = self, self._waits_for_ever
        self._guard = Guard(core, "a match that launch() started", self.process.stop, self._end_now)
        return core

    def _open(self, make: type[_B], blocks: bool) -> _B:
        address = f"grpc://{self.process.grpc}"
        return make(address, None, self._compression, token="", tls=None, timeouts=self._timeouts, blocks=blocks)

    def end(self, error: Optional[BaseException], is_over: bool = False) -> None:
        """Ends the bridge. Raises LaunchError if it has failed, unless the error has nothing to do with that.

        is_over: its last match has ended, so it ends by itself.
        """
        with self._turn:
            if self._has_ended:
                return
            self._has_ended = True
            if self._guard is not None:
                self._guard.release()
            try:
                failed = self.process.end(_ENDING if is_over or isinstance(error, ConnectionLostError) else 0)
            finally:
                self.end_of_summary()
                self._remove_files()
        if failed is not None and (error is None or isinstance(error, BridgeError)):
            raise LaunchError(failed) from error

    def end_of_summary(self) -> Optional[MatchEnd]:
        """The end of the match by the bridge's summary, which the bridge writes before it ends; None without a summary."""
        if self._end is not None:
            return self._end
        with suppress(OSError, ValueError, KeyError):  # KeyError: of a series, which has many ends.
            summary = json.loads((self._files / "summary.json").read_bytes())
            results = [
                sc2api_pb2.PlayerResult(player_id=int(player), result=sc2api_pb2.Result.Value(result))
                for player, result in summary["results"].items()
            ]
            at = (summary["match"], max(summary["figures"]["steps"] - 1, 0), summary["last_game_loop"])
            reason = summary["ended"] if number(bridge_pb2.EndReason, summary["ended"]) else ""
            self._end = MatchEnd(*at, reason, summary["ended"], results, summary.get("aborted", False))
        return self._end

    def _end_now(self) -> None:
        self.end(RuntimeError("the match was not closed"))

    def _remove_files(self) -> None:
        if self._temporary is not None:
            shutil.rmtree(self._temporary, ignore_errors=True)


def _agents_of(status: bridge_pb2.StatusResponse) -> int:
    """How many agents have subscribed. Parts of the bridge, such as its step log, do not count."""
    return sum(not each.internal for each in status.subscribers)


class LaunchedConnection(aio.BaseConnection):
    """The connection to a launched bridge."""

    _closed_text = "this match was closed: launch another one"

    launched: LaunchedBridge
    known: Optional[Match] = None
    """The match without its large tables."""

    @property
    def known_end(self) -> Optional[MatchEnd]:
        """The end that a subscription received, else the end by the bridge's summary."""
        return self.last_end or self.launched.end_of_summary()

    @property
    def result_of_end(self) -> Optional[str]:
        """`result` of a launched match."""
        if self.known_end is None or self.known is None:
            return None
        player = next((each.player_id for each in self.known.players if each.kind == "agent"), 1)
        match = Match(self.known.description, player)
        match.end = self.known_end
        return match.result

    async def _check_lost(self, error: Optional[Exception] = None) -> None:
        self.check_bridge(error)

    def check_bridge(self, error: Optional[Exception]) -> None:
        """Raises a clearer error than this one, if the match has ended or the bridge is gone; may wait for the bridge's end."""
        is_gone = isinstance(error, ConnectionLostError) and self.launched.process.has_ended(_LEAVING)
        if is_gone or self.is_over and (error is None or isinstance(error, BridgeError)):
            raise self._ended() from error

    def _ended(self) -> SC2BridgeError:
        if self.launched.process.failed:
            return LaunchError(self.launched.process.how_it_ended())
        how = self.result_of_end or self.known_end or "its bridge is gone"
        return ClosedError(f"this match has ended ({how}): start another one with sc2bridge.launch")
