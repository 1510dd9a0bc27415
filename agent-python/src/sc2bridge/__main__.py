"""The commands in Python: `sc2bridge run`, for which the program starts `python -m sc2bridge run`, and `export` of recordings."""

from __future__ import annotations

import argparse
import logging
import os
import signal
import sys
from typing import Any, Optional

from sc2bridge._transports.security import Tls, token_in
from sc2bridge.errors import MalformedMessageError, RecordingError
from sc2bridge.printing import printable, say
from sc2bridge.recording import open_recording
from sc2bridge.agents.runner import RunOptions, run


def main(arguments: Optional[list[str]] = None) -> int:
    """Returns the exit code."""
    parser = argparse.ArgumentParser(prog="python -m sc2bridge", description="Agents for a StarCraft II bridge.")
    commands = parser.add_subparsers(dest="command", required=True)
    command = commands.add_parser("run", prog="sc2bridge run", help="run an agent through one match")
    command.add_argument("agent", metavar="MODULE:CLASS", help="the agent, for example sc2bridge.agents:Watcher")
    command.add_argument(
        "--bridge",
        default="grpc://127.0.0.1:50051",
        metavar="ADDRESS",
        help="grpc://HOST:PORT, grpc+unix:/PATH or ws://HOST:PORT/v1; by TLS grpcs:// or wss:// (default: %(default)s)",
    )
    command.add_argument(
        "--token-file", metavar="FILE", help="holds a token; default: SC2BRIDGE_TOKEN of the environment"
    )
    command.add_argument(
        "--ca", metavar="FILE", help="certificates to trust by TLS (PEM); default: SC2BRIDGE_CA, the system's"
    )
    command.add_argument(
        "--fingerprint",
        metavar="SHA256",
        help="of the bridge's certificate, as it prints it; default: SC2BRIDGE_FINGERPRINT",
    )
    command.add_argument(
        "--cert", metavar="FILE", help="this agent's certificate, for a bridge that asks for one (PEM)"
    )
    command.add_argument("--cert-key", metavar="FILE", help="its private key; default: in the same file")
    command.add_argument("--encoding", choices=["proto", "json"], help="over WebSocket; default: json")
    command.add_argument(
        "--compression",
        choices=["none", "deflate", "zstd", "group-zstd"],
        help="of frames; deflate is permessage-deflate, and gzip over gRPC (default: none)",
    )
    command.add_argument("--content", choices=["observation", "columns"], default="observation", help="of frames")
    command.add_argument("--policy", choices=["lockstep", "latest", "every"], default="every")
    command.add_argument("--overflow", choices=["pause", "end"], help="what a full queue means under `every`")
    command.add_argument("--queue-bytes", type=int, default=0, metavar="N", help="the most that may wait under `every`")
    command.add_argument("--match-id", default="", help="default: the one that runs")
    command.add_argument("--perspective", type=int, metavar="N", help="a player id, 0 for an observer of all")
    command.add_argument("--exclude", action="append", default=[], metavar="PART", help="may be given repeatedly")
    command.add_argument("--name", help="for the bridge's logs and tables; default: the class's name")
    command.add_argument(
        "--retry-seconds", type=float, default=30.0, metavar="S", help="how long to look for a bridge (default: 30)"
    )
    command.add_argument(
        "--ignore-interrupt",
        action="store_true",
        help="leave Ctrl-C, and a closed terminal, to the bridge that started this agent: it ends the match, and the "
        "agent is notified",
    )
    _add_export(commands)
    given = parser.parse_args(arguments)
    if given.command == "export":
        return _export(given)
    if given.ignore_interrupt:
        for name in ("SIGINT", "SIGHUP"):
            # Windows has only the first.
            if hasattr(signal, name):
                signal.signal(getattr(signal, name), signal.SIG_IGN)
    logging.basicConfig(format="sc2bridge: %(message)s", level=logging.WARNING)
    tls = Tls(ca=given.ca, cert=given.cert, key=given.cert_key, fingerprint=given.fingerprint)
    try:
        token = token_in(given.token_file) if given.token_file else None
    except ValueError as error:
        return say(2, str(error))
    return run(
        RunOptions(
            agent=given.agent,
            bridge=given.bridge,
            encoding=given.encoding,
            compression=given.compression,
            token=token,
            tls=None if tls == Tls() else tls,
            retry_seconds=given.retry_seconds,
            subscription={
                "policy": given.policy,
                "match_id": given.match_id,
                "perspective": given.perspective,
                "overflow": given.overflow,
                "exclude": given.exclude,
                "queue_bytes": given.queue_bytes,
                "content": given.content,
                "agent": given.name or given.agent.rpartition(":")[2],
            },
        )
    )


def _add_export(commands: Any) -> None:
    command = commands.add_parser("export", help="write units as CSV or numpy; `sc2bridge export` writes Parquet")
    command.add_argument("recording", metavar="FILE", help="a recording (.mcap)")
    target = command.add_mutually_exclusive_group(required=True)
    target.add_argument("--csv", metavar="OUT", help="as text, a line for each unit and step")
    target.add_argument("--npz", metavar="OUT", help="as numpy arrays")
    command.add_argument("--from", dest="from_loop", type=int, metavar="LOOP", help="the first game loop")
    command.add_argument("--to", dest="to_loop", type=int, metavar="LOOP", help="the last game loop")
    command.add_argument("--every", type=int, default=1, metavar="N", help="one frame in so many (default: 1)")
    command.add_argument("--perspective", type=int, metavar="N", help="a player id, 0 for an observer of all")


def _export(given: argparse.Namespace) -> int:
    try:
        from sc2bridge.recording import export

        if given.every < 1:
            raise ValueError(f"--every {given.every}: choose a number from 1")
        with open_recording(given.recording) as recording:
            frames = recording.perspective(given.perspective).between(given.from_loop, given.to_loop)[:: given.every]
            write = export.to_csv if given.csv is not None else export.to_npz
            path = given.csv if given.csv is not None else given.npz
            if os.path.exists(path) and os.path.samefile(path, given.recording):
                raise ValueError(f"{path} is the recording itself: name another file")
            frame_count, unit_count = write(frames, path)
    except (RecordingError, MalformedMessageError, ImportError) as error:
        return say(1, str(error))
    except OSError as error:
        return say(1, f"{error.filename or given.csv or given.npz}: {error.strerror}")
    except (LookupError, ValueError) as error:
        return say(2, str(error))
    print(f"{printable(path)}: {unit_count} units of {frame_count} frames")
    return 0


if __name__ == "__main__":
    sys.exit(main())
