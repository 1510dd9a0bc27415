"""Versions: what this package sends first on each connection, and checks in the bridge's answer."""

from __future__ import annotations

from sc2bridge.errors import FAILED_PRECONDITION, BridgeError
from sc2bridge.v1 import bridge_pb2

PROTOCOL = 1
"""The protocol version that this package was written for, and the oldest one of a bridge that it works with."""


def client() -> str:
    """This package's name and version."""
    from sc2bridge import __version__  # Not set yet while this module is imported.

    return f"sc2bridge-python {__version__}"


def hello() -> bridge_pb2.HelloRequest:
    """The request for the bridge's version."""
    return bridge_pb2.HelloRequest(protocol_version=PROTOCOL, client=client())


def check_bridge(answer: bridge_pb2.HelloResponse) -> None:
    """Raises BridgeError if the bridge is too old for this package."""
    if answer.protocol_version < PROTOCOL:
        raise too_old(f"bridge {answer.bridge_version} speaks protocol {answer.protocol_version}")


def too_old(bridge: str) -> BridgeError:
    """The error for a bridge that is described in a few words."""
    return BridgeError(FAILED_PRECONDITION, f"{bridge}, and {client()} needs protocol {PROTOCOL}: update the bridge")


def before_hello(target: str) -> BridgeError:
    """The error for a bridge that does not know these messages."""
    return too_old(f"{target} is a bridge from before 0.1.0, or not a bridge")
