"""The C interface of the native library returns a code for each wrong call."""

from __future__ import annotations

import ctypes
import json
import threading
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

pytest.importorskip("gymnasium", reason="gymnasium is not installed")

from sc2bridge import library
from sc2bridge.gym import scenario
from sc2bridge.s2clientprotocol import sc2api_pb2

pytestmark = pytest.mark.slow

ARGUMENT, HANDLE, BUSY, STATE, ACTION = 1, 2, 3, 4, 5
SIZES = 6


class Environment:
    """An open handle and its arrays, for calls of the C functions."""

    def __init__(self, functions: Any, matches: int = 2, threads: int = 2) -> None:
        self.functions = functions
        settings = {
            "scenario": (scenario.FOLDER / "3m.json").read_text(),
            "name": "3m",
            "race": "Terran",
            "opponent": "computer:terran:VeryHard",
            "repeat": 8,
            "rows": [3, 3, 0],
            "reward": "fight",
            "matches": matches,
            "threads": threads,
        }
        handle = ctypes.c_int64()
        text = json.dumps(settings).encode()
        assert functions.sc2bridge_open(text, ctypes.c_int64(len(text)), ctypes.byref(handle)) == 0
        self.settings, self.handle, self.matches = settings, handle, matches
        self.seeds, self.actions = np.zeros(matches, np.uint32), np.zeros((matches, 3), np.int64)
        shapes = [
            ((6, 15), "f4"),
            ((6,), "i4"),
            ((6,), "i1"),
            ((8,), "f4"),
            ((3, 9), "i1"),
            *(((), t) for t in ("f8", "u1", "i4", "i8")),
        ]
        self.arrays = [np.zeros((matches, *shape), kind) for shape, kind in shapes]
        self.buffers = (library._Buffer * 10)(*(library._Buffer(x.ctypes.data, x.nbytes) for x in self.arrays))

    def call(self, name: str, *given: Any) -> int:
        whole = (ctypes.c_int64(each) if isinstance(each, int) else each for each in given)
        code: int = getattr(self.functions, f"sc2bridge_{name}")(self.handle, *whole)
        return code

    def begin(self) -> None:
        assert self.call("bind", self.buffers, 10) == 0
        assert self.call("reset", pointer(self.seeds), self.matches, None, 0) == 0


def pointer(array: Any) -> ctypes.c_void_p:
    return ctypes.c_void_p(array.ctypes.data)


@pytest.fixture
def environment(native: library.Library) -> Iterator[Environment]:
    opened = Environment(native._functions)
    yield opened
    opened.call("close")


def test_calls_out_of_order_and_freed_handles_return_codes(environment: Environment, native: library.Library) -> None:
    seeds, actions = pointer(environment.seeds), pointer(environment.actions)
    assert environment.call("step", actions, 6, seeds, 2) == STATE and "sc2bridge_bind" in native._last_error()
    assert environment.call("bind", environment.buffers, 10) == 0
    assert environment.call("step", actions, 6, seeds, 2) == STATE and "sc2bridge_reset" in native._last_error()
    assert environment.call("reset", seeds, 2, pointer(np.array([1, 0], np.uint8)), 2) == STATE
    environment.begin()
    assert environment.call("step", actions, 6, seeds, 2) == 0
    open_handle = environment.handle
    for wrong in (0, -1, 2**62, open_handle.value + 1):
        environment.handle = ctypes.c_int64(wrong)
        assert environment.call("step", actions, 6, seeds, 2) == HANDLE and str(wrong) in native._last_error()
        assert environment.call("close") == HANDLE
    environment.handle = open_handle
    assert environment.call("close") == 0
    for name, given in (
        ("step", (actions, 6, seeds, 2)),
        ("reset", (seeds, 2, None, 0)),
        ("layout", (None, 0)),
        ("close", ()),
    ):
        assert environment.call(name, *given) == HANDLE


def test_a_mask_resets_only_some_matches(environment: Environment) -> None:
    environment.begin()
    for _ in range(3):
        assert environment.call("step", pointer(environment.actions), 6, pointer(environment.seeds), 2) == 0
    mask = np.array([0, 1], np.uint8)
    assert environment.call("reset", pointer(environment.seeds), 2, pointer(mask), 2) == 0
    assert environment.arrays[8].tolist() == [24, 0]


def test_null_and_wrong_lengths_return_codes(environment: Environment, native: library.Library) -> None:
    environment.begin()
    seeds, actions = pointer(environment.seeds), pointer(environment.actions)
    for length in (-(2**63), -1, 0, 1, 3, 2**31, 2**62):
        assert environment.call("reset", seeds, length, None, 0) == ARGUMENT
        assert environment.call("reset", seeds, 2, seeds, length) == ARGUMENT
        assert environment.call("reset", seeds, 2, None, length) == (ARGUMENT if length else 0)
        assert environment.call("step", actions, length, seeds, 2) == ARGUMENT
        assert environment.call("step", actions, 6, seeds, length) == ARGUMENT
        assert environment.call("layout", actions, length) == ARGUMENT
        assert environment.call("bind", environment.buffers, length) == ARGUMENT
        assert native._functions.sc2bridge_facings(actions, ctypes.c_int64(length)) == ARGUMENT
        assert (
            native._functions.sc2bridge_open(b"{}", ctypes.c_int64(length), ctypes.byref(ctypes.c_int64())) == ARGUMENT
        )
    for name, given in (
        ("reset", (None, 2, None, 0)),
        ("step", (None, 6, seeds, 2)),
        ("step", (actions, 6, None, 2)),
        ("step", (ctypes.c_void_p(environment.actions.ctypes.data + 1), 6, seeds, 2)),
        ("layout", (None, SIZES)),
        ("bind", (None, 10)),
    ):
        assert environment.call(name, *given) == ARGUMENT, name
    assert native._functions.sc2bridge_open(None, ctypes.c_int64(2), ctypes.byref(ctypes.c_int64())) == ARGUMENT
    assert native._functions.sc2bridge_open(b"{}", ctypes.c_int64(2), None) == ARGUMENT
    assert native._functions.sc2bridge_version(None, ctypes.c_int64(0), None) == ARGUMENT
    environment.actions[1, 2] = 9
    assert environment.call("step", actions, 6, seeds, 2) == ACTION
    environment.actions[1, 2] = 0
    assert environment.call("step", actions, 6, seeds, 2) == 0


def test_buffers_of_other_sizes_return_a_code(environment: Environment, native: library.Library) -> None:
    for number in range(9):
        for data, size in ((None, 0), (None, -1), (0, 1), (1, 0), (0, -1)):
            buffers = (library._Buffer * 10)(*environment.buffers)
            given = environment.arrays[number]
            buffers[number] = library._Buffer(
                None if data is None else given.ctypes.data + data, given.nbytes + (size if data is not None else 0)
            )
            is_byte = given.itemsize == 1 and (data, size) == (1, 0)
            assert environment.call("bind", buffers, 10) == (0 if is_byte else ARGUMENT), (number, data, size)
    environment.begin()


def test_wrong_settings_return_a_code(environment: Environment, native: library.Library) -> None:
    texts: list[bytes] = [b"", b"[]", b"{", b"\xff", b"null", b'{"x": 1}', b"{" * 1000]
    for name in environment.settings:
        for value in (None, -1, 2**40, 1.5, "", "x", [], {}, [1, 2, "3"]):
            if (name, value) != ("name", "x"):  # A scenario can have any name.
                texts.append(json.dumps({**environment.settings, name: value}).encode())
        texts.append(json.dumps({key: each for key, each in environment.settings.items() if key != name}).encode())
    for text in texts:
        handle = ctypes.c_int64(-5)
        code = native._functions.sc2bridge_open(text, ctypes.c_int64(len(text)), ctypes.byref(handle))
        assert code == ARGUMENT and handle.value == -5, (text[:80], native._last_error())
        assert native._last_error()


class Match:
    """An open handle of a match, for calls of the C functions."""

    def __init__(self, functions: Any, **more: Any) -> None:
        self.functions = functions
        settings = {"map": "Cinder Fortress", "players": ["agent:terran", "computer:zerg:Easy"], "repeat": 8, **more}
        text, self.handle = json.dumps(settings).encode(), ctypes.c_int64(-5)
        self.code = functions.sc2bridge_match_open(text, ctypes.c_int64(len(text)), ctypes.byref(self.handle))

    def call(self, name: str, *given: Any) -> int:
        code: int = getattr(self.functions, f"sc2bridge_{name}")(self.handle, *given)
        return code

    def send(self, name: str, message: Any, length: int, side: int = 0) -> int:
        """Calls a function that gets bytes."""
        answer = (ctypes.c_void_p(), ctypes.c_int64())
        more = [ctypes.byref(each) for each in answer] if name == "match_request" else []
        return self.call(name, ctypes.c_int32(side), message, ctypes.c_int64(length), *more)


def test_matches_return_codes_for_wrong_calls(native: library.Library) -> None:
    functions, frame, seed = native._functions, (ctypes.c_int64 * 4)(), ctypes.c_uint32(1)
    match, act = Match(functions), sc2api_pb2.RequestAction()
    act.actions.add().action_raw.unit_command.ability_id = 2**31 - 1
    order, ping = act.SerializeToString(), sc2api_pb2.Request(ping=sc2api_pb2.RequestPing()).SerializeToString()
    assert match.code == 0
    assert match.call("match_step") == match.call("match_frame", 0, frame) == STATE
    assert match.send("match_act", order, len(order)) == match.send("match_request", ping, len(ping)) == STATE
    assert match.call("match_begin", seed) == 0 and match.call("match_frame", 0, frame) == 0
    assert match.send("match_act", order, len(order)) == match.send("match_request", ping, len(ping)) == 0
    assert match.call("match_step") == 0  # The game refuses the order.
    for side in (-1, 1, 2**31 - 1):
        assert match.call("match_frame", side, frame) == ARGUMENT
        assert match.send("match_act", order, len(order), side) == ARGUMENT
    assert match.call("match_frame", 0, None) == ARGUMENT
    assert match.call("match_request", 0, ping, ctypes.c_int64(len(ping)), None, None) == ARGUMENT
    for length in (-(2**63), -1, 2**31, 2**62):
        assert match.send("match_act", order, length) == match.send("match_request", ping, length) == ARGUMENT
    assert match.send("match_act", None, 3) == match.send("match_request", None, 3) == ARGUMENT
    random = np.random.default_rng(1)
    query = sc2api_pb2.Request()
    query.query.abilities.add(unit_tag=2**40)
    query.query.placements.add(ability_id=318).target_pos.x = 30
    for number in range(600):  # Bytes that are no message, and messages with a changed byte.
        text = bytearray((order, query.SerializeToString(), random.bytes(int(random.integers(1, 40))))[number % 3])
        text[int(random.integers(len(text)))] = int(random.integers(256))
        text = bytes(text)
        assert match.send("match_act", text, len(text)) in (0, ARGUMENT)
        assert match.send("match_request", text, len(text)) in (0, ARGUMENT)
    for request in (sc2api_pb2.Request(step={}), sc2api_pb2.Request(quit={}), sc2api_pb2.Request()):
        text = request.SerializeToString()
        assert match.send("match_request", text, len(text)) == ARGUMENT
    assert match.call("match_step") == match.call("match_begin", seed) == 0
    for name in ("step", "layout", "bind", "reset"):  # Functions of environments.
        assert match.call(name, *[None, ctypes.c_int64(0)] * 2) == HANDLE
    assert match.call("close") == 0 and match.call("match_step") == match.call("close") == HANDLE


@pytest.mark.parametrize(
    "wrong",
    [
        {"players": []},
        {"players": ["computer:zerg:Easy"]},
        {"players": ["agent:terran", "agent:zerg", "agent:zerg"]},
        {"players": ["agent:x"]},
        {"players": "agent:terran"},
        {"players": [1, 2]},
        {"players": ["computer:zerg:Easy", "agent:terran"]},
        {"repeat": 0},
        {"map": "Oxide"},
        {"map": None},
        {"name": "3m", "scenario": "{}"},
        {"x": 1},
    ],
)
def test_wrong_settings_of_a_match_return_a_code(wrong: dict[str, Any], native: library.Library) -> None:
    match = Match(native._functions, **wrong)
    assert match.code == ARGUMENT and match.handle.value == -5 and native._last_error()


def test_a_second_thread_gets_busy_and_different_environments_run_at_once(native: library.Library) -> None:
    shared, codes = Environment(native._functions, 200), set()
    shared.begin()

    def step() -> None:
        for _ in range(50):
            codes.add(shared.call("step", pointer(shared.actions), 600, pointer(shared.seeds), 200))

    def play_alone() -> None:
        own = Environment(native._functions, 3)
        own.begin()
        codes.update(own.call("step", pointer(own.actions), 9, pointer(own.seeds), 3) for _ in range(50))
        own.call("close")

    threads = [threading.Thread(target=target) for target in (step, step, play_alone, play_alone)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert codes == {0, BUSY}
    assert shared.call("close") == 0
