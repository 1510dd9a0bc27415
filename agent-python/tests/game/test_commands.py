"""Commands, drawings and queries: their messages, for every way to name a unit or a place."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest
from columns_case import columns_of
from fake_bridge import Match as FakeMatch
from hypothesis import given
from hypothesis import strategies as st

import sc2bridge
from sc2bridge import actions
from sc2bridge.game.drawing import Drawing
from sc2bridge.game.places import coordinates, point_2d, point_3d, tags_of
from sc2bridge.s2clientprotocol import common_pb2, sc2api_pb2
from sc2bridge.units import Units

np = pytest.importorskip("numpy")

TAGS = st.integers(0, 2**64 - 1)


def observation_of(*tags: int) -> Any:
    message = sc2api_pb2.ResponseObservation()
    for tag in tags:
        message.observation.raw_data.units.add(tag=tag, pos={"x": 1.5, "y": 2.25, "z": 3})
    return message


@given(st.lists(TAGS, max_size=5))
def test_commands_accept_units_in_each_form(tags: list[int]) -> None:
    observation = observation_of(*tags)
    table = Units.from_columns(columns_of(observation).SerializeToString())
    messages = observation.observation.raw_data.units
    for units in (tags, tuple(tags), np.array(tags, "u8"), table, list(table), messages, iter(tags), table.tag):
        assert tags_of(units) == tags
    for tag, unit, message in zip(tags, table, messages):
        for one in (tag, np.uint64(tag), unit, message):
            assert tags_of(one) == [tag]
            action = actions.command(23, one, one, queue=True)
            order = action.action_raw.unit_command
            assert (order.ability_id, list(order.unit_tags), order.queue_command) == (23, [tag], True)
            assert order.target_unit_tag == tag and order.WhichOneof("target") == "target_unit_tag"


PLACES = [
    (1.5, 2.25),
    [1.5, 2.25, 3],
    np.array([1.5, 2.25], "f4"),
    common_pb2.Point2D(x=1.5, y=2.25),
    common_pb2.Point(x=1.5, y=2.25, z=3),
]


@pytest.mark.parametrize("place", PLACES, ids=lambda place: type(place).__name__)
def test_commands_accept_places_in_each_form(place: Any) -> None:
    assert coordinates(place)[:2] == (1.5, 2.25) and point_2d(place) == common_pb2.Point2D(x=1.5, y=2.25)
    order = actions.command(16, 7, place).action_raw.unit_command
    assert order.target_world_space_pos == common_pb2.Point2D(x=1.5, y=2.25)
    if len(coordinates(place)) == 3:
        assert point_3d(place) == common_pb2.Point(x=1.5, y=2.25, z=3)
    else:
        with pytest.raises(TypeError, match="has no height"):
            point_3d(place)


def test_a_unit_can_be_used_as_a_place() -> None:
    observation = observation_of(7)
    for unit in (observation.observation.raw_data.units[0], Units.from_observation(observation)[0]):
        assert coordinates(unit) == (1.5, 2.25, 3.0)


@pytest.mark.parametrize("unit", ["SCV", None, 1.5, [None], [[1]], {"a"}])
def test_values_that_are_not_units_are_refused(unit: Any) -> None:
    with pytest.raises(TypeError, match="is not a unit: give a tag, a unit, or a table of units"):
        actions.command(23, unit)


@pytest.mark.parametrize("tag", [-1, 2**64])
def test_values_that_are_not_tags_are_refused(tag: int) -> None:
    for call in (lambda: actions.command(23, tag), lambda: actions.command(23, 7, tag)):
        with pytest.raises(ValueError, match="is not a unit's tag"):
            call()


@pytest.mark.parametrize("place", ["here", (1,), (1, 2, 3, 4), ("a", "b"), object(), [[1, 2]]])
def test_values_that_are_not_places_are_refused(place: Any) -> None:
    with pytest.raises(TypeError, match="is not a place: give x and y, a point, or a unit"):
        actions.command(23, 7, place)


def test_autocast_chat_and_the_camera_have_actions() -> None:
    switched = actions.toggle_autocast(78, [7, 8]).action_raw.toggle_autocast
    assert (switched.ability_id, list(switched.unit_tags)) == (78, [7, 8])
    said = [actions.chat("hi"), actions.chat("hi", team_only=True)]
    assert [(each.action_chat.channel, each.action_chat.message) for each in said] == [(1, "hi"), (2, "hi")]
    assert actions.move_camera((3, 4)).action_raw.camera_move.center_world_space == common_pb2.Point(x=3, y=4, z=0)


def test_a_changed_drawing_is_one_request() -> None:
    drawing = Drawing()
    assert drawing.take_request() is None

    def draw(text: str = "hi") -> Any:
        drawing.text_screen(text)
        drawing.text_world("there", (1, 2, 3), (255, 0, 0), 12)
        drawing.line((0, 0, 0), (1, 1, 1))
        drawing.box((0, 0, 0), (1, 1, 1))
        drawing.box_around((1, 1, 1), 0.5)
        drawing.sphere(Units.from_observation(observation_of(7))[0], 2.5)
        return drawing.take_request()

    (command,) = draw().debug.debug
    drawn = command.draw
    assert [len(drawn.text), len(drawn.lines), len(drawn.boxes), len(drawn.spheres)] == [2, 1, 2, 1]
    assert drawn.text[0].virtual_pos == common_pb2.Point(x=0, y=0, z=0) and drawn.text[0].color.g == 255
    assert (drawn.text[1].world_pos.z, drawn.text[1].color.g, drawn.text[1].size) == (3, 0, 12)
    assert (drawn.boxes[1].min.x, drawn.boxes[1].max.x) == (0.5, 1.5)
    assert drawn.spheres[0].p == common_pb2.Point(x=1.5, y=2.25, z=3) and drawn.spheres[0].r == 2.5
    assert draw() is None and draw("other") is not None
    cleared = drawing.take_request()
    assert cleared is not None and cleared.debug.debug[0].HasField("draw") and cleared.ByteSize() < 8
    assert drawing.take_request() is None
    for color in ((1, 2), (0, 0, 256), (-1, 0, 0)):
        with pytest.raises(ValueError, match="give red, green and blue"):
            drawing.text_screen("hi", color=color)


def described() -> Any:
    data = sc2api_pb2.ResponseData()
    for number, name in enumerate(
        (
            "Attack",
            "Move",
            "Patrol",
            "Stop",
            "HoldPosition",
            "Harvest Gather",
            "Harvest Return",
            "Effect Repair",
            "Smart",
        )
    ):
        data.abilities.add(ability_id=3000 + number, friendly_name=name)
    data.abilities.add(ability_id=524, friendly_name="Train SCV")
    data.abilities.add(ability_id=321, friendly_name="Build Barracks", footprint_radius=1.5)
    data.abilities.add(ability_id=730, friendly_name="Research Stimpack")
    data.units.add(unit_id=45, name="SCV", ability_id=524)
    data.units.add(unit_id=21, name="Barracks", ability_id=321)
    data.units.add(unit_id=341, name="MineralField")
    data.upgrades.add(upgrade_id=15, name="Stimpack", ability_id=730)
    return data


def order_all(player: Any) -> None:
    """Every command once."""
    player.attack([7, 8], (1, 2))
    player.attack([], (1, 2))  # No unit gets this command.
    player.move(7, 9)
    player.patrol(7, (1, 2), queue=True)
    player.stop(7)
    player.hold_position(7)
    player.gather(7, 9)
    player.return_resource(7)
    player.repair(7, 9)
    player.smart(7, 9)
    player.train([7, 8], "SCV")
    player.build(7, "Barracks", (1, 2))
    player.research(7, 15)
    player.command(7, "Train SCV")
    player.command(7, player.match.abilities.TRAIN_SCV)
    player.command(7, 524)
    player.toggle_autocast(7, "EFFECT_REPAIR")
    player.chat_send("hi")
    player.move_camera((3, 4))
    player.debug.text_screen("here")
    with pytest.raises(KeyError, match="there is no unit type Marine in this match"):
        player.train(7, "Marine")
    with pytest.raises(ValueError, match="no ability produces MINERALFIELD"):
        player.train(7, "MineralField")


ORDERED = [3000, 3001, 3002, 3003, 3004, 3005, 3006, 3007, 3008, 524, 524, 321, 730, 524, 524, 524]


def check_all(match: FakeMatch) -> None:
    """Each command was sent once, with one message and one request for each step."""
    assert len(match.acted) == 3
    for sent in match.acted:
        told = [each.action_raw.unit_command for each in sent.actions]
        assert [each.ability_id for each in told if each.unit_tags] == ORDERED
        assert [list(each.unit_tags) for each in told[9:11]] == [[7], [8]]
        assert sent.actions[-3].action_raw.toggle_autocast.ability_id == 3007
        assert sent.actions[-2].action_chat.message == "hi" and sent.actions[-1].action_raw.HasField("camera_move")
    (drawn,) = [asked.request for asked in match.requests if asked.request.HasField("debug")]
    assert drawn.debug.debug[0].draw.text[0].text == "here"


def test_collected_commands_are_sent_with_the_step(open_bridge: Any) -> None:
    match = FakeMatch(steps=3, data=described())
    with open_bridge(match) as url, sc2bridge.connect(url) as bridge:
        frames = bridge.subscribe("lockstep", can_act=True)
        became = []
        for frame in frames:
            became += frame.outcomes
            order_all(frames)
        became += frames.outcomes
    check_all(match)
    assert len(became) == 3 * len(match.acted[0].actions)
    assert {(one.action.HasField("action_chat"), one.succeeded, one.reason) for one in became} == {
        (True, True, ""),
        (False, False, "NotSupported"),
    }
    assert [one.action for one in became] == [action for sent in match.acted for action in sent.actions]


def test_collected_commands_are_sent_with_the_step_by_asyncio(open_bridge: Any) -> None:
    async def play(url: str) -> None:
        async with await sc2bridge.aconnect(url) as bridge:
            frames = await bridge.subscribe("lockstep", can_act=True)
            async for _ in frames:
                order_all(frames)

    match = FakeMatch(steps=3, data=described())
    with open_bridge(match) as url:
        asyncio.run(play(url))
    check_all(match)


def answers(request: Any) -> Any:
    """A fake game: a path is as long as the end's x, and buildings fit if y is above 10."""
    response = sc2api_pb2.Response()
    for way in request.query.pathing:
        response.query.pathing.add(distance=way.end_pos.x)
    for place in request.query.placements:
        response.query.placements.add(result=1 if place.target_pos.y > 10 else 44)
    for unit in request.query.abilities:
        response.query.abilities.add(unit_tag=unit.unit_tag).abilities.add(ability_id=unit.unit_tag + 1)
    return response


def test_each_query_is_one_request(open_bridge: Any) -> None:
    match = FakeMatch(steps=1, data=described(), answers=answers)
    with open_bridge(match) as url, sc2bridge.connect(url) as bridge:
        frames = bridge.subscribe("lockstep", can_act=True)
        next(frames)
        assert frames.query_pathing(7, (5, 0)) == 5 and frames.query_pathing((1, 1), (0, 0)) is None
        assert frames.query_pathings([(7, (5, 0)), ((1, 2), (0, 0))]) == [5, None]
        assert frames.query_building_placement("Build Barracks", [(0, 11), (0, 9)], builder=7) == [1, 44]
        assert frames.can_place("Barracks", [(0, 11), (0, 9)]) == [True, False]
        assert frames.find_placement("Barracks", (20.2, 8.9)) == (20.5, 10.5)
        assert frames.find_placement("Barracks", (20, -50)) is None
        assert frames.query_available_abilities([7, 9]) == [[8], [10]]
    asked = [each.request.query for each in match.requests]
    assert [len(each.pathing) + len(each.placements) + len(each.abilities) for each in asked] == [
        *(1, 1, 2, 2, 2, 441, 441, 2),
    ]
    assert asked[0].pathing[0].unit_tag == 7 and asked[2].pathing[1].start_pos.y == 2
    assert asked[3].placements[0].ability_id == 321 and asked[3].placements[0].placing_unit_tag == 7
    assert asked[3].ignore_resource_requirements and not asked[7].ignore_resource_requirements


def test_queries_work_by_asyncio(open_bridge: Any) -> None:
    async def ask(url: str) -> None:
        async with await sc2bridge.aconnect(url) as bridge:
            frames = await bridge.subscribe()
            async for _ in frames:
                await frames.describe()
                assert await frames.query_pathing(7, (5, 0)) == 5
                assert await frames.query_pathings([(7, (5, 0)), ((1, 2), (0, 0))]) == [5, None]
                assert await frames.query_building_placement(321, [(0, 11), (0, 9)]) == [1, 44]
                assert await frames.can_place("Barracks", [(0, 11), (0, 9)]) == [True, False]
                assert await frames.find_placement(21, (20.2, 8.9)) == (20.5, 10.5)
                assert await frames.query_available_abilities(7) == [[8]]

    with open_bridge(FakeMatch(steps=1, data=described(), answers=answers)) as url:
        asyncio.run(ask(url))


def test_a_watcher_cannot_command(open_bridge: Any) -> None:
    with open_bridge(FakeMatch(steps=2, data=described())) as url, sc2bridge.connect(url) as bridge:
        frames = bridge.subscribe()
        next(frames)
        with pytest.raises(ValueError, match="the match is not known yet: call describe"):
            frames.attack(7, 8)
        assert frames.describe() is frames.match
        with pytest.raises(ValueError, match=r"subscribe\(can_act=True\)"):
            frames.attack(7, 8)
        frames.close()
        with pytest.raises(ValueError, match="the agent has no match yet"):
            sc2bridge.Agent().do(sc2api_pb2.Action())
