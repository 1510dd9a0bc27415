import assert from "node:assert/strict";
import { test } from "node:test";
import { create, toBinary } from "@bufbuild/protobuf";
import fc from "fast-check";
import { MalformedMessageError, Units } from "sc2bridge";
import { Frame } from "../dist/frame.js";
import { ResponseObservationSchema } from "sc2bridge/s2clientprotocol/sc2api";
import { BlockSchema, ColumnsSchema } from "sc2bridge/v1/bridge";
import { decompressSingle, GroupDecompressor } from "../dist/protocol/compression.js";
import { ScriptDecoder, setDecoder } from "../dist/protocol/zstd-decoder.js";
import { loadWasm } from "../dist/protocol/zstd-wasm.js";
import { FrameMessage, openEvent } from "../dist/protocol/envelope.js";
import { serializedColumns } from "./columns.js";

/** Runs a function. Returns false if it throws MalformedMessageError, and fails for any other error. @param {() => void} read */
function succeeds(read) {
  try {
    read();
    return true;
  } catch (error) {
    assert.ok(error instanceof MalformedMessageError, `${error}`);
    return false;
  }
}

/** Reads all columns of units and of their lists. @param {Units} units */
function readAll(units) {
  for (const table of [units, units.orders, units.passengers, units.buffs, units.rallyTargets]) {
    for (const name of Object.keys(table.fields)) {
      assert.equal(table.column(name).length, table.length * (table.fields[name]?.width ?? 0));
      table.present(name);
    }
  }
  units.own.orders.offsets;
}

/** Generates bytes with random changes: some bytes are changed, removed or added. @param {Uint8Array} bytes */
const changed = (bytes) =>
  fc
    .array(fc.tuple(fc.nat(bytes.length - 1), fc.nat(255)), { maxLength: 6 })
    .chain((changes) => fc.tuple(fc.constant(changes), fc.option(fc.nat(bytes.length)), fc.uint8Array({ maxLength: 8 })))
    .map(([changes, cut, more]) => {
      const copy = bytes.slice(0, cut ?? undefined);
      changes.forEach(([at, value]) => at < copy.length && (copy[at] = value));
      return new Uint8Array([...copy, ...more]);
    });

test("columns of random bytes are read or throw MalformedMessageError", () => {
  let read = 0;
  fc.assert(
    fc.property(fc.oneof({ weight: 4, arbitrary: changed(serializedColumns) }, fc.uint8Array()), (bytes) => {
      read += succeeds(() => readAll(Units.fromColumns(bytes))) ? 1 : 0;
    }),
    { numRuns: 2000 },
  );
  assert.ok(read > 50);
});

test("units of an observation of random bytes are read or throw MalformedMessageError", () => {
  const point = { x: 33.5, y: 120.25, z: 12 };
  const orders = [{ abilityId: 23, target: /** @type {const} */ ({ case: "targetUnitTag", value: 4342153217n }) }, { abilityId: 16, target: /** @type {const} */ ({ case: "targetWorldSpacePos", value: point }) }];
  const units = [{ tag: 4342153217n, alliance: 1, pos: point, isFlying: true, orders, buffIds: [5, 300], passengers: [{ tag: 7n, health: 45 }] }, { tag: 2n ** 63n, owner: -1 }];
  const bytes = toBinary(ResponseObservationSchema, create(ResponseObservationSchema, { observation: { gameLoop: 120, rawData: { units } } }));
  let read = 0;
  fc.assert(
    fc.property(fc.oneof({ weight: 4, arbitrary: changed(bytes) }, fc.uint8Array()), (bytes) => {
      read += succeeds(() => readAll(Units.fromSerialized(bytes))) ? 1 : 0;
    }),
    { numRuns: 4000 },
  );
  assert.ok(read > 50);
});

test("columns with vectors of random lengths are read or throw MalformedMessageError", () => {
  const vector = fc.uint8Array({ maxLength: 40 });
  const columns = fc.record({ count: fc.nat(4), present: vector, tag: vector, pos: vector, orders: fc.record({ offsets: vector, present: vector }) }, { requiredKeys: [] });
  fc.assert(
    fc.property(columns, (value) => {
      succeeds(() => readAll(Units.fromColumns(toBinary(ColumnsSchema, create(ColumnsSchema, value)))));
    }),
    { numRuns: 2000 },
  );
});

// The package's types do not have the internal methods of a frame.
const AnyFrame = /** @type {any} */ (Frame);

/** Opens an event, and reads all parts of a frame. @param {Uint8Array | string} message */
function readEvent(message) {
  const opened = openEvent(message);
  if (opened instanceof FrameMessage) {
    const frame = new AnyFrame({ message: opened, encoding: typeof message === "string" ? "json" : "proto", size: message.length, receivedMs: 0, seeked: false });
    frame.decompressBlock(new GroupDecompressor());
    readAll(frame.units);
    const next = new AnyFrame({ message: opened, encoding: frame.encoding, size: 0, receivedMs: 0, seeked: false });
    next.replace(frame);
    return [frame.step, frame.observation, frame.events, frame.json, frame.common, next.skipped];
  }
  return opened;
}

test("an event of random bytes or text is read or throws MalformedMessageError", () => {
  const event = new Uint8Array([0x0a, serializedColumns.length + 23, 0x0a, 1, 0x6d, 0x18, 5, 0x48, 2, 0x82, 1, serializedColumns.length & 0x7f | 0x80, serializedColumns.length >> 7, ...serializedColumns]);
  const texts = fc
    .record({ matchId: fc.string(), step: fc.oneof(fc.nat(), fc.json()), content: fc.constantFrom("CONTENT_COLUMNS", "CONTENT_OBSERVATION", 7), observation: fc.oneof(fc.jsonValue(), fc.record({ observation: fc.record({ rawData: fc.jsonValue(), alerts: fc.jsonValue() }) })), zstd: fc.jsonValue() }, { requiredKeys: [] })
    .map((frame) => JSON.stringify({ frame }));
  let read = 0;
  fc.assert(fc.property(fc.oneof(changed(event), texts, fc.uint8Array(), fc.json(), fc.string()), (message) => void (read += succeeds(() => readEvent(message)) ? 1 : 0)), { numRuns: 4000 });
  assert.ok(read > 50, `${read}`);
});

const bytesOf = (/** @type {string} */ hex) => Uint8Array.from(hex.match(/../g) ?? [], (byte) => parseInt(byte, 16));
const TEXT = "one two three ".repeat(6);
// FIRST and SECOND: TEXT twice in one zstd stream of level 1, with a flush after each. ALONE: TEXT as a zstd frame with its
// size. SHORT: "ab", flushed.
const FIRST = bytesOf("28b52ffd0050ac0000706f6e652074776f20746872656520010013e85402");
const SECOND = bytesOf("3c0000086f0100300121");
const ALONE = bytesOf("28b52ffd2054ad0000706f6e652074776f20746872656520010013e85402");
const SHORT = bytesOf("28b52ffd00501000006162");

const block = (/** @type {import("@bufbuild/protobuf").MessageInitShape<typeof BlockSchema>} */ of) => create(BlockSchema, { group: 1n, windowLog: 20, ...of });
const text = (/** @type {Uint8Array} */ bytes) => new TextDecoder().decode(bytes);

const wasm = await loadWasm();

for (const [name, make] of /** @type {[string, typeof wasm][]} */ ([["JavaScript", () => new ScriptDecoder()], ["WebAssembly", wasm]])) {
  test(`the blocks of a group are one zstd stream, and a block can contain the earlier blocks: ${name}`, () => {
    setDecoder(make);
    const groups = new GroupDecompressor();
    assert.equal(text(groups.decompress(block({ size: 84, data: FIRST }))), TEXT);
    assert.equal(text(groups.decompress(block({ index: 1, size: 84, data: SECOND }))), TEXT);
    assert.equal(text(groups.decompress(block({ group: 2n, size: 2, data: SHORT }))), "ab"); // fzstd needs more bytes to begin.
    assert.equal(text(new GroupDecompressor().decompress(block({ index: 1, size: 84, data: SECOND, earlier: [FIRST], earlierSizes: [84] }))), TEXT);
    assert.equal(text(decompressSingle(ALONE)), TEXT);
  });

  test(`a block in the wrong order, or with a wrong size or window, throws MalformedMessageError: ${name}`, () => {
    setDecoder(make);
    for (const [of, why] of /** @type {[Parameters<typeof block>[0], RegExp][]} */ ([
      [{ index: 1, size: 84, data: SECOND }, /block 1 .* block 0/],
      [{ size: 83, data: FIRST }, /more than its declared 83/],
      [{ size: 85, data: FIRST }, /84 bytes instead of its declared 85/],
      [{ size: 2 ** 27, data: FIRST }, /the limit is/],
      [{ size: 84, data: FIRST, windowLog: 24 }, /2\*\*24/],
      [{ size: 84, data: FIRST, windowLog: 19 }, /a window of 1048576/],
      [{ size: 84, data: FIRST, earlier: [FIRST] }, /earlier/],
      [{ index: 5, size: 84, data: FIRST, earlier: Array(5).fill(FIRST), earlierSizes: Array(5).fill(2 ** 26) }, /earlier blocks of .* the limit is/],
    ])) {
      assert.throws(() => new GroupDecompressor().decompress(block(of)), (error) => error instanceof MalformedMessageError && why.test(error.message));
    }
  });

  test(`blocks of random bytes are decompressed or throw MalformedMessageError: ${name}`, () => {
    setDecoder(make);
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
        const groups = new GroupDecompressor();
        blocks.forEach((each) => (read += succeeds(() => groups.decompress(block(each))) ? 1 : 0));
      }),
      { numRuns: 2000 },
    );
    assert.ok(read > 5);
    fc.assert(fc.property(changed(ALONE), (bytes) => void succeeds(() => decompressSingle(bytes))), { numRuns: 2000 });
  });

  test(`a group of long blocks has its content, also if a block is incompressible or empty: ${name}`, () => {
    setDecoder(make);
    // Blocks of one repeated byte (type 1), and uncompressed blocks (type 0): RFC 8878, 3.1.1.2.
    const head = (/** @type {number} */ type, /** @type {number} */ size) => [0, 8, 16].map((shift) => ((((size << 3) | (type << 1)) >> shift) & 255));
    const repeated = (/** @type {number} */ byte, /** @type {number} */ size) => ({ data: [...head(1, size), byte], content: Array(size).fill(byte) });
    const plain = (/** @type {number[]} */ ...bytes) => ({ data: [...head(0, bytes.length), ...bytes], content: bytes });
    const pieces = [
      [{ data: [...bytesOf("28b52ffd0068")], content: [] }, repeated(1, 1 << 17), repeated(2, 1 << 17), repeated(3, 1 << 17)],
      [plain()],
      [plain(7, 8, 9), repeated(4, 1 << 17), plain(5)],
      [plain(1, 2)],
    ];
    for (let run = 0; run < 3; run++) {
      const groups = new GroupDecompressor();
      pieces.forEach((piece, index) => {
        const content = Buffer.from(piece.flatMap((part) => part.content));
        const data = Uint8Array.from(piece.flatMap((part) => part.data));
        assert.equal(Buffer.compare(groups.decompress(block({ index, windowLog: 23, size: content.length, data })), content), 0, `block ${index}`);
      });
      groups.close();
    }
  });
}
