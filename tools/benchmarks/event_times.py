"""Times what it takes to know what happened to units since the last frame: by `sc2bridge.events`, from columns and from
plain observations, and by python-sc2's own way (burnysc2, where it is installed); in turns, on the same frames, from the
bytes of each message.

    sc2bridge match --observe 1 --steps 13000 --no-agents --recording FILE
    PYTHONPATH=agent-python/src python tools/benchmarks/event_times.py FILE [--from LOOP] [--frames N] [--json OUT]

Of python-sc2 only what its events need is timed: the game state, the units' objects and the events, without its distances
and its grids. Each way hears every frame, so that it has the same to tell; what they told is counted, and printed too.
"""

from __future__ import annotations

import argparse
import gc
import json
import platform
import statistics
import sys
import time
from collections import Counter
from typing import Any, Callable, Iterator

import numpy as np

from sc2bridge import Match, open_recording
from sc2bridge.envelope import Envelope
from sc2bridge.events import UnitEvents
from sc2bridge.frame import Frame
from sc2bridge.s2clientprotocol import sc2api_pb2
from sc2bridge.units import Units
from sc2bridge.v1 import bridge_pb2

TURN = 50
_UNIT_X = 61


def columns_of(raw: bytes) -> bytes:
    """The observation as the bridge writes columns, but for the units' lists, which the events do not look at."""
    rest = sc2api_pb2.ResponseObservation.FromString(raw)
    units = Units.from_observation(rest)
    columns = bridge_pb2.Columns(count=len(units))
    present = np.zeros(len(units), "<u8")
    for name, field in Units.fields.items():
        setattr(columns, name, getattr(units, name).tobytes())
        present |= units.present(name).astype("<u8") << np.uint64(field.number)
    for part, name in enumerate("xyz"):
        present |= units.present(name).astype("<u8") << np.uint64(_UNIT_X + part)
    columns.present = present.tobytes()
    rest.observation.raw_data.ClearField("units")
    columns.rest.CopyFrom(rest)
    return columns.SerializeToString()


class Ours:
    """The package's way."""

    def __init__(self, match: Match, content: str) -> None:
        self._events = UnitEvents(match)
        self._content = content
        self.told: Counter[str] = Counter()

    def hear(self, frame: Frame, raw: bytes) -> None:
        envelope = Envelope(frame.match, frame.perspective, frame.step, frame.game_loop, payload=self._content)
        changes = self._events.update(Frame(envelope, raw, "proto", 0, len(raw), self._content))
        for name in ("destroyed", "created", "type_changed", "damaged", "started", "finished", "upgrades", "seen"):
            self.told[name] += len(getattr(changes, name))


def python_sc2(match: Match) -> Any:
    """python-sc2's way; None where it is not installed."""
    try:
        from s2clientprotocol import sc2api_pb2 as theirs
        from sc2.bot_ai import BotAI
        from sc2.game_data import GameData
        from sc2.game_info import GameInfo
        from sc2.game_state import GameState
    except ImportError:
        return None

    class Bot(BotAI):
        def __init__(self) -> None:
            super().__init__()
            self.told: Counter[str] = Counter()
            info = theirs.ResponseGameInfo.FromString(match.game_info.SerializeToString())
            data = theirs.ResponseData.FromString(match.data.SerializeToString())
            self._initialize_variables()
            self._prepare_start(None, match.player_id, GameInfo(info), GameData(data), base_build=0)
            self.distance_calculation_method = 0

        def hear(self, frame: Frame, raw: bytes) -> None:
            self.state = GameState(theirs.ResponseObservation.FromString(raw))
            # As in BotAI._prepare_step.
            self._units_previous_map = {unit.tag: unit for unit in self.units}
            self._structures_previous_map = {unit.tag: unit for unit in self.structures}
            self._enemy_units_previous_map = {unit.tag: unit for unit in self.enemy_units}
            self._enemy_structures_previous_map = {unit.tag: unit for unit in self.enemy_structures}
            self._all_units_previous_map = {unit.tag: unit for unit in self.all_units}
            self._prepare_units()
            try:
                self.issue_events().send(None)  # It waits for nothing.
            except StopIteration:
                pass

        async def on_unit_destroyed(self, unit_tag: int) -> None:
            self.told["destroyed"] += 1

        async def on_unit_created(self, unit: Any) -> None:
            self.told["created"] += 1

        async def on_unit_type_changed(self, unit: Any, previous_type: Any) -> None:
            self.told["type_changed"] += 1

        async def on_unit_took_damage(self, unit: Any, amount_damage_taken: float) -> None:
            self.told["damaged"] += 1

        async def on_building_construction_started(self, unit: Any) -> None:
            self.told["started"] += 1

        async def on_building_construction_complete(self, unit: Any) -> None:
            self.told["finished"] += 1

        async def on_upgrade_complete(self, upgrade: Any) -> None:
            self.told["upgrades"] += 1

    return Bot()


def measure(frames: Iterator[Frame], ways: dict[str, tuple[Any, Callable[[bytes], bytes]]]) -> dict[str, list[float]]:
    """Microseconds of each frame by each way, in turns."""
    times: dict[str, list[float]] = {name: [] for name in ways}
    turn: list[Frame] = []
    for frame in frames:
        turn.append(frame)
        if len(turn) < TURN:
            continue
        for name, (way, prepare) in ways.items():
            prepared = [prepare(bytes(each.raw)) for each in turn]  # type: ignore[arg-type]
            gc.disable()
            for each, raw in zip(turn, prepared):
                began = time.perf_counter_ns()
                way.hear(each, raw)
                times[name].append((time.perf_counter_ns() - began) / 1000)
                if len(times[name]) == 1:
                    way.told.clear()  # What there was before is no news; python-sc2's runner sees to that elsewhere.
            gc.enable()
        turn = []
    return times


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("recording")
    parser.add_argument("--from", dest="from_loop", type=int, default=0, metavar="LOOP", help="the first game loop")
    parser.add_argument("--frames", type=int, default=1000, metavar="N", help="default: 1000")
    parser.add_argument("--json", metavar="OUT", help="write the raw times there")
    given = parser.parse_args()
    with open_recording(given.recording) as recording:
        match = Match(recording.match, recording.match.perspectives[0])
        ways: dict[str, tuple[Any, Callable[[bytes], bytes]]] = {
            "columns": (Ours(match, "columns"), columns_of),
            "observation": (Ours(match, "observation"), bytes),
        }
        peer = python_sc2(match)
        if peer is not None:
            ways["python-sc2"] = (peer, bytes)
        heard = recording.perspective().between(given.from_loop, None)[: given.frames]
        times = measure(iter(heard), ways)
        size = statistics.fmean(len(frame.raw) for frame in heard[:: max(1, len(heard) // 20)])
    print(f"Python {platform.python_version()}, numpy {np.__version__}, observations of {size / 1024:.0f} KiB")
    print(f"{'way':12} {'p50 us':>9} {'mean us':>9}  told")
    for name, each in times.items():
        told = ", ".join(f"{what} {count}" for what, count in ways[name][0].told.items() if count)
        print(f"{name:12} {statistics.median(each):9.0f} {statistics.fmean(each):9.0f}  {told}")
    if peer is not None:
        ratio = statistics.median(times["python-sc2"]) / statistics.median(times["columns"])
        print(f"python-sc2's way takes {ratio:.1f} times as long as columns")
    if given.json is not None:
        with open(given.json, "w", encoding="utf-8") as file:
            json.dump({"times_us": times, "told": {name: ways[name][0].told for name in ways}}, file)
    return 0


if __name__ == "__main__":
    sys.exit(main())
