"""The command line of what measures in Python: `python -m sc2bridge.measuring COMMAND`.

    codecs < OBSERVATIONS             times of protobuf and JSON
    units < OBSERVATIONS              the unit table as protobuf, JSON and CSV, plain and compressed
    columns < FRAMES                  numpy columns beside a loop; the frames are observations, each with its columns
    recording FILE [--from LOOP] [--rounds N] [--json OUT]
                                      how fast a recording is read, beside other readers; a table, and as JSON in a file
    hear [--asyncio]                  an agent that takes orders of `sc2bridge compare` (see `hearing`)
    poll                              the same by python-sc2's client on the game's API (see `polling`)
    can-poll                          fails where python-sc2 is not installed
    picture RESULT PICTURE            draws what `sc2bridge codec --json RESULT` wrote
    recording-picture RESULT PICTURE  draws what `sc2bridge inspect --json RESULT` wrote
    comparison-picture RESULT PICTURE draws what `sc2bridge compare --json RESULT` wrote
    can-draw PICTURE                  fails where what draws is not installed, or not for such a file

The observations are length-prefixed (see `frames`); the results go to standard output, one JSON value but for those of
`recording`.
"""

from __future__ import annotations

import argparse
import json
import sys
from typing import List, Optional

from google.protobuf.message import DecodeError

from sc2bridge.errors import RecordingError
from sc2bridge.measuring.frames import BadFramesError, read_frames
from sc2bridge.measuring.libraries import runtime


def main(arguments: Optional[List[str]] = None) -> int:
    """Returns the exit code."""
    parser = argparse.ArgumentParser(
        prog="python -m sc2bridge.measuring", description="What sc2bridge measures in Python."
    )
    commands = parser.add_subparsers(dest="command", required=True)
    commands.add_parser("codecs", help="times of protobuf and JSON")
    commands.add_parser("units", help="the unit table as protobuf, JSON and CSV, plain and compressed")
    commands.add_parser("columns", help="units in numpy, from columns and by a loop")
    reading = commands.add_parser("recording", help="how fast a recording is read, beside other readers")
    reading.add_argument("file")
    reading.add_argument("--from", dest="from_loop", type=int, default=0, metavar="LOOP", help="the first game loop")
    reading.add_argument("--rounds", type=int, default=5, metavar="N", help="default: 5")
    reading.add_argument("--json", metavar="OUT", help="write the raw results there")
    hearing = commands.add_parser("hear", help="an agent that takes orders of sc2bridge compare")
    hearing.add_argument("--asyncio", action="store_true", help="on asyncio; else blocking")
    commands.add_parser("poll", help="the same by python-sc2's own client")
    commands.add_parser("can-poll", help="fails where python-sc2 is not installed")
    whose_pictures = {"picture": "codec", "recording-picture": "inspect", "comparison-picture": "compare"}
    for name, whose in whose_pictures.items():
        drawing = commands.add_parser(name, help=f"draws a result of sc2bridge {whose}")
        drawing.add_argument("result")
        drawing.add_argument("picture")
    asking = commands.add_parser("can-draw", help="fails where what draws is not installed, or not for such a file")
    asking.add_argument("picture")
    given = parser.parse_args(arguments)
    try:
        if given.command in whose_pictures or given.command == "can-draw":
            from sc2bridge.measuring import comparison_picture, picture, recording_picture

            picture.check(given.picture)
            painters = {"picture": picture, "recording-picture": recording_picture}
            if given.command != "can-draw":
                painters.get(given.command, comparison_picture).draw(given.result, given.picture)
            print("{}")
            return 0
        if given.command == "hear":
            from sc2bridge.measuring import hearing as agent

            return agent.main(given.asyncio)
        if given.command in ("poll", "can-poll"):
            from sc2bridge.measuring import polling

            return polling.main() if given.command == "poll" else polling.check()
        if given.command == "recording":
            from sc2bridge.measuring import recording_speed

            result = {"runtime": runtime(), **recording_speed.measure(given.file, given.from_loop, given.rounds)}
            print("\n".join(recording_speed.lines(result)))
            if given.json is not None:
                with open(given.json, "w", encoding="utf-8") as file:
                    json.dump(result, file, indent=1)
                    file.write("\n")
            return 0
        observations = read_frames(sys.stdin.buffer)
        if given.command == "codecs":
            from sc2bridge.measuring import codecs

            rows = codecs.measure(observations)
        elif given.command == "columns":
            from sc2bridge.measuring import columns_speed

            print(json.dumps(columns_speed.measure(observations)))
            return 0
        else:
            from sc2bridge.measuring import unit_table

            rows = unit_table.measure(observations)
    except (BadFramesError, DecodeError, RecordingError, LookupError, OSError, ImportError, ValueError) as error:
        print(f"sc2bridge.measuring: {error}", file=sys.stderr)
        return 1
    json.dump({"runtime": runtime(), "rows": rows}, sys.stdout)
    print()
    return 0


if __name__ == "__main__":
    sys.exit(main())
