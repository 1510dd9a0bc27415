"""Converts messages from and to protobuf's JSON. Import this module inside of functions: protobuf's JSON module is slow
to import.

All errors for invalid JSON are in `parsing.PARSE_ERRORS`.
"""

from __future__ import annotations

from typing import Any, Union

from google.protobuf import json_format


def from_dict(content: dict[str, Any], message: Any) -> Any:
    """Sets the fields of a message from parsed JSON, and returns the message. Ignores unknown fields."""
    try:
        return json_format.ParseDict(content, message, ignore_unknown_fields=True)
    except json_format.ParseError as error:
        raise ValueError(str(error)) from None


def from_json(text: Union[str, bytes], message: Any) -> Any:
    """Sets the fields of a message from JSON text, and returns the message. Ignores unknown fields."""
    try:
        return json_format.Parse(text, message, ignore_unknown_fields=True)
    except json_format.ParseError as error:
        raise ValueError(str(error)) from None


def to_dict(message: Any) -> dict[str, Any]:
    """Converts a message to parsed JSON, like the result of json.loads."""
    content: dict[str, Any] = json_format.MessageToDict(message)
    return content


def to_json(message: Any) -> str:
    """Converts a message to JSON text in one line."""
    return str(json_format.MessageToJson(message, indent=None))
