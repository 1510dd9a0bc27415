"""Reads a match with the Python package and prints a line of JSON for each frame. parity.test.js compares it with JavaScript.

    python read.py URL CONTENT [POLICY]
"""

import hashlib
import json
import sys

import sc2bridge
from google.protobuf import json_format


def columns(table):
    return {name: hashlib.sha256(getattr(table, name).tobytes()).hexdigest() for name in table.fields}


def lists(table):
    return {"offsets": table.offsets.tolist(), **columns(table), "present": presence(table)}


def presence(table):
    return {name: table.present(name).astype(int).tolist() for name in table.fields}


def read(url, content, policy="every"):
    with sc2bridge.connect(url) as bridge:
        for frame in bridge.subscribe(policy, content=content, agent="python"):
            units = frame.units
            yield {
                "matchId": frame.match_id,
                "perspective": frame.perspective,
                "step": frame.step,
                "gameLoop": frame.game_loop,
                "requestedNs": str(frame.requested_ns),
                "observedNs": str(frame.observed_ns),
                "minerals": frame.common.minerals,
                "count": len(units),
                "units": columns(units),
                "present": presence(units),
                "orders": lists(units.orders),
                "passengers": lists(units.passengers),
                "buffs": lists(units.buffs),
                "rallyTargets": lists(units.rally_targets),
                "json": frame.json,
                "skipped": json_format.MessageToDict(frame.skipped) if frame.skipped else None,
            }


for line in read(*sys.argv[1:]):
    print(json.dumps(line))
