"""A WebSocket that is read on the thread that waits for it, against the server of `websockets`."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, Callable

import pytest

server = pytest.importorskip("websockets.sync.server", reason="needs websockets 11, whose protocol has no I/O")

from websockets.exceptions import ConnectionClosed, InvalidHandshake  # noqa: E402

from sc2bridge.direct import DirectSocket  # noqa: E402


@contextmanager
def serving(handle: Callable[[Any], None], **options: Any) -> Iterator[str]:
    with server.serve(handle, "127.0.0.1", 0, subprotocols=["test"], **options) as running:
        thread = threading.Thread(target=running.serve_forever)
        thread.start()
        try:
            yield f"ws://127.0.0.1:{running.socket.getsockname()[1]}/v1"
        finally:
            running.shutdown()
            thread.join()


@pytest.mark.parametrize("compression", [False, True])
def test_messages_of_any_size_and_in_pieces_come_whole_and_are_heard(compression: bool) -> None:
    sent = [b"", b"x", bytes(range(256)) * 4000, "текст", ""]
    heard = []

    def handle(connection: Any) -> None:
        for message in sent:
            connection.send(message)
        connection.send(iter([b"in ", b"", b"pieces"]))
        heard.extend(connection.recv() for _ in sent)
        assert connection.ping().wait(10)

    with serving(handle, compression="deflate" if compression else None) as url:
        direct = DirectSocket(url, "test", compression)
        assert [direct.recv() for _ in range(6)] == [*sent, b"in pieces"]
        for message in sent:
            direct.send(message)
        with pytest.raises(ConnectionClosed):  # The ping is answered while the next message is waited for.
            direct.recv()
        with pytest.raises(ConnectionClosed):
            direct.send(b"")
        direct.close()
    assert heard == sent


def test_who_waits_is_let_go_when_another_thread_closes_and_what_was_sent_arrives() -> None:
    heard = []
    with serving(lambda connection: heard.extend(connection)) as url:
        direct = DirectSocket(url, "test", False)
        ended: list[BaseException] = []

        def wait() -> None:
            try:
                direct.recv()
            except ConnectionClosed as closed:
                ended.append(closed)

        waiting = threading.Thread(target=wait)
        waiting.start()
        direct.send(b"last words")
        direct.close()
        waiting.join()
        direct.close()
    assert len(ended) == 1 and heard == [b"last words"]


def test_an_answer_that_is_no_handshake_is_told() -> None:
    with serving(
        lambda connection: None, process_request=lambda connection, request: connection.respond(404, "")
    ) as url:
        with pytest.raises(InvalidHandshake, match="404"):
            DirectSocket(url, "test", False)
