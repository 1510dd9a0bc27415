"""One case of test_descriptors.py, in a process of its own: `descriptor_case.py KIND[-ORDER]`."""

from __future__ import annotations

import importlib
import os
import sys

import google.protobuf

expected = os.environ["EXPECTED_PROTOBUF"]
version = google.protobuf.__version__
assert not expected or version == expected, f"this is protobuf {version}, not {expected}"
kind, _, order = sys.argv[1].partition("-")

if order == "before":
    importlib.import_module("s2clientprotocol.sc2api_pb2")

from sc2bridge.s2clientprotocol import common_pb2, raw_pb2, sc2api_pb2  # noqa: E402
from sc2bridge.v1 import bridge_pb2, recording_pb2  # noqa: E402

# The rest of the package that needs no transport.
from sc2bridge._protocol.envelope import open_event  # noqa: E402  # isort: skip
from sc2bridge.game.frame import Frame  # noqa: E402  # isort: skip
from sc2bridge.recording.earlier import convert_earlier  # noqa: E402  # isort: skip

frame = bridge_pb2.Frame(match_id="m", step=2**60)
frame.observation.observation.raw_data.units.add(tag=5, display_type=raw_pb2.Visible)
envelope, raw = open_event(bridge_pb2.PlayResponse(frame=frame).SerializeToString(), "proto")
received = Frame(envelope, raw, "proto", 0, 0)
assert type(received.observation) is sc2api_pb2.ResponseObservation
assert type(frame.observation) is sc2api_pb2.ResponseObservation
assert received.observation == frame.observation
assert received.observation.observation.raw_data.units[0].tag == 5
assert envelope.step == 2**60
assert sc2api_pb2.Status.Value("in_game") == sc2api_pb2.in_game
assert bridge_pb2.Policy.Name(bridge_pb2.POLICY_LATEST) == "POLICY_LATEST"
request = bridge_pb2.CallGameRequest(request=sc2api_pb2.Request(ping=sc2api_pb2.RequestPing()))
assert bridge_pb2.CallGameRequest.FromString(request.SerializeToString()) == request

# A player as builds before 0.1.0 wrote it: field 2 is its kind, field 3 its race.
record = recording_pb2.MatchRecord.FromString(b"\x0a\x12\x1a\x10\x12\x08computer\x1a\x04Zerg")
convert_earlier(record)
(player,) = record.start.players
assert (player.kind, player.race) == (bridge_pb2.PLAYER_KIND_COMPUTER, bridge_pb2.PLAYER_RACE_ZERG)

if kind != "alone":
    theirs = importlib.import_module("s2clientprotocol.sc2api_pb2")
    common = importlib.import_module("s2clientprotocol.common_pb2")
    same = theirs.ResponseObservation is sc2api_pb2.ResponseObservation
    if kind == "any":
        ours = sc2api_pb2.ResponseObservation.DESCRIPTOR
        print("the same classes" if same else "classes of our own", ours.file.pool)
    else:
        assert same == (kind == "identical"), f"the same classes: {same}"
    # Theirs work on, whether ours are the same or not.
    other = theirs.ResponseObservation.FromString(bytes(raw))
    assert other.observation.raw_data.units[0].tag == 5
    assert theirs.Request(ping=theirs.RequestPing()).SerializeToString() == request.request.SerializeToString()
    assert ("z" in common.Size2DI.DESCRIPTOR.fields_by_name) == (kind == "changed")
    assert "z" not in common_pb2.Size2DI.DESCRIPTOR.fields_by_name
