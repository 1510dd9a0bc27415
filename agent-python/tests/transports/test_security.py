"""TLS and tokens, over both transports, blocking and by asyncio, against the servers of grpcio and websockets."""

from __future__ import annotations

import asyncio
import contextlib
import logging
import pathlib
import re
import socket
import subprocess
import sys
import traceback
from collections.abc import Iterator
from typing import Any, Callable

import pytest
from certificates import Certificates
from fake_bridge import UNKNOWN_TOKEN, GrpcBridge, Match, WebSocketBridge
from peers import tcp_peer

import sc2bridge
from sc2bridge import BridgeError, ConnectionLostError, Timeouts, Tls
from sc2bridge._transports import security
from sc2bridge.s2clientprotocol import sc2api_pb2

PING = sc2api_pb2.Request(ping=sc2api_pb2.RequestPing())
TOKEN = "t0kenOfThisTest"


@pytest.fixture(autouse=True)
def environment(monkeypatch: Any) -> None:
    for name in ("SC2BRIDGE_TOKEN", "SC2BRIDGE_CA", "SC2BRIDGE_FINGERPRINT"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setattr(security, "_warned_targets", set())


def blocking(url: str, **options: Any) -> int:
    """Describes, requests and subscribes. Returns the number of frames."""
    with sc2bridge.connect(url, timeouts=Timeouts(connect=5), **options) as bridge:
        assert bridge.describe().map_name == "Fake"
        assert bridge.request(PING).ping.game_version == "5.0"
        return len(list(bridge.subscribe("lockstep"))) + len(list(bridge.subscribe("every", report_times=False)))


def by_asyncio(url: str, **options: Any) -> int:
    async def main() -> int:
        async with await sc2bridge.aconnect(url, timeouts=Timeouts(connect=5), **options) as bridge:
            assert (await bridge.describe()).map_name == "Fake"
            assert (await bridge.request(PING)).ping.game_version == "5.0"
            count = 0
            for asked in ({"policy": "lockstep"}, {"policy": "every", "report_times": False}):
                async for _ in await bridge.subscribe(**asked):  # type: ignore[arg-type]
                    count += 1
            return count

    return asyncio.run(main())


WAYS = pytest.mark.parametrize("way", [blocking, by_asyncio])
BRIDGES = pytest.mark.parametrize("bridge", [GrpcBridge, WebSocketBridge])


@WAYS
@BRIDGES
@pytest.mark.parametrize(
    "how", ["ca", "own ca", "environment", "fingerprint", "fingerprint in the environment", "mutual"]
)
def test_trust_options_work(how: str, bridge: Any, way: Any, certificates: Certificates, monkeypatch: Any) -> None:
    shown, tls, asked = certificates.bridge, None, None
    if how == "ca":
        tls = Tls(ca=certificates.ca)
    elif how == "own ca":
        tls = Tls(ca=shown)
    elif how == "environment":
        monkeypatch.setenv("SC2BRIDGE_CA", str(certificates.ca))
    elif how == "mutual":
        tls, asked = Tls(ca=certificates.ca, cert=certificates.client), certificates.ca
    else:  # A fingerprint accepts any host name.
        shown = certificates.own
        fingerprint = certificates.fingerprint(shown)
        if how == "fingerprint":
            tls = Tls(fingerprint=fingerprint.upper().replace("SHA256:", ""))
        else:
            monkeypatch.setenv("SC2BRIDGE_FINGERPRINT", fingerprint)
    match = Match(steps=3, token=TOKEN)
    with bridge(match, tls=shown, clients=asked) as fake:
        assert way(fake.url, tls=tls, token=TOKEN) == 6
    assert match.shown and set(match.shown) == {f"Bearer {TOKEN}"}


@WAYS
@BRIDGES
def test_a_fingerprint_goes_with_a_clients_certificate(bridge: Any, way: Any, certificates: Certificates) -> None:
    tls = Tls(
        fingerprint=certificates.fingerprint(certificates.elsewhere),
        cert=certificates.client.with_suffix(".crt"),
        key=certificates.client.with_suffix(".key"),
    )
    with bridge(Match(steps=2), tls=certificates.elsewhere, clients=certificates.ca) as fake:
        assert way(fake.url, tls=tls) == 4


@WAYS
@BRIDGES
@pytest.mark.parametrize("how", ["argument", "address", "environment", "argument before all"])
def test_a_token_is_shown_with_all_that_is_asked(how: str, bridge: Any, way: Any, monkeypatch: Any) -> None:
    options = {}
    match = Match(steps=2, token=TOKEN)
    with bridge(match) as fake:
        url = fake.url
        if how == "environment":
            monkeypatch.setenv("SC2BRIDGE_TOKEN", TOKEN)
        elif how == "address":
            monkeypatch.setenv("SC2BRIDGE_TOKEN", "another")
            url += f"?token={TOKEN}"
        else:
            options = {"token": TOKEN}
        if how == "argument before all":
            url += "?token=another"
            monkeypatch.setenv("SC2BRIDGE_TOKEN", "another")
        assert way(url, **options) == 4
    assert match.shown and set(match.shown) == {f"Bearer {TOKEN}"}


def refused(way: Any, url: str, caught: type[BridgeError] = BridgeError, **options: Any) -> BridgeError:
    """One line, without any token."""
    with pytest.raises(caught) as error:
        way(url, **{"token": TOKEN, **options})
    told = "".join(traceback.format_exception(None, error.value, error.tb))
    assert TOKEN not in told and "\n" not in str(error.value), told
    return error.value


@WAYS
@BRIDGES
def test_a_token_that_is_unknown_is_unauthenticated(bridge: Any, way: Any) -> None:
    with bridge(Match(token="another")) as fake:
        for token in (TOKEN, ""):
            assert str(refused(way, fake.url, token=token)) == f"{UNKNOWN_TOKEN} (UNAUTHENTICATED)"


@WAYS
@BRIDGES
@pytest.mark.parametrize(
    ("shown", "tls", "says"),
    [
        ("bridge", lambda c: None, "not trusted (unable to get local issuer certificate): give its CA (--ca"),
        ("own", lambda c: None, "not trusted (self-signed certificate): give its CA (--ca"),
        ("elsewhere", lambda c: Tls(ca=c.ca), "is for other hosts (IP address mismatch"),
        ("bridge", lambda c: Tls(fingerprint=c.fingerprint(c.own)), "has another fingerprint, sha256:"),
    ],
    ids=["no authority", "self-signed", "another host", "another fingerprint"],
)
def test_a_certificate_that_is_not_trusted_ends_the_connection_before_the_token_is_sent(
    shown: str, tls: Any, says: str, bridge: Any, way: Any, certificates: Certificates
) -> None:
    match = Match()
    with bridge(match, tls=getattr(certificates, shown)) as fake:
        error = refused(way, fake.url, tls=tls(certificates))
    assert says in error.message.replace("self signed", "self-signed")
    assert error.code_name == "FAILED_PRECONDITION", "connecting again cannot help"
    assert match.shown == [], "the token was not shown"


@WAYS
@BRIDGES
def test_plain_text_on_a_port_of_tls_is_one_clear_error(bridge: Any, way: Any, certificates: Certificates) -> None:
    with bridge(Match(), tls=certificates.bridge) as fake:
        plain = fake.url.replace("grpcs:", "grpc:").replace("wss:", "ws:")
        scheme = "grpcs://" if bridge is GrpcBridge else "wss://"
        assert f"speaks TLS: use {scheme}" in refused(way, plain).message


@WAYS
@BRIDGES
def test_tls_on_a_port_of_plain_text_is_one_clear_error(bridge: Any, way: Any, certificates: Certificates) -> None:
    match = Match()
    with bridge(match) as fake:
        secure = fake.url.replace("grpc:", "grpcs:").replace("ws:", "wss:")
        for tls in (None, Tls(ca=certificates.ca), Tls(fingerprint="0" * 64)):
            # From release 14 on, the server of websockets closes the connection.
            assert re.search("does not speak TLS|check .* speaks TLS", refused(way, secure, tls=tls).message)
    assert match.shown == []


@WAYS
@BRIDGES
def test_a_bridge_can_require_a_certificate_of_clients(bridge: Any, way: Any, certificates: Certificates) -> None:
    with bridge(Match(), tls=certificates.bridge, clients=certificates.ca) as fake:
        error = refused(way, fake.url, tls=Tls(ca=certificates.ca))
        assert "does not accept a client without a certificate (--cert" in error.message
        error = refused(way, fake.url, tls=Tls(ca=certificates.ca, cert=certificates.own))
        assert f"does not accept the certificate {certificates.own}" in error.message


@WAYS
@pytest.mark.parametrize("scheme", ["grpcs", "wss"])
def test_a_closed_port_or_a_hang_up_is_not_a_bridge(scheme: str, way: Any, certificates: Certificates) -> None:
    with socket.create_server(("127.0.0.1", 0)) as closed:
        port = closed.getsockname()[1]
    hello: list[bytes] = []
    for tls in (None, Tls(fingerprint="0" * 64)):
        refused(way, f"{scheme}://127.0.0.1:{port}", ConnectionLostError, tls=tls)
        with tcp_peer(lambda connection: hello.append(connection.recv(1 << 16))) as hangs_up:
            refused(way, f"{scheme}://127.0.0.1:{hangs_up}", ConnectionLostError, tls=tls)
    assert all(said[:1] == b"\x16" for said in hello), "nothing but a TLS handshake was said"


@pytest.mark.parametrize(
    ("url", "options", "says"),
    [
        ("grpcs://h:1", {"tls": Tls(ca="/nowhere/ca.pem")}, "/nowhere/ca.pem: No such file or directory"),
        ("wss://h:1", {"tls": Tls(ca=__file__)}, "test_security.py: the file contains no certificate in PEM"),
        ("wss://h:1", {"tls": Tls(cert=__file__)}, "test_security.py: expected a certificate and its unencrypted key"),
        ("grpcs://h:1", {"tls": Tls(cert="/nowhere/own.pem")}, "/nowhere/own.pem: No such file or directory"),
        ("grpcs://h:1", {"tls": Tls(key="own.key")}, "own.key: give the certificate of this key"),
        ("grpcs://h:1", {"tls": Tls(fingerprint="sha1:00")}, "give sha256: and 64 hexadecimal digits"),
        ("grpcs://h:1", {"tls": Tls(ca=__file__, fingerprint="0" * 64)}, "choose a CA or a fingerprint"),
        ("grpc://h:1", {"tls": Tls()}, "h:1 is not a TLS address: use grpcs://HOST:PORT"),
        ("grpc://h:1", {"token": f"{TOKEN}\r\nX: y"}, "the token has spaces"),
        (f"grpc://h?token={TOKEN}", {}, "grpc://h: give host and port"),
        (f"http://h:1?token={TOKEN}", {}, "'http://h:1' is not a bridge's address"),
        (f"ws://me:{TOKEN}@h:1", {}, "an address must not have a user"),
    ],
)
def test_invalid_security_options_are_refused_at_once(url: str, options: Any, says: str) -> None:
    with pytest.raises(ValueError) as error:
        sc2bridge.connect(url, **options)
    assert says in str(error.value) and TOKEN not in str(error.value)


def test_an_empty_file_of_authorities_is_not_taken_for_the_systems(tmp_path: pathlib.Path) -> None:
    (tmp_path / "ca.pem").write_text("")
    with pytest.raises(ValueError, match="ca.pem: the file contains no certificate in PEM"):
        sc2bridge.connect("wss://h:1", tls=Tls(ca=tmp_path / "ca.pem"))


@BRIDGES
def test_no_log_and_no_text_of_an_object_shows_a_token(bridge: Any, caplog: Any) -> None:
    caplog.set_level(logging.DEBUG)
    with bridge(Match(steps=1, token=TOKEN)) as fake:
        url = f"{fake.url}?token={TOKEN}"
        with sc2bridge.connect(url) as connection:
            frames = connection.subscribe("every")
            assert len(list(frames)) == 1
            core = connection._core
            objects = [
                connection,
                core,
                connection.address,
                frames,
                *vars(core).values(),
                *vars(core._transport).values(),
            ]
            assert TOKEN not in repr([objects, [str(one) for one in objects]])
    of_the_client = [record.getMessage() for record in caplog.records if record.name != "websockets.server"]
    assert not [line for line in of_the_client if TOKEN in line]


@pytest.mark.parametrize(
    ("url", "warns"),
    [
        ("grpc://10.0.0.1:1", True),
        ("ws://bridge.example:1", True),
        ("ws://localhost:1", False),
        ("grpc://[::1]:1", False),
        ("grpc://127.3.2.1:1", False),
        ("grpc+unix:/s", False),
        ("grpcs://10.0.0.1:1", False),
        ("wss://10.0.0.1:1", False),
    ],
)
def test_a_token_in_plain_text_beyond_this_machine_is_warned_of_once(url: str, warns: bool, caplog: Any) -> None:
    for _ in range(2):
        sc2bridge.connect(url)
        sc2bridge.connect(url, token=TOKEN)
    assert len([one for one in caplog.records if "in plain text: use TLS" in one.message]) == int(warns)
    assert TOKEN not in caplog.text


@contextlib.contextmanager
def command(*arguments: str) -> Iterator[Callable[[], tuple[int, str]]]:
    """Runs `python -m sc2bridge run`. Returns the exit code and the output."""
    with subprocess.Popen(
        [sys.executable, "-m", "sc2bridge", "run", "sc2bridge.agents:Watcher", *arguments],
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    ) as process:
        try:
            yield lambda: (process.wait(60), process.communicate()[0])
        finally:
            process.kill()


@BRIDGES
def test_the_command_takes_a_token_and_certificates_from_files(
    bridge: Any, certificates: Certificates, tmp_path: pathlib.Path
) -> None:
    (tmp_path / "token").write_text(TOKEN + "\n")
    show = ["--token-file", str(tmp_path / "token"), "--cert", str(certificates.client.with_suffix(".crt"))]
    show += ["--cert-key", str(certificates.client.with_suffix(".key"))]
    known = [
        ["--ca", str(certificates.ca)],
        ["--fingerprint", certificates.fingerprint(certificates.bridge)],
    ]
    for trusted in known:
        match = Match(steps=2, token=TOKEN)
        with bridge(match, tls=certificates.bridge, clients=certificates.ca) as fake:
            with command("--bridge", fake.url, *show, *trusted) as run:
                assert run()[0] == 0
        assert len(match.subscriptions) == 1


@BRIDGES
def test_the_command_ends_at_once_with_a_line(bridge: Any, certificates: Certificates, tmp_path: pathlib.Path) -> None:
    (tmp_path / "token").write_text("two words")
    with bridge(Match(token=TOKEN), tls=certificates.bridge) as fake:
        for arguments, code, says in (
            ([], 1, "is not trusted"),
            (["--ca", str(certificates.ca)], 1, UNKNOWN_TOKEN),
            (["--ca", "/nowhere"], 2, "/nowhere: No such file"),
            (["--token-file", "/nowhere"], 2, "/nowhere: No such file"),
            (["--token-file", str(tmp_path / "token")], 2, "the file must contain one token"),
        ):
            with command("--bridge", fake.url, *arguments) as run:
                ended, said = run()
            assert (ended, said.count("\n")) == (code, 1) and said.startswith("sc2bridge: ") and says in said, said
