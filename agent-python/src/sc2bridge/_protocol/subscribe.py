"""Creates a SubscribeRequest from options in the form of text and numbers."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Optional

from sc2bridge._protocol.choices import Content, Overflow, Part, Policy
from sc2bridge.v1 import bridge_pb2


def subscribe_request(
    policy: Policy = "every",
    *,
    match_id: str = "",
    perspective: Optional[int] = None,
    overflow: Optional[Overflow] = None,
    exclude: Iterable[Part] = (),
    agent: str = "",
    queue_bytes: int = 0,
    content: Content = "observation",
    compression: Optional[str] = None,
    can_act: bool = False,
    priority: int = 0,
    report_times: bool = False,
) -> bridge_pb2.SubscribeRequest:
    """Creates the request. Raises ValueError for an invalid option."""
    if can_act not in (True, False):
        raise ValueError(f"can_act {can_act!r}: choose True or False")
    numbers = (("perspective", perspective or 0, 32), ("queue_bytes", queue_bytes, 64), ("priority", priority, 32))
    for name, number, bits in numbers:
        if not (hasattr(number, "__index__") and 0 <= number < 1 << bits):
            raise ValueError(f"{name} {number!r}: choose a number from 0 to 2**{bits} - 1")
    return bridge_pb2.SubscribeRequest(
        match_id=match_id,
        perspective=perspective,
        policy=_enum_value(bridge_pb2.Policy, "POLICY_", "policy", policy),
        overflow=_enum_value(bridge_pb2.Overflow, "OVERFLOW_", "overflow", overflow),
        exclude=[_enum_value(bridge_pb2.Part, "PART_", "exclude", part) for part in exclude],
        agent=agent,
        queue_bytes=queue_bytes,
        content=_enum_value(bridge_pb2.Content, "CONTENT_", "content", content),
        compression=_enum_value(bridge_pb2.Compression, "COMPRESSION_", "compression", compression),
        can_act=bool(can_act),
        priority=priority,
        reports_times=report_times,
    )


def _enum_value(enum: Any, prefix: str, name: str, word: Optional[str]) -> Any:
    if word is None:
        return 0
    try:
        return enum.Value(prefix + word.upper().replace("-", "_"))
    except ValueError:
        choices = ", ".join(key[len(prefix) :].lower() for key in enum.keys() if not key.endswith("UNSPECIFIED"))
        raise ValueError(f"{name} {word!r}: choose {choices}") from None
