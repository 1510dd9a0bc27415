import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { load } from "./modules.js";

const frame = (gameLoop, perspective = 1, playerCommon = {}, scoreDetails = {}) => ({
  gameLoop,
  perspective,
  observation: { observation: { playerCommon, score: { scoreDetails } } },
});

test("frames in any order make curves in the order of game loops, without duplicates", async (t) => {
  const { Curves } = await load(t, "/src/curves.ts");
  fc.assert(
    fc.property(fc.array(fc.nat(50)), (loops) => {
      const curves = new Curves();
      loops.forEach((loop) => curves.add(frame(loop, 1, { minerals: loop * 3, vespene: loop })));
      const sorted = [...new Set(loops)].sort((a, b) => a - b);
      const made = curves.of(1, 0);
      assert.deepEqual(made.loops, sorted);
      assert.deepEqual(made.values, sorted.length ? [sorted.map((loop) => loop * 3), sorted] : []);
      assert.equal(curves.version, sorted.length);
    }),
  );
});

test("each perspective has its own curves, and each chart its own numbers", async (t) => {
  const { CHARTS, Curves } = await load(t, "/src/curves.ts");
  const curves = new Curves();
  curves.add(frame(8, 2, { foodUsed: 14, foodCap: 15, foodWorkers: 13 }, { usedMinerals: { army: 100 }, usedVespene: { army: 25 }, lostMinerals: { none: 1, army: 2, economy: 3, technology: 4, upgrade: 5 } }));
  curves.add(frame(8, 1, { minerals: 50 }));
  assert.deepEqual(curves.perspectives, [1, 2]);
  assert.deepEqual(CHARTS.map((_, chart) => curves.of(2, chart).values), [[[0], [0]], [[0], [0]], [[14], [15], [13]], [[125], [0], [15]]]);
  assert.deepEqual(curves.of(1, 0).values, [[50], [0]]);
  assert.deepEqual(curves.of(7, 0).loops, []);
  curves.clear();
  assert.deepEqual(curves.perspectives, []);
});

test("the curves of a long match lose points, but keep the first and the last point", async (t) => {
  const { Curves } = await load(t, "/src/curves.ts");
  const curves = new Curves();
  for (let loop = 0; loop <= 50_000; loop++) {
    curves.add(frame(loop, 1, { minerals: loop }));
  }
  const { loops, values } = curves.of(1, 0);
  assert.ok(loops.length > 10_000 && loops.length <= 20_000);
  assert.deepEqual([loops[0], loops.at(-1)], [0, 50_000]);
  assert.deepEqual(values[0], loops);
});
