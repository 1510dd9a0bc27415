/** Computes players' figures from units, because an observer of all has no score. */

import type { Units } from "sc2bridge";
import { Attribute } from "sc2bridge/s2clientprotocol/data";
import type { ResponseData } from "sc2bridge/s2clientprotocol/sc2api";
import type { Point } from "./messages";

const WORKERS = ["SCV", "Drone", "Probe"];
const HALLS = /^(CommandCenter|OrbitalCommand|PlanetaryFortress|Hatchery|Lair|Hive|Nexus)/;
/** Places of supply, workers and army in a point's values. */
const KNOWN_ALONE = new Set([4, 5, 6, 7]);
const NEUTRAL = 16;
const MOST_SUPPLY = 200;
/** A unit counts for this many game loops after it was last seen: workers disappear inside a refinery. */
const UNSEEN_LOOPS = 112;
/** Income is measured over this many game loops (20 s). */
const INCOME_LOOPS = 448;
const LOOPS_PER_MINUTE = 22.4 * 60;
/** A mineral field belongs to the town hall within this many cells. */
const NEAR = 12;

interface Kind {
  readonly value: number;
  readonly food: number;
  readonly supply: number;
  readonly isWorker: boolean;
  readonly isArmy: boolean;
  readonly isHall: boolean;
}

interface Player {
  lost: number;
  /** The minerals and vespene that were mined until each sample. */
  readonly mined: { loop: number; minerals: number; vespene: number }[];
}

/** Takes the samples of a match in order. */
export class ObserverFigures {
  readonly #kinds = new Map<number, Kind>();
  readonly #players = new Map<number, Player>();
  readonly #units = new Map<bigint, { owner: number; kind: Kind; loop: number }>();
  readonly #contents = new Map<bigint, number>();

  constructor(data: ResponseData | undefined, players: readonly number[]) {
    for (const { unitId, name, attributes, mineralCost, vespeneCost, foodRequired, foodProvided } of data?.units ?? []) {
      const value = mineralCost + vespeneCost;
      const isWorker = WORKERS.includes(name);
      const isArmy = value > 0 && foodRequired > 0 && !isWorker && !attributes.includes(Attribute.Structure);
      this.#kinds.set(unitId, { value, food: foodRequired, supply: foodProvided, isWorker, isArmy, isHall: HALLS.test(name) });
    }
    players.forEach((player) => this.#players.set(player, { lost: 0, mined: [] }));
  }

  /** Counts losses. */
  addDeaths(tags: readonly bigint[]): void {
    for (const tag of tags) {
      const unit = this.#units.get(tag);
      const player = unit && this.#players.get(unit.owner);
      if (player) {
        player.lost += unit.kind.value;
      }
      this.#units.delete(tag);
    }
  }

  /** A point for each player, in the order of the charts' series. Without the samples before it, income and losses are unknown. */
  sample(loop: number, units: Units): Point[] {
    const mined = this.#mined(units);
    const { tag, unitType, owner: owners, buildProgress, isHallucination } = units;
    for (let row = 0; row < units.length; row++) {
      const [kind, owner] = [this.#kinds.get(unitType[row]!), owners[row]!];
      if (kind && owner !== NEUTRAL && !isHallucination[row] && (buildProgress[row]! >= 1 || !kind.supply)) {
        this.#units.set(tag[row]!, { owner, kind, loop });
      }
    }
    const totals = new Map([...this.#players.keys()].map((id) => [id, { food: 0, supply: 0, workers: 0, army: 0 }]));
    for (const [tag, { owner, kind, loop: seen }] of this.#units) {
      const total = totals.get(owner);
      if (seen < loop - UNSEEN_LOOPS) {
        this.#units.delete(tag);
      } else if (total) {
        total.food += kind.food;
        total.supply += kind.supply;
        total.workers += Number(kind.isWorker);
        total.army += kind.isArmy ? kind.value : 0;
      }
    }
    const lost = [...this.#players.values()].reduce((sum, player) => sum + player.lost, 0);
    return [...this.#players].map(([player, its]) => {
      const { food, supply, workers, army } = totals.get(player)!;
      const income = this.#income(its, loop, mined.get(player));
      const killed = this.#players.size === 2 ? lost - its.lost : null;
      return { player, loop, values: [null, null, ...income, food, Math.min(MOST_SUPPLY, supply), workers, army, killed, its.lost] };
    });
  }

  /** The minerals and vespene that each player mined since the last sample: the contents of fields and geysers get less. */
  #mined(units: Units): Map<number, { minerals: number; vespene: number }> {
    const mined = new Map<number, { minerals: number; vespene: number }>();
    const { mineralContents, vespeneContents, owner, tag, pos, unitType } = units;
    const halls = [...unitType.keys()].filter((row) => this.#kinds.get(unitType[row]!)?.isHall);
    for (let row = 0; row < units.length; row++) {
      const now = mineralContents[row]! + vespeneContents[row]!;
      const before = this.#contents.get(tag[row]!);
      if (now > 0) {
        this.#contents.set(tag[row]!, now);
      }
      if (now === 0 || before === undefined || now >= before) {
        continue;
      }
      let player = owner[row]!;
      if (player === NEUTRAL) {
        const near = halls
          .map((hall) => ({ hall, distance: Math.hypot(pos[hall * 3]! - pos[row * 3]!, pos[hall * 3 + 1]! - pos[row * 3 + 1]!) }))
          .sort((one, other) => one.distance - other.distance)[0];
        player = near && near.distance < NEAR ? owner[near.hall]! : NEUTRAL;
      }
      const sum = mined.get(player) ?? { minerals: 0, vespene: 0 };
      mined.set(player, sum);
      sum[mineralContents[row] ? "minerals" : "vespene"] += before - now;
    }
    return mined;
  }

  /** The points of a sample alone. */
  sampleAlone(loop: number, units: Units): Point[] {
    return this.sample(loop, units).map((point) => ({ ...point, values: point.values.map((value, at) => (KNOWN_ALONE.has(at) ? value : null)) }));
  }

  /** Minerals and vespene a minute. */
  #income({ mined }: Player, loop: number, more = { minerals: 0, vespene: 0 }): [number | null, number | null] {
    const last = mined.at(-1) ?? { minerals: 0, vespene: 0 };
    const now = { loop, minerals: last.minerals + more.minerals, vespene: last.vespene + more.vespene };
    mined.push(now);
    while (mined.length > 2 && mined[1]!.loop <= loop - INCOME_LOOPS) {
      mined.shift();
    }
    const [first] = mined;
    const minutes = (loop - first!.loop) / LOOPS_PER_MINUTE;
    return minutes > 0 ? [(now.minerals - first!.minerals) / minutes, (now.vespene - first!.vespene) / minutes] : [null, null];
  }
}
