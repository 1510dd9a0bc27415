/** The parts of the viewer's workers, without a browser. */

import assert from "node:assert/strict";
import { openAsBlob } from "node:fs";
import { test } from "node:test";
import { SAMPLE } from "../../test/bridge.js";
import { changed } from "./changed.js";
import { loadAll } from "./modules.js";

const sample = async ({ openRecording }) => openRecording(await openAsBlob(SAMPLE));

test("a survey of too many points is shortened, and reports it", async (t) => {
  const [{ survey }, library] = await loadAll(t, "/src/recording/survey.ts", "sc2bridge/recording");
  for (const [most, notices] of [[20, 1], [200_000, 0]]) {
    const messages = [];
    await survey(await sample(library), (message) => messages.push(message), most);
    const points = messages.flatMap((message) => message.points ?? []);
    assert.equal(points.length === most, notices === 1);
    assert.ok(points.length > 19);
    assert.equal(messages.filter(({ kind, message }) => kind === "notice" && /the curves are shortened/.test(message)).length, notices);
    assert.equal(messages.some(({ isDone }) => isDone), true);
  }
});

test("a survey leaves out malformed observations only, and counts them", async (t) => {
  const [{ survey }, library] = await loadAll(t, "/src/recording/survey.ts", "sc2bridge/recording");
  const messages = [];
  const recording = changed(await sample(library), (perspective) => ({
    length: perspective.length, perspective: perspective.perspective, chunkStarts: perspective.chunkStarts,
    at: async (index) => {
      if (index === 3 || index === 50) {
        throw new library.MalformedMessageError("malformed");
      }
      return perspective.at(index);
    },
  }));
  await survey(recording, (message) => messages.push(message));
  const loops = messages.flatMap(({ points }) => points ?? []).map(({ loop }) => loop);
  assert.ok(loops.some((loop) => loop > 1100), `the last point is at loop ${loops.at(-1)}`);
  assert.match(messages.at(-1).message, /^2 observations of .* are malformed/);
});

/** Plays without a page: each message is answered, and the clock advances by 100 ms for each step. */
async function play(Player, recording, steps, act = () => {}) {
  const shown = [];
  let now = 0;
  await new Promise((resolve) => {
    const player = new Player(recording, (message) => {
      if (message.kind === "frames") {
        shown.push({ step: message.frames[0].step, isMoved: message.isMoved, frames: message.frames });
        act(player, shown.length);
        now += 100;
        if (shown.length === steps) {
          resolve();
        }
        setImmediate(() => player.ready());
      }
    }, () => now);
    void player.run();
  });
  return shown;
}

test("a playback that leaves out steps goes on, and one that a command moved does not", async (t) => {
  const [{ Player }, library] = await loadAll(t, "/src/recording/player.ts", "sc2bridge/recording");
  const shown = await play(Player, await sample(library), 6, (player, count) => {
    if (count === 1) {
      void player.command({ kind: "rate", rate: 358.4 });
    } else if (count === 3) {
      void player.command({ kind: "step", steps: 1 });
      void player.command({ kind: "resume" });
    }
  });
  assert.ok(shown[2].step > shown[1].step + 10, `steps ${shown.map(({ step }) => step)}`);
  assert.deepEqual(shown.map(({ isMoved }) => isMoved), [false, false, false, true, false, false]);
});

test("if a chunk is damaged, the next readable one is found in a few reads", async (t) => {
  const [{ Player }, library] = await loadAll(t, "/src/recording/player.ts", "sc2bridge/recording");
  const recording = await sample(library);
  const lead = recording.perspective();
  let reads = 0;
  // Each frame of the second perspective has its own chunk. The chunks of the loops 300 to 399 are damaged.
  const other = {
    length: 1192, perspective: 1, chunkStarts: [...Array(1192).keys()],
    indexOf: async () => {
      throw new library.RecordingError("damaged", 0, "damaged");
    },
    at: async (index) => {
      reads++;
      if (index >= 300 && index < 400) {
        throw new library.RecordingError("damaged", 0, "damaged");
      }
      const frame = await lead.at(0);
      return { gameLoop: index, step: index, parts: { ...frame.parts, perspective: 1, step: index } };
    },
  };
  const both = new Proxy(recording, { get: (of, name) => (name === "perspectives" ? [0, 1] : name === "perspective" ? (number) => (number === 1 ? other : lead) : of[name]) });
  let before = 0;
  const shown = await play(Player, both, 3, (player, count) => {
    if (count === 1) {
      player.watch("all");
      void player.command({ kind: "seek", loop: 1000 });
      before = reads;
    }
  });
  assert.deepEqual(shown[1].frames.map(({ step }) => step), [125, 1000]);
  assert.ok(reads - before < 60, `${reads - before} reads`);
});

test("tech is marked when a player has the first building of a kind that others require, or an upgrade", async (t) => {
  const [{ Tech }] = await loadAll(t, "/src/recording/tech.ts");
  const unit = (unitId, name, techRequirement = 0, more = {}) => ({ unitId, name, techRequirement, attributes: [8], unitAlias: 0, techAlias: [], ...more });
  const tech = new Tech({
    units: [unit(1, "Hall"), unit(2, "Depot", 1), unit(3, "Barracks", 2), unit(4, "BarracksFlying", 0, { unitAlias: 3 }), unit(5, "Marine", 3, { attributes: [] }), unit(6, "Bunker", 3)],
    upgrades: [{ upgradeId: 7, name: "Stimpack" }],
  });
  const frame = (gameLoop, perspective, rows, upgrades = []) => {
    const column = (of) => rows.map(of);
    const none = column(() => 0);
    const units = {
      length: rows.length, unitType: column(([type]) => type), owner: column(([, owner]) => owner), alliance: column(([, owner]) => (owner === 1 ? 1 : 4)),
      isHallucination: none, attackUpgradeLevel: column(([, , level = 0]) => level), armorUpgradeLevel: none, shieldUpgradeLevel: none,
    };
    return { gameLoop, perspective, units, upgrades };
  };
  const texts = (...of) => tech.sample(frame(...of)).map(({ loop, kind, text }) => `${loop} ${kind} ${text}`);
  assert.deepEqual(texts(0, 0, [[1, 1], [1, 2]]), []);
  assert.deepEqual(texts(44, 0, [[1, 1], [2, 1], [2, 1], [5, 2]]), ["44 tech player 1: Depot"]);
  assert.deepEqual(texts(88, 0, [[4, 2], [6, 2], [5, 1, 1]]), ["88 tech player 2: Barracks", "88 tech player 1: attack upgrade 1"]);
  assert.deepEqual(texts(132, 1, [[3, 2], [3, 1]], [7]), ["132 tech player 1: Barracks", "132 tech player 1: Stimpack"]);
});
