"""Columns made in the simplest way, with a loop over the messages, and observations for it."""

from __future__ import annotations

import struct
from typing import Any

from hypothesis import strategies as st

from sc2bridge.s2clientprotocol import raw_pb2, sc2api_pb2
from sc2bridge.units.tables import is_repeated
from sc2bridge.v1 import bridge_pb2

UNIT = raw_pb2.Unit.DESCRIPTOR
LISTS = {"orders": "orders", "passengers": "passengers", "buffs": "buff_ids", "rally_targets": "rally_targets"}


def columns_of(observation: Any) -> Any:
    """The bytes that the bridge writes."""
    columns = bridge_pb2.Columns()
    columns.rest.CopyFrom(observation)
    columns.rest.observation.raw_data.ClearField("units")
    units = observation.observation.raw_data.units
    columns.count = len(units)
    columns.present = _fill(columns, units, UNIT, "Q", 61)
    for name in LISTS.values():
        lists = [getattr(unit, name) for unit in units]
        items = [item for each in lists for item in each]
        if not items:
            continue
        message = getattr(columns, name)
        offsets = [0]
        for each in lists:
            offsets.append(offsets[-1] + len(each))
        message.offsets = struct.pack(f"<{len(offsets)}I", *offsets)
        if name == "buff_ids":
            message.buff_id = struct.pack(f"<{len(items)}I", *items)
        else:
            message.present = _fill(message, items, items[0].DESCRIPTOR, "H", 13)
    return columns


def _fill(columns: Any, rows: Any, message: Any, present: str, x_bit: int) -> bytes:
    masks = [0] * len(rows)
    for field in message.fields:
        if is_repeated(field):
            continue
        form = {
            field.TYPE_FLOAT: "f",
            field.TYPE_INT32: "i",
            field.TYPE_UINT32: "I",
            field.TYPE_UINT64: "Q",
            field.TYPE_BOOL: "?",
            field.TYPE_ENUM: "B",
            field.TYPE_MESSAGE: "3f",
        }[field.type]
        vector = b""
        for index, row in enumerate(rows):
            value = getattr(row, field.name)
            if not row.HasField(field.name):
                vector += bytes(struct.calcsize("<" + form))
                continue
            masks[index] |= 1 << field.number
            if form == "3f":
                parts = [value.HasField(part) << (x_bit + bit) for bit, part in enumerate("xyz")]
                masks[index] |= sum(parts)
                vector += struct.pack("<3f", value.x, value.y, value.z)
            else:
                vector += struct.pack("<" + form, value)
        if any(mask >> field.number & 1 for mask in masks):
            setattr(columns, field.name, vector)
    return struct.pack(f"<{len(masks)}{present}", *masks)


def _messages(message: Any) -> Any:
    @st.composite
    def build(draw: Any) -> dict[str, Any]:
        given = {}
        for field in draw(
            st.lists(st.sampled_from(list(message.fields)), max_size=12, unique_by=lambda field: field.name)
        ):
            value = draw(_value(field))
            others = field.containing_oneof.fields if field.containing_oneof is not None else ()
            if not any(other.name in given for other in others):
                given[field.name] = value
        return given

    return build()


def _value(field: Any) -> Any:
    one = {
        field.TYPE_FLOAT: st.floats(width=32),
        field.TYPE_INT32: st.integers(-(2**31), 2**31 - 1),
        field.TYPE_UINT32: st.integers(0, 2**32 - 1),
        field.TYPE_UINT64: st.integers(0, 2**64 - 1),
        field.TYPE_BOOL: st.booleans(),
    }.get(field.type)
    if field.type == field.TYPE_ENUM:
        one = st.sampled_from([value.number for value in field.enum_type.values])
    elif field.type == field.TYPE_MESSAGE:
        one = _messages(field.message_type)
    return st.lists(one, max_size=3) if is_repeated(field) else one


def observations() -> Any:
    """Observations with a few units of all kinds."""

    def build(units: list[dict[str, Any]]) -> Any:
        observation = sc2api_pb2.ResponseObservation()
        observation.observation.game_loop = 7
        for unit in units:
            observation.observation.raw_data.units.append(raw_pb2.Unit(**unit))
        return observation

    return st.lists(_messages(UNIT), max_size=6).map(build)
