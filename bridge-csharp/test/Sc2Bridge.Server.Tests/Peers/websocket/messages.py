"""Shared by both Python peers: the messages from a descriptor set, and how they are read and written."""

import hashlib
import json

from google.protobuf import descriptor_pb2, descriptor_pool, json_format, message_factory

JSON = "sc2bridge.json.v1"
# In lockstep, and playing: it acts in each frame and acknowledges it.
SUBSCRIPTION = {"agent": "peer", "policy": 1, "can_act": True}


class Messages:
    def __init__(self, descriptor_set: str) -> None:
        files = descriptor_pb2.FileDescriptorSet()
        with open(descriptor_set, "rb") as source:
            files.ParseFromString(source.read())
        self._pool = descriptor_pool.DescriptorPool()
        for file in files.file:
            self._pool.Add(file)
        self.play_response = self._class("sc2bridge.v1.PlayResponse")
        self.play_request = self._class("sc2bridge.v1.PlayRequest")

    def _class(self, name: str):
        descriptor = self._pool.FindMessageTypeByName(name)
        if hasattr(message_factory, "GetMessageClass"):
            return message_factory.GetMessageClass(descriptor)
        return message_factory.MessageFactory(self._pool).GetPrototype(descriptor)

    def write(self, sub_protocol: str, **fields):
        message = self.play_request(**fields)
        if sub_protocol == JSON:
            return json_format.MessageToJson(message)
        return message.SerializeToString()

    def read(self, message):
        event = self.play_response()
        if isinstance(message, str):
            json_format.Parse(message, event)
        else:
            event.ParseFromString(message)
        return event


class Tally:
    """The data that a peer received, for the test to compare."""

    def __init__(self, messages: Messages) -> None:
        self._messages = messages
        self.frames: list = []
        self.other: list = []

    def hear(self, message, sub_protocol):
        """Returns the messages to send to the bridge."""
        event = self._messages.read(message)
        kind = event.WhichOneof("event")
        if kind != "frame":
            self.other.append(kind)
            return []
        observation = event.frame.observation.SerializeToString(deterministic=True)
        self.frames.append(
            {
                "step": event.frame.step,
                "outcomes": [outcome.result for result in event.frame.outcomes for outcome in result.outcomes],
                "bytes": len(message.encode() if isinstance(message, str) else message),
                # From the received message: in binary, the game's original bytes are at its end.
                "tail": None if isinstance(message, str) else hashlib.sha256(self.tail(message)).hexdigest(),
                "observation": hashlib.sha256(observation).hexdigest(),
            }
        )
        step = event.frame.step
        command = {"ability_id": 16, "unit_tags": [2**40 + step]}
        deed = {"step": step, "actions": [{"action_raw": {"unit_command": command}}]}
        return [self._messages.write(sub_protocol, acknowledge={"step": step, "actions": [deed]})]

    def tail(self, message: bytes) -> bytes:
        """The serialized observation: the last field of the frame."""
        at, length = self._field(message, 0, 1)
        end = at + length
        while at < end:
            key, at = self._varint(message, at)
            if key & 7 == 0:
                _, at = self._varint(message, at)
                continue
            length, at = self._varint(message, at)
            if key >> 3 == 15:
                return message[at : at + length]
            at += length
        raise ValueError("no observation")

    def _field(self, message: bytes, at: int, number: int):
        key, at = self._varint(message, at)
        if key != number << 3 | 2:
            raise ValueError(f"field {key >> 3} where {number} should be")
        length, at = self._varint(message, at)
        return at, length

    @staticmethod
    def _varint(message: bytes, at: int):
        value = shift = 0
        while True:
            byte = message[at]
            value |= (byte & 0x7F) << shift
            at, shift = at + 1, shift + 7
            if byte < 0x80:
                return value, at

    def print(self, code, reason, compressed) -> None:
        print(
            json.dumps(
                {
                    "frames": self.frames,
                    "other": self.other,
                    "code": code,
                    "reason": reason,
                    "compressed": compressed,
                }
            )
        )
