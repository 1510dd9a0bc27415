"""The backends of environments: a bridge with a game process, or the native library in this process."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, Optional, Union

from sc2bridge.gym import arguments
from sc2bridge.gym import scenario as scenarios
from sc2bridge.gym.matches import Matches
from sc2bridge.gym.native_matches import NativeMatches

BACKENDS = ("bridge", "native")
AnyMatches = Union[Matches, NativeMatches]


def open_matches(
    backend: str,
    map_name: Optional[str],
    scenario: Optional[str],
    players: list[str],
    repeat: int,
    options: Iterable[str],
    render_mode: Optional[str] = None,
    **launch: Any,
) -> AnyMatches:
    """Opens the matches of an environment. Raises ValueError or TypeError for wrong arguments, and the errors of the
    backend."""
    arguments.check_choice("backend", backend, BACKENDS)
    if backend == "bridge":
        return Matches(map_name, players, repeat, [*options, *scenarios.flags(scenario)], **launch)
    require_no_bridge(options, render_mode, launch)
    for player in players:
        _require("opponent", player if player.split(":")[0].strip().casefold() == "api" else None)
    settings = {**scenarios.map_settings(map_name, scenario), "players": players, "repeat": int(repeat)}
    return NativeMatches(settings)


def require_no_bridge(options: Iterable[str], render_mode: Optional[str], launch: Mapping[str, Any]) -> None:
    """Raises ValueError for arguments that need a bridge."""
    _require("options", list(options) or None)
    _require("render_mode", None if render_mode == "rgb_array" else render_mode)
    for name, value in launch.items():
        _require(name, None if (name, value) == ("game", "simulated") else value)


def _require(name: str, value: Any) -> None:
    if value is not None:
        raise ValueError(f'{name} {value!r} needs a bridge: leave {name} out, or use backend="bridge"')
