/**
 * Finds unit events between two frames: units that were created, destroyed, damaged, built, morphed or first seen. The game
 * reports only deaths and finished upgrades. All other events are found by comparing the tables of units.
 */

import { Alliance, DisplayType } from "../generated/s2clientprotocol/raw_pb.js";
import type { Frame } from "../frame.js";
import type { Units } from "../units/units.js";
import type { Match } from "./match.js";
import { type Known, type LastSeen, Memory } from "./memory.js";

/**
 * 5 seconds in game loops. After lost frames, an own unit that is missing for this time counts as dead. Units that are
 * passengers do not count as missing. A worker is inside a refinery for less than half of this time.
 */
const MISSING_LOOPS = 112;

const NEUTRAL_PLAYER = 16;

/** The changes from one frame to the next. Each table of units is a selection of `frame.units`. */
export interface Changes {
  /**
   * True for the match's first frame, and for the first frame after a seek of the playback. Such a frame cannot be compared
   * with an earlier frame, so only visible enemies are reported.
   */
  readonly begun: boolean;
  /** Units of any player that were seen before, and are destroyed now. */
  readonly destroyed: readonly LastSeen[];
  /** Own new units, without buildings. */
  readonly created: Units;
  /** Own units that morphed, burrowed, lifted off, sieged … */
  readonly typeChanged: Units;
  /** The previous unit type, for each unit of `typeChanged`. */
  readonly previousTypes: readonly number[];
  /** Own units with less health or shield than before. */
  readonly damaged: Units;
  /** The lost health plus the lost shield of each unit in `damaged`, in points. A rise of health or shield is not subtracted. */
  readonly damage: readonly number[];
  /** Own buildings whose construction started. */
  readonly started: Units;
  /** Own buildings that were finished. */
  readonly finished: Units;
  /** UpgradeData.upgrade_id of each finished upgrade. */
  readonly upgrades: readonly number[];
  /** Enemies seen for the first time. A unit that only a sensor tower detects does not count as seen. */
  readonly seen: Units;
}

interface Position {
  readonly matchId: string;
  readonly perspective: number;
  readonly step: number;
}

/**
 * Compares each frame of a match with the frames before it.
 *
 *     const events = new UnitEvents(match);
 *     for await (const frame of frames) {
 *       for (const unit of events.update(frame).created) console.log("new:", unit.unitType);
 *     }
 *
 * Deaths in skipped frames are reported, because `frame.skipped` contains them. If other frames are missing, for example after
 * a broken connection, an own unit that stays missing for 5 s of game time counts as dead. A seek of the playback and a new
 * match reset the state: units of the first frame then count as known, and only visible enemies are reported. For an observer
 * of all players, the units of every player count as own units, and there are no enemies.
 */
export class UnitEvents {
  #last: Position | undefined;
  #memory = new Memory();
  #upgrades = new Set<number>();

  /** @param match defines which unit types are buildings */
  constructor(private readonly match: Pick<Match, "structures">) {}

  /** Compares the next frame. Throws MalformedMessageError if the frame cannot be read. */
  update(frame: Frame): Changes {
    const last = this.#last;
    this.#last = { matchId: frame.matchId, perspective: frame.perspective, step: frame.step };
    const begun = last === undefined || !isComparable(last, frame);
    if (begun) {
      this.#memory = new Memory();
      this.#upgrades = new Set();
    }
    const memory = this.#memory;
    const { dead, upgrades } = reportedEvents(frame);
    const changes = this.#compare(frame, begun);
    const destroyed = memory.markDead(dead);
    if (last !== undefined && !begun && hasUnreportedGap(last, frame)) {
      memory.markDoubtful(frame.gameLoop);
    }
    if (memory.hasDoubtful) {
      memory.clearDoubtful(frame.units.passengers.tag);
      destroyed.push(...memory.markDoubtfulDead(frame.gameLoop - MISSING_LOOPS));
    }
    const finished = begun ? [] : [...upgrades].filter((upgrade) => !this.#upgrades.has(upgrade)).sort((a, b) => a - b);
    upgrades.forEach((upgrade) => this.#upgrades.add(upgrade));
    return { ...changes, destroyed, upgrades: finished };
  }

  #compare(frame: Frame, begun: boolean): Omit<Changes, "destroyed" | "upgrades"> {
    const { units } = frame;
    const { tag, unitType, alliance, owner, pos, health, healthMax, shield, buildProgress, displayType, isBlip } = units;
    const structures = this.match.structures;
    const rows = { created: new Set<number>(), typeChanged: new Set<number>(), damaged: new Set<number>(), started: new Set<number>(), finished: new Set<number>(), seen: new Set<number>() };
    const previousTypes: number[] = [];
    const damage: number[] = [];
    this.#memory.beginFrame();
    for (let row = 0; row < units.length; row++) {
      if (isBlip[row] || displayType[row] === DisplayType.Placeholder) {
        continue;
      }
      const side = alliance[row];
      const isOwn = frame.perspective === 0 ? owner[row]! > 0 && owner[row]! < NEUTRAL_PLAYER : side === Alliance.Self;
      const isEnemy = frame.perspective !== 0 && side === Alliance.Enemy;
      const isBuilding = isOwn && structures.has(unitType[row]!);
      const isReady = buildProgress[row]! >= 1;
      const now: Known = { // Copied, because a view would keep the whole message in memory.
        tag: tag[row]!, unitType: unitType[row]!, alliance: side!, owner: owner[row]!, pos: [pos[row * 3]!, pos[row * 3 + 1]!, pos[row * 3 + 2]!],
        health: health[row]!, healthMax: healthMax[row]!, shield: shield[row]!,
      };
      const [was, state] = this.#memory.see(now);
      const isCreated = isOwn && !isBuilding && !state.isCreated;
      const isStarted = isBuilding && !isReady && !state.isStarted;
      const isFinished = isBuilding && isReady && !state.isFinished;
      if (was && isOwn && state.isOwn) {
        if (was.unitType !== now.unitType && !isCreated && !isStarted && !isFinished) {
          rows.typeChanged.add(row);
          previousTypes.push(was.unitType);
        }
        const lost = lostPoints(was, now);
        if (lost > 0 && was.healthMax === now.healthMax) { // A morph changes healthMax: then less health is not damage.
          rows.damaged.add(row);
          damage.push(lost);
        }
      }
      if (isEnemy && !state.isSeen) {
        rows.seen.add(row);
      }
      if (!begun) { // In the first frame, only enemies count as new.
        isCreated && rows.created.add(row);
        isStarted && rows.started.add(row);
        isFinished && rows.finished.add(row);
      }
      state.isOwn = isOwn;
      state.isCreated ||= isCreated;
      state.isStarted ||= isStarted;
      state.isFinished ||= isFinished;
      state.isSeen ||= isEnemy;
    }
    const nothing = units.select(() => false);
    const table = (which: Set<number>) => (which.size ? units.select((row) => which.has(row)) : nothing);
    return {
      begun, created: table(rows.created), typeChanged: table(rows.typeChanged), previousTypes, damaged: table(rows.damaged), damage, started: table(rows.started),
      finished: table(rows.finished), seen: table(rows.seen),
    };
  }
}

/** The lost health plus the lost shield. Rounded to 32 bits, as in the Python package. */
function lostPoints(was: Known, now: Known): number {
  return Math.fround(Math.max(Math.fround(was.health - now.health), 0) + Math.max(Math.fround(was.shield - now.shield), 0));
}

/** Whether a frame can be compared with the previous frame `last`. */
function isComparable(last: Position, frame: Frame): boolean {
  return frame.matchId === last.matchId && frame.perspective === last.perspective && !frame.seeked && frame.step > last.step;
}

/** Whether frames between `last` and `frame` are missing, and `frame.skipped` does not report all of them. */
function hasUnreportedGap({ step: last }: Position, { step, skipped }: Frame): boolean {
  if (!skipped) {
    return step !== last + 1;
  }
  const first = Number(skipped.firstStep);
  return first !== last + 1 || first + Number(skipped.frames) !== step || skipped.truncatedFrames > 0n;
}

/** The tags of units that died since the previous frame, and the ids of the player's upgrades. */
function reportedEvents(frame: Frame): { dead: Set<bigint>; upgrades: Set<number> } {
  const { skipped } = frame;
  const raw = frame.events.observation?.rawData;
  return {
    dead: new Set([...(raw?.event?.deadUnits ?? []), ...(skipped?.deadUnits ?? [])]),
    upgrades: new Set([...(raw?.player?.upgradeIds ?? []), ...(skipped?.upgradeIds ?? [])]),
  };
}
