"""The options of a subscription and of a connection, as text."""

from __future__ import annotations

from typing import Literal

Policy = Literal["lockstep", "latest", "every"]
"""`lockstep`: the game waits for the subscriber at each step. `latest`: only the newest frame. `every`: all frames, in
a queue with a limit."""

Overflow = Literal["pause", "end"]
"""With `every`: whether a full queue pauses the game, or ends the subscription."""

Content = Literal["observation", "columns"]
"""The content of a frame: the game's message, or the units as vectors and the rest of the observation."""

Compression = Literal["none", "deflate", "zstd", "group-zstd"]
"""The compression of frames. `deflate` is part of the transport: permessage-deflate for WebSocket, gzip for gRPC."""

Encoding = Literal["proto", "json"]
"""The encoding of messages: protobuf, or protobuf's JSON."""

Part = Literal["abilities", "score", "raw", "map_state", "feature_layers", "render", "ui"]
"""A part of an observation that a subscription can exclude."""
