"""Uses RabbitMQ with pika: parses a broker's address, and reads the messages of a stream from an offset on."""

from __future__ import annotations

import contextlib
import datetime
import logging
import os
import ssl
import time
from collections import deque
from typing import Any, Optional, Union
from urllib.parse import SplitResult, parse_qsl, unquote, urlsplit

from sc2bridge._protocol.published import DIRECTORY_STREAM, RUNNING_STREAM, Message, read_message
from sc2bridge._transports.transport import Timeouts
from sc2bridge.errors import MalformedMessageError

try:
    import pika
    import pika.exceptions as pika_errors
except ImportError:
    raise ImportError(
        "amqp:// addresses need pika: pip install 'sc2bridge[amqp]', or apt-get install python3-pika"
    ) from None

__all__ = ["Consumer", "broker_hosts", "pika_errors"]

_pika_log = logging.getLogger("pika")
if _pika_log.level == logging.NOTSET:
    # pika logs a traceback for each lost connection, although this package connects again.
    _pika_log.setLevel(logging.CRITICAL)

_PREFETCH_COUNT = 128


def broker_hosts(url: str, timeouts: Timeouts) -> list[Any]:
    """Returns pika's connection parameters for each host of an address. pika uses the first host that answers. Raises
    ValueError. The message of this error does not contain the password."""
    hosts_end = min((at for at in map(url.find, "/?#", (url.find("//") + 2,) * 3) if at >= 0), default=len(url))
    if "@" in url[hosts_end:]:
        raise ValueError(
            "the broker's address is ambiguous: write / ? # @ in the user, password and virtual host as %2F %3F %23 %40"
        )
    parts = urlsplit(url)
    query = dict(parse_qsl(parts.query))
    user, password = _credentials(parts)
    hosts = parts.netloc.rpartition("@")[2].split(",")
    parameters: list[Any] = []
    for host in hosts:
        host_parts = urlsplit(f"//{host}")
        try:
            port = host_parts.port or (5671 if parts.scheme == "amqps" else 5672)
        except ValueError:
            raise ValueError("invalid port in the broker's address: give amqp://[USER:PASSWORD@]HOST[:PORT]") from None
        if not host_parts.hostname:
            raise ValueError("the broker's address has no host: give amqp://[USER:PASSWORD@]HOST[:PORT]")
        parameters.append(
            pika.ConnectionParameters(
                host_parts.hostname,
                port,
                unquote(parts.path[1:]) or "/",
                pika.PlainCredentials(user, password),
                socket_timeout=timeouts.connect,
                blocked_connection_timeout=timeouts.silence,
                ssl_options=_tls_options(query, host_parts.hostname) if parts.scheme == "amqps" else None,
            )
        )
    return parameters


def _credentials(parts: SplitResult) -> tuple[str, str]:
    if "@" not in parts.netloc:
        user, password = os.environ.get("SC2BRIDGE_BROKER_USER"), os.environ.get("SC2BRIDGE_BROKER_PASSWORD")
        return user or "guest", password or "guest"
    user, _, password = parts.netloc.rpartition("@")[0].partition(":")
    return unquote(user), unquote(password)


def _tls_options(query: dict[str, str], host: str) -> Any:
    try:
        context = ssl.create_default_context(cafile=query.get("cacertfile"))
        if "certfile" in query:
            context.load_cert_chain(query["certfile"], query.get("keyfile"))
    except OSError as error:
        raise ValueError(f"a certificate file in the broker's address cannot be read: {error}") from None
    return pika.SSLOptions(context, query.get("server_name_indication") or host)


class Consumer:
    """Reads the messages of a stream from an offset on. Each consumer has its own connection."""

    def __init__(self, hosts: list[Any], stream: str, offset: Union[int, str, datetime.datetime]) -> None:
        self._connection = pika.BlockingConnection(hosts)
        self._delivered: deque[tuple[Message, int]] = deque()
        self._lists_matches = stream in (DIRECTORY_STREAM, RUNNING_STREAM)
        self._unacknowledged = 0
        self._is_cancelled = False
        try:
            self._channel = self._connection.channel()
            self._channel.queue_declare(stream, passive=True)
            self._channel.basic_qos(prefetch_count=_PREFETCH_COUNT)  # Required for streams.
            self._channel.add_on_cancel_callback(self._on_cancelled)
            self._channel.basic_consume(stream, self._on_message, arguments={"x-stream-offset": offset})
        except BaseException:
            self.close()
            raise

    def _on_message(self, _: Any, method: Any, properties: Any, body: bytes) -> None:
        try:
            message = read_message(properties, body)
        except MalformedMessageError:
            if not self._lists_matches:
                raise
            # Another program may have sent this message. It is skipped, so that the matches can still be listed.
            self._channel.basic_ack(method.delivery_tag)
            return
        self._delivered.append((message, method.delivery_tag))

    def _on_cancelled(self, _: Any) -> None:
        self._is_cancelled = True

    def next(self, seconds: float) -> Optional[Message]:
        """Waits for the next message; None if no message arrives within `seconds`. Raises pika's AMQPError,
        MalformedMessageError."""
        deadline = time.monotonic() + seconds
        while not self._delivered:
            if self._is_cancelled:
                raise pika_errors.AMQPConnectionError("the broker cancelled the consumer")
            seconds_left = deadline - time.monotonic()
            self._connection.process_data_events(time_limit=max(0, seconds_left))
            if not self._delivered and seconds_left <= 0:
                return None
        message, delivery_tag = self._delivered.popleft()
        self._unacknowledged += 1
        if self._unacknowledged >= _PREFETCH_COUNT // 2:
            self._channel.basic_ack(delivery_tag, multiple=True)
            self._unacknowledged = 0
        return message

    def close(self) -> None:
        """Receives all messages that have arrived, then closes the connection, and ignores errors. Otherwise pika would
        reject these messages, and RabbitMQ would report error 540, because streams do not allow a reject."""
        with contextlib.suppress(pika_errors.AMQPError, MalformedMessageError, OSError):
            while self._connection.is_open:
                self._delivered.clear()
                self._connection.process_data_events(time_limit=0)
                if not self._delivered:
                    break
            self._connection.close()
