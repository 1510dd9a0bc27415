"""The unit table: equal for columns and for messages, for every selection. Columns are views."""

from __future__ import annotations

import pathlib
from typing import Any

import pytest
from google.protobuf import json_format
from hypothesis import example, given
from hypothesis import strategies as st

from sc2bridge.errors import MalformedMessageError
from sc2bridge.game import names
from sc2bridge.s2clientprotocol import raw_pb2, sc2api_pb2
from sc2bridge.v1 import bridge_pb2

np = pytest.importorskip("numpy")

from columns_case import LISTS, columns_of, observations  # noqa: E402

from sc2bridge.units import Buffs, Orders, Passengers, RallyTargets, Units  # noqa: E402
from sc2bridge.units.columns import Columns  # noqa: E402
from sc2bridge.units.tables import Column  # noqa: E402


def same_table(one: Any, other: Any) -> None:
    assert len(one) == len(other)
    for name in one.fields:
        left, right = getattr(one, name), getattr(other, name)
        assert (left.dtype, left.shape) == (right.dtype, right.shape), name
        assert left.tobytes() == right.tobytes(), name
        assert one.present(name).tolist() == other.present(name).tolist(), name
        assert not left.flags.writeable and not right.flags.writeable, name


def same(one: Units, other: Units) -> None:
    same_table(one, other)
    for part in "xyz":
        assert getattr(one, part).tobytes() == getattr(other, part).tobytes()
        assert one.present(part).tolist() == other.present(part).tolist()
    for name in LISTS:
        lists, others = getattr(one, name), getattr(other, name)
        same_table(lists, others)
        assert lists.offsets.tolist() == others.offsets.tolist()
        assert lists.rows.tolist() == others.rows.tolist()
        assert len(lists.offsets) == len(one) + 1
        for row in range(len(one)):
            same_table(lists.of(row), others.of(row))


def like_messages(units: Units, messages: Any) -> None:
    """Compared with the messages themselves."""
    assert len(units) == len(messages)
    for row, message in enumerate(messages):
        for name, field in units.fields.items():
            has = message.HasField(name)
            assert units.present(name)[row] == has
            value = getattr(units, name)[row]
            if field.width == 3:
                expected = [message.pos.x, message.pos.y, message.pos.z]
                assert np.array_equal(value, np.array(expected, "f4"), equal_nan=True)
            else:
                expected = getattr(message, name) if has else 0
                assert np.array_equal(value, np.array(expected, field.dtype), equal_nan=field.dtype.kind == "f"), name
        assert units.buffs.of(row).buff_id.tolist() == list(message.buff_ids)
        assert units.orders.of(row).ability_id.tolist() == [order.ability_id for order in message.orders]
        assert units.passengers.of(row).tag.tolist() == [passenger.tag for passenger in message.passengers]
        assert units.rally_targets.of(row).tag.tolist() == [target.tag for target in message.rally_targets]


@given(observations())
def test_columns_and_messages_give_the_same_table(observation: Any) -> None:
    plain = Units.from_observation(observation)
    like_messages(plain, observation.observation.raw_data.units)
    message = columns_of(observation)
    columns = Units.from_columns(message.SerializeToString())
    same(columns, plain)
    text = json_format.MessageToDict(message)
    same(Units.of(Columns.open_json(text)), plain)


@given(observations(), st.data())
def test_selections_are_the_same(observation: Any, data: Any) -> None:
    plain = Units.from_observation(observation)
    columns = Units.from_columns(columns_of(observation).SerializeToString())
    messages = observation.observation.raw_data.units
    mask = np.array(data.draw(st.lists(st.booleans(), min_size=len(plain), max_size=len(plain))), bool)
    kept = [message for message, keep in zip(messages, mask) if keep]
    for units in (plain, columns):
        like_messages(units[mask], kept)
        like_messages(units[mask][::-1], kept[::-1])
        like_messages(units[::2], messages[::2])
        like_messages(units.own, [each for each in messages if each.HasField("alliance") and each.alliance == 1])
        like_messages(units.enemies, [each for each in messages if each.alliance == 4])
        like_messages(units.of_type(0, 7), [each for each in messages if each.unit_type in (0, 7)])
        like_messages(units.of_owner(0), [each for each in messages if each.owner == 0])
    same(columns[mask], plain[mask])


def test_every_real_observation_gives_the_same_table_from_both_contents(shared: pathlib.Path) -> None:
    files = sorted((shared / "data" / "real").rglob("*observation.pb"))
    assert files
    for file in files:
        observation = sc2api_pb2.ResponseObservation.FromString(file.read_bytes())
        message = columns_of(observation).SerializeToString()
        plain = Units.from_observation(observation)
        same(Units.from_columns(message), plain)
        same(Units.from_columns(message).own, plain.own)


def test_vectors_are_views_of_the_messages_fields() -> None:
    observation = sc2api_pb2.ResponseObservation()
    for tag in range(5):
        observation.observation.raw_data.units.add(tag=tag, pos={"x": tag}, health=1).orders.add(ability_id=3)
    message = columns_of(observation).SerializeToString()
    for units in (Units.from_columns(message), Units.from_columns(memoryview(bytearray(message)))):
        for vector in (units.tag, units.pos, units.x, units.health, units.orders.ability_id, units.orders.offsets):
            base = vector
            while isinstance(base, np.ndarray):
                base = base.base
            assert isinstance(base, bytes)
            with pytest.raises(ValueError, match="read-only"):
                vector[0] = 1
        assert units.tag is units.tag


def test_an_observation_without_units_gives_an_empty_table() -> None:
    empty = sc2api_pb2.ResponseObservation()
    for units in (Units.from_observation(empty), Units.from_columns(b""), Units.of(Columns.open_json({}))):
        assert len(units) == len(units.own) == len(units.orders) == 0
        assert units.pos.shape == (0, 3) and units.x.shape == (0,)
        assert units.orders.offsets.tolist() == [0]
        assert repr(units) == "<Units: 0>"


def test_wrong_names_rows_and_masks_are_errors() -> None:
    units = Units.from_observation(sc2api_pb2.ResponseObservation())
    with pytest.raises(ValueError, match="column 'mana': choose display_type, "):
        units.present("mana")
    with pytest.raises(AttributeError):
        units.mana  # type: ignore[attr-defined]
    with pytest.raises(IndexError, match="mask of shape"):
        units[np.ones(3, bool)]
    with pytest.raises(IndexError):
        units.orders.of(0)
    with pytest.raises(IndexError):
        units[0]


def test_the_columns_equal_those_of_the_contract() -> None:
    for table in (Units, Orders, Passengers, Buffs, RallyTargets):
        declared = {name: each for name, each in vars(table).items() if isinstance(each, Column)}
        assert {name: (np.dtype(each.dtype), each.width) for name, each in declared.items()} == {
            name: (field.dtype, field.width) for name, field in table.fields.items()
        }
    assert {(field.name, field.number) for field in Units.fields.values()} <= {
        (field.name, field.number) for field in bridge_pb2.Columns.DESCRIPTOR.fields
    }
    assert {field.name for field in raw_pb2.Unit.DESCRIPTOR.fields} == set(Units.fields) | set(LISTS.values())


def read_all(message: Any) -> None:
    try:
        units = message()
        for name in units.fields:
            getattr(units, name)
            units.present(name)
        for name in LISTS:
            lists = getattr(units, name)
            # Checked before its columns are read: they take as much memory as the offsets claim.
            assert len(lists.rows) == len(lists)
            if len(units):
                lists.of(0)
            for column in lists.fields:
                getattr(lists, column)
                lists.present(column)
            assert len(lists.rows) == len(lists)
        _ = units.own.orders.rows
    except MalformedMessageError:
        pass


@given(observations(), st.data())
def test_damaged_columns_raise_only_the_documented_error(observation: Any, data: Any) -> None:
    message = bytearray(columns_of(observation).SerializeToString())
    for _ in range(3):
        cut = bytes(message[: data.draw(st.integers(0, len(message)))])
        read_all(lambda cut=cut: Units.from_columns(cut))
        if message:
            message[data.draw(st.integers(0, len(message) - 1))] = data.draw(st.integers(0, 255))
        read_all(lambda: Units.from_columns(bytes(message)))


@given(st.binary(max_size=60))
@example(b"\x80\x04\x05")
@example(b"\x80\x04\xff\xff\xff\xff\x0f")
@example(b"\x82\x04\x01\x00")
@example(b"\x88\x04\x01")
@example(b"\x08\x01")
@example(b"\x80\x04\x01\x80\x04\x02\x8a\x04\x10" + bytes(16))
@example(b"\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff")
@example(b"\x0b\x0c")
@example(b"\x80\x04\x01\x8a\x04\x08" + bytes(8) + b"\xb2\x01\x0b\x82\x01\x08\0\0\0\0\xff\xff\xff\xff")
def test_garbage_raises_only_the_documented_error(message: bytes) -> None:
    read_all(lambda: Units.from_columns(message))
    read_all(lambda: Units.from_columns(b"\x80\x04\x00\xb2\x01" + bytes([len(message)]) + message))


def test_a_number_without_end_is_given_up_after_ten_bytes() -> None:
    with pytest.raises(MalformedMessageError):
        Units.from_columns(b"\x08" + b"\xff" * (4 << 20))  # To read it all would take hours.


VALUES = st.one_of(
    st.none(), st.booleans(), st.integers(), st.floats(), st.sampled_from(["", "AAAA", "AAAAAAAAAAA=", "é", "A"])
)


@given(
    st.dictionaries(
        st.sampled_from("count present tag pos health orders buffIds rest".split()),
        st.one_of(
            VALUES,
            st.dictionaries(st.sampled_from("offsets present abilityId buffId".split()), VALUES),
            st.lists(VALUES),
        ),
    )
)
@example({"count": 1, "present": "AAAAAAAAAAA=", "orders": {"offsets": "AAAAAAEAAAA="}})
def test_json_of_the_wrong_kind_raises_only_the_documented_error(message: Any) -> None:
    read_all(lambda: Units.of(Columns.open_json(message)))


@given(observations())
def test_columns_written_in_another_way_are_read_the_same(observation: Any) -> None:
    message = columns_of(observation)
    plain = Units.from_observation(observation)
    body = message.SerializeToString()
    other = bridge_pb2.Columns(count=message.count + 1, health=b"abc", rest=message.rest).SerializeToString()
    same(Units.from_columns(other.replace(b"abc", b"abd") + body), plain) if message.health else None
    unknown = (
        b"\xa0\x3f\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01" + b"\xa5\x3f1234" + b"\xa1\x3f12345678" + b"\xa2\x3f\x01a"
    )
    same(Units.from_columns(unknown + body + unknown), plain)


def test_types_and_owners_are_selected_by_numbers_or_collections_of_them() -> None:
    observation = sc2api_pb2.ResponseObservation()
    for tag, kind in enumerate((45, 18, 45, 7)):
        observation.observation.raw_data.units.add(tag=tag, unit_type=kind, owner=tag % 2 + 1)
    units = Units.from_observation(observation)
    for types in ((45, 7), ({45, 7},), ([45], 7), (np.array([7, 45]),), (np.uint32(45), np.int64(7)), (iter([45, 7]),)):
        assert units.of_type(*types).tag.tolist() == [0, 2, 3]
    assert units.of_type(45).tag.tolist() == [0, 2] and len(units.of_type()) == len(units.of_type([])) == 0
    assert units.of_owner({1}).tag.tolist() == [0, 2]
    for wrong in ((b"SCV",), (None,), ([45, 1.5],)):
        with pytest.raises(TypeError, match=r"invalid unit type .*: give a number or a name"):
            units.of_type(*wrong)  # type: ignore[arg-type]
    for what in (None, "SCV"):
        with pytest.raises(TypeError, match=f"invalid player {what!r}: give a number$"):
            units.of_owner(what)  # type: ignore[arg-type]


def test_types_are_selected_by_their_names() -> None:
    observation = sc2api_pb2.ResponseObservation()
    for tag, kind in enumerate((45, 18, 45, 7)):
        observation.observation.raw_data.units.add(tag=tag, unit_type=kind)
    units = Units.from_observation(observation)
    for types in (("SCV", 7), (["scv", "INFESTORTERRAN"],), ({"SCV"}, np.array([7]))):
        assert units.of_type(*types).tag.tolist() == [0, 2, 3]
    with pytest.raises(KeyError, match="there is no unit type SVC in sc2bridge.ids: did you mean SCV"):
        units.of_type("SVC")

    # A known match has its own names, for parts of the table too.
    data = sc2api_pb2.ResponseData()
    data.units.add(unit_id=7, name="SCV")
    units.match_types = names.unit_types(lambda: data)
    assert units.of_type("SCV").tag.tolist() == units[1:][::-1].of_type("SCV").tag.tolist() == [3]
    with pytest.raises(KeyError, match="there is no unit type SCVS in this match: did you mean SCV?"):
        units[:2].of_type("SCVS")
    # A match that was described without its data knows no names.
    units.match_types = names.unit_types(sc2api_pb2.ResponseData)
    assert units.of_type("SCV").tag.tolist() == [0, 2]
