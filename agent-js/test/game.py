"""Prints what the Python package makes of a match, as JSON. game.test.js compares it with JavaScript.

    python game.py ids | names DATA | commands DESCRIPTION <COMMANDS | events URL | recorded FILE PERSPECTIVE
"""

import base64
import json
import pathlib
import sys

import sc2bridge
from sc2bridge import UnitEvents, ids
from sc2bridge.game.commands import Commands
from sc2bridge.game.match import Match
from sc2bridge.s2clientprotocol import sc2api_pb2
from sc2bridge.v1 import bridge_pb2

TABLES = ("abilities", "unit_types", "upgrades", "buffs", "effects")


def print_ids():
    kinds = (ids.UnitTypeId, ids.AbilityId, ids.UpgradeId, ids.BuffId, ids.EffectId)
    print(json.dumps({kind.__name__: {name: int(each) for name, each in kind.__members__.items()} for kind in kinds}))


def print_names(path):
    description = bridge_pb2.MatchDescription(data=sc2api_pb2.ResponseData.FromString(pathlib.Path(path).read_bytes()))
    match = Match(description)
    print(json.dumps({table: {each.name: int(each) for each in getattr(match, table).values()} for table in TABLES}))


class _Recorder(Commands):
    def __init__(self, path):
        self.match = Match(bridge_pb2.MatchDescription.FromString(pathlib.Path(path).read_bytes()), 1)

    def _current_match(self):
        return self.match

    def do(self, action):
        print(base64.b64encode(action.SerializeToString(deterministic=True)).decode())


def print_commands(path):
    recorder = _Recorder(path)
    for line in sys.stdin:
        name, *arguments = json.loads(line, object_hook=lambda value: int(value["tag"]))
        getattr(recorder, name)(*arguments)


def tags(units):
    return [str(tag) for tag in units.tag.tolist()]


def print_events(frames, events):
    for frame in frames:
        changes = events.update(frame)
        destroyed = [[str(unit.tag), *unit[1:]] for unit in changes.destroyed]
        print(
            json.dumps(
                {
                    "step": frame.step,
                    "begun": changes.begun,
                    "destroyed": destroyed,
                    "created": tags(changes.created),
                    "typeChanged": tags(changes.type_changed),
                    "previousTypes": changes.previous_types.tolist(),
                    "damaged": tags(changes.damaged),
                    "damage": changes.damage.tolist(),
                    "started": tags(changes.started),
                    "finished": tags(changes.finished),
                    "upgrades": changes.upgrades,
                    "seen": tags(changes.seen),
                }
            )
        )


def print_events_of_match(url):
    with sc2bridge.connect(url) as bridge:
        frames = bridge.subscribe("lockstep", agent="python", report_times=False)
        print_events(frames, UnitEvents(frames.describe()))


def print_events_of_recording(path, perspective):
    recording = sc2bridge.open_recording(path)
    print_events(recording.perspective(int(perspective)), UnitEvents(recording.describe(int(perspective))))


kind, *rest = sys.argv[1:]
{
    "ids": print_ids,
    "names": print_names,
    "commands": print_commands,
    "events": print_events_of_match,
    "recorded": print_events_of_recording,
}[kind](*rest)
