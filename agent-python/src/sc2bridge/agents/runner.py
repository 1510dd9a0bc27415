"""Runs an agent in a match or a series: connects, reconnects with increasing pauses, and prints clear errors."""

from __future__ import annotations

import importlib
import os
import random
import sys
import time
import traceback
from contextlib import closing, suppress
from dataclasses import dataclass, field
from typing import Any, Callable, Iterable, Optional

from sc2bridge._protocol.choices import Compression, Encoding
from sc2bridge._transports.security import Tls
from sc2bridge.agents.agent import Agent
from sc2bridge.agents.lifecycle import Lifecycle
from sc2bridge.agents.stack_watch import StackWatch
from sc2bridge.client.sync import Connection, Subscription, connect
from sc2bridge.errors import FAILED_PRECONDITION, NOT_FOUND, AgentError, BridgeError, ClosedError, ConnectionLostError
from sc2bridge.errors import MalformedMessageError
from sc2bridge.game.actions import require_action
from sc2bridge.game.frame import Frame
from sc2bridge.game.words import MatchEnd
from sc2bridge.printing import report
from sc2bridge.s2clientprotocol import sc2api_pb2

_FIRST_RETRY_PAUSE, _LONGEST_RETRY_PAUSE = 0.1, 5.0
CONNECTION_LOST = 69
"""The exit code of an agent without a bridge: EX_UNAVAILABLE of sysexits.h. Agents' own code rarely ends with it."""


@dataclass
class RunOptions:
    """The arguments of `sc2bridge run`."""

    agent: str
    bridge: str = field(repr=False)  # The address may contain a token.
    encoding: Optional[Encoding] = None
    compression: Optional[Compression] = None
    token: Optional[str] = field(default=None, repr=False)
    tls: Optional[Tls] = None
    retry_seconds: float = 30.0
    """How long to try to connect, from the start or from the loss of the connection."""
    stack_seconds: Optional[float] = None
    """After this time in one step, the step's stack is printed; None for never."""
    subscription: dict[str, Any] = field(default_factory=dict)
    """Arguments of `Connection.subscribe`."""


def load_agent(name: str) -> Agent:
    """Imports `MODULE:CLASS`, also from the current folder, and creates the agent. Raises ValueError, AgentError."""
    module_name, colon, class_name = name.partition(":")
    if not (module_name and colon and class_name):
        raise ValueError(f"agent {name!r}: write MODULE:CLASS, for example sc2bridge.agents:Watcher")
    if os.getcwd() not in sys.path and "" not in sys.path:
        sys.path.insert(0, os.getcwd())
    missing_module = f"agent {name!r}: module {module_name} was not found in the current folder or on PYTHONPATH"
    if module_name.startswith("."):
        raise ValueError(missing_module)
    try:
        module = _call_agent("its module", importlib.import_module, module_name, also_catch=SystemExit)
    except AgentError as failure:
        missing = failure.cause.name if isinstance(failure.cause, ModuleNotFoundError) else None
        if missing is None or not (module_name + ".").startswith(missing + "."):
            raise
        raise ValueError(missing_module) from None
    agent_class = getattr(module, class_name, None)
    if not (isinstance(agent_class, type) and issubclass(agent_class, Agent)):
        raise ValueError(f"agent {name!r}: {module_name} has no class {class_name} that derives from sc2bridge.Agent")
    agent: Agent = _call_agent("__init__", agent_class, also_catch=SystemExit)
    return agent


def _call_agent(
    where: str, code: Callable[..., Any], *arguments: Any, also_catch: type[BaseException] = Exception
) -> Any:
    """Calls the agent's code. Raises AgentError if the code raises an Exception or `also_catch`."""
    try:
        return code(*arguments)
    except (Exception, also_catch) as error:
        raise AgentError(where, error) from error


def run(options: RunOptions) -> int:
    """Runs the agent. Returns the exit code: 0 after the match's end, 1 for a failure, 2 for a wrong command line, and
    CONNECTION_LOST."""
    try:
        agent = load_agent(options.agent)
        with closing(StackWatch(options.stack_seconds)) as watch:
            _Run(agent, options, watch).run_until_end()
    except ValueError as error:
        if isinstance(error, MalformedMessageError):
            return report(1, f"the bridge sent bytes that are not a message: {error}")
        return report(2, str(error))
    except AgentError as failure:
        cause = failure.cause
        traceback.print_exception(type(cause), cause, cause.__traceback__)
        return report(1, f"{options.agent} failed in {failure}")
    except BridgeError as error:
        return report(CONNECTION_LOST if isinstance(error, ConnectionLostError) else 1, str(error))
    except KeyboardInterrupt:
        return 130
    return 0


class _PlaybackPlayer(Subscription):
    """Replaces the `player` of an agent that acts in a playback: checks the agent's actions and drops them."""

    def __init__(self, frames: Subscription) -> None:
        super().__init__(frames._core)
        self._last_request_id = 0

    def act(self, actions: Iterable[sc2api_pb2.Action]) -> int:  # type: ignore[override] # `blocking` hides self.
        for action in actions:
            require_action(action)
        self._last_request_id += 1
        return self._last_request_id

    def do(self, action: sc2api_pb2.Action) -> None:
        require_action(action)


class _Run:
    """Runs an agent in one match, or in all matches of a series."""

    def __init__(self, agent: Agent, options: RunOptions, watch: StackWatch) -> None:
        self._agent = agent
        self._options = options
        self._prepare_match(options.subscription.get("match_id", ""))
        self._connection_lost_time: Optional[float] = None
        self._next_pause = _FIRST_RETRY_PAUSE
        self._has_warned_of_drops = False
        self._watch = watch

    def run_until_end(self) -> None:
        pause = 0.0
        while True:
            try:
                if pause:
                    time.sleep(pause)  # Inside `try`, because Ctrl-C during a pause also ends the match for the agent.
                end, pause = self._run_until_match_end(), 0.0
                if end is None or not end.next_follows:
                    return
                self._prepare_match()
            except ConnectionLostError as error:
                # If a frame has arrived since the previous loss, the time to retry begins now. It does not begin at the
                # last frame, because the agent may have needed more than `retry_seconds` for that frame.
                now = time.monotonic()
                self._connection_lost_time = now if self._connection_lost_time is None else self._connection_lost_time
                seconds_left = self._connection_lost_time + self._options.retry_seconds - now
                if seconds_left <= 0:
                    self._end_aborted(error)
                    raise
                # A random pause, so that the agents of a lost bridge reconnect at different times.
                pause = min(seconds_left, self._next_pause * random.uniform(0.5, 1.0))
                report(0, f"{error.message}; trying again in {pause:.1f} s")
                self._next_pause = min(_LONGEST_RETRY_PAUSE, self._next_pause * 2)
            except (BridgeError, MalformedMessageError) as error:
                has_ended = isinstance(error, BridgeError) and error.code == NOT_FOUND
                if self._connection_lost_time is not None and has_ended:
                    error = ConnectionLostError(f"the match went on without this agent, and ended: {error}")
                self._end_aborted(error)
                raise error
            except KeyboardInterrupt:
                self._end_aborted("interrupted", "stopped")
                raise

    def _prepare_match(self, match_id: str = "") -> None:
        """Prepares for the match `match_id`, or for the next match if `match_id` is empty."""
        self._match_id = match_id
        self._lifecycle = Lifecycle(self._agent, _call_agent)
        self._last_frame: Optional[Frame] = None

    def _run_until_match_end(self) -> Optional[MatchEnd]:
        """Runs the agent until the match ends. Returns the end; None if the agent closed its subscription."""
        options = self._options
        subscription: dict[str, Any] = {**options.subscription, "match_id": self._match_id}
        subscription.update(can_act=self._agent.can_act, priority=self._agent.priority)
        # Calls `subscribe` before `describe`, because the match may wait for its subscribers before it begins.
        with connect(options.bridge, options.encoding, options.compression, options.token, options.tls) as bridge:
            self._agent.bridge = bridge
            try:
                return self._subscribe_and_follow(bridge, subscription)
            except BridgeError as error:
                if not self._agent.can_act or error.code != FAILED_PRECONDITION:
                    raise
                match = bridge.describe(self._match_id, without_game_info=True, without_data=True)
                if not match.recording:
                    raise
            # The default is the perspective of a recorded agent. A bridge also chooses it for an agent that acts.
            agent_ids = (player.player_id for player in match.players if player.kind == "agent")
            if subscription.get("perspective") is None:
                subscription["perspective"] = next((each for each in agent_ids if each in match.perspectives), None)
            return self._subscribe_and_follow(bridge, {**subscription, "can_act": False})

    def _subscribe_and_follow(self, bridge: Connection, subscription: dict[str, Any]) -> Optional[MatchEnd]:
        with bridge.subscribe(**subscription) as frames:
            drops_actions = self._agent.can_act and not subscription["can_act"]
            if drops_actions and not self._has_warned_of_drops:
                name = type(self._agent).__name__
                report(0, f"{name} plays in a recording, which cannot change: its actions are dropped")
                self._has_warned_of_drops = True
            self._agent.player = _PlaybackPlayer(frames) if drops_actions else frames
            with suppress(ClosedError):  # The agent closed its subscription.
                self._follow(frames)
            return frames.end

    def _follow(self, frames: Subscription) -> None:
        for frame in frames:
            self._connection_lost_time = None
            self._next_pause = _FIRST_RETRY_PAUSE
            if self._lifecycle.match is None:
                self._lifecycle.start(frames.describe())
                self._match_id = frame.match_id
                frames.restart_think_time()
            self._last_frame = frame
            with self._watch:
                self._lifecycle.step(frame)
        if frames.end is not None:
            if self._lifecycle.match is None:  # The match ended before its first frame.
                self._lifecycle.start(frames.describe())
            self._lifecycle.end(frames.end)

    def _end_aborted(self, detail: object, reason: str = "failed") -> None:
        """Calls `on_end` with an aborted end, because the bridge will not send the match's end."""
        match, last_frame = self._lifecycle.match, self._last_frame
        if match is None or match.end is not None:
            return
        last_position = (0, 0) if last_frame is None else (last_frame.step, last_frame.game_loop)
        self._lifecycle.end(MatchEnd(match.match_id, *last_position, reason, str(detail), aborted=True))
