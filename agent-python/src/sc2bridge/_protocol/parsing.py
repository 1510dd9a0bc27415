"""Parses messages, and JSON by the fastest parser that is installed."""

from __future__ import annotations

import json
import warnings
from typing import Any, Union

from google.protobuf.message import DecodeError

from sc2bridge.errors import MalformedMessageError

try:
    import orjson

    parse_json: Any = orjson.loads
except ImportError:
    parse_json = json.loads

# Errors of json, `json_messages` and protobuf's engines for bytes and text that cannot be read: the pure-Python engine lets some of
# its own through, and an infinite number overflows.
UNREADABLE = (
    DecodeError,
    ArithmeticError,
    AttributeError,
    LookupError,
    RuntimeError,
    TypeError,
    ValueError,
)

# The C++ engine warns of a stray end of a group and stops there; `parse` sees that by the length, and raises.
warnings.filterwarnings("ignore", "Unexpected end-group tag", RuntimeWarning, r"sc2bridge\._protocol\.parsing")


def parse(kind: Any, message: Union[bytes, memoryview]) -> Any:
    """Parses a message of a class. Raises MalformedMessageError, whichever of protobuf's engines is underneath."""
    parsed = kind()
    try:
        read = parsed.MergeFromString(message)
    except UNREADABLE as error:
        raise MalformedMessageError(f"no {kind.DESCRIPTOR.name}: {error or 'cut off'}") from None
    if read != len(message):  # The C++ engine stopped at a stray end of a group.
        raise MalformedMessageError(f"no {kind.DESCRIPTOR.name}: it ends at byte {read} of {len(message)}")
    return parsed
