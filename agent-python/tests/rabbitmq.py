"""One node of RabbitMQ on free ports, with its data in a folder of its own. Needs only Python's standard library."""

from __future__ import annotations

import os
import pathlib
import signal
import socket
import subprocess

# Debian's; the one on the path wants to be root or its own user.
SERVER = pathlib.Path("/usr/lib/rabbitmq/bin/rabbitmq-server")


def free_port() -> int:
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        return int(listener.getsockname()[1])


class RabbitNode:
    """`stop` and `start` restart it with its data. (RabbitMQ 3.10 loses a stream if it is killed within seconds of declaring it.)"""

    def __init__(self, folder: pathlib.Path, configuration: str = "") -> None:
        self.port = free_port()
        self.url = f"amqp://127.0.0.1:{self.port}"
        names = free_port()
        # Erlang's name server, in the foreground. Otherwise RabbitMQ would start one and leave it running.
        self._names = subprocess.Popen(["epmd", "-port", str(names), "-address", "127.0.0.1"])
        (folder / "plugins").write_text("[].")
        (folder / "rabbitmq.conf").write_text(configuration)
        self._environment = {
            **os.environ,
            "HOME": str(folder),
            "ERL_EPMD_PORT": str(names),
            "RABBITMQ_NODENAME": f"test{self.port}@localhost",
            "RABBITMQ_NODE_IP_ADDRESS": "127.0.0.1",
            "RABBITMQ_NODE_PORT": str(self.port),
            "RABBITMQ_DIST_PORT": str(free_port()),
            "RABBITMQ_MNESIA_BASE": str(folder / "data"),
            "RABBITMQ_LOG_BASE": str(folder / "log"),
            "RABBITMQ_CONFIG_FILE": str(folder / "rabbitmq"),
            "RABBITMQ_CONF_ENV_FILE": str(folder / "none"),
            "RABBITMQ_ENABLED_PLUGINS_FILE": str(folder / "plugins"),
        }
        try:
            self.start()
        except RuntimeError:
            self.close()
            raise

    def start(self) -> None:
        """Raises RuntimeError, with the output, if the node does not start."""
        self._server = subprocess.Popen(
            [SERVER],
            env=self._environment,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            start_new_session=True,
        )
        assert self._server.stdout is not None
        said = []
        for line in self._server.stdout:
            said.append(line)
            if "completed with" in line:
                return
        raise RuntimeError("RabbitMQ did not start:\n" + "".join(said))

    @property
    def pid(self) -> int:
        """Erlang's process, which the script has started in its own session."""
        for entry in pathlib.Path("/proc").iterdir():
            try:
                if entry.name.isdigit() and (entry / "comm").read_text() == "beam.smp\n":
                    if os.getsid(int(entry.name)) == self._server.pid:
                        return int(entry.name)
            except OSError:
                continue  # This process has ended.
        raise RuntimeError("RabbitMQ's process was not found")

    def stop(self) -> None:
        # To the script alone: what it runs stops by its word.
        self._server.send_signal(signal.SIGTERM)
        self._server.wait(60)
        self._gone()

    def _gone(self) -> None:
        if self._server.stdout:
            self._server.stdout.close()

    def close(self) -> None:
        try:
            os.killpg(self._server.pid, signal.SIGKILL)
        except ProcessLookupError:
            pass  # It was stopped.
        self._server.wait()
        self._gone()
        self._names.kill()
        self._names.wait()
