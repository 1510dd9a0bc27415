"""Runs an agent through a match, or a series: connects, connects again with back-off, and says clearly what went
wrong."""

from __future__ import annotations

import importlib
import os
import random
import sys
import time
import traceback
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any, Callable, Optional

from sc2bridge._protocol.choices import Compression, Encoding
from sc2bridge._transports.security import Tls
from sc2bridge.agents.agent import Agent
from sc2bridge.agents.lifecycle import Lifecycle
from sc2bridge.client.sync import Subscription, connect
from sc2bridge.errors import AgentError, BridgeError, ClosedError, ConnectionLostError, MalformedMessageError
from sc2bridge.game.frame import Frame
from sc2bridge.game.words import MatchEnd
from sc2bridge.printing import say

_FIRST_PAUSE, _LONGEST_PAUSE = 0.1, 5.0


@dataclass
class RunOptions:
    """The arguments of `sc2bridge run`."""

    agent: str
    bridge: str = field(repr=False)  # It may hold a token.
    encoding: Optional[Encoding] = None
    compression: Optional[Compression] = None
    token: Optional[str] = field(default=None, repr=False)
    tls: Optional[Tls] = None
    retry_seconds: float = 30.0
    """How long to look for a bridge, from the start or from when it was lost."""
    subscription: dict[str, Any] = field(default_factory=dict)
    """Arguments of `Connection.subscribe`."""


def load_agent(name: str) -> Agent:
    """Makes the agent `MODULE:CLASS`; modules in the working directory are found. Raises ValueError, AgentError."""
    module_name, colon, class_name = name.partition(":")
    if not (module_name and colon and class_name):
        raise ValueError(f"agent {name!r}: name it MODULE:CLASS, for example sc2bridge.agents:Watcher")
    if os.getcwd() not in sys.path and "" not in sys.path:
        sys.path.insert(0, os.getcwd())
    absent = f"agent {name!r}: there is no module {module_name} here or on PYTHONPATH"
    if module_name.startswith("."):
        raise ValueError(absent)
    try:
        module = _of_the_agent("its module", importlib.import_module, module_name, also=SystemExit)
    except AgentError as failure:
        missing = failure.cause.name if isinstance(failure.cause, ModuleNotFoundError) else None
        if missing is None or not (module_name + ".").startswith(missing + "."):
            raise
        raise ValueError(absent) from None
    kind = getattr(module, class_name, None)
    if not (isinstance(kind, type) and issubclass(kind, Agent)):
        raise ValueError(f"agent {name!r}: {module_name} has no class {class_name} that derives from sc2bridge.Agent")
    agent: Agent = _of_the_agent("__init__", kind, also=SystemExit)
    return agent


def _of_the_agent(where: str, code: Callable[..., Any], *arguments: Any, also: type[BaseException] = Exception) -> Any:
    """Runs code of the agent's author; raises AgentError for an exception of it, and for `also`."""
    try:
        return code(*arguments)
    except (Exception, also) as error:
        raise AgentError(where, error) from error


def run(options: RunOptions) -> int:
    """Runs the agent and returns the exit code: 0 after the match's end, 1 for a failure, 2 for a wrong command."""
    try:
        agent = load_agent(options.agent)
        _Run(agent, options).until_end()
    except ValueError as error:
        if isinstance(error, MalformedMessageError):
            return say(1, f"the bridge sent bytes that are not a message: {error}")
        return say(2, str(error))
    except AgentError as failure:
        cause = failure.cause
        traceback.print_exception(type(cause), cause, cause.__traceback__)
        return say(1, f"{options.agent} failed in {failure}")
    except BridgeError as error:
        return say(1, str(error))
    except KeyboardInterrupt:
        return 130
    return 0


class _Run:
    """An agent's way through one match, or through all of a series."""

    def __init__(self, agent: Agent, options: RunOptions) -> None:
        self._agent = agent
        self._options = options
        self._begin(options.subscription.get("match_id", ""))
        self._lost_at: Optional[float] = None
        self._pause = _FIRST_PAUSE

    def until_end(self) -> None:
        pause = 0.0
        while True:
            try:
                if pause:
                    time.sleep(pause)  # Here, because Ctrl-C in a pause ends the match for the agent too.
                end, pause = self._once(), 0.0
                if end is None or not end.next_follows:
                    return
                self._begin()
            except ConnectionLostError as error:
                # From now on where frames came: an agent may have thought for longer than that over the last.
                now = time.monotonic()
                self._lost_at = now if self._lost_at is None else self._lost_at
                left = self._lost_at + self._options.retry_seconds - now
                if left <= 0:
                    self._abort(error)
                    raise
                # Full jitter: agents that lost one bridge do not come back all at once.
                pause = min(left, self._pause * random.uniform(0.5, 1.0))
                say(0, f"{error.message}; trying again in {pause:.1f} s")
                self._pause = min(_LONGEST_PAUSE, self._pause * 2)
            except (BridgeError, MalformedMessageError) as error:
                self._abort(error)
                raise
            except KeyboardInterrupt:
                self._abort("interrupted", "stopped")
                raise

    def _begin(self, match_id: str = "") -> None:
        """A certain match, or the next that there is."""
        self._match_id = match_id
        self._life = Lifecycle(self._agent, _of_the_agent)
        self._last: Optional[Frame] = None

    def _once(self) -> Optional[MatchEnd]:
        """Follows a match to its end, from where it is."""
        options = self._options
        subscription: dict[str, Any] = {**options.subscription, "match_id": self._match_id}
        subscription.update(can_act=self._agent.can_act, priority=self._agent.priority)
        # Subscribed first, so that a match which waits for its subscribers can begin.
        with connect(options.bridge, options.encoding, options.compression, options.token, options.tls) as bridge:
            self._agent.bridge = bridge
            with bridge.subscribe(**subscription) as frames:
                self._agent.player = frames
                with suppress(ClosedError):  # The agent itself closed it.
                    self._follow(frames)
                return frames.end

    def _follow(self, frames: Subscription) -> None:
        for frame in frames:
            self._lost_at = None
            self._pause = _FIRST_PAUSE
            if self._life.match is None:
                self._life.start(frames.describe())
                self._match_id = frame.match_id
                frames.begin_again()
            self._last = frame
            self._life.step(frame)
        if frames.end is not None:
            if self._life.match is None:  # It ended before its first frame.
                self._life.start(frames.describe())
            self._life.end(frames.end)

    def _abort(self, detail: object, reason: str = "failed") -> None:
        """The agent is notified that no end will come."""
        match, last = self._life.match, self._last
        if match is None or match.end is not None:
            return
        at = (0, 0) if last is None else (last.step, last.game_loop)
        self._life.end(MatchEnd(match.match_id, *at, reason, str(detail), aborted=True))
