import assert from "node:assert/strict";
import { test } from "node:test";
import { load } from "./modules.js";

const frame = (gameLoop, { alerts = [], chat = [], actionErrors = [], deadUnits = [], skipped } = {}) => ({
  gameLoop,
  perspective: 1,
  observation: { actionErrors, chat, observation: { alerts, rawData: { event: { deadUnits } } } },
  skipped: skipped && { alerts: [], chat: [], actionErrors: [], deadUnits: [], ...skipped },
});

test("the list has the events of a frame and of the frames skipped before it, as text", async (t) => {
  const { Events } = await load(t, "/src/events.ts");
  const events = new Events();
  events.add(
    frame(120, {
      alerts: [19, 19],
      chat: [{ playerId: 2, message: "glhf" }],
      actionErrors: [{ result: 10 }],
      deadUnits: [1n],
      skipped: { alerts: [19, 9999], deadUnits: [2n, 3n] },
    }),
  );
  events.end(130, "finished");
  assert.deepEqual(
    events.list.map(({ loop, kind, text }) => [loop, kind, text]),
    [
      [120, "alert", "unit under attack ×3"],
      [120, "alert", "alert 9999"],
      [120, "chat", "player 2: glhf"],
      [120, "action error", "not enough vespene"],
      [120, "deaths", "3 units died"],
      [130, "match end", "finished"],
    ],
  );
});

test("events that a playback repeats after a move are listed once, in the order of game loops", async (t) => {
  const { Events } = await load(t, "/src/events.ts");
  const events = new Events();
  for (const loop of [10, 30, 20, 10, 30]) {
    events.add(frame(loop, { deadUnits: [1n] }));
  }
  assert.deepEqual(events.list.map(({ loop }) => loop), [10, 20, 30]);
  assert.equal(events.version, 3);
  for (let loop = 0; loop < 6_000; loop++) {
    events.add(frame(loop, { deadUnits: [1n] }));
  }
  assert.equal(events.list.length, 5_000);
  assert.equal(events.list.at(-1).loop, 5_999);
});

test("identifiers of the game become words", async (t) => {
  const { words } = await load(t, "/src/events.ts");
  assert.deepEqual(["UnitUnderAttack", "MULEExpired", "AlertError", "NuclearLaunchDetected"].map(words), [
    "unit under attack", "MULE expired", "alert error", "nuclear launch detected",
  ]);
});
