"""A Subscription message, with its choices as words."""

from __future__ import annotations

import importlib.util
import os
from collections.abc import Iterable
from typing import Any, Optional

from sc2bridge.v1 import bridge_pb2


def subscription_request(
    policy: str = "every",
    *,
    match: str = "",
    perspective: Optional[int] = None,
    when_full: Optional[str] = None,
    leave_out: Iterable[str] = (),
    agent: str = "",
    queue_bytes: int = 0,
    content: str = "observation",
    compression: Optional[str] = None,
    plays: bool = False,
    priority: int = 0,
    report_times: bool = False,
    key: str = "",
) -> bridge_pb2.Subscription:
    """Writes a Subscription with its choices as words.

    Raises ValueError for one that does not exist, or that needs a package which is not installed.
    """
    if plays not in (True, False):
        raise ValueError(f"plays {plays!r}: choose True, or False")
    numbers = (("perspective", perspective or 0, 32), ("queue_bytes", queue_bytes, 64), ("priority", priority, 32))
    for name, number, bits in numbers:
        if not (hasattr(number, "__index__") and 0 <= number < 1 << bits):
            raise ValueError(f"{name} {number!r}: choose a number from 0 to 2**{bits} - 1")
    if content == "columns" and importlib.util.find_spec("numpy") is None:
        raise ValueError(
            "content 'columns' needs the package numpy: pip install numpy, or Debian's python3-numpy; or choose"
            " observation"
        )
    return bridge_pb2.Subscription(
        match=match,
        perspective=perspective,
        policy=_choice(bridge_pb2.Policy, "POLICY_", "policy", policy),
        when_full=_choice(bridge_pb2.WhenFull, "WHEN_FULL_", "when_full", when_full),
        leave_out=[_choice(bridge_pb2.Part, "PART_", "leave_out", part) for part in leave_out],
        agent=agent,
        queue_bytes=queue_bytes,
        content=_choice(bridge_pb2.Content, "CONTENT_", "content", content),
        compression=_choice(bridge_pb2.Compression, "COMPRESSION_", "compression", compression),
        plays=bool(plays),
        priority=priority,
        reports_times=report_times,
        key=key,
    )


def side_key(key: Optional[str]) -> str:
    """The key that opens a side: the given one, else the environment's SC2BRIDGE_KEY; empty for none."""
    return os.environ.get("SC2BRIDGE_KEY", "") if key is None else key


def _choice(enum: Any, prefix: str, name: str, word: Optional[str]) -> Any:
    if word is None:
        return 0
    try:
        return enum.Value(prefix + word.upper().replace("-", "_"))
    except ValueError:
        known = ", ".join(key[len(prefix) :].lower() for key in enum.keys() if not key.endswith("UNSPECIFIED"))
        raise ValueError(f"{name} {word!r}: choose {known}") from None
