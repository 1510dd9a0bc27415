"""Units as agents: how their observations, their types and their actions agree, without a game."""

from __future__ import annotations

import json
import pathlib
from typing import Any

import pytest

pytest.importorskip("gymnasium", reason="gymnasium is not installed")
np = pytest.importorskip("numpy")

from gym_case import ENEMY, OWN, frame_of

from sc2bridge.game.frame import Frame
from sc2bridge.game.match import Match
from sc2bridge.gym import UnitsEnv
from sc2bridge.gym.actions import FIRST_TARGET
from sc2bridge.gym.observations import FEATURES
from sc2bridge.game.words import MatchEnd
from sc2bridge.gym.units import SEEN_FEATURES
from sc2bridge.s2clientprotocol import sc2api_pb2
from sc2bridge.v1 import bridge_pb2

MARINE, MARAUDER, MEDIVAC = 48, 51, 54
ATTACK, HEAL = 23, 386
X, Y, HEALTH = (FEATURES.index(name) for name in ("x", "y", "health"))
VISIBLE, DISTANCE, CAN_TARGET = (
    len(FEATURES) + SEEN_FEATURES.index(name) for name in ("visible", "distance", "can_target")
)
TYPES = len(FEATURES) + len(SEEN_FEATURES)
CELLS = 64


class Fight:
    """A subscription to a match that has the same frame at every step; it keeps what was ordered."""

    def __init__(self, frame: Frame) -> None:
        self.frame = frame
        self.orders: list[tuple[int, int, int]] = []
        """Of each order the unit's tag, the ability and the target's tag."""
        description = bridge_pb2.MatchDescription()
        raw = description.game_info.start_raw
        raw.map_size.x = raw.map_size.y = CELLS
        raw.pathing_grid.size.CopyFrom(raw.map_size)
        raw.pathing_grid.bits_per_pixel, raw.pathing_grid.data = 8, b"\1" * CELLS * CELLS
        for number, name in ((4, "Stop"), (16, "Move"), (ATTACK, "Attack"), (HEAL, "Effect Heal")):
            description.data.abilities.add(ability_id=number, link_name=name, friendly_name=name)
        for number, name in ((MARINE, "Marine"), (MARAUDER, "Marauder"), (MEDIVAC, "Medivac")):
            unit = description.data.units.add(unit_id=number, name=name)
            if number != MEDIVAC:
                unit.weapons.add(type=3, range=6)
        self.match = Match(description, 1)

    end: Any = None

    def __next__(self) -> Frame:
        if self.end is not None:
            raise StopIteration
        return self.frame

    def __iter__(self) -> Any:
        return self

    def act(self, actions: list[Any]) -> None:
        commands = [each.action_raw.unit_command for each in actions]
        self.orders += [(each.unit_tags[0], each.ability_id, each.target_unit_tag) for each in commands]

    def done(self) -> None:
        pass


def begin(tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch, own: list[Any], enemies: list[Any]) -> Any:
    """An environment at the beginning of a fight of these units, and the fight."""
    groups = [
        [{"type": {"Marine": 1, "MARAUDER": 1}, "count": len(side) - 1}, {"type": "Medivac"}] for side in (own, enemies)
    ]
    file = tmp_path / "fight.json"
    file.write_text(json.dumps({"players": [{"units": each} for each in groups]}))
    units = [dict(each, alliance=side) for side, many in ((OWN, own), (ENEMY, enemies)) for each in many]
    fight = Fight(frame_of(*units))
    env = UnitsEnv(str(file), "computer:terran:VeryHard")
    monkeypatch.setattr(env._env._matches, "begin", lambda seed: [(fight, fight.frame)])
    env.reset()
    return env, fight


def at(x: float, unit_type: int, **more: Any) -> dict[str, Any]:
    return dict(more, pos=(x, 10), unit_type=unit_type, health=40, is_flying=unit_type == MEDIVAC)


OWN_UNITS = [at(10, MARINE), at(11, MEDIVAC), at(12, MARAUDER), at(13, MARINE, health_max=50), at(14, MEDIVAC)]
ENEMIES = [at(15, MARAUDER), at(16, MARINE), at(17, MEDIVAC)]


def test_an_agent_is_first_and_the_rows_of_others_do_not_depend_on_it_but_for_places(
    tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    env, _ = begin(tmp_path, monkeypatch, OWN_UNITS, ENEMIES)
    assert env.features == (*FEATURES, *SEEN_FEATURES, "Marine", "MARAUDER", "Medivac")
    places = [unit["pos"][0] for unit in OWN_UNITS + ENEMIES]
    kinds = [(MARINE, MARAUDER, MEDIVAC).index(unit["unit_type"]) for unit in OWN_UNITS + ENEMIES]
    info, observed = env.get_env_info(), env.get_obs()
    assert info["obs_shape"] == info["state_shape"] == 8 * len(env.features)
    for agent, flat in enumerate(observed):
        assert env.observation_space("unit_0")["observation"].contains(flat)
        order = [agent, *(row for row in range(8) if row != agent)]
        table = flat.reshape(8, -1)
        assert (table[:, X] * 9).round().tolist() == [places[row] - places[agent] for row in order]
        assert table[:, TYPES:].argmax(axis=1).tolist() == [kinds[row] for row in order]
        assert (table[:, TYPES:].sum(axis=1) == 1).all()
    state = env.get_state().reshape(8, -1)
    assert env.state_space.contains(env.get_state()) and (state[:, X] * CELLS).tolist() == places
    assert state[:, TYPES:].argmax(axis=1).tolist() == kinds


def test_each_target_of_an_action_is_the_unit_in_the_row_of_that_number_for_every_agent(
    tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    tags = {unit["pos"][0]: tag for tag, unit in enumerate(OWN_UNITS + ENEMIES, 1)}
    agents = len(OWN_UNITS)
    for target in range(agents):
        env, fight = begin(tmp_path, monkeypatch, OWN_UNITS, ENEMIES)
        observed = [flat.reshape(8, -1) for flat in env.get_obs()]
        expected = []
        for agent, unit in enumerate(OWN_UNITS):
            heals = unit["unit_type"] == MEDIVAC
            row = 1 + target if heals else agents + target
            if target < (agents - 1 if heals else len(ENEMIES)):
                place = unit["pos"][0] + round(float(observed[agent][row, X]) * 9)
                expected.append((agent + 1, HEAL if heals else ATTACK, tags[place]))
        env.step(dict.fromkeys(env.agents, FIRST_TARGET + target))
        assert fight.orders == expected


def test_the_mask_allows_healing_at_the_number_of_the_units_row(
    tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    env, _ = begin(tmp_path, monkeypatch, OWN_UNITS, ENEMIES)
    for agent in (1, 4):
        table = env.get_obs()[agent].reshape(8, -1)
        hurt = [bool(row[HEALTH] < 1) and row[FEATURES.index("flying")] == 0 for row in table[1:5]]
        assert any(hurt)
        assert env.get_avail_actions()[agent][FIRST_TARGET:] == [*map(int, hurt), 0]


def test_a_unit_that_is_far_away_or_of_another_type_has_zeros(
    tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    env, _ = begin(tmp_path, monkeypatch, [at(10, MARINE), at(20, MEDIVAC)], [at(19, 9), at(30, MARINE)])
    first = env.get_obs()[0].reshape(4, -1)
    assert not first[1].any() and not first[3].any()
    assert first[2, X] == 1 and not first[2, TYPES:].any()


def test_a_row_has_its_units_visibility_and_distance_and_whether_an_action_can_target_it(
    tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    env, _ = begin(
        tmp_path, monkeypatch, [at(10, MARINE), at(13, MEDIVAC), at(11, MARINE)], [at(17, MARINE), at(21, MARINE)]
    )
    marine, healer, _ = (flat.reshape(5, -1) for flat in env.get_obs())
    assert marine[:, VISIBLE].tolist() == [1, 1, 1, 1, 0]
    assert (marine[:, DISTANCE] * 9).round().tolist() == [0, 3, 1, 7, 0]
    assert marine[:, CAN_TARGET].tolist() == [0, 0, 0, 1, 0]  # A range of 6 and two radii of a half.
    assert healer[:, VISIBLE].tolist() == [1, 1, 1, 1, 1]
    assert healer[:, CAN_TARGET].tolist() == [0, 0, 0, 0, 0]  # No unit is hurt.
    env, _ = begin(
        tmp_path, monkeypatch, [at(10, MARINE, health_max=50), at(13, MEDIVAC), at(11, MARINE)], [at(17, MARINE)]
    )
    healer = env.get_obs()[1].reshape(4, -1)
    for agent, mask in enumerate(env.get_avail_actions()):
        rows = env.get_obs()[agent].reshape(4, -1)[:, CAN_TARGET]
        targets = rows[1:3] if agent == 1 else rows[3:]
        assert targets.tolist() == mask[FIRST_TARGET : FIRST_TARGET + len(targets)]
    assert healer[1, CAN_TARGET] == 1 and healer[2, CAN_TARGET] == 0
    assert env.get_state().reshape(4, -1)[:, VISIBLE].tolist() == [1] * 4


def test_a_list_of_actions_gives_what_smac_gives_and_a_dictionary_what_pettingzoo_gives(
    tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    env, fight = begin(tmp_path, monkeypatch, OWN_UNITS, ENEMIES)
    info = env.get_env_info()
    assert info["episode_limit"] == env.episode_limit == (1 << 19) // 8
    assert info["n_agents"] == env.n_agents == 5 and info["n_actions"] == env.get_total_actions() == 11
    assert info["obs_shape"] == env.get_obs_size() and info["state_shape"] == env.get_state_size()
    for actions in ([1, 1, 1, 1, 1], np.ones(5, np.int64)):
        reward, terminated, told = env.step(actions)
        assert (reward, terminated) == (0.0, False)
        assert told == {"battle_won": False, "dead_allies": 0, "dead_enemies": 0}
    assert len(fight.orders) == 10
    assert (env.get_obs_agent(1) == env.get_obs()[1]).all()
    assert env.get_avail_agent_actions(1) == env.get_avail_actions()[1]
    assert len(env.step(dict.fromkeys(env.agents, 1))) == 5
    assert env.get_stats() == dict.fromkeys(env.get_stats(), 0)
    with pytest.raises(ValueError, match="there is no agent 'unit_7'"):
        env.step({"unit_7": 1})
    with pytest.raises(ValueError, match="action 11 for unit 4: choose 0 to 10"):
        env.step([1, 1, 1, 1, 11])


@pytest.mark.parametrize(("limit", "timeouts"), [(8, 1), (80, 0)])
def test_a_tie_is_a_timeout_only_at_the_limit(
    tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch, limit: int, timeouts: int
) -> None:
    env, fight = begin(tmp_path, monkeypatch, OWN_UNITS, ENEMIES)
    env.episode_limit = limit // 8
    results = [sc2api_pb2.PlayerResult(player_id=1, result=sc2api_pb2.Tie)]
    fight.end = fight.match.end = MatchEnd("m1", 1, 8, "finished", results=results)
    assert env.step([1, 1, 1, 1, 1])[1]
    stats = env.get_stats()
    assert (stats["battles_game"], stats["timeouts"], stats["battles_won"]) == (1, timeouts, 0)
