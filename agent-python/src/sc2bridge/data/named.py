"""The names of the ids in recordings, and how their matches ended."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Optional

from sc2bridge.data.recordings import Recordings
from sc2bridge.game.match import Match
from sc2bridge.game.names import Names


@dataclass(frozen=True)
class GameNames:
    """The names of a recorded game by id: `names.unit_types[48]` is `MARINE`. Raises RecordingError if they are damaged."""

    unit_types: Mapping[int, str]
    abilities: Mapping[int, str]
    upgrades: Mapping[int, str]
    buffs: Mapping[int, str]


def names(recordings: Recordings, part: int = 0) -> GameNames:
    """The names that the game of a part gave to its ids. All recordings of one version of the game have the same."""
    match = recordings.match(part)
    tables: tuple[Names[Any], ...] = (match.unit_types, match.abilities, match.upgrades, match.buffs)
    return GameNames(*({int(each): each.name for each in table.values()} for table in tables))


def outcomes(recordings: Recordings) -> list[dict[str, Any]]:
    """A row for each part, as `pandas.DataFrame` takes them: which match it is of, how it ended, and what it was for the player of
    the part's perspective. `result` is `victory`, `defeat`, `tie` or `undecided`; None for an observer and if it is unknown. `winner`
    is a player id, None if no player won. Raises RecordingError.
    """
    return [_outcome(recordings, part) for part in range(len(recordings))]


def _outcome(recordings: Recordings, number: int) -> dict[str, Any]:
    part, match = recordings[number], recordings.match(number)
    end, player = match.end, match.player
    return {
        "part": number,
        "path": part.path,
        "perspective": part.perspective,
        "match_id": match.match_id,
        "map_name": match.map_name,
        "seed": match.seed,
        "simulated": match.simulated,
        "game_version": match.ping.game_version,
        "race": None if player is None else player.race,
        "opponents": ", ".join(f"{each.kind} {each.race} {each.difficulty}".strip() for each in match.opponents),
        "result": match.result,
        "winner": _winner(match),
        "reason": None if end is None else end.reason,
        "game_loop": None if end is None else end.game_loop,
    }


def _winner(match: Match) -> Optional[int]:
    results = () if match.end is None else match.end.results
    return next((each.player_id for each in results if each.result == 1), None)  # sc2api.Result.Victory
