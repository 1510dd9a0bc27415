"""Version checks: the hello message, which each connection sends first, and the check of the bridge's answer."""

from __future__ import annotations

from sc2bridge.errors import FAILED_PRECONDITION, BridgeError
from sc2bridge.v1 import bridge_pb2

PROTOCOL = 1
"""The protocol version of this package. A bridge must have at least this version."""


def client_name() -> str:
    from sc2bridge import __version__  # Imported here, because the package sets it after it imports this module.

    return f"sc2bridge-python {__version__}"


def hello_request() -> bridge_pb2.HelloRequest:
    return bridge_pb2.HelloRequest(protocol_version=PROTOCOL, client=client_name())


def check_bridge_version(answer: bridge_pb2.HelloResponse) -> None:
    """Raises BridgeError if the bridge is too old for this package."""
    if answer.protocol_version < PROTOCOL:
        raise too_old_error(f"bridge {answer.bridge_version} speaks protocol {answer.protocol_version}")


def too_old_error(clause: str) -> BridgeError:
    """The error for a bridge that is too old. clause: the first words of the message, about the bridge."""
    return BridgeError(
        FAILED_PRECONDITION, f"{clause}, and {client_name()} needs protocol {PROTOCOL}: update the bridge"
    )


def before_hello_error(target: str) -> BridgeError:
    """The error for a bridge that does not know the hello message."""
    return too_old_error(f"{target} is a bridge from before 0.1.0, or not a bridge")
