"""client.py URL ENCODING CONTENT: plays a match with promised names only, and prints what it saw in one line of JSON."""

import json
import sys

import sc2bridge
from sc2bridge.s2clientprotocol import query_pb2, sc2api_pb2

url, encoding, content = sys.argv[1:]
seen = {"frames": 0, "units": 0, "health": 0.0, "minerals": 0, "succeeded": 0, "failed": 0}
with sc2bridge.connect(url, None if encoding == "grpc" else encoding) as bridge:
    description = bridge.describe(without_data=True)
    seen["map"] = description.map_name
    frames = bridge.subscribe("lockstep", content=content, can_act=True, agent="client")
    goal = frames.describe().enemy_start_locations[0]
    for frame in frames:
        seen["frames"] += 1
        seen["units"] += len(frame.units)
        seen["health"] += round(float(frame.units.health.sum()), 3)
        seen["minerals"] += frame.common.minerals
        seen["succeeded"] += sum(outcome.succeeded for outcome in frame.outcomes)
        seen["failed"] += sum(not outcome.succeeded for outcome in frame.outcomes)
        if frame.step == 4:
            ask = query_pb2.RequestQuery()
            ask.abilities.add(unit_tag=int(frame.units.own.tag[0]))
            answer = frames.request(sc2api_pb2.Request(query=ask))
            seen["abilities"] = len(answer.query.abilities[0].abilities)
            seen["subscribers"] = [each.name for each in bridge.status().subscribers if not each.internal]
        if frame.step % 4 == 0:
            frames.attack(frame.units.own, goal)
            seen["own"] = len(frame.units.own)
    assert frames.end is not None
    seen.update(end=frames.end.reason, last=frames.end.game_loop)
print(json.dumps(seen, sort_keys=True))
