"""The backends of environments: a bridge with a game process, or the native library in this process."""

from __future__ import annotations

from collections.abc import Iterable
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
    require_native("options", list(options) or None)
    require_native("render_mode", None if render_mode == "rgb_array" else render_mode)
    for name, value in launch.items():
        require_native(name, None if (name, value) == ("game", "simulated") else value)
    for player in players:
        require_native("opponent", player if player.split(":")[0].strip().casefold() == "api" else None)
    settings = {**scenarios.map_settings(map_name, scenario), "players": players, "repeat": int(repeat)}
    return NativeMatches(settings)


def require_native(name: str, value: Any) -> None:
    """Raises ValueError for an argument that needs a bridge. None needs no bridge."""
    if value is not None:
        raise ValueError(f'{name} {value!r} needs a bridge: leave {name} out, or use backend="bridge"')
