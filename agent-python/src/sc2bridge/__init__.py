"""StarCraft II observations from a bridge.

    import sc2bridge

    with sc2bridge.connect("grpc://127.0.0.1:50051") as bridge:
        for frame in bridge.subscribe("latest"):
            print(frame.game_loop, len(frame.units.own))

`launch` starts a bridge with a match; the end of the `with` block ends both. `aconnect` and `alaunch` are for asyncio.
`sc2bridge run` runs a class that derives from `Agent`. `UnitEvents` reports the changes of units between frames.
`open_recording` opens a recorded match. `simulate` plays the fight of a frame ahead. `ids` has the game's ids as enums, `scenarios` lists the scenarios of the
package, and `images` converts the game's images to numpy arrays. `sc2bridge.s2clientprotocol` has the game's protobuf
messages. `sc2bridge.v1.bridge_pb2` has the bridge's protobuf messages.
"""

import sys as _sys
from importlib import import_module as _import_module
from typing import TYPE_CHECKING

from sc2bridge._protocol.choices import Compression, Content, Encoding, Overflow, Part, Policy
from sc2bridge._transports.security import Tls
from sc2bridge._transports.transport import Timeouts
from sc2bridge.agents import Agent
from sc2bridge.client import aio
from sc2bridge.client.aio import connect as aconnect
from sc2bridge.client.sync import Connection, Subscription, connect
from sc2bridge.errors import (
    AgentError,
    BridgeError,
    ClosedError,
    ConnectionLostError,
    LaunchError,
    MalformedMessageError,
    RecordingError,
    RequestTimeoutError,
    SC2BridgeError,
)
from sc2bridge.game import actions, images
from sc2bridge.game import python_sc2_hints as _hints
from sc2bridge.game.events import Changes, LastSeen, UnitEvents
from sc2bridge.game.frame import Frame
from sc2bridge.game.match import Match
from sc2bridge.game.outcomes import Outcome
from sc2bridge.game.scenarios import scenarios
from sc2bridge.game.words import MatchEnd, MatchPlayer
from sc2bridge.units import Unit, Units

if TYPE_CHECKING:
    from sc2bridge import ids, recording
    from sc2bridge.client.launch import AsyncLaunchedMatch, LaunchedMatch, alaunch, launch
    from sc2bridge.fights import FightOutcome, simulate, simulate_many
    from sc2bridge.recording import Recording, ReplayResult, open_recording
else:
    # These names are imported on first use. `launch` imports asyncio, and `ids` has enums with two thousand names:
    # both are slow to import.
    _MODULE_OF_LAZY_NAME = {
        **dict.fromkeys(("AsyncLaunchedMatch", "LaunchedMatch", "alaunch", "launch"), "sc2bridge.client.launch"),
        **dict.fromkeys(("FightOutcome", "simulate", "simulate_many"), "sc2bridge.fights"),
        **dict.fromkeys(("Recording", "ReplayResult", "open_recording"), "sc2bridge.recording"),
    }

    def __getattr__(name):
        if name in ("ids", "recording"):
            return _import_module(f"sc2bridge.{name}")
        if name in _MODULE_OF_LAZY_NAME:
            value = globals()[name] = getattr(_import_module(_MODULE_OF_LAZY_NAME[name]), name)
            return value
        if name in _hints.PACKAGE:
            # For `from sc2bridge import …`, Python would hide the text of an AttributeError, but not of an ImportError.
            # All other callers, such as hasattr, expect an AttributeError.
            is_from_import = _sys._getframe(1).f_code.co_name == "_handle_fromlist"
            raise (ImportError if is_from_import else AttributeError)(
                f"sc2bridge has no {name}: {_hints.PACKAGE[name]}"
            )
        raise AttributeError(f"module 'sc2bridge' has no attribute {name!r}")

    def __dir__():
        return sorted({*globals(), *__all__})


__version__ = "0.1.0"

__all__ = [
    "Agent",
    "AgentError",
    "AsyncLaunchedMatch",
    "BridgeError",
    "Changes",
    "ClosedError",
    "Compression",
    "Connection",
    "ConnectionLostError",
    "Content",
    "Encoding",
    "FightOutcome",
    "Frame",
    "LastSeen",
    "LaunchError",
    "LaunchedMatch",
    "MalformedMessageError",
    "Match",
    "MatchEnd",
    "MatchPlayer",
    "Outcome",
    "Overflow",
    "Part",
    "Policy",
    "Recording",
    "RecordingError",
    "ReplayResult",
    "RequestTimeoutError",
    "SC2BridgeError",
    "Subscription",
    "Timeouts",
    "Tls",
    "Unit",
    "UnitEvents",
    "Units",
    "aconnect",
    "actions",
    "aio",
    "alaunch",
    "connect",
    "ids",
    "images",
    "launch",
    "open_recording",
    "scenarios",
    "simulate",
    "simulate_many",
]
