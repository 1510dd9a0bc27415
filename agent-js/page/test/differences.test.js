/** The first differences of two recordings, without a browser. */

import assert from "node:assert/strict";
import { openAsBlob } from "node:fs";
import { test } from "node:test";
import { create, fromBinary, toBinary } from "@bufbuild/protobuf";
import fc from "fast-check";
import { SAMPLE } from "../../test/bridge.js";
import { withFrames, withoutFrame } from "./changed.js";
import { loadAll } from "./modules.js";
import { record } from "./pairs.js";

const MODULES = ["/src/compare/finder.ts", "/src/compare/differ.ts", "/src/compare/matches.ts", "sc2bridge/recording", "sc2bridge/s2clientprotocol/sc2api"];

async function load(t) {
  const [{ findDifferences, compareTracks, Track }, { Differ }, { contrast }, library, { ResponseObservationSchema: schema }] = await loadAll(t, ...MODULES);
  const open = async (path = SAMPLE) => library.openRecording(await openAsBlob(path));
  /** The last message of a comparison. */
  const find = async (one, two) => {
    const messages = [];
    await findDifferences([one, two], (message) => messages.push(message));
    return messages.at(-1);
  };
  /** A recording with changes in one observation, or in the parts of its frames. */
  const edited = (recording, at, change, changeParts = () => ({})) =>
    withFrames(recording, (frame, index) => {
      const observation = index === at && fromBinary(schema, frame.parts.data);
      if (observation) {
        change(observation);
      }
      return new library.RecordedFrame({ ...frame.parts, ...changeParts(frame.parts, index), ...(observation ? { data: toBinary(schema, observation) } : {}) });
    });
  return { find, edited, open, contrast, compareTracks, Track, Differ, library, schema };
}

const short = ({ kind, loop, field, isError, missing, values }) => ({ kind, loop, ...(field === undefined ? {} : { field }), ...(isError === undefined ? {} : { isError }), ...(missing === undefined ? {} : { missing }), ...(values ? { values } : {}) });

test("matches with the same seed have no difference, and another action or seed is found", { timeout: 300_000 }, async (t) => {
  const { find, open, contrast } = await load(t);
  const path = await record(t);
  const [one, same, other, seed, half] = await Promise.all([path, await record(t), await record(t, { to: { x: 30, y: 30 } }), await record(t, { seed: 2 }), await record(t, { stepSize: 4, steps: 120, at: 40 })].map(open));
  /** Without slow steps, which depend on the machine. */
  const without = (differences) => differences.filter(({ kind, missing }) => kind !== "time" || missing !== undefined);
  const none = await find(one, same);
  assert.deepEqual([none.loops, without(none.differences), none.isDone, none.isDamaged], [60, [], true, false]);
  const differences = without((await find(one, other)).differences);
  assert.deepEqual(differences.map(({ kind, loop }) => [kind, loop]), [["action", 168], ["state", 168]]);
  assert.deepEqual(differences[0].values.map(({ actionRaw }) => actionRaw.unitCommand.targetWorldSpacePos), [{ x: 60, y: 60 }, { x: 30, y: 30 }]);
  assert.deepEqual([differences[1].field, differences[1].unit.unitType, differences[1].units], ["orders", 45, 1]);
  const [first] = without((await find(one, seed)).differences);
  assert.deepEqual([first.kind, first.loop], ["state", 0]);
  // Every second step of the other recording has a game loop that both have. Actions of both steps belong to it.
  const mixed = await find(one, half);
  assert.deepEqual([mixed.loops, without(mixed.differences)], [60, []]);
  const facts = (recording) => ({ name: recording.name, firstLoop: 0, lastLoop: 0 });
  assert.deepEqual(contrast([one, seed], [facts(one), facts(seed)]), { notes: ["the seeds differ: 1 and 2"], incomparable: "" });
});

test("a difference in a unit, a number, an action, a failed order, or a time only", { timeout: 180_000 }, async (t) => {
  const { find, edited, open } = await load(t);
  const cases = [
    [(observation) => observation.observation.rawData.units[3].health--, [{ kind: "state", field: "health" }]],
    [(observation) => observation.observation.rawData.units.splice(3, 1), [{ kind: "state", field: "", values: ["present", undefined] }]],
    [(observation) => observation.observation.rawData.units.reverse(), []],
    [(observation) => (observation.observation.playerCommon.minerals = 12_345), [{ kind: "state", field: "playerCommon.minerals" }]],
    [(observation) => observation.chat.push({ $typeName: "SC2APIProtocol.ChatReceived", playerId: 1, message: "hi" }), [{ kind: "state", field: "chat" }]],
    [(observation) => observation.actions.push({ $typeName: "SC2APIProtocol.Action", gameLoop: 7 }), [{ kind: "action", isError: false, values: [undefined, { gameLoop: 7 }] }]],
    [(observation) => observation.actionErrors.push({ $typeName: "SC2APIProtocol.ActionError", result: 1 }), [{ kind: "action", isError: true, values: [undefined, { result: "Success" }] }]],
  ];
  for (const [change, expected] of cases) {
    const { differences, loops } = await find(await open(), edited(await open(), 40, change));
    assert.equal(loops, 150);
    assert.deepEqual(differences.map((each) => ({ ...short(each), ...(each.kind === "state" && each.field ? { values: undefined } : {}) })), expected.map((each) => ({ ...each, loop: 320, ...(each.kind === "state" && each.field ? { values: undefined } : {}) })));
  }
});

test("a step that is slow or missing in one recording only is a difference in time, unless it is damaged", { timeout: 180_000 }, async (t) => {
  const { find, edited, open, library } = await load(t);
  const slow = edited(await open(), -1, () => {}, ({ observedNs }, index) => ({ observedNs: observedNs + (index >= 70 ? 3_000_000_000n : 0n) }));
  const found = (await find(await open(), slow)).differences;
  assert.deepEqual(found.map(short), [{ kind: "time", loop: 560 }]);
  assert.ok(found[0].ms[1] > 3000 && found[0].ms[0] < 300, `${found[0].ms}`);
  const without = withoutFrame(await open(), 50);
  assert.deepEqual((await find(without, await open())).differences.map(short), [{ kind: "time", loop: 400, missing: 0 }]);
  assert.deepEqual((await find(await open(), without)).differences.map(short), [{ kind: "time", loop: 400, missing: 1 }]);
  for (const index of [50, 149]) {
    const damaged = withFrames(await open(), (frame, at) => {
      if (at === index) {
        throw new library.MalformedMessageError("malformed");
      }
      return frame;
    });
    const { differences, isDamaged, loops } = await find(await open(), damaged);
    assert.deepEqual([differences, isDamaged, loops], [[], true, 149]);
  }
});

/** The same search by its definition, over whole lists of steps. */
function reference(one, two, hasSameSteps) {
  const all = [one, two];
  const common = one.map(({ loop }) => loop).filter((loop) => two.some((step) => step.loop === loop));
  const at = (side, loop) => all[side].find((step) => step.loop === loop);
  const state = common.find((loop) => at(0, loop).minerals !== at(1, loop).minerals);
  const action = common.find((loop, index) => {
    const after = index ? common[index - 1] : -1;
    const between = all.map((steps) => steps.filter((step) => step.loop > after && step.loop <= loop));
    return (index > 0 || between.every(({ length }) => length === 1)) && `${between[0].flatMap(({ actions }) => actions)}` !== `${between[1].flatMap(({ actions }) => actions)}`;
  });
  const slow = common.find((loop, index) => {
    const [a, b] = [0, 1].map((side) => index > 0 && at(side, loop).ms - at(side, common[index - 1]).ms);
    return index > 0 && Math.max(a, b) > 1000 && Math.max(a, b) > 10 * Math.min(a, b);
  });
  const missing = [0, 1].flatMap((side) => all[side].map(({ loop }) => loop).filter((loop) => !common.includes(loop) && common[0] < loop && loop < all[1 - side].at(-1).loop));
  const time = Math.min(slow ?? Infinity, ...(hasSameSteps ? missing : []));
  return { loops: common.length, state, action, time: time === Infinity ? undefined : time };
}

test("the search agrees with its definition, for any steps", { timeout: 180_000 }, async (t) => {
  const { compareTracks, Track, Differ, schema } = await load(t);
  const unlikely = (value) => fc.oneof({ weight: 12, arbitrary: fc.constant(undefined) }, { weight: 1, arbitrary: value });
  /** The changes of a side compared with what both have: steps left out, other minerals, other actions, pauses. */
  const side = fc.record({
    first: fc.nat(6), size: fc.constantFrom(1, 1, 1, 2, 3),
    steps: fc.array(fc.record({ isLeftOut: unlikely(fc.constant(true)), minerals: unlikely(fc.nat(3)), action: unlikely(fc.nat(2)), pause: unlikely(fc.constantFrom(900, 1100, 5000)) }), { minLength: 1, maxLength: 24 }),
  });
  const actionsOf = fc.array(fc.array(fc.nat(2), { maxLength: 1 }), { minLength: 100, maxLength: 100 });
  const made = ({ first, size, steps }, actions) => {
    let ms = 0;
    let loop = first - size;
    let before = first - 1;
    return steps.flatMap(({ isLeftOut, minerals, action, pause = 0 }) => {
      loop += size;
      ms += size * 20 + pause;
      if (isLeftOut) {
        return [];
      }
      const own = [...actions.slice(before + 1, loop + 1).flat(), ...(action === undefined ? [] : [action])];
      before = loop;
      return [{ loop, minerals: minerals ?? 50, actions: own, ms }];
    });
  };
  async function* stepsOf(steps) {
    for (const { loop, minerals, actions, ms } of steps) {
      const observation = create(schema, { actions: actions.map((gameLoop) => ({ gameLoop })), observation: { gameLoop: loop, playerCommon: { minerals } } });
      const parts = { matchId: "", perspective: 1, step: loop, requestedNs: 0n, observedNs: BigInt(ms) * 1_000_000n, data: toBinary(schema, observation) };
      yield { loop, parts, isAfterDamage: false };
    }
    return false;
  }
  const kinds = { state: 0, action: 0, time: 0, none: 0 };
  await fc.assert(
    fc.asyncProperty(side, side, actionsOf, fc.boolean(), async (one, two, actions, hasSameSteps) => {
      const [a, b] = [made(one, actions), made(two, actions)];
      fc.pre(a.length > 0 && b.length > 0);
      const messages = [];
      await compareTracks([new Track([stepsOf(a), stepsOf(b)], new Differ(1, hasSameSteps))], (message) => messages.push(message));
      const { differences, loops } = messages.at(-1);
      const found = Object.fromEntries(differences.map(({ kind, loop }) => [kind, loop]));
      const expected = reference(a, b, hasSameSteps);
      const isWhole = differences.length < 3; // Otherwise the search ends early.
      assert.deepEqual({ loops: isWhole ? loops : expected.loops, state: found.state, action: found.action, time: found.time }, expected);
      assert.deepEqual(differences.map(({ loop }) => loop), differences.map(({ loop }) => loop).sort((x, y) => x - y));
      differences.forEach(({ kind }) => kinds[kind]++);
      kinds.none += Number(differences.length === 0);
    }),
    { numRuns: 2000 },
  );
  assert.ok(Object.values(kinds).every((count) => count > 50), JSON.stringify(kinds));
});
