"""Matches that the native library plays in this process, in place of the bridge of `matches.Matches`."""

from __future__ import annotations

import ctypes
import operator
import threading
import weakref
from collections.abc import Iterable, Iterator
from concurrent.futures import Executor, Future, wait
from typing import Any, Optional

import gymnasium

from sc2bridge._protocol.envelope import Envelope
from sc2bridge.errors import INTERNAL, INVALID_ARGUMENT, BridgeError
from sc2bridge.game.frame import Frame
from sc2bridge.game.match import Match
from sc2bridge.game.queries import Queries
from sc2bridge.game.words import MatchEnd
from sc2bridge.library import load
from sc2bridge.s2clientprotocol import sc2api_pb2
from sc2bridge.v1 import bridge_pb2

_COMPUTER = 2  # sc2api.PlayerType
_DATA = sc2api_pb2.RequestData(ability_id=True, unit_type_id=True, upgrade_id=True, buff_id=True, effect_id=True)
_names_lock = threading.Lock()


class _Frame(ctypes.Structure):
    """sc2bridge_frame of sc2bridge.h."""

    _fields_ = [
        ("columns", ctypes.c_void_p),
        ("length", ctypes.c_int64),
        ("game_loop", ctypes.c_uint32),
        ("is_over", ctypes.c_uint32),
    ]


class NativeMatches:
    """Plays one match after another, like `Matches`. One thread at a time."""

    bridge = None
    """There is no bridge."""

    _named: Optional[Match] = None
    """A match with its names. All matches of this process have the same data, and so share these names."""

    def __init__(self, settings: dict[str, Any]) -> None:
        """settings: see `sc2bridge_match_open` in sc2bridge.h. Raises ValueError if they are wrong, FileNotFoundError or
        RuntimeError without the library."""
        self._settings, self._library = settings, load()
        self._sides = sum(player.startswith("agent:") for player in settings["players"])
        self._handle: Optional[int] = None
        self._open()
        self._acknowledged = 0
        self._lock = threading.RLock()  # The library's answers are valid until the next call.
        self._step: Optional[Future[None]] = None
        self.pool: Optional[Executor] = None
        """Plays the steps, so that several matches can be played at the same time. None for the calling thread."""

    def begin(self, seed: int) -> list[tuple[Any, Frame]]:
        """Begins a match. Returns the `NativeSubscription` and the first frame of each side. Raises BridgeError if the library
        fails."""
        self._wait()
        if self._handle is None:
            self._open()
        self._call("begin", ctypes.c_uint32(seed))
        self._acknowledged = 0
        begun = [NativeSubscription(self, side, self._describe(side, seed)) for side in range(self._sides)]
        return [(frames, next(frames)) for frames in begun]

    def close(self) -> None:
        """Ends the match."""
        try:
            if self._library.is_usable:  # A forked process has no thread that could end the step.
                self._wait()
        except BridgeError:
            pass  # The match has failed.
        with self._lock:
            self._close()
            self._handle = None

    def acknowledge(self, side: int, actions: sc2api_pb2.RequestAction) -> None:
        """Reports that a side is done with its frame, with its actions. Plays a step when all sides are done."""
        if actions.actions:
            message = actions.SerializeToString()
            self._call("act", ctypes.c_int32(side), message, ctypes.c_int64(len(message)))
        self._acknowledged += 1
        if self._acknowledged == self._sides:
            self._acknowledged = 0
            if self.pool is None:
                self._call("step")
            else:
                self._step = self.pool.submit(self._call, "step")

    def frame(self, side: int, number: int) -> tuple[Frame, bool]:
        """The newest frame of a side, and whether the match is over."""
        self._wait()
        found = _Frame()
        with self._lock:
            self._call("frame", ctypes.c_int32(side), ctypes.byref(found))
            columns = ctypes.string_at(found.columns, found.length)
        envelope = Envelope("native", side + 1, number, found.game_loop, payload="columns", content="columns")
        return Frame(envelope, columns, "proto", 0, len(columns)), bool(found.is_over)

    def ask(self, side: int, request: sc2api_pb2.Request) -> sc2api_pb2.Response:
        """Sends the game a request. Raises BridgeError if the game refuses it."""
        message, data, length = request.SerializeToString(), ctypes.c_void_p(), ctypes.c_int64()
        size = ctypes.c_int64(len(message))
        with self._lock:
            self._call("request", ctypes.c_int32(side), message, size, ctypes.byref(data), ctypes.byref(length))
            answer = ctypes.string_at(data, length.value)
        response: sc2api_pb2.Response = sc2api_pb2.Response.FromString(answer)
        if response.error:
            raise BridgeError(INVALID_ARGUMENT, "; ".join(response.error))
        return response

    def _open(self) -> None:
        self._handle = self._library.open(self._settings, "match_open")
        self._close: Any = weakref.finalize(self, self._library.close, self._handle)

    def _wait(self) -> None:
        """Waits for the step that runs. Raises its BridgeError."""
        if self._step is not None:
            wait([self._step])  # If Ctrl-C interrupts this, the next call waits again.
            step, self._step = self._step, None
            step.result()

    def _call(self, name: str, *arguments: Any) -> None:
        self._library.require_process()
        try:
            with self._lock:
                self._library.call(f"match_{name}", ctypes.c_int64(self._handle or 0), *arguments)
        except (RuntimeError, gymnasium.error.ResetNeeded) as error:  # After a failure, there is no match.
            raise BridgeError(INTERNAL, str(error)) from None

    def _describe(self, side: int, seed: int) -> Match:
        info = self.ask(side, sc2api_pb2.Request(game_info=sc2api_pb2.RequestGameInfo())).game_info
        description = bridge_pb2.MatchDescription(
            match_id="native",
            map_name=info.map_name,
            perspectives=range(1, self._sides + 1),
            step_size=self._settings["repeat"],
            seed=seed,
            simulated=True,
            game_info=info,
            data=self._names_for(side).data,
            ping=self.ask(side, sc2api_pb2.Request(ping=sc2api_pb2.RequestPing())).ping,
        )
        for player in info.player_info:
            is_computer = player.type == _COMPUTER
            description.players.add(
                player_id=player.player_id,
                kind=bridge_pb2.PLAYER_KIND_COMPUTER if is_computer else bridge_pb2.PLAYER_KIND_AGENT,
                race=player.race_requested,
                difficulty=sc2api_pb2.Difficulty.Name(player.difficulty) if is_computer else "",
                name=player.player_name,
            )
        match = Match(description, side + 1)
        match.share_names(self._names_for(side))
        return match

    def _names_for(self, side: int) -> Match:
        with _names_lock:
            if NativeMatches._named is None:
                data = self.ask(side, sc2api_pb2.Request(data=_DATA)).data
                named = Match(bridge_pb2.MatchDescription(data=data))
                assert named.abilities and named.unit_types
                NativeMatches._named = named
            return NativeMatches._named


class NativeSubscription(Queries):
    """The methods of `sc2bridge.client.sync.Subscription` that environments use, for one side of `NativeMatches`."""

    def __init__(self, matches: NativeMatches, side: int, match: Match) -> None:
        self._matches, self._side, self.match = matches, side, match
        self._frames = 0
        self._actions = sc2api_pb2.RequestAction()
        self._is_done = True
        self._is_over = False
        self.end: Optional[MatchEnd] = None
        """The match's end and results; None before the end."""

    def __iter__(self) -> Iterator[Frame]:
        return self

    def __next__(self) -> Frame:
        self.done()
        if self._is_over:
            self.end = self.match.end = self._last_end()
            raise StopIteration
        self._newest, self._is_over = self._matches.frame(self._side, self._frames)
        self.match.register_frame(self._newest)
        self._frames, self._is_done = self._frames + 1, False
        return self._newest

    def act(self, actions: Iterable[sc2api_pb2.Action]) -> None:
        """Acts at the start of the next step."""
        self._actions.actions.extend(actions)

    def do(self, action: sc2api_pb2.Action) -> None:
        """Acts at the start of the next step."""
        self.act([action])

    def done(self) -> None:
        """Reports that this side is done with its frame. Raises BridgeError."""
        if self._is_done or self._is_over:
            return
        self._is_done, actions, self._actions = True, self._actions, sc2api_pb2.RequestAction()
        self._matches.acknowledge(self._side, actions)

    def request(self, request: sc2api_pb2.Request) -> sc2api_pb2.Response:
        """Sends a request that does not change the match. Raises BridgeError."""
        return self._matches.ask(self._side, request)

    def _current_match(self) -> Match:
        return self.match

    def _last_end(self) -> MatchEnd:
        results = sorted(self._newest.observation.player_result, key=operator.attrgetter("player_id"))
        return MatchEnd("native", self._newest.step, self._newest.game_loop, "finished", results=results)
