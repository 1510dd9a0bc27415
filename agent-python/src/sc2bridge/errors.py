"""What can go wrong. Each message is one line that names what to do."""

from __future__ import annotations

import os
from typing import Any

# gRPC's status codes, which the bridge uses over every transport:
# https://grpc.github.io/grpc/core/md_doc_statuscodes.html
_NAMES = (
    "OK",
    "CANCELLED",
    "UNKNOWN",
    "INVALID_ARGUMENT",
    "DEADLINE_EXCEEDED",
    "NOT_FOUND",
    "ALREADY_EXISTS",
    "PERMISSION_DENIED",
    "RESOURCE_EXHAUSTED",
    "FAILED_PRECONDITION",
    "ABORTED",
    "OUT_OF_RANGE",
    "UNIMPLEMENTED",
    "INTERNAL",
    "UNAVAILABLE",
    "DATA_LOSS",
    "UNAUTHENTICATED",
)
CANCELLED, INVALID_ARGUMENT, DEADLINE_EXCEEDED, NOT_FOUND, PERMISSION_DENIED, RESOURCE_EXHAUSTED = 1, 3, 4, 5, 7, 8
FAILED_PRECONDITION, UNIMPLEMENTED, INTERNAL, UNAVAILABLE, UNAUTHENTICATED = 9, 12, 13, 14, 16


class SC2BridgeError(Exception):
    """Every error of the package's own. A wrong argument is a ValueError, TypeError or LookupError of Python's."""


class BridgeError(SC2BridgeError):
    """The bridge refused or ended something. `code` is a gRPC status code."""

    def __init__(self, code: int, message: str) -> None:
        super().__init__(code, message)
        self.code = code
        self.message = message

    @property
    def code_name(self) -> str:
        """The code as gRPC names it, such as `RESOURCE_EXHAUSTED`."""
        return _NAMES[self.code] if 0 <= self.code < len(_NAMES) else f"code {self.code}"

    def __str__(self) -> str:
        return f"{self.message} ({self.code_name})"


class ConnectionLostError(BridgeError):
    """The bridge cannot be reached, or is gone, or silent for too long. To connect again may help."""

    def __init__(self, message: str) -> None:
        super().__init__(UNAVAILABLE, message)

    def __reduce__(self) -> Any:
        return type(self), (self.message,)


class RequestTimeoutError(BridgeError):
    """The bridge lives, and did not answer a request in time: see `Timeouts.request`."""

    def __init__(self, message: str) -> None:
        super().__init__(DEADLINE_EXCEEDED, message)

    def __reduce__(self) -> Any:
        return type(self), (self.message,)


class LaunchError(SC2BridgeError):
    """The bridge that `launch` started, or was to, has failed; the message has what it printed last."""


class ClosedError(SC2BridgeError):
    """A subscription or a connection was used after it had been closed. The message names why it was closed."""


def bridge_error(code: int, message: str) -> BridgeError:
    """A status as an error, the same over every transport."""
    return ConnectionLostError(message) if code == UNAVAILABLE else BridgeError(code, message)


class MalformedMessageError(SC2BridgeError, ValueError):
    """Bytes that are no message of the bridge's."""


class AgentError(SC2BridgeError):
    """The agent's own code raised `cause`; `where` says in which method."""

    def __init__(self, where: str, cause: BaseException) -> None:
        super().__init__(where, cause)
        self.where = where
        self.cause = cause

    def __str__(self) -> str:
        return f"{self.where}: {type(self.cause).__name__}: {self.cause}"


class RecordingError(SC2BridgeError):
    """A recording that cannot be read, or not any further. What came before it is whole and right."""

    def __init__(self, kind: str, path: os.PathLike[str], at: int, message: str) -> None:
        super().__init__(kind, path, at, message)
        self.kind = kind
        """`truncated`: it was cut off, or is still being written. `damaged`: bytes were changed. `foreign`: it is no
        recording."""
        self.path = path
        self.at = at
        """The byte of the file at which the first record begins that is not whole."""
        self.message = message

    def __str__(self) -> str:
        return self.message
