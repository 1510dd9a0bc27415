/**
 * Plays Terran: makes SCVs, and attacks with groups of them. Against a VeryEasy computer it wins within a few minutes.
 *
 *     ./sc2bridge match --player agent:terran --player computer:zerg:VeryEasy --no-agents --wait 1
 *     node agent-js/examples/bot.js ws://127.0.0.1:8765
 */

import { Commands, connect, Match, UnitEvents } from "sc2bridge";
import * as UnitTypeId from "sc2bridge/ids/unit-types";
import { Result } from "sc2bridge/s2clientprotocol/sc2api";

const THINKS_EVERY = 16; // game loops
const GROUP = 4; // new workers that attack together

const bridge = await connect(process.argv[2] ?? "ws://127.0.0.1:8765");
const frames = bridge.subscribe({ agent: "bot", policy: "lockstep", content: "columns", canAct: true });
const match = new Match(await frames.describe());
const commands = new Commands(frames, match);
const events = new UnitEvents(match);
const goal = match.description.gameInfo?.startRaw?.startLocations[0] ?? { x: 0, y: 0 }; // For a player, the enemy's start location.

/** The positions of known enemy buildings, by tag. @type {Map<bigint, Float32Array>} */
const targets = new Map();
/** The tags of workers that attack. @type {Set<bigint>} */
const fighters = new Set();
let nextThought = 0;
let failed = 0;

for await (const frame of frames) {
  failed += frame.outcomes.filter(({ succeeded }) => !succeeded).length;
  const changes = events.update(frame);
  for (const { tag } of changes.destroyed) {
    targets.delete(tag);
    fighters.delete(tag);
  }
  for (const unit of changes.seen) {
    if (match.structures.has(unit.unitType)) {
      targets.set(unit.tag, unit.pos.slice());
    }
  }
  if (frame.gameLoop < nextThought) {
    continue;
  }
  nextThought = frame.gameLoop + THINKS_EVERY;
  const { own } = frame.units;
  const workers = own.ofType(UnitTypeId.SCV);
  const attackers = [...workers.idle].filter(({ tag }) => fighters.has(tag));
  const newWorkers = [...workers].filter(({ tag }) => !fighters.has(tag));
  if (newWorkers.length >= GROUP) {
    attackers.push(...newWorkers);
    newWorkers.forEach(({ tag }) => fighters.add(tag));
  }
  commands.attack(attackers, [...targets.values()][0] ?? goal);
  const { minerals = 0, foodUsed = 0, foodCap = 0 } = frame.common;
  const [townHall] = own.ofType(UnitTypeId.COMMANDCENTER).idle;
  if (minerals >= 50 && foodUsed < foodCap && townHall) {
    commands.train(townHall, "SCV");
  }
}
const result = frames.end?.results.find(({ playerId }) => playerId === 1)?.result;
console.log(`${result === undefined ? frames.end?.reason : Result[result]}, ${failed} failed actions`);
bridge.close();
