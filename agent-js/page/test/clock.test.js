import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { load } from "./modules.js";

const COUNT = 50;
const command = fc.oneof(
  fc.record({ kind: fc.constant("wait"), ms: fc.nat(1500) }),
  fc.record({ kind: fc.constantFrom("pause", "resume", "shown") }),
  fc.record({ kind: fc.constant("step"), steps: fc.integer({ min: -60, max: 60 }) }),
  fc.record({ kind: fc.constant("seek"), index: fc.integer({ min: -5, max: 60 }) }),
  fc.record({ kind: fc.constant("rate"), rate: fc.constantFrom(0, 1, 22.4, 179.2) }),
);
const within = (index) => Math.max(0, Math.min(COUNT - 1, index));

test("after any sequence of commands the clock has the step and state of a simple model", async (t) => {
  const { PlaybackClock } = await load(t, "/src/recording/clock.ts");
  fc.assert(
    fc.property(fc.array(command, { maxLength: 40 }), (commands) => {
      const clock = new PlaybackClock(COUNT);
      let now = 1000;
      // The model: the position with its fraction, whether it plays, and its rate.
      let [position, plays, rate] = [0, false, 22.4];
      for (const { kind, ms, steps, index, rate: next } of commands) {
        const before = clock.at(now);
        if (kind === "wait") {
          now += ms;
          position = plays ? Math.min(COUNT - 1, position + (ms * rate) / 1000) : position;
        } else if (kind === "pause") {
          clock.pause(now);
          [position, plays] = [before.index, false];
        } else if (kind === "resume") {
          clock.resume(now);
          if (before.isPaused) {
            [position, plays] = [before.index === COUNT - 1 ? 0 : before.index, true];
          }
        } else if (kind === "step") {
          clock.step(steps, now);
          [position, plays] = [within(before.index + steps), false];
        } else if (kind === "seek") {
          clock.seek(index, now);
          [position, plays] = [within(index), !before.isPaused];
        } else if (kind === "rate") {
          clock.setRate(next, now);
          [position, plays, rate] = [before.index, !before.isPaused, next];
        } else {
          clock.shown(before.index, now);
          position = plays && rate === 0 ? within(before.index + 1) : position;
        }
        const state = clock.at(now);
        plays &&= state.index < COUNT - 1;
        assert.ok(Math.abs(state.index - Math.floor(position + 1e-6)) <= (Math.abs(position - Math.round(position)) < 1e-4 ? 1 : 0), `${kind}: ${state.index}, not ${position}`);
        position = Math.abs(state.index - position) >= 1 ? state.index : position;
        assert.deepEqual([state.isPaused, state.rate], [!plays, rate]);
        const wait = clock.wait(now);
        if (!plays || rate === 0) {
          assert.equal(wait, Infinity);
        } else {
          assert.equal(clock.at(now + wait + 0.01).index, within(state.index + 1));
          assert.equal(clock.at(now + Math.max(0, wait - 1)).index, wait > 1 ? state.index : clock.at(now).index);
        }
      }
    }),
    { numRuns: 1000 },
  );
});

test("eight times the game's speed loses no step of the clock, however late the page asks", async (t) => {
  const { PlaybackClock } = await load(t, "/src/recording/clock.ts");
  const clock = new PlaybackClock(100_000);
  clock.setRate(179.2, 0);
  clock.resume(0);
  for (let now = 0; now < 60_000; now += 37) {
    assert.equal(clock.at(now).index, Math.floor((now * 179.2) / 1000 + 1e-6));
  }
});
