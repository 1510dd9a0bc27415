"""Reads a serialized observation's game loop without parsing the rest."""

from __future__ import annotations

from typing import Union

from sc2bridge.envelope import parse
from sc2bridge.s2clientprotocol import sc2api_pb2

# ResponseObservation.observation, Observation.game_loop.
_OBSERVATION, _GAME_LOOP = 3, 9


def game_loop(observation: memoryview) -> int:
    """Raises MalformedMessage where it is no ResponseObservation."""
    inner = _only(observation, _OBSERVATION << 3 | 2)
    loop = _only(inner, _GAME_LOOP << 3) if isinstance(inner, memoryview) else None
    if isinstance(loop, int):
        return loop & 0xFFFFFFFF
    # Written in a way that only a whole parser should judge, such as an observation in two pieces.
    return int(parse(sc2api_pb2.ResponseObservation, observation).observation.game_loop)


def _only(view: memoryview, wanted: int) -> Union[int, memoryview, None]:
    """The field of a tag: a number, or the bytes of what is none. None where it is not there just once."""
    found: Union[int, memoryview, None] = None
    at, end = 0, len(view)
    try:
        while at < end:
            tag, at = _varint(view, at)
            kind = tag & 7
            value: Union[int, memoryview] = 0
            if kind == 2:
                length, at = _varint(view, at)
                at += length
                value = view[at - length : at]
            elif kind == 0:
                value, at = _varint(view, at)
            elif kind in (1, 5):
                at += 8 if kind == 1 else 4
            else:
                return None
            if tag == wanted:
                if found is not None:
                    return None
                found = value
    except IndexError:
        return None
    return found if at == end else None


def _varint(view: memoryview, at: int) -> tuple[int, int]:
    value = view[at]
    at += 1
    if value > 0x7F:
        value &= 0x7F
        for shift in range(7, 70, 7):
            more = view[at]
            at += 1
            value |= (more & 0x7F) << shift
            if more < 0x80:
                return value, at
        raise IndexError("more than ten bytes")
    return value, at
