"""Plays the fight of a frame ahead, in this process: `simulate` and `simulate_many`.

    outcome = sc2bridge.simulate(frame)
    if outcome.winner == "own":
        attack()

The native library of sc2bridge simulates the fight by the rules of the simulated game, which differ from the balance of
StarCraft II. docs/guide/agents.md documents which units take part, and what is not simulated.
"""

from __future__ import annotations

import base64
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, NamedTuple, Optional, Union

import numpy as np

from sc2bridge import library
from sc2bridge.game.frame import Frame
from sc2bridge.game.ground import Ground

if TYPE_CHECKING:
    from sc2bridge.game.match import Match

_LOOPS_PER_SECOND = 22.4
_LONGEST = 1000.0
_OWN, _ALLY, _ENEMY = 1, 2, 4  # raw_pb2.Alliance
_VISIBLE, _SNAPSHOT = 1, 2  # raw_pb2.DisplayType
_UNKNOWN = -1
_WINNERS = (None, "own", "enemy")

# The structs of sc2bridge.h.
_UNIT = np.dtype(
    [
        ("unit_type", "<u4"),
        ("side", "<i4"),
        *((name, "<f4") for name in ("x", "y", "facing", "build_progress", "health", "health_max", "shield", "energy")),
        ("weapon_cooldown", "<f4"),
        ("target", "<i4"),
        ("levels", "<u4"),
        ("buffs", "<u4", (2,)),
    ]
)
_COPIED = ("unit_type", "facing", "build_progress", "health", "health_max", "shield", "energy")
_FIGHT = np.dtype(
    [
        (name, "<i4")
        for name in (
            "first_unit",
            "unit_count",
            "first_upgrade",
            "own_upgrades",
            "enemy_upgrades",
            "first_creep",
            "creep_bytes",
            "loops",
        )
    ]
    + [("seed", "<u4")]
)
_RESULT = np.dtype(
    [("winner", "<i4"), ("loops", "<i4")]
    + [
        (f"{side}_{what}", kind)
        for side in ("own", "enemy")
        for what, kind in (("minerals", "<i4"), ("vespene", "<i4"), ("supply", "<f4"))
    ]
)


class Losses(NamedTuple):
    """The price and the supply of a side's units that died."""

    minerals: int
    vespene: int
    supply: float


class Survivor(NamedTuple):
    """A unit at the end of a fight, in points."""

    health: float
    shield: float


@dataclass(frozen=True)
class FightOutcome:
    """The outcome of a simulated fight."""

    winner: Optional[str]
    """`own` or `enemy`: the only side that can still fight. None if both or neither can."""
    seconds: float
    """How long the fight took, in seconds at speed "faster"."""
    own_losses: Losses
    enemy_losses: Losses
    _tags: Any = field(repr=False, compare=False)
    _lives: Any = field(repr=False, compare=False)

    @property
    def survivors(self) -> dict[int, Survivor]:
        """The units of both sides that took part and live, by tag."""
        alive = self._lives[:, 0] > 0
        return dict(zip(self._tags[alive].tolist(), map(Survivor._make, self._lives[alive].tolist())))


def simulate(
    frame: Frame,
    seconds: float = 20,
    *,
    match: Optional[Match] = None,
    enemy_upgrades: Iterable[int] = (),
    seed: int = 0,
) -> FightOutcome:
    """Plays the fight of a player's frame ahead. Both sides attack-move to each other.

    seconds: the longest duration at speed "faster", 0 to 1000.
    match: the frame's match, for a frame that does not know it: one that was pickled, or one of a subscription that
        does not act and has not called `describe`.
    enemy_upgrades: upgrades of the enemy that the frame does not show, as UpgradeData.upgrade_id.
    seed: for what a frame does not show, 0 to 4294967295. The same arguments give the same outcome.

    Raises FileNotFoundError without the native library, RuntimeError if it cannot be used, ValueError for wrong
    arguments and frames that cannot be simulated, MalformedMessageError.
    """
    return simulate_many([frame], seconds, match=match, enemy_upgrades=enemy_upgrades, seeds=[seed])[0]


def simulate_many(
    frames: Union[Frame, Iterable[Frame]],
    seconds: float = 20,
    *,
    match: Optional[Match] = None,
    enemy_upgrades: Iterable[int] = (),
    seeds: Optional[Sequence[int]] = None,
    threads: int = 1,
) -> list[FightOutcome]:
    """Plays the fights of several frames of one map, or one frame's fight with several seeds, in one call. See `simulate`.

    frames: a frame for each fight, or one frame for all seeds.
    seeds: a seed for each fight; None for 0.
    threads: how many threads play the fights, 1 to 1024.
    """
    if isinstance(frames, Frame):
        frames = [frames] * (1 if seeds is None else len(seeds))
    frames = list(frames)  # A recording makes a new frame at each access.
    numbers = [0] * len(frames) if seeds is None else list(seeds)
    if len(numbers) != len(frames):
        raise ValueError(f"{len(numbers)} seeds: give one for each of the {len(frames)} frames")
    enemy_upgrades = list(enemy_upgrades)
    for name, given in (("seed", numbers), ("enemy_upgrades", enemy_upgrades)):
        for each in given:
            _check_whole_number(name, each, 0, 2**32 - 1)
    _check_whole_number("threads", threads, 1, 1024)
    if not isinstance(seconds, (int, float)) or not 0 <= seconds <= _LONGEST:
        raise ValueError(f"seconds {seconds!r}: give 0 to {_LONGEST:.0f}")
    if not frames:
        return []
    loaded = library.load()
    ground = frames[0]._ground if match is None else match._ground
    if ground is None:
        raise ValueError(
            "the frame does not know its match: give match=, or call describe() of the subscription before the first frame"
        )
    parts: dict[int, _Part] = {}
    for frame in frames:
        if id(frame) not in parts:
            if match is None and frame._ground is not ground:
                raise ValueError(
                    "the frames are of different matches: simulate the frames of each match in one call, or give match= if all have the same map"
                )
            parts[id(frame)] = _Part(frame)
    fights = np.zeros(len(frames), _FIGHT)
    upgrades, creep, units = _join(parts.values(), [int(each) for each in enemy_upgrades], fights.dtype)
    for index, frame in enumerate(frames):
        fights[index] = parts[id(frame)].fight
    fights["loops"], fights["seed"] = round(seconds * _LOOPS_PER_SECOND), numbers
    results, ends = np.zeros(len(frames), _RESULT), np.cumsum(fights["unit_count"], dtype=np.int64)
    lives = np.zeros((int(ends[-1]), 2), np.float32)
    loaded.simulate(ground.handle, fights, units, upgrades, creep, threads, results, lives)
    return [
        FightOutcome(
            _WINNERS[winner],
            loops / _LOOPS_PER_SECOND,
            Losses(*losses[:3]),
            Losses(*losses[3:]),
            part.tags,
            lives[end - len(part.tags) : end],
        )
        for (winner, loops, *losses), part, end in zip(
            results.tolist(), (parts[id(frame)] for frame in frames), ends.tolist()
        )
    ]


def _check_whole_number(name: str, value: Any, least: int, most: int) -> None:
    if not isinstance(value, (int, np.integer)) or not least <= value <= most:
        raise ValueError(f"{name} {value!r}: give a whole number from {least} to {most}")


class _Part:
    """A frame's part of the library's arrays."""

    def __init__(self, frame: Frame) -> None:
        if not frame.perspective:
            raise ValueError("the frame is of an observer of all players: simulate a player's frame")
        units = frame.units
        shown = units.display_type
        takes_part = ((shown == _VISIBLE) | (shown == _SNAPSHOT)) & ~units.is_hallucination
        rows = takes_part.nonzero()[0]
        alliance = units.alliance[rows]
        table = self.units = np.zeros(len(rows), _UNIT)
        for name in _COPIED:
            table[name] = getattr(units, name)[rows]
        table["x"], table["y"] = units.pos[rows, 0], units.pos[rows, 1]
        # Buildings that are remembered are in the way. It is unknown whether they can still fight.
        is_seen = shown[rows] == _VISIBLE
        is_own = is_seen & ((alliance == _OWN) | (alliance == _ALLY))
        table["side"] = np.where(is_own, 0, np.where(is_seen & (alliance == _ENEMY), 1, 2))
        table["weapon_cooldown"] = np.where(is_own, units.weapon_cooldown[rows], _UNKNOWN)
        levels = (units.attack_upgrade_level, units.armor_upgrade_level, units.shield_upgrade_level)
        for index, level in enumerate(levels):
            table["levels"] |= (np.minimum(level[rows], 3) & 3).astype(np.uint32) << (8 * index)
        self.tags = units.tag[rows]
        table["target"] = _rows_of(self.tags, units.engaged_target_tag[rows])
        counts = units.buffs.counts
        if counts.any():
            self._add_buffs(units, rows, counts)
        self.upgrades, self.creep = _upgrades_and_creep(frame)
        self.fight: Any = None

    def _add_buffs(self, units: Any, rows: Any, counts: Any) -> None:
        ids, offsets = units.buffs.buff_id, units.buffs.offsets.astype(np.intp)
        for place in (0, 1):
            has = counts[rows] > place
            self.units["buffs"][has, place] = ids[offsets[:-1][rows[has]] + place]


def _rows_of(tags: Any, targets: Any) -> Any:
    """The rows of the units with some tags; -1 for tags without a unit."""
    if not targets.any():
        return np.full(len(tags), -1, np.int32)
    order = np.argsort(tags)
    found = order[np.minimum(np.searchsorted(tags, targets, sorter=order), len(tags) - 1)]
    return np.where(tags[found] == targets, found, -1)


def _upgrades_and_creep(frame: Frame) -> tuple[list[int], bytes]:
    if frame.encoding == "json":
        raw = frame.json.get("observation", {}).get("rawData", {})
        creep = raw.get("mapState", {}).get("creep", {})
        is_bits = creep.get("bitsPerPixel") == 1
        upgrades = [int(each) for each in raw.get("player", {}).get("upgradeIds", [])]
        return upgrades, base64.b64decode(creep.get("data", "")) if is_bits else b""
    data = frame.observation.observation.raw_data
    bits = data.map_state.creep
    return list(data.player.upgrade_ids), bits.data if bits.bits_per_pixel == 1 else b""


def _join(parts: Iterable[_Part], enemy_upgrades: list[int], dtype: Any) -> tuple[Any, Any, Any]:
    """Joins the parts of all frames, and gives each part its fight."""
    upgrades: list[int] = []
    creep, units, first_unit, first_creep = [], [], 0, 0
    for part in parts:
        sizes = (len(part.units), len(upgrades), len(part.upgrades), len(enemy_upgrades), first_creep, len(part.creep))
        part.fight = np.array((first_unit, *sizes, 0, 0), dtype)
        upgrades += part.upgrades + enemy_upgrades
        creep.append(part.creep)
        units.append(part.units)
        first_unit += len(part.units)
        first_creep += len(part.creep)
    return np.array(upgrades, np.uint32), np.frombuffer(b"".join(creep), np.uint8), np.concatenate(units)
