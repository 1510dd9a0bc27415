"""python-sc2's examples against the computers named in their files and in python-sc2's workflow."""

from __future__ import annotations

import pytest
from conftest import PYTHON_SC2

from examples import EXAMPLES, SEEDS, Example, play

if not (PYTHON_SC2 / "test").is_dir():
    pytest.skip(".setup/missing/python_sc2 says why python-sc2's repository is not there", allow_module_level=True)

# The other examples are long tests.
SHORT = {("protoss.warpgate_push", 1), ("worker_rush", 1)}
SHORT_IN_WORKFLOW = {"worker_rush", "zerg.zerg_rush"}


def cases(short: set, all_cases: list) -> list:
    return [
        pytest.param(*case, marks=[] if case in short or case[0] in short else pytest.mark.long) for case in all_cases
    ]


@pytest.mark.parametrize("name, seed", cases(SHORT, [(name, seed) for name in EXAMPLES for seed in SEEDS]))
def test_an_example_ends_as_it_is_written_to(name: str, seed: int, request: pytest.FixtureRequest) -> None:
    example = EXAMPLES[name]
    if example.short_of:
        request.applymarker(pytest.mark.xfail(reason=example.short_of))
    game = play(name, seed, example.seconds)
    assert game.result in example.results, game


@pytest.mark.parametrize("name", cases(SHORT_IN_WORKFLOW, [(name,) for name in EXAMPLES]))
def test_an_example_has_no_result_by_when_the_workflow_stops_it(name: str) -> None:
    game = play(name, 1, EXAMPLES[name].workflow, "--workflow")
    assert (game.opponent, game.result) == ("Easy Protoss", "Tie"), game
