"""What an environment must know of a scenario's file before it is played."""

from __future__ import annotations

import json
import re
from typing import Any


def read(path: str) -> Any:
    """The file, with its comments and its commas at the end of lists. Raises ValueError."""
    with open(path, encoding="utf-8") as file:
        text = re.sub(r'("(?:\\.|[^"\\])*")|//[^\n]*', lambda found: found[1] or "", file.read())
    try:
        return json.loads(re.sub(r'("(?:\\.|[^"\\])*")|,(?=\s*[\]}])', lambda found: found[1] or "", text))
    except ValueError as error:
        raise ValueError(f"scenario {path}: it is no JSON: {error}") from None


def counts(scenario: Any) -> list[int]:
    """How many units each player has."""
    players = scenario["players"]
    own = [sum(group.get("count", 1) for group in player.get("units", ())) for player in players]
    return [number + (own[0] if player.get("mirror") else 0) for number, player in zip(own, players)]
