import assert from "node:assert/strict";
import { test } from "node:test";
import { BridgeError, connect, ConnectionLostError, StatusCode } from "sc2bridge";
import { replay, SAMPLE, startBridge } from "./bridge.js";

test("a playback can be paused, moved and resumed, and its rate can be set", async (t) => {
  const { url } = await replay(t, 1, "--paused");
  const bridge = await connect(url, { encoding: "json" });
  const frames = bridge.subscribe({ compression: "group-zstd" });
  const next = async () => (await frames.next()).value;
  assert.equal((await next())?.step, 0);
  const state = await bridge.seek({ step: 100 });
  assert.deepEqual([state.paused, state.step, state.lastStep], [true, 100n, 149n]);
  const sought = await next();
  assert.deepEqual([sought?.step, sought?.seeked], [100, true]);
  await bridge.step(2);
  assert.deepEqual([(await next())?.step, (await next())?.step], [101, 102]);
  await bridge.seek({ loop: 8 });
  assert.equal((await next())?.gameLoop, 8);
  assert.equal((await bridge.setRate(1000)).rate, 1000);
  assert.equal((await bridge.playback()).paused, true);
  await bridge.resume();
  let last = 0;
  for await (const frame of frames) {
    last = frame.step;
  }
  assert.equal(last, 149);
  assert.equal(frames.end?.reason, "step limit");
  bridge.close();
});

test("an agent can describe the match, send a request and an action, and receives the outcome", async (t) => {
  const { url } = await startBridge(t, [
    "match", "--game", "simulated", "--player", "agent:terran", "--player", "computer:zerg:Easy", "--wait", "1", "--steps", "40", "--rate", "max", "--no-recording",
  ]);
  const bridge = await connect(url);
  const frames = bridge.subscribe({ agent: "player", policy: "lockstep", content: "columns", canAct: true });
  const outcomes = [];
  for await (const frame of frames) {
    outcomes.push(...frame.outcomes);
    if (frame.step === 1) {
      assert.deepEqual([frames.name, (await bridge.hello()).capabilities.includes("call-game")], ["player", true]);
      const match = await frames.describe();
      assert.ok(match.data && match.gameInfo && match.players.length === 2);
      const { ping } = /** @type {any} */ ((await frames.request({ request: { case: "ping", value: {} } })).response).value ? { ping: true } : { ping: false };
      assert.ok(ping);
      const scv = match.data.units.find((unit) => unit.name === "SCV")?.unitId ?? 0;
      const [worker] = frame.units.own.ofType(scv);
      const move = { abilityId: 16, unitTags: [/** @type {bigint} */ (worker?.tag)], target: /** @type {const} */ ({ case: "targetWorldSpacePos", value: { x: 60, y: 60 } }) };
      assert.equal(frames.act([{ actionRaw: { action: { case: "unitCommand", value: move } } }]), 1);
    }
  }
  assert.deepEqual(outcomes.map(({ tag, succeeded }) => [tag, succeeded]), [[1, true]]);
  await assert.rejects(bridge.pause(), (error) => error instanceof BridgeError);
  bridge.close();
});

test("an unknown token is refused, and a token for watching cannot control the playback", async (t) => {
  const { url } = await startBridge(t, ["replay", SAMPLE, "--wait", "1"], {
    env: { SC2BRIDGE_TOKENS: "watch c1b6b2a49f6d4bb0a7d4" },
  });
  const stranger = await connect(url, { token: "0000000000000000" });
  await assert.rejects(stranger.describe(), (error) => error instanceof BridgeError && error.code === StatusCode.UNAUTHENTICATED);
  const watcher = await connect(`${url}?token=c1b6b2a49f6d4bb0a7d4`);
  await assert.rejects(watcher.pause(), (error) => error instanceof BridgeError && error.code === StatusCode.PERMISSION_DENIED);
  for await (const frame of watcher.subscribe({ policy: "latest" })) {
    assert.equal(frame.perspective, 0);
    break;
  }
  watcher.close();
});

test("a wrong token and a lost bridge throw different errors, and only a lost bridge is retried", async (t) => {
  const { url, kill } = await startBridge(t, ["replay", SAMPLE, "--wait", "1", "--paused"], { env: { SC2BRIDGE_TOKENS: "watch c1b6b2a49f6d4bb0a7d4" } });
  const lost = t.mock.fn();
  const stranger = await connect(url, { token: "wrong", retrySeconds: Infinity, onLost: lost });
  await assert.rejects(stranger.subscribe().next(), (error) => error instanceof BridgeError && !(error instanceof ConnectionLostError) && error.codeName === "UNAUTHENTICATED");
  assert.equal(lost.mock.callCount(), 0);
  const watcher = await connect(url, { token: "c1b6b2a49f6d4bb0a7d4" });
  const frames = watcher.subscribe();
  assert.equal((await frames.next()).value?.step, 0);
  await kill();
  await assert.rejects(frames.next(), ConnectionLostError);
  await assert.rejects(watcher.status(), ConnectionLostError);
  await assert.rejects((await connect(url, { token: "wrong" })).status(), ConnectionLostError);
});
