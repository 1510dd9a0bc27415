"""The command line: `python -m sc2bridge run MODULE:CLASS --bridge ADDRESS`."""

from __future__ import annotations

import argparse
import logging
import signal
import sys
from typing import Optional

from sc2bridge.runner import RunOptions, run


def main(arguments: Optional[list[str]] = None) -> int:
    """Returns the exit code."""
    parser = argparse.ArgumentParser(prog="python -m sc2bridge", description="Agents for a StarCraft II bridge.")
    commands = parser.add_subparsers(dest="command", required=True)
    command = commands.add_parser("run", help="run an agent through one match")
    command.add_argument("agent", metavar="MODULE:CLASS", help="the agent, for example sc2bridge.agents:Watcher")
    command.add_argument(
        "--bridge",
        default="grpc://127.0.0.1:50051",
        metavar="ADDRESS",
        help="grpc://HOST:PORT, grpc+unix:/PATH or ws://HOST:PORT/v1 (default: %(default)s)",
    )
    command.add_argument("--encoding", choices=["proto", "json"], help="over WebSocket; default: json")
    command.add_argument(
        "--compression",
        choices=["none", "deflate", "zstd", "group-zstd"],
        help="of frames; deflate is permessage-deflate, and gzip over gRPC (default: none)",
    )
    command.add_argument("--content", choices=["observation", "columns"], default="observation", help="of frames")
    command.add_argument("--policy", choices=["lockstep", "latest", "every"], default="every")
    command.add_argument("--when-full", choices=["pause", "end"], help="what a full queue means under `every`")
    command.add_argument("--queue-bytes", type=int, default=0, metavar="N", help="the most that may wait under `every`")
    command.add_argument("--match", default="", help="default: the one that runs")
    command.add_argument("--perspective", type=int, metavar="N", help="a player id, 0 for an observer of all")
    command.add_argument("--leave-out", action="append", default=[], metavar="PART", help="may be given repeatedly")
    command.add_argument("--name", help="for the bridge's logs and tables; default: the class's name")
    command.add_argument(
        "--retry-seconds", type=float, default=30.0, metavar="S", help="how long to look for a bridge (default: 30)"
    )
    command.add_argument(
        "--ignore-interrupt",
        action="store_true",
        help="leave Ctrl-C to the bridge that started this agent: it ends the match, and the agent hears it",
    )
    given = parser.parse_args(arguments)
    if given.ignore_interrupt:
        signal.signal(signal.SIGINT, signal.SIG_IGN)
    logging.basicConfig(format="sc2bridge: %(message)s", level=logging.WARNING)
    return run(
        RunOptions(
            agent=given.agent,
            bridge=given.bridge,
            encoding=given.encoding,
            compression=given.compression,
            retry_seconds=given.retry_seconds,
            subscription={
                "policy": given.policy,
                "match": given.match,
                "perspective": given.perspective,
                "when_full": given.when_full,
                "leave_out": given.leave_out,
                "queue_bytes": given.queue_bytes,
                "content": given.content,
                "agent": given.name or given.agent.rpartition(":")[2],
            },
        )
    )


if __name__ == "__main__":
    sys.exit(main())
