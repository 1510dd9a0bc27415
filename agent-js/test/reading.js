/** What a program reads of a match, in Node and in a browser alike. */

import { connect } from "sc2bridge";

/** @typedef {import("sc2bridge").ConnectOptions} How @typedef {import("sc2bridge").SubscribeOptions} What */

/** Every frame, what is long of it as a sum. @param {string} url @param {How} how @param {What} what */
export async function read(url, how, what) {
  const bridge = await connect(url, how);
  const frames = [];
  const subscription = bridge.subscribe(what);
  for await (const frame of subscription) {
    const { units } = frame;
    frames.push({
      ...shortOf(frame),
      size: frame.size,
      columns: [units, units.orders, units.passengers, units.buffs, units.rallyTargets].map(sumOfTable),
      json: sum(new TextEncoder().encode(JSON.stringify(frame.json))),
    });
  }
  bridge.close();
  return { frames, reason: subscription.end?.reason };
}

/** What is short of a frame. @param {import("sc2bridge").Frame} frame */
export function shortOf(frame) {
  return {
    matchId: frame.matchId,
    perspective: frame.perspective,
    step: frame.step,
    gameLoop: frame.gameLoop,
    requestedNs: `${frame.requestedNs}`,
    observedNs: `${frame.observedNs}`,
    minerals: frame.common.minerals,
    count: frame.units.length,
  };
}

/** @param {import("sc2bridge").Units | import("sc2bridge").Lists} table */
function sumOfTable(table) {
  return Object.keys(table.fields).map((name) => {
    const { buffer, byteOffset, byteLength } = table.column(name);
    return [sum(new Uint8Array(buffer, byteOffset, byteLength)), sum(table.present(name))];
  });
}

/** FNV-1a. @param {Uint8Array} bytes */
function sum(bytes) {
  let hash = 0x811c9dc5;
  for (let at = 0; at < bytes.length; at++) {
    hash = Math.imul(hash ^ /** @type {number} */ (bytes[at]), 0x01000193);
  }
  return hash >>> 0;
}
