"""Parses addresses of bridges and brokers."""

from __future__ import annotations

from dataclasses import dataclass
from ipaddress import ip_address
from typing import Optional
from urllib.parse import SplitResult, parse_qsl, urlencode, urlsplit, urlunsplit

from sc2bridge._protocol.choices import Encoding

_ADDRESS_FORMS = "grpc(s)://HOST:PORT, grpc+unix:/PATH, ws(s)://HOST:PORT/v1, shm:NAME, or amqp(s)://HOST for a broker"


@dataclass(frozen=True)
class Address:
    """A parsed address of a bridge or a broker."""

    transport: str
    """`grpc`, `websocket`, `shm` or `amqp`."""
    target: str
    """The address without its scheme, or the whole address of a WebSocket."""
    encoding: Encoding
    is_secure: bool = False
    """Whether the transport uses TLS."""

    @property
    def host(self) -> str:
        return self._parts.hostname or ""

    @property
    def port(self) -> int:
        return self._parts.port or 0

    @property
    def _parts(self) -> SplitResult:
        return urlsplit(self.target if self.transport == "websocket" else f"//{self.target}")

    @property
    def subprotocol(self) -> str:
        """The WebSocket sub-protocol that stands for the encoding."""
        return f"sc2bridge.{self.encoding}.v1"

    @property
    def is_unix(self) -> bool:
        """Whether the transport uses a Unix socket."""
        return self.transport == "shm" or self.target.startswith("unix:")

    @property
    def is_local(self) -> bool:
        """Whether messages stay on this machine."""
        if self.is_unix or self.host == "localhost":
            return True
        try:
            return ip_address(self.host).is_loopback
        except ValueError:
            return False


def without_token(url: str) -> tuple[str, Optional[str]]:
    """Removes the token from an address (`?token=…`), so that messages and logs do not show the token. Returns the
    address without the token, and the token or None."""
    parts = urlsplit(url)
    query = dict(parse_qsl(parts.query))
    token = query.pop("token", None)
    return (url, None) if token is None else (urlunsplit(parts._replace(query=urlencode(query))), token)


def parse_address(url: str, encoding: Optional[Encoding] = None) -> Address:
    """Parses an address. Raises ValueError.

    encoding: `proto` or `json`; None for the encoding in a WebSocket's address (`ws://…/v1?encoding=proto`), or else
        for the transport's default: `json` for WebSocket, `proto` for all others, which do not support `json`.
    """
    parts = urlsplit(url)
    if parts.scheme in ("amqp", "amqps"):
        if encoding == "json":
            raise ValueError(f"encoding {encoding!r}: a broker only has protobuf; leave it out")
        return Address("amqp", parts.netloc.rpartition("@")[2], "proto", parts.scheme == "amqps")
    if parts.scheme == "shm":
        if encoding == "json":
            raise ValueError(f"{url}: shared memory only has protobuf; for JSON use ws://HOST:PORT/v1")
        if parts.netloc or not parts.path:
            raise ValueError(f"{url}: give shm:NAME, with the name that the bridge prints")
        return Address("shm", parts.path, "proto")
    if "@" in parts.netloc:
        raise ValueError(
            "an address must not have a user or a password: give a token instead, as token=… or SC2BRIDGE_TOKEN"
        )
    query = dict(parse_qsl(parts.query))
    encoding_in_query = query.pop("encoding", None)
    chosen = encoding or encoding_in_query
    if chosen not in (None, "proto", "json"):
        raise ValueError(f"encoding {chosen!r}: choose proto or json")
    if parts.scheme in ("grpc", "grpcs", "grpc+unix"):
        if chosen == "json":
            raise ValueError(f"{url}: gRPC only has protobuf; for JSON use ws://HOST:PORT/v1")
        if parts.scheme == "grpc+unix":
            if not parts.path.startswith("/"):
                raise ValueError(f"{url}: give the socket's absolute path: grpc+unix:/PATH")
            return Address("grpc", f"unix:{parts.path}", "proto")
        _require_host_and_port(url)
        return Address("grpc", parts.netloc, "proto", parts.scheme == "grpcs")
    if parts.scheme in ("ws", "wss"):
        _require_host_and_port(url)
        path = parts.path if parts.path not in ("", "/") else "/v1"
        target = urlunsplit((parts.scheme, parts.netloc, path, urlencode(query), ""))
        return Address("websocket", target, "proto" if chosen == "proto" else "json", parts.scheme == "wss")
    raise ValueError(f"{url!r} is not a bridge's address: give {_ADDRESS_FORMS}")


def _require_host_and_port(url: str) -> None:
    parts = urlsplit(url)
    try:
        is_complete = bool(parts.hostname) and parts.port is not None
    except ValueError:
        is_complete = False
    if not is_complete:
        raise ValueError(f"{url}: give host and port: {_ADDRESS_FORMS}")
