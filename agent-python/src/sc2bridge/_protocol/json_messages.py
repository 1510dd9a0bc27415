"""Messages as protobuf's JSON. Import it inside the functions that use it: protobuf's part takes a while to import.

The errors of invalid JSON are among `parsing.UNREADABLE`.
"""

from __future__ import annotations

from typing import Any, Union

from google.protobuf import json_format


def from_content(content: dict[str, Any], message: Any) -> Any:
    """Sets a message's fields from JSON that was parsed, and returns it. Unknown fields are ignored."""
    try:
        return json_format.ParseDict(content, message, ignore_unknown_fields=True)
    except json_format.ParseError as error:
        raise ValueError(str(error)) from None


def from_text(text: Union[str, bytes], message: Any) -> Any:
    """The same from JSON text."""
    try:
        return json_format.Parse(text, message, ignore_unknown_fields=True)
    except json_format.ParseError as error:
        raise ValueError(str(error)) from None


def to_content(message: Any) -> dict[str, Any]:
    """A message as what json.loads would return."""
    content: dict[str, Any] = json_format.MessageToDict(message)
    return content


def to_text(message: Any) -> str:
    """A message as JSON text in one line."""
    return str(json_format.MessageToJson(message, indent=None))
