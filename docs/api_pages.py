"""The pages of the documentation site for the public modules of the Python package, from their docstrings."""

from __future__ import annotations

import importlib
import inspect
import itertools
import pathlib
import re
import sys
from collections.abc import Iterator
from types import ModuleType
from typing import Any

from sphinx.ext.autodoc.mock import mock
from sphinx.pycode import ModuleAnalyzer

MISSING = ["gymnasium", "torch"]
"""Packages that this machine does not need."""
PLAIN_BASES = "object, tuple, dict, list, int, str, Exception, IntEnum, Generic, Protocol"
"""The inherited members of these classes are not documented."""
MODULES = """sc2bridge sc2bridge.actions sc2bridge.images sc2bridge.ids sc2bridge.aio sc2bridge.units sc2bridge.recording sc2bridge.bot
sc2bridge.data sc2bridge.data.datasets sc2bridge.gym sc2bridge.gym.smac sc2bridge.pictures""".split()
OTHERS = "other-types"
OTHER_TYPES = [
    *("sc2bridge.bot.costs.Costs", "sc2bridge.bot.game_data.GameData", "sc2bridge.game.drawing.Drawing"),
    *("sc2bridge.game.names.Names", "sc2bridge.units.columns.Columns", "sc2bridge.units.tables.Lists"),
    *("sc2bridge.fights.Losses", "sc2bridge.fights.Survivor"),
    *(f"sc2bridge.recording.analysis.{name}" for name in ("FailedActions", "FightSide", "LoopSpan", "LostUnits")),
    *(f"sc2bridge.recording.analysis.{name}" for name in ("PlayerAnalysis", "TownHall", "UnspentSpan")),
]
"""Types of results of public names. They have no public name, because programs do not create them."""
BASES = """Queries AsyncQueries BaseConnection Playback AsyncPlayback LaunchedConnection UnitColumns Building LayoutEnv Table
Data FrameLocations Id LaunchedBridge RecordedMatch Source""".split()
"""Types without a page: base classes, whose members are documented with each public class, and types of arguments."""


def module_of(name: str) -> ModuleType:
    """A public module. `sc2bridge.actions` is an attribute of the package: its file has another name."""
    if name in ("sc2bridge.actions", "sc2bridge.images", "sc2bridge.aio"):
        sys.modules.setdefault(name, getattr(importlib.import_module("sc2bridge"), name.rpartition(".")[2]))
    with mock(MISSING):
        module = importlib.import_module(name)
    if not hasattr(module, "__all__"):
        names = [key for key, value in vars(module).items() if getattr(value, "__module__", "") == module.__name__]
        module.__all__ = [key for key in names if not key.startswith("_")]
    return module


def pages() -> Iterator[tuple[str, list[str], list[str]]]:
    """For each public module: its name, the names that its page documents, and the names that an earlier page documents."""
    seen: list[Any] = []
    for name in MODULES:
        module = module_of(name)
        values = {key: getattr(module, key) for key in module.__all__}
        old = [key for key, value in values.items() if any(value is each for each in seen)]
        yield name, [key for key in values if key not in old], old
        seen += values.values()


def text_of_constant(name: str, value: Any) -> str:
    """The docstring of a constant that a public module imports. Sphinx finds it only in the module that defines the constant."""
    for module in [each for each in sys.modules if each.startswith("sc2bridge.")]:
        if getattr(sys.modules[module], name, None) is value and hasattr(sys.modules[module], "__file__"):
            texts = ModuleAnalyzer.for_module(module).find_attr_docs()
            if ("", name) in texts:
                return "\n   ".join(texts["", name])
    return ""


def constants_of(module: str, names: list[str]) -> Iterator[str]:
    """The directives for the constants that a module imports."""
    for name in names:
        value = getattr(sys.modules[module], name)
        is_constant = not (inspect.isclass(value) or inspect.isroutine(value) or inspect.ismodule(value))
        text = text_of_constant(name, value) if is_constant else ""
        if text:
            shown = repr(value).replace("typing.", "")
            values = f"\n   :value: {shown}" if shown.startswith("Literal[") else ""
            yield f".. py:data:: {name}{values}\n\n   {text}"


def write(folder: pathlib.Path) -> None:
    """Writes a page for each module, and one for the other types."""
    folder.mkdir(exist_ok=True)
    made = {}
    for name, new, old in pages():
        contents = ", ".join(f":py:obj:`~{name}.{each}`" for each in new)
        made[name] = [contents, "", f".. automodule:: {name}", "   :imported-members:"]
        made[name] += [f"   :exclude-members: {', '.join(old)}", ""] if old else [""]
        made[name] += constants_of(name, new)
    made[OTHERS] = [f".. autoclass:: {name}" for name in OTHER_TYPES]
    for name, lines in made.items():
        (folder / f"{name}.md").write_text("\n".join([f"# {name}", "```{eval-rst}", *lines, "```", ""]), "utf-8")


def arguments_of(value: Any) -> set[str]:
    """The names of a function's arguments."""
    try:
        return set(inspect.signature(value).parameters)
    except (TypeError, ValueError):
        return set()


def as_rst(app: object, what: str, name: str, value: Any, options: object, lines: list[str]) -> None:
    """Turns a docstring of this project into reStructuredText, in place.

    A docstring has `argument: text` or `one, another: text` for arguments, and code or tables as indented paragraphs.
    """
    arguments = arguments_of(value)
    made: list[str] = []
    rest = list(lines)
    in_fields = False
    while rest:
        line = rest.pop(0)
        named = re.match(r"(\w+(?:, \w+)*): (.+)", line)
        names = named[1].split(", ") if named else []
        if named and arguments.issuperset(names):
            text = [named[2], *itertools.takewhile(lambda each: each.startswith(" "), rest)]
            del rest[: len(text) - 1]
            made += [] if in_fields else [""]
            made += [f":param {names[0]}: {text[0]}", *text[1:]]
            made += [f":param {name}: see `{names[0]}`" for name in names[1:]]
            in_fields = True
            continue
        if in_fields and line:
            made.append("")
        in_fields = False
        if line.startswith(" ") and len(made) > 1 and not made[-1] and not made[-2].startswith(" "):
            made += ["::", ""]
        made.append(line)
    lines[:] = made
