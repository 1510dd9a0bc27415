"""Pictures and the live page of environments, on the simulated game."""

from __future__ import annotations

import pytest

gymnasium = pytest.importorskip("gymnasium", reason="gymnasium is not installed")
np = pytest.importorskip("numpy")

from gym_case import arguments

from sc2bridge.gym import MatchEnv, MatchVectorEnv, SidesEnv, UnitsEnv

pytestmark = pytest.mark.slow


def test_the_map_is_drawn_or_the_live_page_opened(monkeypatch: pytest.MonkeyPatch) -> None:
    opened: list[str] = []
    monkeypatch.setattr("webbrowser.open", lambda address: opened.append(address) is None)
    env = UnitsEnv(render_mode="rgb_array", **arguments())
    sides = SidesEnv(
        render_mode="rgb_array", **{name: each for name, each in arguments().items() if name != "opponent"}
    )
    envs = MatchVectorEnv(2, render_mode="rgb_array", actions="multi_discrete", **arguments())
    watched = MatchEnv(render_mode="human", actions="multi_discrete", **arguments())
    try:
        with pytest.raises(gymnasium.error.ResetNeeded):
            env.render()
        env.reset(seed=1)
        picture = env.render()
        assert picture.dtype == np.uint8 and picture.shape == (30 * 6, 30 * 6, 3)
        env.step([1, 1, 1])
        assert (env.render() != picture).any()
        sides.reset(seed=1)
        assert sides.render().shape == (30 * 6, 60 * 6, 3)
        envs.reset(seed=1)
        assert [each.shape for each in envs.render()] == [(30 * 6, 30 * 6, 3)] * 2
        assert not opened
        for seed in range(2):
            watched.reset(seed=seed)
        assert watched.render() is None and watched.web_address is not None
        assert opened == ["http" + watched.web_address[2:-3]]
    finally:
        for each in (env, sides, envs, watched):
            each.close()


def test_many_matches_open_one_page_and_without_a_browser_its_address_is_logged(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    opened: list[str] = []
    monkeypatch.setattr("webbrowser.open", lambda address: opened.append(address))
    envs = MatchVectorEnv(2, render_mode="human", actions="multi_discrete", **arguments())
    try:
        for seed in range(2):
            envs.reset(seed=seed)
        assert len(opened) == 1 and f"no browser was found: open {opened[0]} to watch" in caplog.text
    finally:
        envs.close()
