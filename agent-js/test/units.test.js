import assert from "node:assert/strict";
import { test } from "node:test";
import { create, ScalarType, toBinary } from "@bufbuild/protobuf";
import fc from "fast-check";
import { UnitSchema } from "sc2bridge/s2clientprotocol/raw";
import { ResponseObservationSchema } from "sc2bridge/s2clientprotocol/sc2api";
import { Units } from "sc2bridge";
import { serializedColumns } from "./columns.js";

test("a column is a view of the message if its bytes are aligned, else a copy with the same values", () => {
  for (let shift = 0; shift < 8; shift++) {
    const shifted = new Uint8Array(serializedColumns.length + shift);
    shifted.set(serializedColumns, shift);
    const units = Units.fromColumns(shifted.subarray(shift));
    assert.deepEqual([...units.tag], [4342153217n, 4342153218n]);
    assert.deepEqual([...units.health], [45, 10]);
    assert.deepEqual([...units.pos], [33.5, 120.25, 12, 1, 2, 0]);
    assert.equal(units.alliance.buffer, shifted.buffer);
    assert.equal(units.health.buffer === shifted.buffer, units.health.byteOffset > 0);
  }
});

test("a missing value is 0, and `present` returns 0 for its row", () => {
  const units = Units.fromColumns(serializedColumns);
  assert.deepEqual([...units.shield], [20, 0]);
  assert.deepEqual([...units.present("shield")], [1, 0]);
  assert.deepEqual([...units.present("z")], [1, 0]);
  assert.deepEqual([...units.energy], [0, 0]);
  assert.deepEqual([...units.present("energy")], [0, 0]);
  assert.throws(() => units.present("mana"), /choose tag, unitType/);
});

test("a selection of units has the values and the lists of the selected rows", () => {
  const { enemies, own, idle } = Units.fromColumns(serializedColumns);
  assert.deepEqual([...enemies.tag], [4342153218n]);
  assert.deepEqual([...enemies.pos], [1, 2, 0]);
  assert.deepEqual([...enemies.orders.abilityId], [23, 16]);
  assert.deepEqual([...enemies.orders.present("targetUnitTag")], [0, 1]);
  assert.deepEqual(enemies.orders.range(0), [0, 2]);
  assert.deepEqual([...own.buffs.buffId], [5]);
  assert.deepEqual([...idle.tag], [...own.tag]);
});

test("a single unit has plain values, with true and false for flags", () => {
  const [first, second] = Units.fromColumns(serializedColumns);
  assert.deepEqual([first?.tag, first?.isFlying, second?.isFlying, [...(second?.pos ?? [])]], [4342153217n, false, true, [1, 2, 0]]);
  assert.equal(second?.present("shield"), false);
  assert.throws(() => Units.fromColumns(serializedColumns).at(2), RangeError);
});

test("the table of units has a column for each field of the game's Unit, with the type of the field", () => {
  const { fields } = Units.fromColumns(serializedColumns);
  const types = /** @type {Record<number, unknown>} */ ({
    [ScalarType.FLOAT]: Float32Array,
    [ScalarType.INT32]: Int32Array,
    [ScalarType.UINT32]: Uint32Array,
    [ScalarType.UINT64]: BigUint64Array,
    [ScalarType.BOOL]: Uint8Array,
  });
  const expected = UnitSchema.fields
    .filter((field) => field.fieldKind !== "list")
    .map((field) => [field.localName, field.fieldKind === "scalar" ? types[field.scalar] : field.fieldKind === "enum" ? Uint8Array : Float32Array]);
  assert.deepEqual(new Map(Object.values(fields).map(({ name, type }) => [name, type])), new Map(/** @type {any} */ (expected)));
});

test("units read from a serialized observation equal units read from messages", () => {
  fc.assert(
    fc.property(fc.array(messageOf(UnitSchema), { maxLength: 5 }), (units) => {
      const observation = create(ResponseObservationSchema, { observation: { gameLoop: 7, rawData: { units } }, chat: [{ message: "glhf" }] });
      const read = Units.fromSerialized(toBinary(ResponseObservationSchema, observation));
      assertSameUnits(read, Units.fromObservation(observation));
    }),
    { numRuns: 300 },
  );
  assert.equal(Units.fromSerialized(new Uint8Array()).length, 0);
});

test("units read with the units of the last frame equal units read alone", () => {
  // Few different units, so many rows stay the same from frame to frame.
  const match = fc
    .array(messageOf(UnitSchema), { minLength: 1, maxLength: 4 })
    .chain((units) => fc.array(fc.array(fc.constantFrom(...units), { maxLength: 6 }), { minLength: 2, maxLength: 6 }));
  fc.assert(
    fc.property(match, (frames) => {
      let before;
      for (const units of frames) {
        const bytes = toBinary(ResponseObservationSchema, create(ResponseObservationSchema, { observation: { rawData: { units } } }));
        const read = Units.fromSerialized(bytes, before);
        assertSameUnits(read, Units.fromSerialized(bytes));
        before = read;
      }
    }),
    { numRuns: 300 },
  );
});

/** @typedef {import("sc2bridge").Units | import("sc2bridge").Lists} Table */
/** @param {Units} read @param {Units} expected */
function assertSameUnits(read, expected) {
  for (const lists of /** @type {const} */ (["orders", "passengers", "buffs", "rallyTargets"])) {
    assertSame(read[lists], expected[lists]);
    assert.deepEqual(read[lists].offsets, expected[lists].offsets);
  }
  assertSame(read, expected);
}

/** @param {Table} read @param {Table} expected */
function assertSame(read, expected) {
  assert.equal(read.length, expected.length);
  const names = Object.keys(expected.fields);
  const parts = names.some((name) => expected.fields[name]?.width === 3) ? ["x", "y", "z"] : [];
  names.forEach((name) => assert.deepEqual(read.column(name), expected.column(name), name));
  [...names, ...parts].forEach((name) => assert.deepEqual(read.present(name), expected.present(name), name));
}

const SCALARS = /** @type {Record<number, fc.Arbitrary<unknown>>} */ ({
  [ScalarType.FLOAT]: fc.float({ noNaN: true }),
  [ScalarType.INT32]: fc.integer(),
  [ScalarType.UINT32]: fc.nat(0xffffffff),
  [ScalarType.UINT64]: fc.bigInt({ min: 0n, max: 2n ** 64n - 1n }),
  [ScalarType.BOOL]: fc.boolean(),
});

/** Generates random messages, each with a random choice of its fields. @param {import("@bufbuild/protobuf").DescMessage} schema @returns {fc.Arbitrary<any>} */
function messageOf(schema) {
  const one = (/** @type {import("@bufbuild/protobuf").DescField} */ field) =>
    field.message ? messageOf(field.message) : field.enum ? fc.constantFrom(...field.enum.values.map(({ number }) => number)) : SCALARS[/** @type {any} */ (field).scalar];
  const members = schema.members.map((member) => [
    member.localName,
    member.kind === "oneof"
      ? fc.oneof(...member.fields.map((field) => /** @type {any} */ (one(field)).map((/** @type {unknown} */ value) => ({ case: field.localName, value }))))
      : member.fieldKind === "list"
        ? fc.array(/** @type {any} */ (one(member)), { maxLength: 3 })
        : one(member),
  ]);
  return fc.record(Object.fromEntries(members), { requiredKeys: [] }).map((fields) => create(schema, fields));
}
