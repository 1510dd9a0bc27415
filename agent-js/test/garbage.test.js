import assert from "node:assert/strict";
import { test } from "node:test";
import { create, toBinary } from "@bufbuild/protobuf";
import fc from "fast-check";
import { MalformedMessageError, Units } from "sc2bridge";
import { ResponseObservationSchema } from "sc2bridge/s2clientprotocol/sc2api";
import { BlockSchema, ColumnsSchema } from "sc2bridge/v1/bridge";
import { alone, Groups } from "../dist/protocol/compression.js";
import { openEvent } from "../dist/protocol/envelope.js";
import { whole } from "./columns.js";

/** Runs it, and lets no other error through than the documented one. @param {() => void} read */
function documented(read) {
  try {
    read();
    return true;
  } catch (error) {
    assert.ok(error instanceof MalformedMessageError, `${error}`);
    return false;
  }
}

/** @param {Units} units */
function readAll(units) {
  for (const table of [units, units.orders, units.passengers, units.buffs, units.rallyTargets]) {
    for (const name of Object.keys(table.fields)) {
      assert.equal(table.column(name).length, table.length * (table.fields[name]?.width ?? 0));
      table.present(name);
    }
  }
  units.own.orders.offsets;
}

/** Bytes with some changed, cut or added. @param {Uint8Array} bytes */
const changed = (bytes) =>
  fc
    .array(fc.tuple(fc.nat(bytes.length - 1), fc.nat(255)), { maxLength: 6 })
    .chain((changes) => fc.tuple(fc.constant(changes), fc.option(fc.nat(bytes.length)), fc.uint8Array({ maxLength: 8 })))
    .map(([changes, cut, more]) => {
      const copy = bytes.slice(0, cut ?? undefined);
      changes.forEach(([at, value]) => at < copy.length && (copy[at] = value));
      return new Uint8Array([...copy, ...more]);
    });

test("columns of any bytes are read, or refused by the documented error", () => {
  let read = 0;
  fc.assert(
    fc.property(fc.oneof({ weight: 4, arbitrary: changed(whole) }, fc.uint8Array()), (bytes) => {
      read += documented(() => readAll(Units.fromColumns(bytes))) ? 1 : 0;
    }),
    { numRuns: 2000 },
  );
  assert.ok(read > 50);
});

test("units of an observation of any bytes are read, or refused by the documented error", () => {
  const point = { x: 33.5, y: 120.25, z: 12 };
  const orders = [{ abilityId: 23, target: /** @type {const} */ ({ case: "targetUnitTag", value: 4342153217n }) }, { abilityId: 16, target: /** @type {const} */ ({ case: "targetWorldSpacePos", value: point }) }];
  const units = [{ tag: 4342153217n, alliance: 1, pos: point, isFlying: true, orders, buffIds: [5, 300], passengers: [{ tag: 7n, health: 45 }] }, { tag: 2n ** 63n, owner: -1 }];
  const bytes = toBinary(ResponseObservationSchema, create(ResponseObservationSchema, { observation: { gameLoop: 120, rawData: { units } } }));
  let read = 0;
  fc.assert(
    fc.property(fc.oneof({ weight: 4, arbitrary: changed(bytes) }, fc.uint8Array()), (bytes) => {
      read += documented(() => readAll(Units.fromSerialized(bytes))) ? 1 : 0;
    }),
    { numRuns: 4000 },
  );
  assert.ok(read > 50);
});

test("vectors of any lengths are read, or refused by the documented error", () => {
  const vector = fc.uint8Array({ maxLength: 40 });
  const columns = fc.record({ count: fc.nat(4), present: vector, tag: vector, pos: vector, orders: fc.record({ offsets: vector, present: vector }) }, { requiredKeys: [] });
  fc.assert(
    fc.property(columns, (value) => {
      documented(() => readAll(Units.fromColumns(toBinary(ColumnsSchema, create(ColumnsSchema, value)))));
    }),
    { numRuns: 2000 },
  );
});

test("an event of any bytes or text is opened, or refused by the documented error", () => {
  const event = new Uint8Array([0x0a, whole.length + 20, 0x0a, 1, 0x6d, 0x18, 5, ...whole]);
  fc.assert(fc.property(fc.oneof(changed(event), fc.uint8Array(), fc.json(), fc.string()), (message) => void documented(() => openEvent(message))), { numRuns: 2000 });
});

const bytesOf = (/** @type {string} */ hex) => Uint8Array.from(hex.match(/../g) ?? [], (byte) => parseInt(byte, 16));
const TEXT = "one two three ".repeat(6);
// The text twice, by zstd's level 1 in one stream with a flush after each; the text alone, with its size; and "ab", flushed.
const FIRST = bytesOf("28b52ffd0050ac0000706f6e652074776f20746872656520010013e85402");
const SECOND = bytesOf("3c0000086f0100300121");
const ALONE = bytesOf("28b52ffd2054ad0000706f6e652074776f20746872656520010013e85402");
const SHORT = bytesOf("28b52ffd00501000006162");

const block = (/** @type {import("@bufbuild/protobuf").MessageInitShape<typeof BlockSchema>} */ of) => create(BlockSchema, { group: 1n, windowLog: 20, ...of });
const text = (/** @type {Uint8Array} */ bytes) => new TextDecoder().decode(bytes);

test("the blocks of a group are one stream, of which a late comer is sent the beginning", () => {
  const groups = new Groups();
  assert.equal(text(groups.add(block({ size: 84, data: FIRST }))), TEXT);
  assert.equal(text(groups.add(block({ index: 1, size: 84, data: SECOND }))), TEXT);
  assert.equal(text(groups.add(block({ group: 2n, size: 2, data: SHORT }))), "ab"); // Shorter than fzstd begins with.
  assert.equal(text(new Groups().add(block({ index: 1, size: 84, data: SECOND, earlier: [FIRST], earlierSizes: [84] }))), TEXT);
  assert.equal(text(alone(ALONE)), TEXT);
});

test("a block that is not the next, or of another size or window than it says, is refused", () => {
  for (const [of, why] of /** @type {[Parameters<typeof block>[0], RegExp][]} */ ([
    [{ index: 1, size: 84, data: SECOND }, /block 1 .* block 0/],
    [{ size: 83, data: FIRST }, /more than the 83/],
    [{ size: 85, data: FIRST }, /84 bytes that speaks of 85/],
    [{ size: 2 ** 27, data: FIRST }, /no more than/],
    [{ size: 84, data: FIRST, windowLog: 24 }, /2\*\*24/],
    [{ size: 84, data: FIRST, windowLog: 19 }, /a window of 1048576/],
    [{ size: 84, data: FIRST, earlier: [FIRST] }, /earlier/],
    [{ index: 5, size: 84, data: FIRST, earlier: Array(5).fill(FIRST), earlierSizes: Array(5).fill(2 ** 26) }, /earlier blocks of .* no more than/],
  ])) {
    assert.throws(() => new Groups().add(block(of)), (error) => error instanceof MalformedMessageError && why.test(error.message));
  }
});

test("blocks of any bytes are decompressed, or refused by the documented error", () => {
  const any = fc.record({
    group: fc.bigInt(1n, 2n),
    index: fc.nat(1),
    windowLog: fc.constantFrom(20, 20, 9, 24),
    size: fc.constantFrom(84, 84, 2, 1000),
    data: fc.oneof(fc.constant(FIRST), changed(FIRST), changed(SECOND), changed(SHORT)),
    earlier: fc.array(changed(FIRST), { maxLength: 1 }),
    earlierSizes: fc.array(fc.constant(84), { maxLength: 1 }),
  });
  let read = 0;
  fc.assert(
    fc.property(fc.array(any, { maxLength: 4 }), (blocks) => {
      const groups = new Groups();
      blocks.forEach((each) => (read += documented(() => groups.add(block(each))) ? 1 : 0));
    }),
    { numRuns: 2000 },
  );
  assert.ok(read > 5);
  fc.assert(fc.property(changed(ALONE), (bytes) => void documented(() => alone(bytes))), { numRuns: 2000 });
});
