import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { once } from "node:events";
import { readdirSync, readFileSync } from "node:fs";
import { createServer } from "node:http";
import { join } from "node:path";
import { test } from "node:test";
import fc from "fast-check";
import { MalformedMessageError } from "sc2bridge";
import { openRecording, RecordingError, SC2BridgeError } from "sc2bridge/recording";
import { PlayerKind, PlayerRace } from "sc2bridge/v1/bridge";
import { parseAnalysis } from "../dist/recording/analysis.js";
import { crc32 } from "../dist/recording/crc32.js";
import { byScript, decompress, decompressor } from "../dist/recording/zstd.js";
import { ROOT, SAMPLE } from "./bridge.js";

const FOLDER = join(ROOT, "recordings");
const NAMES = readdirSync(FOLDER).filter((name) => name.endsWith(".mcap"));
const bytesOf = (/** @type {string} */ name) => new Uint8Array(readFileSync(join(FOLDER, name)));

/** @typedef {[step: number, loop: number, size: number, hash: string]} Entry */

/** @param {import("sc2bridge").Frame} frame @returns {Entry} */
function entryOf(frame) {
  const raw = /** @type {Uint8Array} */ (frame.raw);
  return [frame.step, frame.gameLoop, raw.length, createHash("sha256").update(raw).digest("hex")];
}

/** Every frame until the end or the first error. @param {import("sc2bridge/recording").Perspective} perspective */
async function readAll(perspective) {
  /** @type {Entry[]} */
  const entries = [];
  try {
    for await (const frame of perspective) {
      entries.push(entryOf(frame));
    }
    return { entries, error: null };
  } catch (error) {
    assert.ok(error instanceof RecordingError, `${error}`);
    return { entries, error: error.kind };
  }
}

for (const name of NAMES) {
  test(`of ${name} it reads what its JSON lists`, async () => {
    const expected = JSON.parse(readFileSync(join(FOLDER, name.replace(".mcap", ".json")), "utf8"));
    if (expected.error === "foreign") {
      await assert.rejects(openRecording(bytesOf(name)), (error) => error instanceof RecordingError && error.kind === "foreign" && /is not a recording/.test(error.message));
      return;
    }
    const recording = await openRecording(new File([bytesOf(name)], name));
    const reusing = await openRecording(bytesOf(name), { reusesMemory: true });
    assert.deepEqual(recording.perspectives.map(String), Object.keys(expected.frames));
    for (const number of recording.perspectives) {
      const perspective = recording.perspective(number);
      const { entries, error } = await readAll(perspective);
      assert.deepEqual(entries, expected.frames[number]);
      assert.deepEqual((await readAll(reusing.perspective(number))).entries, entries);
      assert.equal(error, expected.error);
      const behind = expected.behind[number] ?? [];
      for (const [place, entry] of behind.entries()) {
        assert.deepEqual(entryOf(await perspective.at(place - behind.length)), entry);
        assert.deepEqual(entryOf(await perspective.atLoop(entry[1])), entry);
      }
      const last = entries.length - 1;
      for (const place of [0, last >> 1, last]) {
        assert.deepEqual(entryOf(await perspective.at(place)), entries[place]);
        const loop = entries[place]?.[1] ?? 0;
        assert.deepEqual(entryOf(await perspective.atLoop(loop)), entries.find((entry) => entry[1] === loop));
      }
      await assert.rejects(perspective.atLoop(1e9), expected.error === "truncated" ? RecordingError : /the last frame is of loop|damaged/);
    }
    assert.equal(recording.end?.reason ?? null, expected.end);
    assert.deepEqual(recording.gaps.map(({ firstStep, steps, reason }) => ({ firstStep: `${firstStep}`, steps: `${steps}`, reason })), expected.gaps);
    const { players } = await recording.describe();
    for (const [at, [id, kind, race, difficulty]] of (expected.players ?? []).entries()) {
      const player = players[at];
      assert.deepEqual([player?.playerId, PlayerKind[player?.kind ?? 0]?.toLowerCase(), PlayerRace[player?.race ?? 0], player?.difficulty], [id, kind, race.toUpperCase(), difficulty]);
    }
  });
}

test("the sample has its description, its analysis, its steps and its requests", async () => {
  const recording = await openRecording(bytesOf("sample.mcap"));
  const { mapName, gameInfo, data } = await recording.describe();
  assert.equal(mapName, "Cinder Fortress LE");
  assert.ok((gameInfo?.startRaw?.mapSize?.x ?? 0) > 0 && (data?.units.length ?? 0) > 100);
  assert.equal(await recording.analysis(), undefined);
  let steps = 0;
  for await (const { step } of recording.steps()) {
    assert.equal(Number(step), steps++);
  }
  assert.equal(steps, 150);
  for await (const { request } of recording.requests()) {
    assert.equal(request?.request.case, "query");
  }
  for await (const { actions } of recording.actions()) {
    assert.ok(Array.isArray(actions));
  }
  assert.throws(() => recording.perspective(7), /perspective 7 was not recorded: choose 0/);
  await assert.rejects(recording.perspective().at(150), RangeError);
  assert.equal((await recording.perspective().atTime(10)).gameLoop, 224);
});

test("an analysis has the documented fields, or throws the documented error", () => {
  const fight = { first_loop: 1, last_loop: 2, x: 3.5, y: 4, ahead: 1, sides: [{ player_id: 1, minerals: 50, vespene: 0, damaged: 0, lost: [{ unit_type: 48, name: "Marine", count: 1 }] }] };
  const whole = { rules: 1, first_loop: 0, last_loop: 9, fights: [fight], players: [] };
  const parse = (/** @type {unknown} */ value) => parseAnalysis(new TextEncoder().encode(JSON.stringify(value)));
  assert.deepEqual(parse({ ...whole, later: 1 }), whole);
  for (const wrong of [[], null, {}, { ...whole, rules: "1" }, { ...whole, fights: [1] }, { ...whole, fights: [{ ...fight, sides: {} }] }, { ...whole, players: null }]) {
    assert.throws(() => parse(wrong), MalformedMessageError);
  }
  fc.assert(fc.property(fc.json(), (text) => assert.throws(() => parseAnalysis(new TextEncoder().encode(text)), MalformedMessageError)));
});

test("the decompressor without WebAssembly gives the same content, and refuses the same damage by its checksum", async () => {
  const recording = bytesOf("sample.mcap");
  const at = recording.findIndex((_, place) => [0x28, 0xb5, 0x2f, 0xfd].every((byte, part) => recording[place + part] === byte));
  const size = new DataView(recording.buffer).getBigUint64(at - 8 - 4 - 4 - 4 - 8, true);
  const crc = new DataView(recording.buffer).getUint32(at - 8 - 4 - 4 - 4, true);
  const frame = recording.subarray(at, at + Number(new DataView(recording.buffer).getBigUint64(at - 8, true)));
  const [[fast, isChecked], [slow]] = [decompress(frame, Number(size), await decompressor()), decompress(frame, Number(size), byScript)];
  assert.deepEqual(slow, fast);
  assert.ok(isChecked);
  assert.equal(crc32(slow), crc);
  for (const wrong of [Number(size) - 1, Number(size) + 1]) {
    assert.throws(() => decompress(frame, wrong, byScript), SC2BridgeError);
  }
});

/** A server of one file. @param {import("node:test").TestContext} t @param {boolean} hasRanges */
async function serve(t, hasRanges) {
  const bytes = bytesOf("sample.mcap");
  const served = { bytes: 0, tag: '"1"', url: "" };
  const server = createServer(({ headers, url }, answer) => {
    const range = hasRanges && (headers["if-range"] ?? served.tag) === served.tag ? /bytes=(\d+)-(\d+)/.exec(headers.range ?? "") : null;
    const part = url !== "/sample.mcap" ? new Uint8Array(0) : range ? bytes.subarray(Number(range[1]), Number(range[2]) + 1) : bytes;
    served.bytes += part.length;
    answer.writeHead(part.length ? (range ? 206 : 200) : 404, { ETag: served.tag, ...(range ? { "Content-Range": `bytes ${range[1]}-${range[2]}/${bytes.length}` } : {}) });
    answer.end(part);
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  t.after(() => (server.closeAllConnections(), server.close()));
  served.url = `http://127.0.0.1:${/** @type {import("node:net").AddressInfo} */ (server.address()).port}/sample.mcap`;
  return served;
}

test("a server with ranges sends only what is read, one without sends the file once", async (t) => {
  for (const hasRanges of [true, false]) {
    const served = await serve(t, hasRanges);
    const recording = await openRecording(served.url);
    assert.equal((await recording.perspective().atLoop(800)).gameLoop, 800);
    const { size } = await openRecording(bytesOf("sample.mcap"));
    assert.equal(recording.size, size);
    assert.ok(hasRanges ? served.bytes < size * 0.8 : served.bytes === size, `${served.bytes} of ${size}`);
    assert.equal(recording.blob?.size, hasRanges ? undefined : size);
    await assert.rejects(openRecording(served.url.replace("sample", "none")), /none.mcap cannot be fetched: .* status 404/);
    served.tag = '"2"';
    if (hasRanges) {
      await assert.rejects(recording.describe(), /has changed on its server/);
    }
  }
});

test("a server without ranges is refused if the recording is too long", async (t) => {
  const server = createServer((_, answer) => {
    answer.writeHead(200, { "Content-Length": 2 ** 29 + 1 });
    answer.write("a");
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  t.after(() => (server.closeAllConnections(), server.close()));
  const { port } = /** @type {import("node:net").AddressInfo} */ (server.address());
  await assert.rejects(openRecording(`http://127.0.0.1:${port}/a.mcap`), /a\.mcap has more than 512 MiB, and its server sends no ranges/);
});

test("damaged bytes give frames or the documented errors, and frames are the recorded ones", async () => {
  const names = ["whole.mcap", "perspectives.mcap", "no-summary.mcap", "damaged-summary.mcap"];
  const originals = await Promise.all(names.map(async (name) => {
    const bytes = bytesOf(name);
    const recording = await openRecording(bytes);
    return { bytes, known: new Set((await Promise.all(recording.perspectives.map(async (number) => (await readAll(recording.perspective(number))).entries))).flat().map(String)) };
  }));
  const documented = (/** @type {unknown} */ error) =>
    assert.ok(error instanceof RecordingError || error instanceof MalformedMessageError || error instanceof RangeError, /** @type {Error} */ (error).stack);
  let read = 0;
  const damage = fc.array(fc.record({ at: fc.nat(40_000), byte: fc.nat(255) }), { minLength: 1, maxLength: 4 });
  await fc.assert(
    fc.asyncProperty(fc.nat(originals.length - 1), damage, fc.option(fc.nat(40_000)), async (which, changes, cut) => {
      const { bytes, known } = /** @type {(typeof originals)[0]} */ (originals[which]);
      const changed = bytes.slice(0, cut === null ? undefined : cut % bytes.length);
      changes.forEach(({ at, byte }) => changed.length && (changed[at % changed.length] = byte));
      try {
        const recording = await openRecording(changed);
        await recording.describe().catch(documented);
        for (const number of recording.perspectives) {
          const perspective = recording.perspective(number);
          for (const entry of (await readAll(perspective)).entries) {
            assert.ok(known.has(String(entry)));
            read++;
          }
          await perspective.atLoop(20).catch(documented);
        }
      } catch (error) {
        documented(error);
      }
    }),
    { numRuns: 2000 },
  );
  assert.ok(read > 100);
});

test("a file of anything else is refused with one line", async () => {
  await fc.assert(
    fc.asyncProperty(fc.uint8Array({ maxLength: 200 }), async (bytes) => {
      await assert.rejects(openRecording(bytes), (error) => error instanceof RecordingError && !error.message.includes("\n"));
    }),
  );
  await assert.rejects(openRecording(new TextEncoder().encode("MPQ\x1b a replay")), /StarCraft II replay; `sc2bridge record`/);
  await assert.rejects(openRecording(new Uint8Array(readFileSync(SAMPLE)).subarray(0, 12)), (error) => error instanceof RecordingError && error.kind === "truncated");
});
