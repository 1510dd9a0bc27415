"""StarCraft II observations from a bridge.

    import sc2bridge

    with sc2bridge.connect("grpc://127.0.0.1:50051") as bridge:
        for frame in bridge.subscribe("latest"):
            print(frame.game_loop, len(frame.observation.observation.raw_data.units))

`sc2bridge.aio` is the same for asyncio, `sc2bridge.Agent` a class to run with `python -m sc2bridge run`,
`sc2bridge.events` tells what happened to units from frame to frame, `sc2bridge.open_recording` gives the frames of a
match that was recorded, and `sc2bridge.images` turns the game's images into numpy arrays. The messages are in
`sc2bridge.s2clientprotocol` (the game's) and `sc2bridge.v1.bridge_pb2` (the bridge's).
"""

from sc2bridge.agent import Agent
from sc2bridge.aio import connect as aconnect
from sc2bridge.connection import Connection, connect
from sc2bridge.errors import BridgeError, ConnectionLost, MalformedMessage, RecordingError
from sc2bridge.frame import Frame
from sc2bridge.match import Match
from sc2bridge.outcomes import Outcome
from sc2bridge.recording import Recording, open_recording
from sc2bridge.subscription import Subscription

__version__ = "0.1.0"

__all__ = [
    "Agent",
    "BridgeError",
    "Connection",
    "ConnectionLost",
    "Frame",
    "MalformedMessage",
    "Match",
    "Outcome",
    "Recording",
    "RecordingError",
    "Subscription",
    "aconnect",
    "connect",
    "open_recording",
]
