"""Where a bridge is, and what is spoken with it."""

from __future__ import annotations

from dataclasses import dataclass
from ipaddress import ip_address
from typing import Optional
from urllib.parse import SplitResult, parse_qsl, urlencode, urlsplit, urlunsplit

from sc2bridge._protocol.choices import Encoding

_FORMS = "grpc://HOST:PORT, grpc+unix:/PATH or ws://HOST:PORT/v1, or by TLS grpcs:// or wss://; on this machine shm:NAME; of a broker amqp://HOST"


@dataclass(frozen=True)
class Address:
    """A bridge's address, taken apart."""

    transport: str
    """`grpc`, `websocket`, `shm` or `amqp`."""
    target: str
    """What the transport's library connects to."""
    encoding: Encoding
    is_secure: bool = False
    """By TLS."""

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
        return self.transport == "shm" or self.target.startswith("unix:")

    @property
    def is_local(self) -> bool:
        """What is sent does not leave the machine."""
        if self.is_unix or self.host == "localhost":
            return True
        try:
            return ip_address(self.host).is_loopback
        except ValueError:
            return False


def without_token(url: str) -> tuple[str, Optional[str]]:
    """An address, and the token in its query (`?token=…`), which is shown to nobody but the bridge."""
    parts = urlsplit(url)
    query = dict(parse_qsl(parts.query))
    token = query.pop("token", None)
    return (url, None) if token is None else (urlunsplit(parts._replace(query=urlencode(query))), token)


def parse_address(url: str, encoding: Optional[Encoding] = None) -> Address:
    """Reads an address.

    `encoding` is `proto` or `json`; a WebSocket's may also stand in the address (`ws://…/v1?encoding=proto`) and is
    JSON where neither says; `encoding` goes before the address. gRPC carries `proto` only. Raises ValueError.
    """
    parts = urlsplit(url)
    if parts.scheme in ("amqp", "amqps"):
        if encoding == "json":
            raise ValueError("a broker's streams carry protobuf: leave out encoding")
        return Address("amqp", parts.netloc.rpartition("@")[2], "proto", parts.scheme == "amqps")
    if parts.scheme == "shm":
        if encoding == "json":
            raise ValueError(f"{url}: shared memory carries protobuf; for JSON use ws://HOST:PORT/v1")
        if parts.netloc or not parts.path:
            raise ValueError(f"{url}: give the name that the bridge prints: shm:NAME")
        return Address("shm", parts.path, "proto")
    if "@" in parts.netloc:
        raise ValueError("an address has no user and no password: give a token, token=… or SC2BRIDGE_TOKEN")
    query = dict(parse_qsl(parts.query))
    in_query = query.pop("encoding", None)
    chosen = encoding or in_query
    if chosen not in (None, "proto", "json"):
        raise ValueError(f"encoding {chosen!r}: choose proto or json")
    if parts.scheme in ("grpc", "grpcs", "grpc+unix"):
        if chosen == "json":
            raise ValueError(f"{url}: gRPC carries protobuf; for JSON use ws://HOST:PORT/v1")
        if parts.scheme == "grpc+unix":
            if not parts.path.startswith("/"):
                raise ValueError(f"{url}: give the socket's whole path: grpc+unix:/PATH")
            return Address("grpc", f"unix:{parts.path}", "proto")
        _require_host_and_port(url)
        return Address("grpc", parts.netloc, "proto", parts.scheme == "grpcs")
    if parts.scheme in ("ws", "wss"):
        _require_host_and_port(url)
        path = parts.path if parts.path not in ("", "/") else "/v1"
        target = urlunsplit((parts.scheme, parts.netloc, path, urlencode(query), ""))
        return Address("websocket", target, "proto" if chosen == "proto" else "json", parts.scheme == "wss")
    raise ValueError(f"{url!r} is no bridge's address: give {_FORMS}")


def _require_host_and_port(url: str) -> None:
    parts = urlsplit(url)
    try:
        complete = bool(parts.hostname) and parts.port is not None
    except ValueError:
        complete = False
    if not complete:
        raise ValueError(f"{url}: give host and port: {_FORMS}")
