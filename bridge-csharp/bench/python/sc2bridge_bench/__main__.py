"""Measures and draws in Python: `python -m sc2bridge_bench COMMAND`, with `bench/python` on the path.

    codecs < FRAMES             times of protobuf, JSON and columns; the frames are observations, each with its columns
    receive [--asyncio]         an agent that executes orders of `sc2bridge compare` (see `receiving`)
    delivery TRANSPORT ADDRESS  a client that executes orders of `bench delivery` (see `delivery`)
    acting WAY ADDRESS          a client that executes orders of `bench acting` (see `acting`)
    environments [--rounds N] [--steps N] [--json FILE] [--one]  steps a second, compared with PySC2's and python-sc2's loops
    native [--rounds N] [--seconds N] [--json FILE]  steps a second of scenarios: the native library compared with the bridge
    recordings PATH... [--units N] [--rounds N] [--seconds N] [--json FILE]  frames a second of recordings as padded arrays of N units: the
                                native reader compared with the Python reader
    fights [--games N] [--rounds N] [--json FILE]  `sc2bridge.simulate`: right winners, and fights a second
    stepping WAY                a client that executes orders of `environments` (see `stepping`)
    draw RESULT PICTURE         draws a result of `inspect --json`
    can-draw PICTURE            fails if matplotlib is missing, or does not support the file's format
    map RECORDING PICTURE [--loop N] [--observe N]              draws the map of a recorded match
    film RECORDING VIDEO [--from N] [--to N] [--observe N]      films a part of it
    can-film VIDEO              fails if matplotlib or ffmpeg is missing, or does not support the file's format

The frames are length-prefixed (see `frames`); results go to standard output as JSON.
"""

from __future__ import annotations

import argparse
import json
import sys
from typing import List, Optional

from google.protobuf.message import DecodeError

from sc2bridge.errors import SC2BridgeError
from sc2bridge_bench.frames import BadFramesError, read_frames
from sc2bridge_bench.libraries import runtime


def main(arguments: Optional[List[str]] = None) -> int:
    """Returns the exit code."""
    parser = argparse.ArgumentParser(prog="python -m sc2bridge_bench", description="What sc2bridge measures in Python.")
    commands = parser.add_subparsers(dest="command", required=True)
    commands.add_parser("codecs")
    environments = commands.add_parser("environments")
    for word in ("--rounds", "--steps"):
        environments.add_argument(word, type=int)
    environments.add_argument("--json")
    environments.add_argument("--one", action="store_true")
    native = commands.add_parser("native")
    for word in ("--rounds", "--seconds"):
        native.add_argument(word, type=int)
    native.add_argument("--json")
    recordings = commands.add_parser("recordings")
    recordings.add_argument("paths", nargs="+")
    for word in ("--units", "--rounds", "--seconds"):
        recordings.add_argument(word, type=int)
    recordings.add_argument("--json")
    fights = commands.add_parser("fights")
    for word in ("--games", "--rounds"):
        fights.add_argument(word, type=int)
    fights.add_argument("--json")
    commands.add_parser("receive").add_argument("--asyncio", action="store_true")
    for name, words in (
        ("delivery", ("transport", "address")),
        ("acting", ("way", "address")),
        ("stepping", ("way",)),
        ("draw", ("result", "picture")),
        ("can-draw", ("picture",)),
        ("map", ("recording", "picture", "--loop", "--observe")),
        ("film", ("recording", "video", "--from", "--to", "--observe")),
        ("can-film", ("video",)),
    ):
        command = commands.add_parser(name)
        for word in words:
            command.add_argument(word, type=int if word.startswith("--") else str)
    given = parser.parse_args(arguments)
    try:
        return _run(given)
    except (BadFramesError, DecodeError, SC2BridgeError, LookupError, OSError, ImportError, ValueError) as error:
        print(f"sc2bridge_bench: {error}", file=sys.stderr)
        return 1


def _run(given: argparse.Namespace) -> int:
    # Each command imports only what it needs, so that a library missing for another command does no harm.
    if given.command in ("draw", "can-draw"):
        from sc2bridge_bench import pictures

        pictures.check(given.picture)
        if given.command == "draw":
            pictures.draw(given.result, given.picture)
    elif given.command == "map":
        from sc2bridge_bench import maps

        maps.picture(given.recording, given.picture, given.loop, given.observe)
    elif given.command == "film":
        from sc2bridge_bench import maps

        maps.film(given.recording, given.video, getattr(given, "from"), given.to, given.observe)
    elif given.command == "can-film":
        from sc2bridge_bench import maps

        maps.film_writer(given.video, fps=1)
    elif given.command == "receive":
        from sc2bridge_bench import receiving

        receiving.main(given.asyncio)
    elif given.command == "delivery":
        from sc2bridge_bench import delivery, receiving

        name, measure = delivery.client(given.transport, given.address)
        receiving.serve(sys.stdin, sys.stdout, {"client": name}, lambda line: measure(json.loads(line)))
    elif given.command == "acting":
        from sc2bridge_bench import acting

        acting.main(given.way, given.address)
    elif given.command == "environments":
        from sc2bridge_bench import environments

        environments.main(given.rounds, given.steps, given.json, given.one)
    elif given.command == "native":
        from sc2bridge_bench import native

        native.main(given.rounds, given.seconds, given.json)
    elif given.command == "recordings":
        from sc2bridge_bench import recordings

        recordings.main(given.paths, given.units, given.rounds, given.seconds, given.json)
    elif given.command == "fights":
        from sc2bridge_bench import fights

        fights.main(given.games, given.rounds, given.json)
    elif given.command == "stepping":
        from sc2bridge_bench import stepping

        stepping.main(given.way)
    else:
        from sc2bridge_bench import codecs

        print(json.dumps({"runtime": runtime(), "rows": codecs.measure(read_frames(sys.stdin.buffer))}))
    return 0


if __name__ == "__main__":
    sys.exit(main())
