"""PySC2's own unmodified game tests on the simulated game. Its maps have PySC2's names (see conftest.py)."""

from __future__ import annotations

import importlib
import unittest

import pytest

pytest.importorskip("pysc2", reason="PySC2 is not installed: tools/set-up --test tells why (.setup/pysc2.log)")

MODULES = (
    "actions_test",
    "debug_test",
    "dummy_observation_test",
    "general_actions_test",
    "host_remote_agent_test",
    "multi_player_env_test",
    "multi_player_test",
    "obs_spec_test",
    "obs_test",
    "observer_test",
    "ping_test",
    "protocol_error_test",
    "random_agent_test",
    "step_mul_override_test",
    "versions_test",
)

RENDERS = "asks for RGB rendering, which the simulated game refuses"
MINI_GAME = "needs a mini-game's map"
LEFT_OUT = {
    "test_action_delay": "the simulated game reports an action in the next loop, also in a game of two; the real game a loop later",
    "test_fog": "with disable_fog the simulated game sends another player's units in full, not as hidden ones",
    "test_hallucination": "the simulated game updates detection every eighth loop; the test expects it four loops after the observer arrived",
    "test_general_attack": "a unit stops within a tenth of a cell of its target point, not exactly on it",
    "test_general_actions": "the abilities belong to a newer build than PySC2 4.0",
    "test_heterogeneous_observations": RENDERS,
    "test_random_agent_all": RENDERS,
    "test_observation_matches_obs_spec": RENDERS,
    "test_respects_override": MINI_GAME,
    "test_returns_game_loop_zero_on_first_step_despite_override": MINI_GAME,
    "test_version_numbers": "needs several versions of the game",
    "test_versions_create_game": "needs several versions of the game",
}


def cases():
    """Each of PySC2's tests with its name, and the reason if it is left out."""
    for module in MODULES:
        for suite in unittest.defaultTestLoader.loadTestsFromModule(importlib.import_module(f"pysc2.tests.{module}")):
            for case in suite:
                name = case.id().split(".")[-1]
                reason = RENDERS if "rgb" in name else LEFT_OUT.get(name)
                marks = [pytest.mark.skip(reason=reason)] if reason else []
                yield pytest.param(case, id=f"{module}.{name}", marks=marks)


@pytest.mark.parametrize("case", cases())
def test_of_pysc2(case: unittest.TestCase) -> None:
    result = case.run()
    problems = [text for _, text in result.failures + result.errors]
    assert not problems, "\n".join(problems)
    assert result.testsRun == 1
    if result.skipped:
        pytest.skip(result.skipped[0][1])
