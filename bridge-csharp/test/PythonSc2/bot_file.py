"""
Plays a file of python-sc2's own test bots as it stands, and reports what each of its assertions found:
`python bot_file.py FILE REPORT`. An assertion that does not hold is kept, and the file goes on.
"""

from __future__ import annotations

import ast
import json
import pathlib
import sys
from collections.abc import Callable

from loguru import logger

import sc2.main  # removes the logger's sinks
import sc2.maps
from sc2.sc2process import KillSwitch

# The maps that the files name, and what they are played on here: the game's Empty128 is bare and flat, as ours is.
MAPS = {"Acropolis": "SaltBasinLE", "AcropolisLE": "SaltBasinLE"}


class Assertions(ast.NodeTransformer):
    """Turns each `assert test, message` into a call of `held(line, test, lambda: message)`."""

    def __init__(self) -> None:
        self.lines: dict[int, dict] = {}

    def visit_Assert(self, node: ast.Assert) -> ast.AST:
        self.lines[node.lineno] = {"text": ast.unparse(node.test), "held": 0, "failed": 0, "messages": []}
        message = ast.Lambda(
            args=ast.arguments(posonlyargs=[], args=[], kwonlyargs=[], kw_defaults=[], defaults=[]),
            body=node.msg or ast.Constant(None),
        )
        called = ast.Name(id="held", ctx=ast.Load())
        call = ast.Call(func=called, args=[ast.Constant(node.lineno), node.test, message], keywords=[])
        return ast.copy_location(ast.Expr(call), node)

    def held(self, line: int, test: object, message: Callable[[], object]) -> None:
        found = self.lines[line]
        found["held" if test else "failed"] += 1
        if not test and len(found["messages"]) < 100:
            found["messages"].append(str(message()))


def play(file: pathlib.Path) -> dict:
    """Runs the file as a program; what it logs as a success or an error is in the report too."""
    assertions = Assertions()
    tree = ast.fix_missing_locations(assertions.visit(ast.parse(file.read_text())))
    said: list[str] = []
    logger.add(lambda line: said.append(str(line).rstrip()), level="WARNING", format="{level}: {message}")
    get = sc2.maps.get
    sc2.maps.get = lambda name: get(MAPS.get(name, name))
    code: object = 0
    try:
        exec(compile(tree, str(file), "exec"), {"__name__": "__main__", "__file__": str(file), "held": assertions.held})
    except SystemExit as end:
        code = end.code or 0
    finally:
        KillSwitch.kill_all()
    return {"code": code, "said": said, "assertions": [{"line": n, **a} for n, a in assertions.lines.items()]}


if __name__ == "__main__":
    pathlib.Path(sys.argv[2]).write_text(json.dumps(play(pathlib.Path(sys.argv[1])), indent=1))
