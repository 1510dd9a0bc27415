import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { existsSync, mkdtempSync, openAsBlob, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { create, fromBinary, toBinary } from "@bufbuild/protobuf";
import fc from "fast-check";
import { actions, Commands, connect, Match, UnitEvents } from "sc2bridge";
import * as ids from "sc2bridge/ids";
import { openRecording } from "sc2bridge/recording";
import { ActionSchema, ResponseDataSchema, ResponseObservationSchema, ResponseSchema } from "sc2bridge/s2clientprotocol/sc2api";
import { MatchDescriptionSchema } from "sc2bridge/v1/bridge";
import { playMatch, ROOT, SAMPLE } from "./bridge.js";
import { fakeBridge, matchEnd } from "./fake.js";

const PYTHON = join(ROOT, ".venv/bin/python");
const REAL = join(process.env.SC2BRIDGE_SHARED ?? join(ROOT, "../shared"), "data/real/data.pb");

/** Runs game.py, and returns the lines that it prints. @param {import("node:test").TestContext} t @param {string[]} args @param {string} [input] */
async function python(t, args, input = "") {
  const program = spawn(PYTHON, [join(ROOT, "agent-js/test/game.py"), ...args], { stdio: ["pipe", "pipe", "inherit"] });
  t.after(() => program.kill());
  program.stdin.end(input);
  let text = "";
  for await (const part of program.stdout.setEncoding("utf8")) {
    text += part;
  }
  return text.split("\n").filter((line) => line);
}

/** The description of a match with the game's data. */
const described = async () => (await openRecording(await openAsBlob(SAMPLE))).describe();

test("sc2bridge/ids has the names and numbers of sc2bridge.ids in Python", async (t) => {
  const [line = ""] = await python(t, ["ids"]);
  const theirs = JSON.parse(line);
  assert.deepEqual(Object.keys(ids).sort(), Object.keys(theirs).sort());
  for (const [kind, names] of Object.entries(ids)) {
    assert.deepEqual({ ...names }, theirs[kind]);
  }
  assert.equal(ids.UnitTypeId.MARINE, 48);
});

for (const path of [undefined, REAL]) {
  test(`the constants of a match have the names that they have in Python: ${path ? "the real game" : "the sample recording"}`, { skip: path && !existsSync(path) && `${path} is missing` }, async (t) => {
    const folder = mkdtempSync(join(tmpdir(), "sc2bridge-js-"));
    t.after(() => rmSync(folder, { recursive: true }));
    const data = path ? fromBinary(ResponseSchema, readFileSync(path)).response.value : (await described()).data;
    const match = new Match(create(MatchDescriptionSchema, { data: /** @type {import("sc2bridge/s2clientprotocol/sc2api").ResponseData} */ (data) }));
    writeFileSync(join(folder, "data.pb"), toBinary(ResponseDataSchema, /** @type {any} */ (data)));
    const [line = ""] = await python(t, ["names", join(folder, "data.pb")]);
    const theirs = JSON.parse(line);
    for (const [theirName, table] of /** @type {const} */ ([["abilities", match.abilities], ["unit_types", match.unitTypes], ["upgrades", match.upgrades], ["buffs", match.buffs], ["effects", match.effects]])) {
      assert.ok(table.size > 10);
      assert.deepEqual(Object.fromEntries(/** @type {Iterable<[string, number]>} */ (table)), theirs[theirName], theirName);
    }
  });
}

test("a name of a match does not depend on case and separators, and a wrong name lists similar names", async () => {
  const { abilities, unitTypes, structures, upgrades } = new Match(await described());
  assert.equal(abilities.id("Train SCV"), abilities.id("CommandCenterTrain_SCV"));
  assert.deepEqual([unitTypes.name(unitTypes.id("siege tank sieged")), unitTypes.data("MARINE").mineralCost, unitTypes.has("SCV"), unitTypes.has("SCW")], ["SIEGETANKSIEGED", 50, true, false]);
  assert.ok(structures.has(unitTypes.id("BARRACKS")) && !structures.has(unitTypes.id("MARINE")));
  assert.throws(() => unitTypes.id("MARNE"), { name: "RangeError", message: /^this match has no unit type "MARNE": did you mean MARINE/ });
  assert.throws(() => unitTypes.data(99_999), /^RangeError: this match has no unit type 99999$/);
  assert.throws(() => upgrades.id("zzzzzzzzzzzzzzzz"), /^RangeError: this match has no upgrade "zzzzzzzzzzzzzzzz"$/);
  assert.throws(() => new Match(create(MatchDescriptionSchema, {})), /withoutData/);
});

/** @typedef {import("fast-check").Arbitrary<any>} Any */
const tag = fc.bigInt(0n, 2n ** 64n - 1n);
const units = /** @type {Any} */ (fc.oneof(tag, fc.array(tag, { maxLength: 5 })));
const place = /** @type {Any} */ (fc.array(fc.float({ noNaN: true, noDefaultInfinity: true, min: -500, max: 500 }).map((cells) => cells + 0 /* JSON has no -0. */), { minLength: 2, maxLength: 3 }));
const target = /** @type {Any} */ (fc.oneof(tag, place));
const ability = /** @type {Any} */ (fc.oneof(fc.constantFrom("Attack", "EFFECT_STIM", "Train SCV", "BEHAVIOR_CLOAKON_GHOST"), fc.nat(5000)));
const queue = fc.boolean();
const ORDERS = fc.array(
  fc.oneof(
    fc.tuple(fc.constant("command"), units, ability, fc.option(target), queue),
    fc.tuple(fc.constantFrom("attack", "move", "patrol", "gather", "repair", "smart"), units, target, queue),
    fc.tuple(fc.constantFrom("stop", "holdPosition", "returnResource"), units, queue),
    fc.tuple(fc.constant("train"), units, fc.constantFrom("SCV", "MARINE", "zealot", 105), queue),
    fc.tuple(fc.constant("build"), units, fc.constantFrom("BARRACKS", "Supply Depot", "BARRACKSTECHLAB"), fc.option(target), queue),
    fc.tuple(fc.constant("research"), units, fc.constantFrom("STIMPACK", "zerglingmovementspeed"), queue),
    fc.tuple(fc.constant("toggleAutocast"), units, ability),
    fc.tuple(fc.constant("chatSend"), fc.string({ unit: "grapheme" }), fc.boolean()),
    fc.tuple(fc.constant("moveCamera"), place),
  ),
  { minLength: 400, maxLength: 400 },
);

test("commands make the same messages as in Python", async (t) => {
  const folder = mkdtempSync(join(tmpdir(), "sc2bridge-js-"));
  t.after(() => rmSync(folder, { recursive: true }));
  const description = await described();
  writeFileSync(join(folder, "match.pb"), toBinary(MatchDescriptionSchema, description));
  const [orders = []] = fc.sample(ORDERS, 1);
  /** @type {string[]} */
  const ours = [];
  const commands = new Commands({ do: (action) => void ours.push(Buffer.from(toBinary(ActionSchema, create(ActionSchema, action))).toString("base64")) }, new Match(description));
  for (const [name, ...rest] of orders) {
    /** @type {any} */ (commands)[name](...rest.map((each) => each ?? undefined));
  }
  const lines = orders.map(([name, ...rest]) => {
    const snake = name.replace(/[A-Z]/g, (/** @type {string} */ letter) => `_${letter.toLowerCase()}`);
    return JSON.stringify([snake, ...rest], (_, value) => (typeof value === "bigint" ? { tag: `${value}` } : value));
  });
  const theirs = await python(t, ["commands", join(folder, "match.pb")], `${lines.join("\n")}\n`);
  assert.ok(ours.length > 200);
  assert.deepEqual(ours, theirs);
});

test("units and places are tables, rows, tags, points and arrays, and others throw TypeError or RangeError", async () => {
  const recording = await openRecording(await openAsBlob(SAMPLE));
  const { units } = await recording.perspective().at(10);
  const [first] = units;
  const orderOf = (/** @type {any[]} */ ...args) => {
    const { action } = /** @type {any} */ (actions.command(7, /** @type {any} */ (args[0]), args[1])).actionRaw;
    return [action.value.unitTags, action.value.target.value];
  };
  assert.deepEqual(orderOf(units)[0], [...units.tag]);
  assert.deepEqual(orderOf([first, 5n], first), [[first?.tag, 5n], first?.tag]);
  assert.deepEqual(orderOf(new BigUint64Array([1n, 2n]), new Float32Array([1.5, 2])), [[1n, 2n], { x: 1.5, y: 2 }]);
  assert.deepEqual(orderOf(new Set([1n]), { x: 1, y: 2, z: 3 }), [[1n], { x: 1, y: 2 }]);
  assert.deepEqual(/** @type {any} */ (actions.moveCamera(/** @type {any} */ (first))).actionRaw.action.value.centerWorldSpace, { x: first?.pos[0], y: first?.pos[1], z: 0 });
  for (const [bad, aim, kind] of [[7, undefined, TypeError], ["x", undefined, TypeError], [null, undefined, TypeError], [[1n, {}], undefined, TypeError], [-1n, undefined, RangeError], [2n ** 64n, undefined, RangeError], [1n, 7, TypeError], [1n, [1], TypeError], [1n, null, TypeError], [1n, [NaN, 1], TypeError], [1n, "xy", TypeError]]) {
    assert.throws(() => orderOf(bad, aim), /** @type {any} */ (kind));
  }
  const commands = new Commands({ do: () => assert.fail() }, new Match(await recording.describe()));
  commands.attack([], [1, 2]);
  assert.throws(() => commands.command(1n, "Atack"), /did you mean ATTACK/);
  assert.throws(() => commands.train([1n], "MINERALFIELD"), /no ability produces/);
});

/** @param {import("sc2bridge").Frame} frame @param {import("sc2bridge").Changes} changes */
function line(frame, changes) {
  const tags = (/** @type {import("sc2bridge").Units} */ units) => [...units.tag].map(String);
  return {
    step: frame.step,
    begun: changes.begun,
    destroyed: changes.destroyed.map(({ tag, unitType, alliance, owner, pos, health, shield, presumed }) => [`${tag}`, unitType, alliance, owner, [...pos], health, shield, presumed]),
    created: tags(changes.created),
    typeChanged: tags(changes.typeChanged),
    previousTypes: changes.previousTypes,
    damaged: tags(changes.damaged),
    damage: changes.damage,
    started: tags(changes.started),
    finished: tags(changes.finished),
    upgrades: changes.upgrades,
    seen: tags(changes.seen),
  };
}

const KINDS = /** @type {const} */ (["destroyed", "created", "typeChanged", "damaged", "started", "finished", "upgrades", "seen"]);

for (const perspective of [1, 0]) {
  test(`unit events are the same as in Python: in a recording of perspective ${perspective}, and with skipped, lost and repeated frames`, { timeout: 240_000 }, async (t) => {
    const path = await playMatch(t, "--observe", `${perspective}`, "--steps", "900", "--step-size", "16");
    const recording = await openRecording(await openAsBlob(path));
    const ours = await eventsOfRecording(recording);
    assert.deepEqual(ours, (await python(t, ["recorded", path, `${perspective}`])).map((each) => JSON.parse(each)));
    for (const kind of KINDS) {
      const count = ours.reduce((sum, each) => sum + each[kind].length, 0);
      assert.ok(perspective === 0 && (kind === "seen" || kind === "upgrades") ? count === 0 : count > 0, `${count} ${kind}`);
    }

    const sent = await wireFrames(recording, perspective);
    const description = await recording.describe(perspective);
    const serve = () => {
      let at = 0;
      return fakeBridge(t, (request, send) => {
        if (request.case === "describe") {
          send({ case: "describe", requestId: request.requestId, value: { match: description } });
        } else if (request.case === "subscribe" || request.case === "acknowledge") {
          request.case === "subscribe" && send({ case: "subscribe", requestId: request.requestId, value: { sessionId: "5e", name: "events" } });
          send(...(sent[at++] ?? [matchEnd()]));
        }
      });
    };
    const theirs = (await python(t, ["events", `${(await serve()).url}/v1?encoding=proto`])).map((each) => JSON.parse(each));
    const bridge = await connect((await serve()).url);
    const frames = bridge.subscribe({ policy: "lockstep", reportTimes: false });
    const events = new UnitEvents(new Match(await frames.describe()));
    const received = [];
    for await (const frame of frames) {
      received.push(line(frame, events.update(frame)));
    }
    bridge.close();
    assert.equal(received.length, sent.length);
    assert.deepEqual(received, theirs);
    assert.ok(received.some(({ destroyed }) => destroyed.some((each) => each.at(-1))), "no death is presumed");
    assert.equal(received.filter(({ begun }) => begun).length, 2);
  });
}

test("unit events of the sample recording are the same as in Python", async (t) => {
  const ours = await eventsOfRecording(await openRecording(await openAsBlob(SAMPLE)));
  assert.deepEqual(ours, (await python(t, ["recorded", SAMPLE, "0"])).map((each) => JSON.parse(each)));
});

/** @param {import("sc2bridge/recording").Recording} recording */
async function eventsOfRecording(recording) {
  const events = new UnitEvents(new Match(await recording.describe()));
  const found = [];
  for await (const frame of recording.perspective()) {
    found.push(line(frame, events.update(frame)));
  }
  return found;
}

/**
 * The frames of a recording as events of a bridge. Some frames are left out and reported as skipped, others are lost, and in the
 * middle the playback moves back.
 * @param {import("sc2bridge/recording").Recording} recording @param {number} perspective
 */
async function wireFrames(recording, perspective) {
  let seed = 7;
  const random = () => (seed = (seed * 48271) % 2147483647) / 2147483647;
  /** @type {import("./fake.js").BridgeEvent[][]} */
  const sent = [];
  /** @type {{ frames: bigint, firstStep: bigint, deadUnits: bigint[], upgradeIds: number[] } | undefined} */
  let skipped;
  const all = [];
  for await (const frame of recording.perspective(perspective)) {
    all.push(frame);
  }
  const middle = all.length >> 1;
  for (const [at, frame] of [...all.slice(0, middle + 100), ...all.slice(middle)].entries()) {
    const isMoved = at === middle + 100;
    const chance = random();
    if (!isMoved && chance < 0.3) {
      const { event, player } = /** @type {any} */ (frame.events.observation?.rawData);
      skipped ??= { frames: 0n, firstStep: BigInt(frame.step), deadUnits: [], upgradeIds: [] };
      skipped.frames++;
      skipped.deadUnits.push(...(event?.deadUnits ?? []));
      skipped.upgradeIds.push(...(player?.upgradeIds ?? []));
      continue;
    }
    if (!isMoved && chance < 0.33) {
      skipped = undefined; // This frame is lost, with all frames since the last sent frame.
      continue;
    }
    const observation = fromBinary(ResponseObservationSchema, /** @type {Uint8Array} */ (frame.raw));
    const value = { matchId: "m", perspective, step: BigInt(frame.step), gameLoop: frame.gameLoop, content: 1, payload: /** @type {const} */ ({ case: "observation", value: observation }), skipped: isMoved ? undefined : skipped };
    sent.push([...(isMoved ? [/** @type {const} */ ({ case: "playback", value: { step: BigInt(frame.step) } })] : []), { case: "frame", value }]);
    skipped = undefined;
  }
  return sent;
}
