"""Agents on another machine: a network namespace, TLS and tokens. A refused client gets the reason, but no secret."""

from __future__ import annotations

import json
import os
import pathlib
import re
import shutil
import signal
import socket
import ssl
import subprocess
import sys
import time
import threading
from collections.abc import Iterator
from typing import Any

import pytest

HERE = pathlib.Path(__file__).parent
ROOT = HERE.parents[2]
SAMPLE = ROOT / "bridge-csharp/samples/GrpcNetClientAgent/bin/Release/net10.0/GrpcNetClientAgent.dll"
ALL, WATCH, EXPIRED = "everything0123456789", "watchonly0123456789", "expired0123456789"

# Parts of a client's errors if it has no token, an unknown token, an expired token, or a token without the permission.
NO_TOKEN, UNKNOWN, OVER, NOT_THAT = "requires a token", "does not know your token", "has expired", "'hold'|hold"


def run(*words: str) -> None:
    subprocess.run(words, check=True, capture_output=True)


@pytest.fixture(scope="session")
def other_machine() -> Iterator[Any]:
    """The words that run a command in the namespace, this machine's address seen from there, and another one of it."""
    if sys.platform != "linux" or os.geteuid() != 0 or shutil.which("ip") is None:
        pytest.skip("needs network namespaces: Linux, root and iproute2")
    name = f"sc2t{os.getpid()}"
    block = f"10.233.{os.getpid() % 256}"
    try:
        run("ip", "netns", "add", name)
    except subprocess.CalledProcessError as error:
        pytest.skip(f"needs network namespaces: {error.stderr.decode().strip()}")
    try:
        run("ip", "link", "add", f"{name}a", "type", "veth", "peer", "name", f"{name}b", "netns", name)
        for host in (1, 2):
            run("ip", "addr", "add", f"{block}.{host}/29", "dev", f"{name}a")
        run("ip", "link", "set", f"{name}a", "up")
        run("ip", "-n", name, "addr", "add", f"{block}.3/29", "dev", f"{name}b")
        run("ip", "-n", name, "link", "set", f"{name}b", "up")
        yield ["ip", "netns", "exec", name], f"{block}.1", f"{block}.2"
    finally:
        run("ip", "netns", "del", name)


class Bridge:
    """A match in real time, for agents of the other machine."""

    def __init__(self, folder: pathlib.Path, other_machine: Any) -> None:
        self.folder = folder
        self.inside, self.host, self.other_host = other_machine
        self.ca = self._certificate("ca")
        self._certificate("bridge", "-addext", f"subjectAltName=IP:{self.host}", "-addext", "basicConstraints=CA:FALSE")
        tokens = folder / "tokens"
        # The bridge refuses to start with a token that has already expired.
        self.expiry = time.time() + 30
        expires = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(self.expiry))
        tokens.write_text(f"watch,hold,play,control {ALL}\nwatch {WATCH}\nwatch,hold {EXPIRED} expires={expires}\n")
        tokens.chmod(0o600)
        command = [os.environ.get("SC2BRIDGE_EXECUTABLE", str(ROOT / "sc2bridge")), "match", "--game", "simulated"]
        command += ["--rate", "realtime", "--no-agents", "--out", str(folder / "out"), "--tokens", str(tokens)]
        command += ["--grpc", "0.0.0.0:0", "--web", "0.0.0.0:0", "--json", "-"]
        command += ["--tls-cert", str(folder / "bridge.crt"), "--tls-key", str(folder / "bridge.key")]
        self.said: list[str] = []
        self.process = subprocess.Popen(
            command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, start_new_session=True
        )
        assert self.process.stdout is not None
        for line in self.process.stdout:
            self.said.append(line)
            event = json.loads(line) if line.startswith("{") else {}
            if event.get("event") == "listening":
                self.grpc, self.web = (int(re.findall(r":(\d+)", event[name])[-1]) for name in ("grpc", "web"))
            elif event.get("event") == "match":
                break
        else:
            raise AssertionError(self.said)
        self._reader = threading.Thread(target=lambda: self.said.extend(self.process.stdout or ()))
        self._reader.start()

    def _certificate(self, name: str, *more: str) -> pathlib.Path:
        files = ["-keyout", f"{self.folder}/{name}.key", "-out", f"{self.folder}/{name}.crt"]
        by = [] if name == "ca" else ["-CA", f"{self.folder}/ca.crt", "-CAkey", f"{self.folder}/ca.key"]
        kind = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-days", "2"]
        run("openssl", "req", "-x509", *kind, "-subj", f"/O=tests/OU={name}", *files, *by, *more)
        return self.folder / f"{name}.crt"

    def end(self) -> str:
        """All its output, in the terminal and in files."""
        # A background job ignores SIGINT.
        self.process.terminate()
        self.process.wait(60)
        self._reader.join()
        files = (file.read_bytes().decode("latin-1") for file in (self.folder / "out").iterdir())
        return "".join([*self.said, *files])


@pytest.fixture(scope="session")
def bridge(other_machine: Any, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Bridge]:
    bridge = Bridge(tmp_path_factory.mktemp("bridge"), other_machine)
    try:
        yield bridge
    finally:
        told = bridge.end()
    assert not [token for token in (ALL, WATCH, EXPIRED, "guessed") if token in told], "no token is told or written"


def agent(bridge: Bridge, name: str, policy: str, host: str, plain: bool) -> list[str]:
    """The command that starts an agent."""
    s = "" if plain else "s"
    grpc, web = f"{host}:{bridge.grpc}", f"{host}:{bridge.web}"
    if name == "C#":
        return ["dotnet", str(SAMPLE), f"http{s}://{grpc}"]
    if name == "grpc-js":
        return ["node", "--no-deprecation", str(HERE / "grpc_agent.js"), grpc, policy]
    if name == "ws":
        return ["node", "--no-deprecation", str(HERE / "ws_agent.js"), f"ws{s}://{web}/v1", policy]
    transport, way = name.split(" ")
    url = f"grpc{s}://{grpc}" if transport == "gRPC" else f"ws{s}://{web}/v1"
    return [sys.executable, str(HERE / "agent.py"), url, way, policy]


PYTHON = ["gRPC blocking", "gRPC asyncio", "WebSocket blocking", "WebSocket asyncio"]
AGENTS = [*PYTHON, "C#", "grpc-js", "ws"]


def play(bridge: Bridge, name: str, token: str, *, policy: str = "lockstep", ca: bool = True, **where: Any) -> Any:
    """Whether an agent of the other machine received frames, and its error output."""
    command = agent(bridge, name, policy, where.get("host", bridge.host), where.get("plain", False))
    program = next(word for word in command if word.endswith((".py", ".js", ".dll")))
    lacks_packages = command[0] == "node" and not (ROOT / "tools/peers/node_modules/ws").exists()
    if not pathlib.Path(program).exists() or shutil.which(command[0]) is None or lacks_packages:
        pytest.skip(f"needs {command[0]} and {program}")
    environment = {name: value for name, value in os.environ.items() if not name.startswith("SC2BRIDGE_")}
    environment |= {"PYTHONPATH": str(ROOT / "agent-python/src"), "NODE_PATH": str(ROOT / "tools/peers/node_modules")}
    environment |= {"SC2BRIDGE_TOKEN": token} if token else {}
    if ca:
        environment |= {"SC2BRIDGE_CA": str(bridge.ca), "SSL_CERT_FILE": str(bridge.ca)}
    elif where.get("plain", False) and command[0] == "node":
        environment["SC2BRIDGE_CA"] = "none"
    with subprocess.Popen(
        [*bridge.inside, *command], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=environment
    ) as process:
        assert process.stdout is not None and process.stderr is not None
        heard = False
        for line in process.stdout:
            heard |= line.startswith(("3 frames", "step "))
            if line.startswith("step "):  # The sample agent follows the match to its end.
                process.kill()
                break
        complaint = process.stderr.read()
    return heard, complaint


@pytest.mark.parametrize("name", AGENTS)
def test_an_agent_with_a_token_is_let_in(bridge: Bridge, name: str) -> None:
    assert play(bridge, name, ALL) == (True, "")


@pytest.mark.parametrize("name", [name for name in AGENTS if name != "C#"])
def test_who_may_only_watch_watches(bridge: Bridge, name: str) -> None:
    assert play(bridge, name, WATCH, policy="latest") == (True, "")


@pytest.mark.parametrize(
    ("token", "says"),
    [("", NO_TOKEN), ("guessed", UNKNOWN), (EXPIRED, OVER), (WATCH, NOT_THAT)],
    ids=["no token", "an unknown one", "an expired one", "a role that lacks"],
)
@pytest.mark.parametrize("name", AGENTS)
def test_who_is_not_let_in_hears_why_in_a_line(bridge: Bridge, name: str, token: str, says: str) -> None:
    if token == EXPIRED:
        time.sleep(max(0.0, bridge.expiry - time.time()))
    refused(play(bridge, name, token), says)


@pytest.mark.parametrize("name", AGENTS)
def test_a_certificate_that_nobody_vouches_for(bridge: Bridge, name: str) -> None:
    refused(play(bridge, name, ALL, ca=False), "trusted|certificate|UntrustedRoot|Received HTTP/2|SSL")


@pytest.mark.parametrize("name", AGENTS)
def test_a_certificate_of_another_host(bridge: Bridge, name: str) -> None:
    refused(
        play(bridge, name, ALL, host=bridge.other_host), "other hosts|not in the cert|RemoteCertificateNameMismatch"
    )


@pytest.mark.parametrize("name", AGENTS)
def test_plain_text_on_a_port_of_tls(bridge: Bridge, name: str) -> None:
    says = "speaks TLS: use" if name in PYTHON else "."
    refused(play(bridge, name, ALL, ca=False, plain=True), says, lines=2 if name in PYTHON else 1)


def refused(heard_and_complaint: Any, says: str, lines: int = 1) -> None:
    heard, complaint = heard_and_complaint
    assert not heard
    # Python's client also warns before it sends a token in plain text.
    assert complaint.count("\n") == lines and re.search(says, complaint), complaint
    assert not [token for token in (ALL, WATCH, EXPIRED, "guessed") if token in complaint]


@pytest.mark.parametrize(
    ("headers", "says"),
    [("Host: evil.example", "40[03]|421"), ("Host: {host}\r\nOrigin: http://evil.example", "403")],
    ids=["another host", "a foreign origin"],
)
@pytest.mark.parametrize("token", [ALL, ""], ids=["with a token", "without"])
def test_a_page_of_another_site_is_refused(bridge: Bridge, token: str, headers: str, says: str) -> None:
    request = f"GET /v1{f'?token={token}' if token else ''} HTTP/1.1\r\n{headers.format(host=bridge.host)}\r\n"
    request += "Connection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\n"
    request += "Sec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\nSec-WebSocket-Protocol: sc2bridge.json.v1\r\n\r\n"
    context = ssl.create_default_context(cafile=bridge.ca)
    with socket.create_connection((bridge.host, bridge.web), timeout=60) as plain:
        with context.wrap_socket(plain, server_hostname=bridge.host) as connection:
            connection.sendall(request.encode())
            answer = connection.recv(1 << 16).decode()
    assert re.match(rf"HTTP/1.1 ({says}) ", answer), answer
    assert ALL not in answer
