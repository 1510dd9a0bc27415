"""Parses protobuf messages, and parses JSON text with the fastest installed parser."""

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

# Errors of json, `json_messages` and protobuf for invalid bytes and text. The pure-Python implementation of protobuf
# also raises internal errors, and infinite numbers raise OverflowError.
PARSE_ERRORS = (DecodeError, ArithmeticError, AttributeError, LookupError, RuntimeError, TypeError, ValueError)

# At an unexpected end-group tag, protobuf's C++ implementation warns and stops. `parse` detects that bytes are left.
warnings.filterwarnings("ignore", "Unexpected end-group tag", RuntimeWarning, r"sc2bridge\._protocol\.parsing")


def parse(message_class: Any, message: Union[bytes, memoryview]) -> Any:
    """Parses a message of the class `message_class`. With each implementation of protobuf, all errors are
    MalformedMessageErrors."""
    parsed = message_class()
    try:
        parsed_bytes = parsed.MergeFromString(message)
    except PARSE_ERRORS as error:
        raise MalformedMessageError(f"invalid {message_class.DESCRIPTOR.name}: {error or 'cut off'}") from None
    if parsed_bytes != len(message):  # The C++ implementation stopped early.
        raise MalformedMessageError(
            f"invalid {message_class.DESCRIPTOR.name}: it ends at byte {parsed_bytes} of {len(message)}"
        )
    return parsed
