"""Finds the bridge's program, starts it as a child process, reads its output, and ends it."""

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
_BUILT_PROGRAM = "bridge-csharp/src/Sc2Bridge.Cli/bin/Release/net10.0/sc2bridge.exe"

# A line with an error of the bridge, or of an agent that the bridge has started.
_ERROR = re.compile(r"(?:\[[^]]+\] )?sc2bridge: (.*)")

# These variables are for clients of another bridge. With them, the launched bridge would require a token that its
# clients do not have.
_REMOVED_VARIABLES = ("SC2BRIDGE_TOKEN", "SC2BRIDGE_TOKENS", "SC2BRIDGE_FINGERPRINT", "SC2BRIDGE_CA")


def find_executable(executable: Optional[str] = None) -> str:
    """The path of the bridge's program: `executable`, or else SC2BRIDGE_EXECUTABLE. Without both, the first of these
    that exists: the launcher of the clone that contains this package, the program that was installed with this package,
    a program on PATH. Raises LaunchError."""
    executable = executable or os.environ.get("SC2BRIDGE_EXECUTABLE")
    if executable:
        found = shutil.which(executable)
        if found is None:
            raise LaunchError(
                f"{executable} is not an executable program: set executable= or SC2BRIDGE_EXECUTABLE to the bridge's"
                " program"
            )
        return found
    package_parent = pathlib.Path(__file__).resolve().parents[2]
    clone = package_parent.parent.parent
    in_clone = package_parent == clone / "agent-python" / "src" and (clone / "sc2bridge").is_file()
    if in_clone and not _ON_WINDOWS:
        return str(clone / "sc2bridge")
    name = "sc2bridge.exe" if _ON_WINDOWS else "sc2bridge"
    folders = [sysconfig.get_path("scripts"), os.path.dirname(sys.executable), str(package_parent / "bin")]
    folders.append(sysconfig.get_path("scripts", f"{os.name}_user"))  # pip install --user
    found = shutil.which(name, path=os.pathsep.join(folders)) or shutil.which(name)
    if found is None and in_clone:
        if (clone / _BUILT_PROGRAM).is_file():
            return str(clone / _BUILT_PROGRAM)
        raise LaunchError(
            f"{clone / _BUILT_PROGRAM} does not exist yet: run `sc2bridge.cmd doctor` in {clone}, which builds it"
        )
    if found is None:
        raise LaunchError(
            "this package does not contain the bridge's program: install the wheel for your system,"
            " which contains it, or set executable= or SC2BRIDGE_EXECUTABLE to the bridge's program"
        )
    return found


class BridgeProcess:
    """The process of a bridge that plays a match. The process ends when this Python process ends. Raises LaunchError
    if the process cannot be started."""

    def __init__(self, executable: str, arguments: Sequence[str], env: Mapping[str, str] = {}) -> None:
        """arguments: must contain `--json -`, so that the bridge prints events to standard output. env: additional
        environment variables."""
        self.lines: deque[str] = deque(maxlen=_KEPT_LINES)
        """The last lines that the bridge printed, without events."""
        self.grpc = ""
        """The address of the bridge's gRPC server: `HOST:PORT`. Empty until the bridge listens."""
        self.web = ""
        """The address of the bridge's WebSocket: `ws://HOST:PORT/v1`. Empty until the bridge listens."""
        self._has_match_begun = False  # Whether the bridge printed the event `match`.
        self._ready_event = threading.Event()
        self._lock = threading.Lock()
        self._is_in_set_up = False  # Whether a clone's set-up printed the newest line.
        self._last_set_up_time = time.monotonic()  # When the process started, or the set-up last printed a line.
        environment = {name: value for name, value in os.environ.items() if name not in _REMOVED_VARIABLES} | dict(env)
        try:
            # In its own session, the bridge does not receive Ctrl-C. This process handles Ctrl-C and ends the bridge.
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
        self._handler_of_pipe = {self._process.stdout: self._handle_output, self._process.stderr: self._keep_line}
        self._reader_threads = [
            threading.Thread(target=self._read, args=pipe, name="sc2bridge output", daemon=True)
            for pipe in self._handler_of_pipe.items()
        ]
        for reader in self._reader_threads:
            reader.start()

    def wait_until_ready(self, seconds: float) -> None:
        """Waits until agents can subscribe.

        seconds: the time limit, without the time for the set-up of a clone, which may build the program.
        Raises LaunchError if the program has ended or takes longer.
        """
        # Also polls the process, because child processes may keep its output open after the process has ended.
        while not self._ready_event.wait(_POLL_INTERVAL) and self._process.poll() is None:
            limit = _SET_UP_TIMEOUT if self._is_in_set_up else seconds
            if time.monotonic() - self._last_set_up_time > limit:
                raise LaunchError(f"the bridge did not listen within {limit:g} s: {self.last_output()}")
        if not self._has_match_begun:
            self._finish_reading()  # A short match may end before the event `match` was read.
        if not self._has_match_begun:
            raise LaunchError(self.exit_report())

    def end(self, wait_seconds: float) -> Optional[str]:
        """Ends the process and its child processes in all cases.

        wait_seconds: how long to wait until the process exits by itself. If it still runs after this time, it is
            stopped as by Ctrl-C, so that it closes its files.
        Returns the error if the bridge failed before it was stopped, otherwise None.
        """
        try:
            if self.has_ended(wait_seconds):
                return self.exit_report() if self.has_failed else None
            self.stop()
            if not self.has_ended(_STOP_TIMEOUT):
                _log.warning("the bridge did not end within %g s after the stop, so it is killed now", _STOP_TIMEOUT)
            return None
        finally:
            self._kill()

    def has_ended(self, seconds: float) -> bool:
        """Waits at most `seconds` for the process to end. Returns whether the process has ended."""
        try:
            self._process.wait(seconds)
        except subprocess.TimeoutExpired:
            return False
        return True

    def stop(self) -> None:
        """Stops the process as by Ctrl-C. Does not wait for its end."""
        # The end of the standard input stops the bridge on every system, unless a fork of this Python process keeps the
        # input open.
        assert self._process.stdin is not None
        try:
            self._process.stdin.close()
        except OSError:
            pass  # The process has already ended.
        if os.name != "nt":
            self._process.terminate()

    def _kill(self) -> None:
        if os.name != "nt":
            try:
                # Needed even if the bridge has ended, because its child processes may still run.
                os.killpg(self._process.pid, signal.SIGKILL)
            except (ProcessLookupError, PermissionError):
                pass  # No process is left. macOS raises PermissionError for a zombie process.
        elif self._process.poll() is None:
            self._process.kill()
        self._process.wait()
        # A child process that still runs may keep the output open.
        for reader, pipe in zip(self._reader_threads, self._handler_of_pipe):
            reader.join(1)
            if not reader.is_alive():
                pipe.close()
        if self._process.stdin is not None:
            self._process.stdin.close()

    def _read(self, pipe: IO[str], handle_line: Callable[[str], None]) -> None:
        for line in map(str.rstrip, pipe):
            if line:
                handle_line(line)
        self._process.wait()
        self._ready_event.set()

    def _handle_output(self, line: str) -> None:
        """Handles a line of standard output: an event, or other text, such as output of a clone's build."""
        try:
            event = json.loads(line)
            name = event["event"]
        except (ValueError, TypeError, KeyError):
            self._keep_line(line)
            return
        if name == "listening":
            self.grpc, self.web = event["grpc"], event["web"]
        elif name == "match":
            self._has_match_begun = True
            self._ready_event.set()

    def _keep_line(self, line: str) -> None:
        with self._lock:
            self.lines.append(line)
            is_in_set_up = line.startswith("set-up: ")
            if is_in_set_up or self._is_in_set_up:
                self._last_set_up_time = time.monotonic()
            self._is_in_set_up = is_in_set_up
        _log.info("%s", line)

    def _finish_reading(self) -> None:
        for reader in self._reader_threads:
            reader.join(1)

    @property
    def has_failed(self) -> bool:
        """Whether the process has ended with an exit code other than 0."""
        return self._process.poll() not in (None, 0)

    def exit_report(self) -> str:
        """Waits until the process ends. Returns the exit code, the errors, and the newest traceback of an agent."""
        self._finish_reading()
        lines = list(self.lines)
        traceback_starts = [number for number, line in enumerate(lines) if "Traceback (most recent call last):" in line]
        traceback = lines[traceback_starts[-1] :] if traceback_starts else []
        return "\n".join([f"the bridge ended with exit code {self._process.wait()}: {self.last_output()}", *traceback])

    def last_output(self) -> str:
        """The last errors of the bridge and its agents on one line; without errors, the last printed lines."""
        lines = list(self.lines)
        shown_lines = [found[1] for found in map(_ERROR.match, lines) if found is not None] or lines
        return " | ".join(shown_lines[-5:]) or "it printed nothing"


_POLL_INTERVAL = 0.1
"""Seconds between two checks whether a started process is ready."""

_SET_UP_TIMEOUT = 1800.0
"""If the set-up of a clone prints nothing for this many seconds, it has failed."""

_STOP_TIMEOUT = 30.0
"""The limit in seconds until a stopped bridge exits. The bridge gives its agents up to 20 s to exit."""
