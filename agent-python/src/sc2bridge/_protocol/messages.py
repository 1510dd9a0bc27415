"""Message types of the package's own, for what is not to be parsed at once.

On the wire they are the bridge's messages; a field that is a message there is `bytes` here. The bridge writes such a
field once: pieces of one would not be joined.
"""

from __future__ import annotations

from typing import Any, Union

from google.protobuf import descriptor_pb2

from sc2bridge import _descriptors
from sc2bridge._protocol.parsing import parse
from sc2bridge.v1 import bridge_pb2

_FIELD = descriptor_pb2.FieldDescriptorProto
_PACKAGE = "sc2bridge.opaque"


_bridge = descriptor_pb2.FileDescriptorProto.FromString(bridge_pb2.DESCRIPTOR.serialized_pb)
_messages = {message.name: message for message in _bridge.message_type}


def _opaque(name: str, *fields: str) -> Any:
    """A message's descriptor in which some fields are bytes; all that are messages where none is named."""
    copy = _messages[name]
    for field in copy.field:
        if field.name in fields or (not fields and field.type == _FIELD.TYPE_MESSAGE):
            field.type = _FIELD.TYPE_BYTES
            field.ClearField("type_name")
    return copy


def _response() -> Any:
    copy = _messages["PlayResponse"]
    (frame,) = (field for field in copy.field if field.name == "frame")
    frame.type_name = f".{_PACKAGE}.Frame"
    return copy


def _game_loop() -> Any:
    """Of a ResponseObservation the game loop alone."""
    outer = descriptor_pb2.DescriptorProto(name="GameLoop")
    inner = outer.nested_type.add(name="Observation")
    optional = _FIELD.LABEL_OPTIONAL
    inner.field.add(name="game_loop", number=9, type=_FIELD.TYPE_UINT32, label=optional)
    type_name = f".{_PACKAGE}.GameLoop.Observation"
    outer.field.add(name="observation", number=3, type=_FIELD.TYPE_MESSAGE, type_name=type_name, label=optional)
    return outer


def _earlier_match() -> Any:
    match = descriptor_pb2.DescriptorProto(name="EarlierMatch")
    player = match.nested_type.add(name="Player")
    for number, name in ((2, "kind"), (3, "race")):
        player.field.add(name=name, number=number, type=_FIELD.TYPE_BYTES, label=_FIELD.LABEL_OPTIONAL)
    type_name = f".{_PACKAGE}.EarlierMatch.Player"
    repeated = _FIELD.LABEL_REPEATED
    match.field.add(name="players", number=3, type=_FIELD.TYPE_MESSAGE, type_name=type_name, label=repeated)
    return match


_module: Any = _descriptors.define(
    descriptor_pb2.FileDescriptorProto(
        name="sc2bridge/opaque.proto",
        package=_PACKAGE,
        syntax="proto3",
        dependency=[bridge_pb2.DESCRIPTOR.name, *_bridge.dependency],
        message_type=[
            _opaque("Frame", "observation", "columns"),
            _response(),
            _opaque("Columns"),
            _game_loop(),
            _earlier_match(),
        ],
    )
)

PlayResponse = _module.PlayResponse
"""A PlayResponse whose frame has its observation, or columns, as bytes."""
Columns = _module.Columns
"""Columns with the lists and the rest as bytes."""
EarlierMatch = _module.EarlierMatch
"""A MatchDescription's players as builds before 0.1.0 wrote them: `kind` and `race` are text, as bytes here."""


def game_loop(observation: Union[bytes, memoryview]) -> int:
    """The game loop of a serialized ResponseObservation, whose rest is not parsed. Raises MalformedMessageError."""
    return int(parse(_module.GameLoop, observation).observation.game_loop)
