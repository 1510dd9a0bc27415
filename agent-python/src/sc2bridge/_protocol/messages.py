"""Additional message types, for parsing a message without its large parts.

These types have the same wire format as the bridge's messages, but some fields are `bytes` instead of messages, so that
these fields are not parsed. The bridge must write such a field only once in a message: protobuf merges repeated
values of a message field, but not of a bytes field.
"""

from __future__ import annotations

from typing import Any, Union

from google.protobuf import descriptor_pb2

from sc2bridge import _descriptors
from sc2bridge._protocol.parsing import parse
from sc2bridge.v1 import bridge_pb2

_FIELD = descriptor_pb2.FieldDescriptorProto
_PACKAGE = "sc2bridge.opaque"


_bridge_file = descriptor_pb2.FileDescriptorProto.FromString(bridge_pb2.DESCRIPTOR.serialized_pb)
_descriptor_by_name = {message.name: message for message in _bridge_file.message_type}


def _descriptor_with_bytes(name: str, *fields: str) -> Any:
    """Changes `fields` of a message's descriptor to bytes. Without `fields`, changes all fields that are messages."""
    descriptor = _descriptor_by_name[name]
    for field in descriptor.field:
        if field.name in fields or (not fields and field.type == _FIELD.TYPE_MESSAGE):
            field.type = _FIELD.TYPE_BYTES
            field.ClearField("type_name")
    return descriptor


def _play_response_descriptor() -> Any:
    descriptor = _descriptor_by_name["PlayResponse"]
    (frame,) = (field for field in descriptor.field if field.name == "frame")
    frame.type_name = f".{_PACKAGE}.Frame"
    return descriptor


def _game_loop_descriptor() -> Any:
    """A descriptor of ResponseObservation with only one field: the game loop."""
    outer = descriptor_pb2.DescriptorProto(name="GameLoop")
    inner = outer.nested_type.add(name="Observation")
    optional = _FIELD.LABEL_OPTIONAL
    inner.field.add(name="game_loop", number=9, type=_FIELD.TYPE_UINT32, label=optional)
    type_name = f".{_PACKAGE}.GameLoop.Observation"
    outer.field.add(name="observation", number=3, type=_FIELD.TYPE_MESSAGE, type_name=type_name, label=optional)
    return outer


def _earlier_match_descriptor() -> Any:
    match = descriptor_pb2.DescriptorProto(name="EarlierMatch")
    player = match.nested_type.add(name="Player")
    for number, name in ((2, "kind"), (3, "race")):
        player.field.add(name=name, number=number, type=_FIELD.TYPE_BYTES, label=_FIELD.LABEL_OPTIONAL)
    type_name = f".{_PACKAGE}.EarlierMatch.Player"
    repeated = _FIELD.LABEL_REPEATED
    match.field.add(name="players", number=3, type=_FIELD.TYPE_MESSAGE, type_name=type_name, label=repeated)
    return match


_module: Any = _descriptors.add_file(
    descriptor_pb2.FileDescriptorProto(
        name="sc2bridge/opaque.proto",
        package=_PACKAGE,
        syntax="proto3",
        dependency=[bridge_pb2.DESCRIPTOR.name, *_bridge_file.dependency],
        message_type=[
            _descriptor_with_bytes("Frame", "observation", "columns"),
            _play_response_descriptor(),
            _descriptor_with_bytes("Columns"),
            _game_loop_descriptor(),
            _earlier_match_descriptor(),
        ],
    )
)

PlayResponse = _module.PlayResponse
"""A PlayResponse whose frame has the observation or the columns as bytes."""
Columns = _module.Columns
"""The message Columns, with the lists and the rest of the observation as bytes."""
EarlierMatch = _module.EarlierMatch
"""The players of a MatchDescription, as builds before 0.1.0 wrote them: `kind` and `race` are text (bytes here)."""


def game_loop(observation: Union[bytes, memoryview]) -> int:
    """The game loop of a serialized ResponseObservation. Does not parse the rest. Raises MalformedMessageError."""
    return int(parse(_module.GameLoop, observation).observation.game_loop)
