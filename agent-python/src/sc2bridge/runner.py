"""Runs an agent through one match: connects, connects again with back-off, and says clearly what went wrong."""

from __future__ import annotations

import importlib
import os
import random
import sys
import time
import traceback
from dataclasses import dataclass, field
from typing import Any, Callable, Optional

from sc2bridge.agent import Agent
from sc2bridge.connection import Connection, Subscription, connect
from sc2bridge.errors import BridgeError, ConnectionLost, MalformedMessage

_FIRST_PAUSE, _LONGEST_PAUSE = 0.1, 5.0


@dataclass
class RunOptions:
    """What `python -m sc2bridge run` was asked for."""

    agent: str
    bridge: str
    encoding: Optional[str] = None
    compression: Optional[str] = None
    retry_seconds: float = 30.0
    """How long to look for a bridge, from the start or from when it was lost."""
    subscription: dict[str, Any] = field(default_factory=dict)
    """Arguments of `Connection.subscribe`."""


class AgentFailed(Exception):
    """The agent's own code raised `cause`; `where` says in which method."""

    def __init__(self, where: str, cause: BaseException) -> None:
        super().__init__(where)
        self.where = where
        self.cause = cause


def load_agent(name: str) -> Agent:
    """Makes the agent `MODULE:CLASS`; modules in the working directory are found. Raises ValueError, AgentFailed."""
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
    except AgentFailed as failure:
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
    """Runs code of the agent's author; raises AgentFailed for an exception of it, and for `also`."""
    try:
        return code(*arguments)
    except (Exception, also) as error:
        raise AgentFailed(where, error) from error


def run(options: RunOptions) -> int:
    """Runs the agent and returns the exit code: 0 after the match's end, 1 for a failure, 2 for a wrong command."""
    try:
        agent = load_agent(options.agent)
        _Run(agent, options).until_end()
    except ValueError as error:
        if isinstance(error, MalformedMessage):
            return _say(1, f"the bridge sent what is no message: {error}")
        return _say(2, str(error))
    except AgentFailed as failure:
        cause = failure.cause
        traceback.print_exception(type(cause), cause, cause.__traceback__)
        return _say(1, f"{options.agent} failed in {failure.where}: {type(cause).__name__}: {cause}")
    except BridgeError as error:
        return _say(1, str(error))
    except KeyboardInterrupt:
        return 130
    return 0


def _say(code: int, line: str) -> int:
    print(f"sc2bridge: {line}", file=sys.stderr, flush=True)
    return code


class _Run:
    def __init__(self, agent: Agent, options: RunOptions) -> None:
        self._agent = agent
        self._options = options
        self._match: Optional[str] = None
        self._lost_at: Optional[float] = None
        self._pause = _FIRST_PAUSE

    def until_end(self) -> None:
        while True:
            try:
                self._once()
                return
            except ConnectionLost as error:
                # From now on where frames came: an agent may have thought for longer than that over the last.
                now = time.monotonic()
                self._lost_at = now if self._lost_at is None else self._lost_at
                left = self._lost_at + self._options.retry_seconds - now
                if left <= 0:
                    raise
                # Full jitter: agents that lost one bridge do not come back all at once.
                pause = min(left, self._pause * random.uniform(0.5, 1.0))
                _say(0, f"{error.message}; trying again in {pause:.1f} s")
                time.sleep(pause)
                self._pause = min(_LONGEST_PAUSE, self._pause * 2)

    def _once(self) -> None:
        options = self._options
        wanted: dict[str, Any] = {**options.subscription, "match": self._match or options.subscription.get("match", "")}
        wanted.update(plays=self._agent.plays, priority=self._agent.priority)
        # Subscribed first, so that a match which waits for its subscribers can begin.
        with connect(options.bridge, options.encoding, options.compression) as bridge:
            self._agent.bridge = bridge
            with bridge.subscribe(**wanted) as frames:
                self._agent.player = frames
                self._hear(bridge, frames)

    def _hear(self, bridge: Connection, frames: Subscription) -> None:
        for frame in frames:
            self._listening()
            if self._match is None:
                self._start(bridge, frame.match)
                frames.begin_again()
            _of_the_agent(f"on_step at step {frame.step}", self._agent.on_step, frame)
        if frames.end is not None:
            if self._match is None:
                self._start(bridge, frames.end.match)
            _of_the_agent("on_end", self._agent.on_end, frames.end)

    def _start(self, bridge: Connection, match: str) -> None:
        # By the name that came with the first frame: the match may have ended by now, or another begun.
        description = bridge.describe(match)
        self._match = description.match
        _of_the_agent("on_start", self._agent.on_start, description)

    def _listening(self) -> None:
        self._lost_at = None
        self._pause = _FIRST_PAUSE
