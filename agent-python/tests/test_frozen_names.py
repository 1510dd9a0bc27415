"""The public names of the package, with the names of their parameters and attributes: none of a release may disappear.

`python tests/test_frozen_names.py` adds the new names to frozen_names.json. Run it before each release.
"""

from __future__ import annotations

import importlib
import inspect
import json
import pathlib
from typing import Any

import pytest

FROZEN = pathlib.Path(__file__).with_name("frozen_names.json")
MODULES = [
    *(
        "sc2bridge",
        "sc2bridge.agents",
        "sc2bridge.client.aio",
        "sc2bridge.bot",
        "sc2bridge.data",
        "sc2bridge.data.datasets",
    ),
    *("sc2bridge.recording", "sc2bridge.units"),
    *("sc2bridge.gym", "sc2bridge.gym.smac", "sc2bridge.pictures", "sc2bridge.game.actions", "sc2bridge.game.images"),
]


CONSTRUCTED = set(
    "Agent Watcher Tls Timeouts UnitEvents LastSeen BotAI Cost Point2 Rect Recordings FrameDataset ShuffledFrames MatchEnv"
    " MatchVectorEnv SidesEnv UnitsEnv MultiAgentEnv StarCraft2Env StarCraftCapabilityEnvWrapper".split()
)
"""Classes whose objects users make. The package makes the objects of all other classes."""


def public_names(module: Any) -> list[str]:
    own = (name for name in vars(module) if getattr(vars(module)[name], "__module__", None) == module.__name__)
    return sorted(getattr(module, "__all__", None) or (name for name in own if not name.startswith("_")))


def parameters_of(code: Any) -> list[str]:
    """The names of the parameters, in their order. A `*` marks a parameter without a position."""
    try:
        found = inspect.signature(code).parameters.values()
    except (TypeError, ValueError):  # Types of protobuf and of C have none.
        return []
    public = [each for each in found if each.name not in ("self", "cls") and not each.name.startswith("_")]
    return ["*" * (each.kind in (each.KEYWORD_ONLY, each.VAR_KEYWORD)) + each.name for each in public]


def describe(value: Any) -> dict[str, list[str]]:
    """The parameters of a function, and the public attributes of a class with the parameters of its methods."""
    if not inspect.isclass(value):
        return {"": parameters_of(value)} if callable(value) else {}
    attributes = {"": parameters_of(value)} if value.__name__ in CONSTRUCTED else {}
    for base in value.__mro__:
        if base.__module__.startswith("sc2bridge"):
            for name, attribute in vars(base).items():
                if not name.startswith("_"):
                    code = inspect.unwrap(attribute) if inspect.isroutine(attribute) else None
                    attributes.setdefault(name, parameters_of(code) if inspect.isfunction(code) else [])
            for name in getattr(base, "__annotations__", ()):
                if not name.startswith("_"):
                    attributes.setdefault(name, [])
    return attributes


def present_names(name: str) -> dict[str, dict[str, list[str]]]:
    module = importlib.import_module(name)
    return {name: describe(getattr(module, name)) for name in public_names(module)}


def missing_names(frozen: Any, present: Any, where: str = "") -> list[str]:
    """The names of `frozen` that `present` lacks. A list is of parameters: a new one follows those with a position."""
    if isinstance(frozen, list):
        places = [name for name in frozen if name[0] != "*"]
        is_kept = [name for name in present if name[0] != "*"][: len(places)] == places and set(frozen) <= {
            *present,
            *(f"*{name}" for name in present),
        }
        return [] if is_kept else [f"{where}({', '.join(frozen)}) is now ({', '.join(present)})"]
    found = []
    for name, content in frozen.items():
        inside = f"{where}.{name}" if where and name else where or name
        found += missing_names(content, present[name], inside) if name in present else [inside]
    return found


@pytest.mark.parametrize("module", MODULES)
def test_no_public_name_of_a_release_is_missing(module: str) -> None:
    pytest.importorskip(module)
    assert missing_names(json.loads(FROZEN.read_text())[module], present_names(module), module) == []


def test_a_removed_name_or_parameter_is_found() -> None:
    frozen = {"m": {"f": {"": ["a", "b", "*c"]}, "C": {"": [], "x": []}}}
    longer = {"m": {"f": {"": ["a", "b", "c", "*d"]}, "C": {"": ["e"], "x": [], "y": []}, "g": {}}}
    assert missing_names(frozen, longer) == []
    other = {"m": {"f": {"": ["a", "new", "b", "*c"]}, "C": {"": []}}}
    assert missing_names(frozen, other) == ["m.f(a, b, *c) is now (a, new, b, *c)", "m.C.x"]


if __name__ == "__main__":
    now = {module: present_names(module) for module in MODULES}
    if lost := missing_names(json.loads(FROZEN.read_text()), now):
        raise SystemExit(f"a release promised these names: {lost}")
    modules = (
        f"{json.dumps(module)}: {{\n"
        + ",\n".join(f" {json.dumps(name)}: {json.dumps(of)}" for name, of in names.items())
        + "\n}"
        for module, names in now.items()
    )
    FROZEN.write_text("{" + ",\n".join(modules) + "}\n")
