"""The command line of the Python package: `run` runs an agent, and `export` writes the units of a recording. For
the command `sc2bridge run`, the bridge's program starts `python -m sc2bridge run`."""

from __future__ import annotations

import argparse
import difflib
import logging
import os
import signal
import sys
import threading
from collections.abc import Iterator
from typing import Any, NoReturn, Optional

from sc2bridge._transports.security import Tls, read_token
from sc2bridge.errors import MalformedMessageError, RecordingError
from sc2bridge.printing import printable, report
from sc2bridge.recording import open_recording
from sc2bridge.agents.runner import RunOptions, run


_EXAMPLE = """an agent, for example in my_bot.py:
  import sc2bridge
  class MyBot(sc2bridge.Agent):
      can_act = True
      def on_step(self, frame):
          enemy = self.match.enemy_start_locations[0]
          self.attack(frame.units.own.idle, enemy)
run it in a match that has a player agent:RACE:
  sc2bridge run my_bot:MyBot"""


def _help_formatter(prog: str) -> argparse.HelpFormatter:
    return argparse.RawDescriptionHelpFormatter(prog, max_help_position=26)


class Parser(argparse.ArgumentParser):
    """Reports a wrong command line in one line, like the bridge's program."""

    def __init__(self, **options: Any) -> None:
        super().__init__(allow_abbrev=False, formatter_class=_help_formatter, **options)

    def format_help(self) -> str:
        return super().format_help().replace("`", "")

    def print_help(self, file: Any = None) -> None:
        try:
            print(self.format_help(), end="", file=file, flush=True)
        except OSError as error:
            # At exit, Python flushes standard output again. After the redirection, that flush cannot fail.
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
            if isinstance(error, BrokenPipeError):
                self.exit(0)
            self.exit(1, f"sc2bridge: standard output cannot be written: {error.strerror}\n")

    def error(self, message: str) -> NoReturn:
        unknown_option = message.partition("unrecognized arguments: ")[2].split(" ")[0]
        if unknown_option:
            known = [name for action in self._all_options() for name in action.option_strings]
            similar = difflib.get_close_matches(unknown_option.partition("=")[0], known, 1)
            message = f"unknown option '{unknown_option}'" + (f"; did you mean {similar[0]}?" if similar else "")
        self.exit(2, f"sc2bridge: {message} ({self.prog} --help shows the options)\n")

    def _all_options(self) -> Iterator[argparse.Action]:
        for action in self._actions:
            yield action
            if isinstance(action.choices, dict):
                for command in action.choices.values():
                    yield from command._all_options()


def make_parser() -> Parser:
    """The parser of `python -m sc2bridge`. The descriptions are Markdown without links, because
    docs/reference/commands.md contains them too."""
    parser = Parser(prog="python -m sc2bridge", description="Agents for a StarCraft II bridge.")
    commands = parser.add_subparsers(dest="command", required=True)
    _add_run(commands)
    _add_export(commands)
    return parser


def _duration(text: str) -> float:
    """Parses a number of seconds above 0. A thread cannot sleep for longer than the limit."""
    seconds = float(text)
    if not 0 < seconds <= threading.TIMEOUT_MAX:
        raise argparse.ArgumentTypeError(f"{text} is no time in seconds: write a number above 0, such as 2.5")
    return seconds


def _add_run(commands: Any) -> None:
    command = commands.add_parser(
        "run",
        prog="sc2bridge run",
        usage="sc2bridge run MODULE:CLASS [OPTIONS]",
        help="run an agent through one match",
        add_help=False,
        description="Runs an agent, reconnects it if needed, and reports its times.",
        epilog=_EXAMPLE,
    )
    command.add_argument("agent", metavar="MODULE:CLASS", help="the agent, for example `sc2bridge.agents:Watcher`")
    command.add_argument("-h", "--help", action="help", help=argparse.SUPPRESS)
    add = command.add_argument_group("the bridge").add_argument
    add(
        "--bridge",
        default="grpc://127.0.0.1:50051",
        metavar="ADDRESS",
        help="`grpc://HOST:PORT`, `grpc+unix:/PATH`, `shm:NAME` or `ws://HOST:PORT/v1`; with TLS `grpcs://` or "
        "`wss://` (default: %(default)s)",
    )
    add("--match-id", metavar="ID", default="", help="the match (default: the running match)")
    add("--retry-seconds", type=float, default=30.0, metavar="S", help="how long to try to connect (default: 30)")
    add = command.add_argument_group("access").add_argument
    add("--token-file", metavar="FILE", help="a file with the token (default: the token in `SC2BRIDGE_TOKEN`)")
    add("--ca", metavar="FILE", help="certificates to trust (PEM; default: `SC2BRIDGE_CA`)")
    add("--fingerprint", metavar="SHA256", help="the certificate's fingerprint (default: `SC2BRIDGE_FINGERPRINT`)")
    add("--cert", metavar="FILE", help="this agent's certificate, if the bridge requires one (PEM)")
    add("--cert-key", metavar="FILE", help="its private key (default: in the same file)")
    add = command.add_argument_group("frames").add_argument
    add(
        "--policy",
        choices=["lockstep", "latest", "every"],
        default="every",
        metavar="NAME",
        help="`every`, `latest`, or `lockstep`: the match waits for the agent at each step (default: every)",
    )
    add(
        "--content",
        choices=["observation", "columns"],
        default="observation",
        metavar="NAME",
        help="`observation` or `columns` (default: observation)",
    )
    add("--encoding", choices=["proto", "json"], metavar="NAME", help="WebSocket: `proto` or `json` (default: json)")
    add(
        "--compression",
        choices=["none", "deflate", "zstd", "group-zstd"],
        metavar="NAME",
        help="`none`, `deflate`, `zstd` or `group-zstd` (default: none)",
    )
    add("--perspective", type=int, metavar="N", help="a player id, or 0 for an observer of all")
    add("--exclude", action="append", default=[], metavar="PART", help="a part to leave out; may be repeated")
    add("--overflow", choices=["pause", "end"], metavar="NAME", help="if `every` fills its queue: `pause` or `end`")
    add("--queue-bytes", type=int, default=0, metavar="N", help="the largest queue of `every`, in bytes")
    add = command.add_argument_group("the agent").add_argument
    add("--name", help="for the bridge's logs and tables (default: the class's name)")
    add("--ignore-interrupt", action="store_true", help="leave Ctrl-C to the bridge that started this agent")
    add(
        "--stack-seconds",
        type=_duration,
        metavar="S",
        help="print the stack of a step that takes longer than S seconds",
    )


def main(arguments: Optional[list[str]] = None) -> int:
    """Runs a command line. Returns the exit code."""
    given = make_parser().parse_args(arguments)
    if given.command == "export":
        return _export(given)
    if given.ignore_interrupt:
        for name in ("SIGINT", "SIGHUP"):
            # Windows does not have SIGHUP.
            if hasattr(signal, name):
                signal.signal(getattr(signal, name), signal.SIG_IGN)
    logging.basicConfig(format="sc2bridge: %(message)s", level=logging.WARNING)
    tls = Tls(ca=given.ca, cert=given.cert, key=given.cert_key, fingerprint=given.fingerprint)
    try:
        token = read_token(given.token_file) if given.token_file else None
    except ValueError as error:
        return report(2, str(error))
    return run(
        RunOptions(
            agent=given.agent,
            bridge=given.bridge,
            encoding=given.encoding,
            compression=given.compression,
            token=token,
            tls=None if tls == Tls() else tls,
            retry_seconds=given.retry_seconds,
            stack_seconds=given.stack_seconds,
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
    command = commands.add_parser(
        "export",
        usage="python -m sc2bridge export FILE (--csv OUT | --npz OUT) [OPTIONS]",
        help="write units as CSV or numpy; `sc2bridge export` writes Parquet",
        description="Writes the units of a recording as a table.",
    )
    command.add_argument("recording", metavar="FILE", help="a recording (.mcap)")
    target = command.add_mutually_exclusive_group(required=True)
    target.add_argument("--csv", metavar="OUT", help="as CSV, a line for each unit and step")
    target.add_argument("--npz", metavar="OUT", help="as numpy arrays")
    command.add_argument("--from", dest="from_loop", type=int, metavar="LOOP", help="the first game loop")
    command.add_argument("--to", dest="to_loop", type=int, metavar="LOOP", help="the last game loop")
    command.add_argument("--every", type=int, default=1, metavar="N", help="every Nth frame (default: 1)")
    command.add_argument("--perspective", type=int, metavar="N", help="a player id, or 0 for an observer of all")


def _export(given: argparse.Namespace) -> int:
    try:
        from sc2bridge.recording import export

        if given.every < 1:
            raise ValueError(f"--every {given.every}: choose 1 or more")
        with open_recording(given.recording) as recording:
            frames = recording.perspective(given.perspective).between(given.from_loop, given.to_loop)[:: given.every]
            write = export.to_csv if given.csv is not None else export.to_npz
            path = given.csv if given.csv is not None else given.npz
            if os.path.exists(path) and os.path.samefile(path, given.recording):
                raise ValueError(f"{path} is the recording itself: choose another file to write to")
            frame_count, unit_count = write(frames, path)
    except (RecordingError, MalformedMessageError, ImportError) as error:
        return report(1, str(error))
    except OSError as error:
        return report(1, f"{error.filename or given.csv or given.npz}: {error.strerror}")
    except (LookupError, ValueError) as error:
        return report(2, str(error))
    print(f"{printable(path)}: {unit_count} units of {frame_count} frames")
    return 0


if __name__ == "__main__":
    sys.exit(main())
