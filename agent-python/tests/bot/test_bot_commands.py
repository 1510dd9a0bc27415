"""A bot's orders and queries: compared with burnysc2 on the same frames, and in matches of the simulated game."""

from __future__ import annotations

import inspect
import os
import pickle
import textwrap
from typing import Any, Optional

import pytest
from bot_case import MAPS, RACES, Client, Oracle, Seen, program, simulated
from conftest import ROOT

import sc2bridge
from sc2bridge.agents.lifecycle import Lifecycle
from sc2bridge.bot import BotAI, Point2
from sc2bridge.game.frame import Frame
from sc2bridge.s2clientprotocol import sc2api_pb2

pytestmark = pytest.mark.slow


class Game:
    """Replaces a subscription: records the orders, and answers that every ability is available everywhere."""

    def __init__(self, available: tuple[int, ...] = ()) -> None:
        self.available = available
        self.ordered: list[tuple[list[int], int, Any]] = []

    def do(self, action: sc2api_pb2.Action) -> None:
        command = action.action_raw.unit_command
        place = command.target_world_space_pos
        target = (place.x, place.y) if command.HasField("target_world_space_pos") else command.target_unit_tag
        self.ordered.append((list(command.unit_tags), command.ability_id, target))

    def request(self, request: sc2api_pb2.Request) -> sc2api_pb2.Response:
        answer = sc2api_pb2.Response()
        for asked in request.query.abilities:
            one = answer.query.abilities.add(unit_tag=asked.unit_tag)
            for ability in self.available:
                one.abilities.add(ability_id=ability)
        for _ in request.query.placements:
            answer.query.placements.add().result = 1
        return answer


def playing(bot: BotAI, game: Optional[Game] = None) -> tuple[BotAI, Game]:
    bot.player = game = game or Game()  # type: ignore[assignment]
    return bot, game


@pytest.fixture(scope="module", params=[RACES[0], *(pytest.param(race, marks=pytest.mark.long) for race in RACES[1:])])
def played(request: Any) -> Seen:
    return simulated(request.param)


def mended(kind: Any) -> Any:
    """burnysc2's distribute_workers with two defects fixed: it uses the places that the ratio prefers, not any; and an empty gas
    building does not send away workers that mine minerals nearby."""
    import sc2.bot_ai as module

    source = textwrap.dedent(inspect.getsource(kind.distribute_workers))
    for wrong, right in (
        ("min(deficit_mining_places,", "min(possible_mining_places,"),
        ("if mining_place.has_vespene:", "if mining_place.is_vespene_geyser:"),
        ("if not place.vespene_contents]", "if not place.is_vespene_geyser]"),
        ("if place.vespene_contents]", "if place.is_vespene_geyser]"),
        ("if current_place.vespene_contents:", "if current_place.is_vespene_geyser:"),
    ):
        assert wrong in source, wrong
        source = source.replace(wrong, right)
    names = dict(vars(module))
    exec("from __future__ import annotations\n" + source, names)
    return names["distribute_workers"]


@pytest.mark.newest
def test_workers_are_distributed_as_python_sc2_intends(played: Seen) -> None:
    bots = pytest.importorskip("sc2.bot_ai")
    oracle = Oracle(played)
    orders = 0
    for number in range(len(played.frames)):
        for ratio in (0.5, 2, 1000):
            ours, game = playing(played.bot(number))
            theirs = oracle.step(number)
            theirs.actions.clear()
            ours.distribute_workers(ratio)
            oracle.run(mended(bots.BotAI)(theirs, ratio))
            expected = [(action.unit.tag, action.target.tag) for action in theirs.actions]
            assert [(tags[0], target) for tags, _, target in game.ordered] == expected
            orders += len(expected)
    assert orders


def test_orders_reduce_the_resources_of_their_step(played: Seen) -> None:
    ours, game = playing(played.bot(0))
    worker = {1: "SCV", 2: "Drone", 3: "Probe"}[ours.race]
    left, used = ours.supply_left, ours.supply_used
    assert ours.minerals == 50 and ours.can_afford(worker)
    makers = ours.larva if ours.race == 2 else ours.townhalls
    ours.train([*makers, *makers], worker)
    assert len(game.ordered) == 1 and (ours.minerals, ours.supply_left, ours.supply_used) == (0, left - 1, used + 1)
    assert not ours.can_afford(worker) and makers.first.tag in ours.unit_tags_received_action
    ours._begin_step(ours.frame)
    assert ours.minerals == 50 and not ours.unit_tags_received_action


def test_a_worker_that_has_an_order_of_the_step_is_not_chosen_again(played: Seen) -> None:
    ours, _ = playing(played.bot(0))
    first = ours.select_build_worker(ours.start_location)
    assert first is not None
    ours.move(first, ours.game_info.map_center)
    second = ours.select_build_worker(ours.start_location)
    assert second is not None and second.tag != first.tag


def test_units_are_warped_in_on_powered_ground() -> None:
    seen = simulated("protoss")
    ours = seen.bot(len(seen.frames) - 1)
    ability = int(ours.match.abilities["WarpGateTrain Zealot"])
    ours, game = playing(ours, Game((ability,)))
    gates = ours.structures.ready[:3]  # The fake game reports that they can warp in.
    ours.minerals, ours.supply_left = 250, 20
    assert len(gates) == 3 and ours.power_sources
    assert ours.warp_in(gates, "ZEALOT", ours.start_location) == 2 == len(game.ordered)
    places = [Point2(*place) for _, _, place in game.ordered]
    for place in places:
        assert ours.in_pathing_grid(place)
        assert any(place.distance_to(source) <= radius for source, radius in ours.power_sources)
    assert len(set(places)) == len(places) and {each for _, each, _ in game.ordered} == {ability}
    with pytest.raises(KeyError, match="warp gates do not make"):
        ours.warp_in(gates, "IMMORTAL", ours.start_location)


@pytest.mark.newest
def test_warp_gates_make_what_python_sc2_knows(played: Seen) -> None:
    data = pytest.importorskip("sc2.data")
    costs = played.bot(0).costs
    assert len(costs._warp_in_abilities) >= len(data.warpgate_abilities) == 6
    for gateway, warp_gate in data.warpgate_abilities.items():
        assert costs._warp_in_abilities[gateway.value] == warp_gate.value
        assert costs.of_ability(warp_gate.value) == costs.of_ability(gateway.value) != (0, 0)


def test_mistakes_are_one_clear_error(played: Seen) -> None:
    ours, later = played.bot(0), played.bot(1)
    with pytest.raises(KeyError, match="did you mean MARINE"):
        ours.units("MARIN")
    with pytest.raises(ValueError, match="check `exists` first"):
        ours.enemy_units[:0].closest_to(ours.start_location)
    with pytest.raises(ValueError, match="two frames"):
        ours.units | later.units
    with pytest.raises(KeyError, match="has the tag 1"):
        ours.units.by_tag(1)
    with pytest.raises(ValueError, match="off the map"):
        ours.get_terrain_height((-1, 5))
    with pytest.raises(ValueError, match="the agent has no match yet"):
        ours.attack(ours.units, ours.start_location)


def test_a_bot_reads_one_frame_of_a_recording_without_a_bridge() -> None:
    with sc2bridge.open_recording(str(ROOT / "recordings" / "sample.mcap")) as recording:
        (number,) = recording.perspectives
        frames = recording.perspective(number)
        bot = BotAI.for_frame(recording.describe(number), frames[len(frames) - 1], frames[0])
        assert len(bot.expansion_locations_list) == 14 and bot.mineral_field and bot.time > 0
        kept = pickle.loads(pickle.dumps(bot.mineral_field))
        assert kept.tag.tolist() == bot.mineral_field.tag.tolist() and type(kept) is sc2bridge.Units


class Surveyor(BotAI):
    """Queries the game once."""

    def on_step(self, frame: sc2bridge.Frame) -> None:
        if frame.step:
            return
        names = ("SUPPLYDEPOT", "BARRACKS", "COMMANDCENTER")
        self.near = [self.start_location.towards(self.game_info.map_center, 8).rounded.offset((0.5, 0.5))]
        self.near += [self.main_base_ramp.top_center.rounded.offset((0.5, 0.5)), self.start_location]
        self.found = {
            (name, near, add_on): self.find_placement(name, near, addon_place=add_on)
            for name in names
            for near in self.near
            for add_on in (False, name == "BARRACKS")
        }
        self.next = self.get_next_expansion()
        self.grid = self.query_pathing_grid()
        self.seen = Seen(self.match.description.SerializeToString(), 1, [(0, bytes(frame.raw))])  # type: ignore[arg-type]
        self.theirs: dict[Any, Any] = {}
        oracle = Oracle(self.seen)
        from sc2.ids.unit_typeid import UnitTypeId
        from sc2.position import Point2 as Theirs

        oracle.bot.client = Client(self)
        for name, near, add_on in self.found:
            if (near.x % 1 == 0.5) != (name != "SUPPLYDEPOT"):
                continue  # It queries places off the grid, which buildings cannot use.
            found = oracle.bot.find_placement(
                UnitTypeId[name], Theirs(near), random_alternative=False, addon_place=add_on
            )
            self.theirs[name, near, add_on] = oracle.run(found)
        self.theirs_next = oracle.run(oracle.bot.get_next_expansion())


@pytest.mark.newest
def test_find_placement_queries_the_same_places_as_python_sc2() -> None:
    pytest.importorskip("sc2")
    bot = Surveyor()
    players = ["agent:terran", "computer:zerg:Easy"]
    with sc2bridge.launch(
        MAPS["terran"], players, steps=3, rate="max", game="simulated", seed=1, executable=program()
    ) as match:
        with match.subscribe("lockstep", can_act=True) as frames:
            life = Lifecycle(bot)
            bot.player = frames
            for frame in frames:
                if life.match is None:
                    life.start(frames.describe())
                life.step(frame)
    assert len(bot.theirs) > 4
    for asked, theirs in bot.theirs.items():
        ours = bot.found[asked]
        assert (ours is None) == (theirs is None), asked
        if ours is not None:  # If several places are equally near, either may be chosen.
            assert ours.distance_to(asked[1]) == pytest.approx(Point2.of(theirs).distance_to(asked[1])), asked
    assert bot.next == tuple(bot.theirs_next) and bot.grid.shape == bot.game_info.placement_grid.shape


def test_the_bot_of_the_guide_also_thinks_in_the_second_match_of_a_series(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(str(ROOT / "agent-python/examples"))
    from marines import Marines

    bot = Marines()
    bot.next_thought = 7800
    bot.on_start(None)  # type: ignore[arg-type]
    assert bot.next_thought == 0


@pytest.mark.long
def test_the_bot_of_the_guide_wins(monkeypatch: pytest.MonkeyPatch) -> None:
    folders = [str(ROOT / "agent-python" / each) for each in ("src", "examples")]
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join([*folders, os.environ.get("PYTHONPATH", "")]))
    with sc2bridge.launch(
        MAPS["terran"],
        ["agent:terran", "computer:zerg:Easy"],
        steps=4000,
        rate="max",
        game="simulated",
        seed=1,
        executable=program(),
        agents=["marines:Marines@grpc+columns"],
        options=["--step-size", "8"],
    ) as match:
        with match.subscribe("latest") as frames:
            for _ in frames:
                pass
    assert frames.end is not None
    assert {each.player_id: each.result for each in frames.end.results}[1] == sc2api_pb2.Victory


def test_on_step_is_not_called_for_the_last_observation(played: Seen) -> None:
    class Bot(BotAI):
        steps: list[int] = []

        def on_step(self, frame: Frame) -> None:
            self.steps.append(frame.step)

    life = Lifecycle(Bot())
    life.start(played.match)
    results = [sc2api_pb2.PlayerResult(player_id=1, result=sc2api_pb2.Victory)]
    last = sc2api_pb2.ResponseObservation(player_result=results).SerializeToString()
    played.frames.append((played.frames[-1][0], played.frames[-1][1] + last))
    try:
        for number in (0, 1, -1):
            life.step(played.frame(number))
    finally:
        played.frames.pop()
    assert Bot.steps == [0, 1]
