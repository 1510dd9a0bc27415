"""The errors of this package. A message states the problem and the remedy."""

from __future__ import annotations

import os
from typing import Any

# The names of gRPC's status codes by number. The bridge uses these codes over every transport:
# https://grpc.github.io/grpc/core/md_doc_statuscodes.html
_CODE_NAMES = (
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
    """The base of all errors of this package. A wrong argument raises Python's ValueError, TypeError or LookupError."""


class BridgeError(SC2BridgeError):
    """The bridge refused a request or ended a subscription. `code` is a gRPC status code."""

    def __init__(self, code: int, message: str) -> None:
        super().__init__(code, message)
        self.code = code
        self.message = message

    @property
    def code_name(self) -> str:
        """gRPC's name of the code, such as `RESOURCE_EXHAUSTED`."""
        return _CODE_NAMES[self.code] if 0 <= self.code < len(_CODE_NAMES) else f"code {self.code}"

    def __str__(self) -> str:
        return f"{self.message} ({self.code_name})"


class ConnectionLostError(BridgeError):
    """The bridge cannot be reached, closed the connection, or was silent for too long. Connecting again may help."""

    def __init__(self, message: str) -> None:
        super().__init__(UNAVAILABLE, message)

    def __reduce__(self) -> Any:
        return type(self), (self.message,)


class RequestTimeoutError(BridgeError):
    """The bridge did not answer a request in time (`Timeouts.request`). The connection still works."""

    def __init__(self, message: str) -> None:
        super().__init__(DEADLINE_EXCEEDED, message)

    def __reduce__(self) -> Any:
        return type(self), (self.message,)


class LaunchError(SC2BridgeError):
    """`launch` could not start the bridge, or the bridge failed later. The message has the bridge's last output."""


class ClosedError(SC2BridgeError):
    """A subscription or a connection was used after it was closed. The message contains the reason for the close."""


def bridge_error(code: int, message: str) -> BridgeError:
    """Creates the error for a status code. Every transport creates the same error for a code."""
    return ConnectionLostError(message) if code == UNAVAILABLE else BridgeError(code, message)


class MalformedMessageError(SC2BridgeError, ValueError):
    """Bytes that are not a valid message of a bridge."""


class AgentError(SC2BridgeError):
    """The agent's own code raised `cause` in the method `where`."""

    def __init__(self, where: str, cause: BaseException) -> None:
        super().__init__(where, cause)
        self.where = where
        self.cause = cause

    def __str__(self) -> str:
        return f"{self.where}: {type(self.cause).__name__}: {self.cause}"


class RecordingError(SC2BridgeError):
    """A recording cannot be read, or can be read only up to the damage. The data before it is complete and correct."""

    def __init__(self, kind: str, path: os.PathLike[str], at: int, message: str) -> None:
        super().__init__(kind, path, at, message)
        self.kind = kind
        """`truncated`: the file was cut off, or is still being written. `damaged`: bytes were changed. `foreign`: the
        file is not a recording."""
        self.path = path
        self.at = at
        """The offset of the first damaged record in the file, in bytes."""
        self.message = message

    def __str__(self) -> str:
        return self.message
