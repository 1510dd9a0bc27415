"""Random observations, in forms that protobuf allows and the game does not use."""

from __future__ import annotations

import random
from collections.abc import Iterator

import numpy as np

from sc2bridge.s2clientprotocol import raw_pb2, sc2api_pb2


def varint(number: int) -> bytes:
    return bytes([number]) if number < 0x80 else bytes([number & 0x7F | 0x80]) + varint(number >> 7)


def random_unit(some: random.Random, tag: int) -> bytes:
    """A serialized unit with any fields, also unknown ones, and fields that are repeated or have another wire type."""
    unit = raw_pb2.Unit(tag=tag)
    for field in raw_pb2.Unit.DESCRIPTOR.fields:
        if some.random() < 0.3 or field.name == "tag":
            continue
        if field.message_type is not None:
            target = getattr(unit, field.name)
            target = target.add() if field.name in ("orders", "passengers", "rally_targets") else target
            if field.name == "pos":
                target.x = some.random()
                target.y, target.z = (some.random(), some.random()) if some.random() < 0.8 else (1, 2)
            elif field.name != "orders":
                target.SetInParent()
        elif field.name == "buff_ids":
            unit.buff_ids.append(some.randrange(1000))
        elif field.type == field.TYPE_FLOAT:
            setattr(unit, field.name, some.random() * 300)
        elif field.type == field.TYPE_ENUM:
            setattr(unit, field.name, some.choice([value.number for value in field.enum_type.values]))
        elif field.type == field.TYPE_BOOL:
            setattr(unit, field.name, some.random() < 0.5)
        else:
            setattr(unit, field.name, some.choice([0, 1, 127, 128, 2**31 - 1]))
    data = unit.SerializePartialToString()
    extra = (
        b"",
        varint(2 << 3) + varint(some.choice([2, 9, 31, 32, 2**32 + 1])),  # Alliances; only some exist.
        varint(5 << 3) + varint(2**64 - 1),  # The owner -1.
        varint(4 << 3 | 2) + b"\x01\x05",  # A type with the wrong wire type.
        varint(14 << 3 | 5) + np.float32(some.random()).tobytes(),  # Health again.
        varint(6 << 3 | 2) + b"\x05\x15" + np.float32(some.random()).tobytes(),  # Another y.
        varint(900 << 3)
        + varint(some.randrange(2**60))
        + varint(61 << 3 | 5)
        + b"abcd"
        + varint(63 << 3 | 1)
        + b"12345678",
        varint(70 << 3 | 3) + varint(1 << 3) + b"\x07" + varint(70 << 3 | 4),  # A group.
    )
    return data + some.choice(extra) if some.random() < 0.4 else data


def field(number: int, content: bytes) -> bytes:
    return varint(number << 3 | 2) + varint(len(content)) + content


def random_observations(seed: int, frames: int) -> Iterator[bytes]:
    """Units appear, change and die. Some parts of an observation come twice, and protobuf merges them."""
    some = random.Random(seed)
    units = {tag: random_unit(some, tag) for tag in range(20)}
    for loop in range(frames):
        for tag in list(units):
            if some.random() < 0.03:
                del units[tag]
            elif some.random() < 0.3:
                units[tag] = random_unit(some, tag)
        while len(units) < 60 and some.random() < 0.4:
            units[len(units) + 1000 * loop] = random_unit(some, len(units))
        order = list(units.values())
        if some.random() < 0.1:
            some.shuffle(order)
        cut = some.randrange(len(order) + 1) if some.random() < 0.2 else len(order)
        raw = [field(5, b"".join(field(2, unit) for unit in part)) for part in (order[:cut], order[cut:])]
        common = sc2api_pb2.PlayerCommon(minerals=some.randrange(2**32), food_used=some.randrange(200), larva_count=1)
        score = sc2api_pb2.ResponseObservation()
        score.observation.score.score = some.randrange(-(2**31), 2**31)
        inner = varint(9 << 3) + varint(loop) + field(1, common.SerializeToString())
        inner += b"".join(raw) + field(1, b"\x18\x07") * some.randrange(2)
        yield field(3, inner) + (score.SerializePartialToString() if some.random() < 0.7 else b"")
