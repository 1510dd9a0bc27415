/** Reads a match. Node and browsers run this same code. */

import { connect } from "sc2bridge";

/** @typedef {import("sc2bridge").ConnectOptions} How @typedef {import("sc2bridge").SubscribeOptions} What */

/** Returns all frames of a match, with hashes instead of long values. @param {string} url @param {How} how @param {What} what */
export async function read(url, how, what) {
  const bridge = await connect(url, how);
  const frames = [];
  const subscription = bridge.subscribe(what);
  for await (const frame of subscription) {
    const { units } = frame;
    frames.push({
      ...shortOf(frame),
      size: frame.size,
      columns: [units, units.orders, units.passengers, units.buffs, units.rallyTargets].map(hashesOf),
      json: hashOf(new TextEncoder().encode(JSON.stringify(frame.json))),
    });
  }
  bridge.close();
  return { frames, reason: subscription.end?.reason };
}

/** The values of a frame that are short. @param {import("sc2bridge").Frame} frame */
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
function hashesOf(table) {
  return Object.keys(table.fields).map((name) => {
    const { buffer, byteOffset, byteLength } = table.column(name);
    return [hashOf(new Uint8Array(buffer, byteOffset, byteLength)), hashOf(table.present(name))];
  });
}

/** A hash of bytes (FNV-1a). @param {Uint8Array} bytes */
function hashOf(bytes) {
  let hash = 0x811c9dc5;
  for (let at = 0; at < bytes.length; at++) {
    hash = Math.imul(hash ^ /** @type {number} */ (bytes[at]), 0x01000193);
  }
  return hash >>> 0;
}
