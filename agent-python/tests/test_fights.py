"""`sc2bridge.simulate`, and the functions of the C interface that it calls."""

from __future__ import annotations

import ctypes
import os
import pathlib
import pickle
from typing import Any, Optional

import numpy as np
import pytest
from columns_case import columns_of
from conftest import ROOT
from google.protobuf import json_format

import sc2bridge
from sc2bridge import fights, library
from sc2bridge._protocol.envelope import Envelope
from sc2bridge.game.frame import Frame
from sc2bridge.game.match import Match
from sc2bridge.ids import UnitTypeId
from sc2bridge.s2clientprotocol import common_pb2, raw_pb2, sc2api_pb2
from sc2bridge.v1 import bridge_pb2

pytestmark = [pytest.mark.slow, pytest.mark.usefixtures("native")]

ARGUMENT, HANDLE = 1, 2
SIZE = 64
OWN, NEUTRAL, ENEMY = 1, 3, 4
VISIBLE, SNAPSHOT = 1, 2
MARINE, SCV, ZERGLING, SPINE = (
    int(each) for each in (UnitTypeId.MARINE, UnitTypeId.SCV, UnitTypeId.ZERGLING, UnitTypeId.SPINECRAWLER)
)


def image(bits: int, value: int) -> common_pb2.ImageData:
    data = bytes([value]) * (SIZE * SIZE * bits // 8)
    return common_pb2.ImageData(bits_per_pixel=bits, size=common_pb2.Size2DI(x=SIZE, y=SIZE), data=data)


def game_info() -> sc2api_pb2.ResponseGameInfo:
    """A flat map."""
    start = raw_pb2.StartRaw(
        map_size=common_pb2.Size2DI(x=SIZE, y=SIZE),
        pathing_grid=image(1, 255),
        placement_grid=image(1, 255),
        terrain_height=image(8, 191),
    )
    return sc2api_pb2.ResponseGameInfo(start_raw=start)


@pytest.fixture(scope="module")
def match() -> Match:
    return Match(bridge_pb2.MatchDescription(match_id="m1", game_info=game_info()), 1)


def line(unit_type: int, count: int, x: float, alliance: int, **more: Any) -> list[raw_pb2.Unit]:
    fields = {"display_type": VISIBLE, "health": 45, "health_max": 45, "build_progress": 1, **more}
    return [
        raw_pb2.Unit(
            tag=1000 * alliance + 100 * int(x) + row,
            unit_type=unit_type,
            alliance=alliance,  # type: ignore[arg-type]
            owner=alliance,
            pos=common_pb2.Point(x=x, y=20.5 + row),
            **fields,
        )
        for row in range(count)
    ]


def message_of(*groups: list[raw_pb2.Unit], upgrades: tuple[int, ...] = ()) -> sc2api_pb2.ResponseObservation:
    raw = raw_pb2.ObservationRaw(units=[unit for group in groups for unit in group])
    raw.player.upgrade_ids.extend(upgrades)
    raw.map_state.creep.CopyFrom(image(1, 255))
    return sc2api_pb2.ResponseObservation(observation=sc2api_pb2.Observation(game_loop=100, raw_data=raw))


def frame_of(match: Optional[Match], *groups: list[raw_pb2.Unit], upgrades: tuple[int, ...] = ()) -> Frame:
    raw = message_of(*groups, upgrades=upgrades).SerializeToString()
    frame = Frame(Envelope("m1", 1, 5, 100, payload="observation"), raw, "proto", 0, len(raw))
    if match is not None:
        match.register_frame(frame)
    return frame


def armies(own: int = 8, enemies: int = 8) -> tuple[list[raw_pb2.Unit], list[raw_pb2.Unit]]:
    return line(MARINE, own, 20, OWN), line(ZERGLING, enemies, 34, ENEMY, health=35, health_max=35)


def test_the_larger_army_wins_and_the_outcome_has_both_sides_losses(match: Match) -> None:
    own, enemies = armies()
    outcome = sc2bridge.simulate(frame_of(match, own, enemies))
    assert outcome.winner == "own" and 0 < outcome.seconds < 20
    assert outcome.enemy_losses == (8 * 25, 0, 4.0)
    assert set(outcome.survivors) < {unit.tag for unit in own}
    died = 8 - len(outcome.survivors)
    assert outcome.own_losses == (died * 50, 0, died)
    assert all(0 < each.health <= 45 and each.shield == 0 for each in outcome.survivors.values())
    assert sc2bridge.simulate(frame_of(match, own[:2], enemies)).winner == "enemy"
    assert sc2bridge.simulate(frame_of(match, own, enemies), 0.5).winner is None
    assert sc2bridge.simulate(frame_of(match, own)) == sc2bridge.FightOutcome("own", 0, (0, 0, 0), (0, 0, 0), None, None)  # type: ignore[arg-type]
    assert sc2bridge.simulate(frame_of(match)).winner is None


def test_a_seed_gives_the_same_outcomes_on_any_number_of_threads_and_seeds_differ(match: Match) -> None:
    frame = frame_of(match, line(MARINE, 8, 20, OWN), line(MARINE, 8, 24, ENEMY))
    seeds = list(range(20))
    many = sc2bridge.simulate_many(frame, seeds=seeds)
    assert many == sc2bridge.simulate_many([frame] * 20, seeds=seeds, threads=3)
    assert many == [sc2bridge.simulate(frame, seed=seed) for seed in seeds]
    assert [each.survivors for each in many] == [sc2bridge.simulate(frame, seed=seed).survivors for seed in seeds]
    assert len({each.seconds for each in many}) > 1
    other = frame_of(match, *armies(1, 9))
    assert [each.winner for each in sc2bridge.simulate_many([other, frame, other])][::2] == ["enemy"] * 2
    assert sc2bridge.simulate_many([]) == []


def test_frames_that_nobody_keeps_are_simulated(match: Match) -> None:
    """A recording makes a new frame at each access, and so does a generator."""
    sizes = (2, 12, 4, 9)
    together = sc2bridge.simulate_many(frame_of(match, *armies(own)) for own in sizes)
    assert together == [sc2bridge.simulate(frame_of(match, *armies(own))) for own in sizes]


def test_all_encodings_give_the_same_outcome(match: Match) -> None:
    groups = line(MARINE, 6, 20, OWN, weapon_cooldown=3, buff_ids=[27]), line(ZERGLING, 12, 28, ENEMY)
    message = message_of(*groups, upgrades=(15, 16))
    columns, text = columns_of(message).SerializeToString(), json_format.MessageToJson(message)
    envelopes = [Envelope("m1", 1, 5, 100, payload=kind, content=kind) for kind in ("observation", "columns")]
    wrapped = '{"frame": {"observation": %s}}' % text
    frames = [
        frame_of(match, *groups, upgrades=(15, 16)),
        Frame(envelopes[1], columns, "proto", 0, len(columns)),
        Frame(envelopes[0], wrapped, "json", 0, len(wrapped)),
    ]
    outcomes = [sc2bridge.simulate(frame, match=match) for frame in frames]
    assert outcomes[0] == outcomes[1] == outcomes[2]
    assert outcomes[0].survivors == outcomes[1].survivors == outcomes[2].survivors


def test_upgrades_and_levels_of_both_sides_count(match: Match) -> None:
    own, enemies = line(MARINE, 8, 20, OWN), line(MARINE, 8, 30, ENEMY)
    infantry = (7, 8, 9, 11, 12, 13)
    assert sc2bridge.simulate(frame_of(match, own, enemies, upgrades=infantry)).winner == "own"
    assert sc2bridge.simulate(frame_of(match, own, enemies), enemy_upgrades=infantry).winner == "enemy"
    levelled = line(MARINE, 8, 30, ENEMY, attack_upgrade_level=3, armor_upgrade_level=3)
    assert sc2bridge.simulate(frame_of(match, own, levelled)).winner == "enemy"


def test_what_cannot_fight_takes_no_part(match: Match) -> None:
    own, enemies = armies()
    fight = sc2bridge.simulate(frame_of(match, own, enemies))
    others = [
        line(MARINE, 8, 30, ENEMY, is_hallucination=True),
        line(SPINE, 3, 40, ENEMY, display_type=SNAPSHOT),
        line(SPINE, 3, 44, ENEMY, build_progress=0.5),
        line(SCV, 5, 3, OWN),
        line(99_999, 5, 25, ENEMY),
        line(341, 5, 50, NEUTRAL, health=0),
    ]
    assert sc2bridge.simulate(frame_of(match, own, enemies, *others)) == fight
    near = sc2bridge.simulate(frame_of(match, own[:2], line(SCV, 3, 30, OWN), enemies))
    assert near.own_losses.supply + sum(tag < ENEMY * 1000 for tag in near.survivors) == 5
    assert sc2bridge.simulate(frame_of(match, own[:4], line(SPINE, 3, 30, ENEMY, health=300))).winner == "enemy"


def test_arguments_are_checked(match: Match) -> None:
    frame = frame_of(match, *armies())
    for given, error in (
        ({"seconds": -1}, "seconds"),
        ({"seconds": float("nan")}, "seconds"),
        ({"seconds": "20"}, "seconds"),
        ({"seed": -1}, "seed -1"),
        ({"seed": 2**32}, "seed"),
        ({"seed": 1.5}, "seed 1.5"),
        ({"enemy_upgrades": [-1]}, "enemy_upgrades -1"),
    ):
        with pytest.raises(ValueError, match=error):
            sc2bridge.simulate(frame, **given)  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="threads"):
        sc2bridge.simulate_many(frame, threads=0)
    with pytest.raises(ValueError, match="threads"):
        sc2bridge.simulate_many(frame, threads=2**32 + 1)
    with pytest.raises(ValueError, match="seeds"):
        sc2bridge.simulate_many([frame, frame], seeds=[1])
    lonely = pickle.loads(pickle.dumps(frame))
    with pytest.raises(ValueError, match="match="):
        sc2bridge.simulate(lonely)
    assert sc2bridge.simulate(lonely, match=match) == sc2bridge.simulate(frame)
    with pytest.raises(ValueError, match="different matches"):
        sc2bridge.simulate_many([frame, frame_of(Match(match.description, 1), *armies())])
    with pytest.raises(ValueError, match="unit 0: position"):
        sc2bridge.simulate(frame_of(match, line(MARINE, 1, 99, OWN)))
    observer = Frame(Envelope("m1", 0, 5, 100, payload="observation"), frame.raw, "proto", 0, 1)
    with pytest.raises(ValueError, match="observer"):
        sc2bridge.simulate(observer, match=match)
    with pytest.raises(ValueError, match="start_raw"):
        sc2bridge.simulate(frame, match=Match(bridge_pb2.MatchDescription(), 1))


def test_without_the_library_an_error_says_how_to_build_it(
    match: Match, monkeypatch: pytest.MonkeyPatch, tmp_path: pathlib.Path
) -> None:
    frame = frame_of(match, *armies())
    monkeypatch.setenv(library.VARIABLE, str(tmp_path / "none.so"))
    library.load.cache_clear()
    try:
        with pytest.raises(FileNotFoundError, match="tools/set-up --part library"):
            sc2bridge.simulate(frame)
    finally:
        library.load.cache_clear()


def test_a_frame_of_a_subscription_knows_its_match_after_describe() -> None:
    program = os.environ.get("SC2BRIDGE_EXECUTABLE", str(ROOT / "sc2bridge"))
    players, options = ["computer:protoss:VeryHard"] * 2, ["--scenario", "2s3z", "--observe", "1"]
    with sc2bridge.launch(players=players, steps=5, game="simulated", options=options, executable=program) as match:
        frames = match.subscribe("lockstep", perspective=1)
        with pytest.raises(ValueError, match=r"describe\(\)"):
            sc2bridge.simulate(next(frames))
        frames.describe()
        outcome = sc2bridge.simulate(next(frames))
    assert outcome.winner in ("own", "enemy") and outcome.survivors


class Call:
    """The arguments of sc2bridge_simulate for one fight."""

    def __init__(self, native: library.Library, field: int) -> None:
        self.native, self.field = native, field
        self.units = np.zeros(2, fights._UNIT)
        self.units["unit_type"], self.units["side"] = MARINE, (0, 1)
        for name in ("x", "y", "build_progress", "health", "health_max"):
            self.units[name] = 20
        self.fights = np.zeros(1, fights._FIGHT)
        self.fights["unit_count"], self.fights["loops"] = 2, 100
        self.upgrades, self.creep = np.zeros(3, np.uint32), np.zeros(SIZE * SIZE // 8, np.uint8)
        self.results, self.lives = np.zeros(1, fights._RESULT), np.zeros((2, 2), np.float32)

    def __call__(self, **changed: Any) -> int:
        arguments: list[Any] = [ctypes.c_int64(changed.get("field", self.field))]
        for name in ("fights", "units", "upgrades", "creep", "threads", "results", "lives"):
            if name == "threads":
                arguments.append(ctypes.c_int32(changed.get(name, 1)))
                continue
            array = getattr(self, name)
            count = len(array)
            address, length = changed.get(name, (array.ctypes.data, count))
            arguments += [ctypes.c_void_p(address), ctypes.c_int64(length)]
        code: int = self.native._functions.sc2bridge_simulate(*arguments)
        return code


def test_hostile_calls_return_codes(native: library.Library, match: Match) -> None:
    call = Call(native, match._ground.handle)
    assert call() == 0 and call.results["loops"][0] > 0
    for wrong in (0, -1, 2**62):
        assert call(field=wrong) == HANDLE and str(wrong) in native._last_error()
    for name in ("fights", "units", "results", "lives"):
        address = getattr(call, name).ctypes.data
        for given in (
            (None, 1),
            (None, 2),
            (address, -1),
            (address, 0),
            (address, 2**40),
            (address + 1, len(getattr(call, name))),
        ):
            assert call(**{name: given}) == ARGUMENT, (name, given)
    assert call(upgrades=(None, 1)) == call(creep=(None, 1)) == call(creep=(0, -1)) == ARGUMENT
    for threads in (0, -1, 1025, 2**31 - 1):
        assert call(threads=threads) == ARGUMENT
    for name in call.fights.dtype.names or ():
        for value in (-1, -(2**31), 3, 600, 2**31 - 1):
            kept = call.fights.copy()
            call.fights[name] = value if name != "seed" else value % 2**32
            may_be_right = name in (
                "seed",
                "loops",
                "own_upgrades",
                "enemy_upgrades",
                "first_upgrade",
                "creep_bytes",
                "first_creep",
            )
            assert call() in ((0, ARGUMENT) if may_be_right and value >= 0 or name == "seed" else (ARGUMENT,)), (
                name,
                value,
            )
            call.fights = kept
    for name in call.units.dtype.names or ():
        is_float = call.units.dtype[name].base.kind == "f"
        for value in (float("nan"), float("inf"), 1e30, -1e30, -1.0) if is_float else (2**31 - 1, 5000, 3, 2, 0):
            kept = call.units.copy()
            call.units[name] = value
            may_be_right = name in ("facing", "weapon_cooldown") if is_float else name != "side" or value < 3
            assert call() in ((0, ARGUMENT) if may_be_right else (ARGUMENT,)), (name, value)
            call.units = kept
    rng = np.random.default_rng(1)
    for _ in range(300):
        call.units = np.frombuffer(rng.bytes(2 * fights._UNIT.itemsize), fights._UNIT).copy()
        assert call() == ARGUMENT
    assert call.native._functions.sc2bridge_field_close(ctypes.c_int64(2**40)) == HANDLE


def test_units_of_any_type_can_be_in_a_fight(match: Match) -> None:
    frames = [
        frame_of(
            match,
            line(kind, 3, 20, OWN, health=200, buff_ids=[kind % 300]),
            line(MARINE, 3, 26, ENEMY),
            line(kind, 1, 40, NEUTRAL),
        )
        for kind in range(1, 2200)
    ]
    assert len(sc2bridge.simulate_many(frames, threads=2)) == 2199


def test_wrong_game_infos_return_a_code_and_fields_close(native: library.Library) -> None:
    right, handle = game_info().SerializeToString(), ctypes.c_int64(-5)
    opener = native._functions.sc2bridge_field_open
    wrong = [b"", b"\xff" * 50, right[:-1], right[: len(right) // 2]]
    for field in ("map_size", "pathing_grid", "placement_grid", "terrain_height"):
        info = game_info()
        info.start_raw.ClearField(field)  # type: ignore[arg-type]
        wrong.append(info.SerializeToString())
        if field != "map_size":
            for change in ({"bits_per_pixel": 7}, {"bits_per_pixel": 32}, {"data": b"123"}):
                info = game_info()
                for name, value in change.items():
                    setattr(getattr(info.start_raw, field), name, value)
                wrong.append(info.SerializeToString())
    for size in (0, -1, 1, 2**31 - 1):
        info = game_info()
        info.start_raw.map_size.x = size
        wrong.append(info.SerializeToString())
    for text in wrong:
        assert opener(text, ctypes.c_int64(len(text)), ctypes.byref(handle)) == ARGUMENT, text[:40]
    assert handle.value == -5
    for length in (-1, 2**40, -(2**63)):
        assert opener(right, ctypes.c_int64(length), ctypes.byref(handle)) == ARGUMENT
    assert opener(None, ctypes.c_int64(5), ctypes.byref(handle)) == ARGUMENT
    assert opener(right, ctypes.c_int64(len(right)), None) == ARGUMENT
    assert opener(right, ctypes.c_int64(len(right)), ctypes.byref(handle)) == 0
    close = native._functions.sc2bridge_field_close
    assert close(handle) == 0 and close(handle) == HANDLE
    assert Call(native, handle.value)() == HANDLE
