"""The bridge as a process of this one: found, started, read, ended."""

from __future__ import annotations

import json
import logging
import os
import pathlib
import re
import shutil
import signal
import subprocess
import sys
import sysconfig
import threading
import time
from collections import deque
from collections.abc import Callable, Mapping, Sequence
from typing import IO, Optional

from sc2bridge.errors import LaunchError

_log = logging.getLogger("sc2bridge.launch")
_KEPT_LINES = 200
_ON_WINDOWS = os.name == "nt"
_BUILT = "bridge-csharp/src/Sc2Bridge.Cli/bin/Release/net10.0/sc2bridge.exe"

# A line of the bridge's own, or of an agent's that it has started.
_ERROR = re.compile(r"(?:\[[^]]+\] )?sc2bridge: (.*)")

# What is of another bridge's clients, or would have this one ask for what nobody has.
_NOT_PASSED = ("SC2BRIDGE_TOKEN", "SC2BRIDGE_TOKENS", "SC2BRIDGE_FINGERPRINT", "SC2BRIDGE_CA")


def find_executable(named: Optional[str] = None) -> str:
    """The bridge's program: as named here or by SC2BRIDGE_EXECUTABLE; else the launcher of the clone that holds this package; else the
    program that was installed with this package, or is on the path. Raises LaunchError."""
    named = named or os.environ.get("SC2BRIDGE_EXECUTABLE")
    if named:
        found = shutil.which(named)
        if found is None:
            raise LaunchError(f"{named} is no program that can be started: name the bridge's with executable=")
        return found
    here = pathlib.Path(__file__).resolve().parents[2]
    clone = here.parent.parent
    in_clone = here == clone / "agent-python" / "src" and (clone / "sc2bridge").is_file()
    if in_clone and not _ON_WINDOWS:
        return str(clone / "sc2bridge")
    name = "sc2bridge.exe" if _ON_WINDOWS else "sc2bridge"
    folders = [sysconfig.get_path("scripts"), os.path.dirname(sys.executable), str(here / "bin")]
    folders.append(sysconfig.get_path("scripts", f"{os.name}_user"))  # pip install --user
    found = shutil.which(name, path=os.pathsep.join(folders)) or shutil.which(name)
    if found is None and in_clone:
        if (clone / _BUILT).is_file():
            return str(clone / _BUILT)
        raise LaunchError(f"the clone {clone} has no {_BUILT} yet: `sc2bridge.cmd doctor` there builds it")
    if found is None:
        raise LaunchError(
            "this package came without the bridge's program: install the wheel for your system,"
            " which has it, or name the program with executable= or SC2BRIDGE_EXECUTABLE"
        )
    return found


class BridgeProcess:
    """A bridge that plays a match, and ends with this process. Raises LaunchError where it cannot be started."""

    def __init__(self, executable: str, arguments: Sequence[str], env: Mapping[str, str] = {}) -> None:
        """arguments: with `--json -`, so that its standard output is events. env: more variables."""
        self.lines: deque[str] = deque(maxlen=_KEPT_LINES)
        """Its last lines for people."""
        self.grpc = ""
        """Where its gRPC server listens, as HOST:PORT."""
        self.web = ""
        """Where its WebSocket is: `ws://HOST:PORT/v1`."""
        self._plays = False  # Whether the game has started.
        self._ready = threading.Event()
        self._lock = threading.Lock()
        self._sets_up = False  # True while the newest line is from a clone's set-up.
        self._began = time.monotonic()  # When the newest step of the set-up began, or else the program.
        environment = {name: value for name, value in os.environ.items() if name not in _NOT_PASSED} | dict(env)
        try:
            # Ctrl-C is this process's: what it ends, it ends.
            self._process = subprocess.Popen(
                [executable, *arguments],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                env=environment,
                encoding="utf-8",
                errors="replace",
                start_new_session=os.name != "nt",
                creationflags=getattr(subprocess, "CREATE_NEW_PROCESS_GROUP", 0),
            )
        except OSError as error:
            raise LaunchError(f"{executable} cannot be started: {error.strerror or error}") from error
        assert self._process.stdout is not None and self._process.stderr is not None
        self._pipes = {self._process.stdout: self._take, self._process.stderr: self._take_line}
        self._readers = [
            threading.Thread(target=self._read, args=pipe, name="sc2bridge output", daemon=True)
            for pipe in self._pipes.items()
        ]
        for reader in self._readers:
            reader.start()

    def wait_until_ready(self, seconds: float) -> None:
        """Waits until agents can subscribe.

        seconds: that the program may take. The set-up of a clone, which may build the program, does not count.
        Raises LaunchError: it has ended, or takes longer.
        """
        # Looks at the process too: programs that it started, and left behind, may hold its output open.
        while not self._ready.wait(_GLANCE) and self._process.poll() is None:
            most = _SET_UP if self._sets_up else seconds
            if time.monotonic() - self._began > most:
                raise LaunchError(f"the bridge did not listen within {most:g} s: {self.last_words()}")
        if not self._plays:
            self._finish_reading()  # A short match may be over before its event was read.
        if not self._plays:
            raise LaunchError(self.how_it_ended())

    def end(self, patience: float) -> Optional[str]:
        """Ends it with all that it started, whatever happens.

        patience: seconds that it may take to end by itself, where its match is over; then it is stopped, as by Ctrl-C, which
            closes its files.
        Returns what failed, where it failed by itself; else None.
        """
        try:
            if self.has_ended(patience):
                return self.how_it_ended() if self.failed else None
            self.stop()
            if not self.has_ended(_STOPPING):
                _log.warning("the bridge did not end within %g s: it is killed", _STOPPING)
            return None
        finally:
            self._kill()

    def has_ended(self, seconds: float) -> bool:
        """Waits so long for its end."""
        try:
            self._process.wait(seconds)
        except subprocess.TimeoutExpired:
            return False
        return True

    def stop(self) -> None:
        """Stops it, as Ctrl-C does, and waits for nothing."""
        # The end of its input on every system; a process that was forked from this one may hold that open.
        assert self._process.stdin is not None
        try:
            self._process.stdin.close()
        except OSError:
            pass  # It is gone.
        if os.name != "nt":
            self._process.terminate()

    def _kill(self) -> None:
        if os.name != "nt":
            try:
                # Also where it has ended: what it started may be left.
                os.killpg(self._process.pid, signal.SIGKILL)
            except (ProcessLookupError, PermissionError):
                pass  # Nothing is left; macOS says it of what has ended but is not waited for by the second.
        elif self._process.poll() is None:
            self._process.kill()
        self._process.wait()
        # What it left behind may hold its output open.
        for reader, pipe in zip(self._readers, self._pipes):
            reader.join(1)
            if not reader.is_alive():
                pipe.close()
        if self._process.stdin is not None:
            self._process.stdin.close()

    def _read(self, pipe: IO[str], take: Callable[[str], None]) -> None:
        for line in map(str.rstrip, pipe):
            if line:
                take(line)
        self._process.wait()
        self._ready.set()

    def _take(self, line: str) -> None:
        """Takes an event of the bridge. A line that is no event, such as a line of a clone's build, is for people."""
        try:
            event = json.loads(line)
            name = event["event"]
        except (ValueError, TypeError, KeyError):
            self._take_line(line)
            return
        if name == "listening":
            self.grpc, self.web = event["grpc"], event["web"]
        elif name == "match":
            self._plays = True
            self._ready.set()

    def _take_line(self, line: str) -> None:
        with self._lock:
            self.lines.append(line)
            sets_up = line.startswith("set-up: ")
            if sets_up or self._sets_up:
                self._began = time.monotonic()
            self._sets_up = sets_up
        _log.info("%s", line)

    def _finish_reading(self) -> None:
        for reader in self._readers:
            reader.join(1)

    @property
    def failed(self) -> bool:
        """Whether it has ended with an exit code other than 0."""
        return self._process.poll() not in (None, 0)

    def how_it_ended(self) -> str:
        """Its exit code and its errors, once it has ended. An agent's traceback is at the end."""
        self._finish_reading()
        lines = list(self.lines)
        traces = [number for number, line in enumerate(lines) if "Traceback (most recent call last):" in line]
        traceback = lines[traces[-1] :] if traces else []
        return "\n".join([f"the bridge ended with exit code {self._process.wait()}: {self.last_words()}", *traceback])

    def last_words(self) -> str:
        """The errors of the bridge and of its agents, which are a line each; else the last lines that it printed."""
        lines = list(self.lines)
        said = [found[1] for found in map(_ERROR.match, lines) if found is not None] or lines
        return " | ".join(said[-5:]) or "it printed nothing"


_GLANCE = 0.1
"""Seconds between two looks at a process that starts."""

_SET_UP = 1800.0
"""Seconds that a step of a clone's set-up may take, such as the build."""

_STOPPING = 30.0
"""Seconds that a bridge that was stopped may take: its agents may take 20 to leave."""
