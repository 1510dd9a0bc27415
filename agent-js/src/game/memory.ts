/** The last known values of all units that the frames of a match showed. */

/** The values of a unit in the last frame that contained it. */
export interface Known {
  readonly tag: bigint;
  /** UnitTypeData.unit_id. */
  readonly unitType: number;
  /** 1 own, 2 ally, 3 neutral, 4 enemy. */
  readonly alliance: number;
  /** A player id; 16 is neutral. */
  readonly owner: number;
  /** x, y and z in cells. */
  readonly pos: readonly [number, number, number];
  /** Points. */
  readonly health: number;
  /** Points. */
  readonly healthMax: number;
  /** Points. */
  readonly shield: number;
}

/** A destroyed unit, with its values from the last frame that contained it. */
export interface LastSeen extends Known {
  /** True if the game did not report the death: frames were lost, and the unit has been missing since then. */
  readonly presumed: boolean;
}

/** `isOwn`: whether it was an own unit when last seen. `isDead`: it is dead. Other flags: this event was reported. */
interface State {
  isOwn: boolean;
  isCreated: boolean;
  isStarted: boolean;
  isFinished: boolean;
  isSeen: boolean;
  isDead: boolean;
}

interface Remembered {
  known: Known;
  state: State;
  /** The number of the last frame that contained it. */
  frame: number;
}

const newState = (): State => ({ isOwn: false, isCreated: false, isStarted: false, isFinished: false, isSeen: false, isDead: false });

/** The units of a match. It keeps every unit, because a match never reuses a tag. */
export class Memory {
  readonly #units = new Map<bigint, Remembered>();
  /** By tag, the game loop since which a unit may be dead. */
  readonly #doubtfulSince = new Map<bigint, number>();
  #frame = 0;

  /** Begins a frame. Call this before `see`. */
  beginFrame(): void {
    this.#frame++;
  }

  /** Stores a unit of the frame. Returns its previous values, undefined for a new unit, and its state. */
  see(known: Known): [was: Known | undefined, state: State] {
    const found = this.#units.get(known.tag);
    if (!found) {
      const state = newState();
      this.#units.set(known.tag, { known, state, frame: this.#frame });
      return [undefined, state];
    }
    const was = found.known;
    if (found.state.isDead) { // Its presumed death was wrong.
      found.state = newState();
    }
    found.known = known;
    found.frame = this.#frame;
    return [was, found.state];
  }

  /** Marks units as dead if they are known, alive and not in the newest frame. Returns these units. */
  markDead(tags: Iterable<bigint>): LastSeen[] {
    return this.#markDead(tags, false);
  }

  /** Whether any unit is possibly dead. */
  get hasDoubtful(): boolean {
    return this.#doubtfulSince.size > 0;
  }

  /** Marks own live units as possibly dead if the newest frame lacks them: they may have died in a lost frame. */
  markDoubtful(loop: number): void {
    for (const [tag, { state, frame }] of this.#units) {
      if (state.isOwn && !state.isDead && frame !== this.#frame && !this.#doubtfulSince.has(tag)) {
        this.#doubtfulSince.set(tag, loop);
      }
    }
  }

  /** Removes the mark "possibly dead" from units of the newest frame and from their passengers. */
  clearDoubtful(passengerTags: Iterable<bigint>): void {
    for (const tag of this.#doubtfulSince.keys()) {
      if (this.#units.get(tag)!.frame === this.#frame) {
        this.#doubtfulSince.delete(tag);
      }
    }
    for (const tag of passengerTags) {
      this.#doubtfulSince.delete(tag);
    }
  }

  /** Marks units as dead if they are possibly dead since a game loop or earlier. Returns these units. */
  markDoubtfulDead(loop: number): LastSeen[] {
    return this.#markDead([...this.#doubtfulSince].filter(([, since]) => since <= loop).map(([tag]) => tag), true);
  }

  #markDead(tags: Iterable<bigint>, presumed: boolean): LastSeen[] {
    const found = [...tags].flatMap((tag) => this.#units.get(tag) ?? []);
    const dead = found.filter(({ state, frame }) => frame !== this.#frame && !state.isDead).sort((a, b) => (a.known.tag < b.known.tag ? -1 : 1));
    for (const { state, known } of dead) {
      state.isDead = true;
      this.#doubtfulSince.delete(known.tag);
    }
    return dead.map(({ known }) => ({ ...known, presumed }));
  }
}
