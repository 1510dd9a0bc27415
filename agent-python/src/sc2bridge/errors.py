"""What can go wrong. Each message is one line that names what to do."""

from __future__ import annotations

import os

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


class BridgeError(Exception):
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


class ConnectionLost(BridgeError):
    """The bridge cannot be reached, or is gone. To connect again may help."""

    def __init__(self, message: str) -> None:
        super().__init__(14, message)


class MalformedMessage(ValueError):
    """Bytes that are no message of the bridge's."""


class RecordingError(Exception):
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
