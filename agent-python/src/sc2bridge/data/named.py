"""The names of ids in recordings, and the results of their matches."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Optional

from sc2bridge.data.recordings import Recordings
from sc2bridge.game.match import Match
from sc2bridge.game.names import Names


@dataclass(frozen=True)
class GameNames:
    """The names in a recorded game by id: `names.unit_types[48]` is `MARINE`."""

    unit_types: Mapping[int, str]
    abilities: Mapping[int, str]
    upgrades: Mapping[int, str]
    buffs: Mapping[int, str]


def names(recordings: Recordings, part: int = 0) -> GameNames:
    """The names of ids in the game of a part. All recordings of one game version have the same names. Raises
    RecordingError if the recording's names are damaged."""
    match = recordings.match(part)
    tables: tuple[Names[Any], ...] = (match.unit_types, match.abilities, match.upgrades, match.buffs)
    return GameNames(*({int(each): each.name for each in table.values()} for table in tables))


def outcomes(recordings: Recordings) -> list[dict[str, Any]]:
    """How the matches ended, for `pandas.DataFrame`: a row for each part. A row has the match, its end, and the result
    for the player of the part's perspective. `result` is `victory`, `defeat`, `tie` or `undecided`; None for an
    observer, and if the result is unknown. `winner` is a player id; None if no player won. Raises RecordingError.
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
