"""The choices of a subscription and of a connection, as words."""

from __future__ import annotations

from typing import Literal

Policy = Literal["lockstep", "latest", "every"]
"""`lockstep`: the game waits for this agent at each step. `latest`: the newest frame only. `every`: a bounded queue."""

Overflow = Literal["pause", "end"]
"""Under `every`, whether a full queue pauses the game or ends the subscription."""

Content = Literal["observation", "columns"]
"""What a frame carries: the game's message, or the units as vectors and the rest of the observation beside them."""

Compression = Literal["none", "deflate", "zstd", "group-zstd"]
"""Of frames. `deflate` is the transport's own: permessage-deflate over WebSocket, gzip over gRPC."""

Encoding = Literal["proto", "json"]

Part = Literal["abilities", "score", "raw", "map_state", "feature_layers", "render", "ui"]
"""A part of an observation that a subscriber can do without."""
