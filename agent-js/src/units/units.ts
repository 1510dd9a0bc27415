/** The units of an observation as a table of typed arrays, `frame.units`, and one by one. */

import type { Message } from "@bufbuild/protobuf";
import type { ResponseObservation } from "../generated/s2clientprotocol/sc2api_pb.js";
import { Alliance, type Unit as UnitMessage } from "../generated/s2clientprotocol/raw_pb.js";
import { Columns, type ListName } from "./columns.js";
import {
  BUFF_FIELDS, buffColumns, ORDER_FIELDS, orderColumns, PASSENGER_FIELDS, passengerColumns, RALLY_TARGET_FIELDS, rallyTargetColumns, UNIT_FIELDS, unitColumns,
} from "./fields.js";
import { Scan, scanUnits } from "./scan.js";
import { type ColumnsOf, type Fields, Messages, Numbers, Rows, type RowOf, type Source, Table, type VectorType, withColumns } from "./table.js";

/** The lists that units have in one field: the items of all units end to end, in the units' order. */
export class Lists extends Table {
  /** @internal */
  constructor(
    source: Source,
    fields: Fields,
    /** Where the items of each row's unit begin; one more than there are units, so that the next one ends them. */
    readonly offsets: Uint32Array,
  ) {
    super(source, fields);
  }

  /** The items of the unit in a row: from the first number up to, and without, the second. Throws RangeError. */
  range(row: number): [first: number, end: number] {
    if (!(row >= 0 && row < this.offsets.length - 1)) {
      throw new RangeError(`row ${row} of ${this.offsets.length - 1}`);
    }
    return [this.offsets[row]!, this.offsets[row + 1]!];
  }

  /** @internal The lists of some units. */
  select(rows: ArrayLike<number>): { source: Source; offsets: Uint32Array } {
    const offsets = new Uint32Array(rows.length + 1);
    const items: number[] = [];
    for (let row = 0; row < rows.length; row++) {
      const [first, end] = this.range(rows[row]!);
      for (let item = first; item < end; item++) {
        items.push(item);
      }
      offsets[row + 1] = items.length;
    }
    return { source: new Rows(this, items), offsets };
  }
}

/** What units are ordered to do: for each the current order, then those that wait. */
export type Orders = Lists & ColumnsOf<typeof orderColumns>;
/** Units inside others. They are not in the table themselves. */
export type Passengers = Lists & ColumnsOf<typeof passengerColumns>;
/** What works on units for a time. */
export type Buffs = Lists & ColumnsOf<typeof buffColumns>;
/** Where new units go. */
export type RallyTargets = Lists & ColumnsOf<typeof rallyTargetColumns>;

function kindOfLists<C extends Record<string, VectorType>>(columns: C): new (...of: ConstructorParameters<typeof Lists>) => Lists & ColumnsOf<C> {
  const kind = class extends Lists {};
  withColumns(kind, columns);
  return kind as unknown as new (...of: ConstructorParameters<typeof Lists>) => Lists & ColumnsOf<C>;
}

const LISTS = {
  orders: { make: kindOfLists(orderColumns), fields: ORDER_FIELDS },
  passengers: { make: kindOfLists(passengerColumns), fields: PASSENGER_FIELDS },
  buffIds: { make: kindOfLists(buffColumns), fields: BUFF_FIELDS },
  rallyTargets: { make: kindOfLists(rallyTargetColumns), fields: RALLY_TARGET_FIELDS },
};

export interface Units extends ColumnsOf<typeof unitColumns> {}

/**
 * Units, a row each, in the game's order: `units.health[3]` is that of the unit in row 3. Subscribe with `content: "columns"`
 * and each column is a view of the message's vector, with no unit parsed; of a plain observation they are read when the
 * units are first asked for. The values are the same either way.
 */
export class Units extends Table {
  readonly #lists = new Map<ListName, Lists>();
  readonly #opened: Columns | undefined;
  readonly #messages: readonly UnitMessage[];

  private constructor(source: Source, opened?: Columns, messages: readonly UnitMessage[] = []) {
    super(source, UNIT_FIELDS);
    this.#opened = opened;
    this.#messages = messages;
  }

  /** Of a message, which is kept. */
  static fromObservation(observation: ResponseObservation): Units {
    const units = observation.observation?.rawData?.units ?? [];
    return new Units(new Messages(units), undefined, units);
  }

  /** Of a serialized ResponseObservation, of which nothing else is parsed. Throws MalformedMessageError. */
  static fromSerialized(observation: Uint8Array): Units {
    return new Units(scanUnits(observation, UNIT_FIELDS));
  }

  /** Of a serialized Columns. Throws MalformedMessageError. */
  static fromColumns(message: Uint8Array): Units {
    return Units.of(Columns.open(message, UNIT_FIELDS));
  }

  /** @internal */
  static of(columns: Columns): Units {
    return new Units(columns.units, columns);
  }

  /** The watched player's. */
  get own(): Units {
    return this.select((row) => this.alliance[row] === Alliance.Self);
  }

  /** Its allies'. */
  get allies(): Units {
    return this.select((row) => this.alliance[row] === Alliance.Ally);
  }

  /** Minerals, geysers, critters and the like. */
  get neutral(): Units {
    return this.select((row) => this.alliance[row] === Alliance.Neutral);
  }

  /** Its enemies'. */
  get enemies(): Units {
    return this.select((row) => this.alliance[row] === Alliance.Enemy);
  }

  /** Units without orders; the game shows orders of own units only. */
  get idle(): Units {
    const { offsets } = this.orders;
    return this.select((row) => offsets[row] === offsets[row + 1]);
  }

  /** The units of some types (UnitTypeData.unit_id). */
  ofType(...unitTypes: number[]): Units {
    return this.select((row) => unitTypes.includes(this.unitType[row]!));
  }

  /** The units of some players, by their ids. */
  ofOwner(...players: number[]): Units {
    return this.select((row) => players.includes(this.owner[row]!));
  }

  /** A smaller table: of the rows for which a function says so. */
  select(wanted: (row: number) => boolean): Units {
    const rows: number[] = [];
    for (let row = 0; row < this.length; row++) {
      if (wanted(row)) {
        rows.push(row);
      }
    }
    return new Units(new Rows(this, rows));
  }

  /** The unit in a row; from the end where it is negative. Throws RangeError. */
  at(row: number): Unit {
    if (!(row >= -this.length && row < this.length)) {
      throw new RangeError(`row ${row} of ${this.length}`);
    }
    return new Unit(this, row < 0 ? row + this.length : row);
  }

  /** The units, one by one. */
  *[Symbol.iterator](): Generator<Unit> {
    for (let row = 0; row < this.length; row++) {
      yield new Unit(this, row);
    }
  }

  /** Own units only. */
  get orders(): Orders {
    return this.#list("orders") as Orders;
  }

  /** Of transports, bunkers and the like. */
  get passengers(): Passengers {
    return this.#list("passengers") as Passengers;
  }

  /** The message's `buff_ids`. */
  get buffs(): Buffs {
    return this.#list("buffIds") as Buffs;
  }

  /** Of buildings that make units. */
  get rallyTargets(): RallyTargets {
    return this.#list("rallyTargets") as RallyTargets;
  }

  #list(name: ListName): Lists {
    let list = this.#lists.get(name);
    if (!list) {
      const { make, fields } = LISTS[name];
      const { source, offsets } = this.#itemsOf(name, fields);
      list = new make(source, fields, offsets);
      this.#lists.set(name, list);
    }
    return list;
  }

  #itemsOf(name: ListName, fields: Fields): { source: Source; offsets: Uint32Array } {
    if (this.source instanceof Rows) {
      return (this.source.table as Units).#list(name).select(this.source.rows);
    }
    const opened = this.source instanceof Scan ? this.source : this.#opened;
    if (opened) {
      const { items, offsets } = opened.list(name, fields);
      return { source: items, offsets };
    }
    const offsets = new Uint32Array(this.length + 1);
    this.#messages.forEach((unit, row) => (offsets[row + 1] = offsets[row]! + unit[name].length));
    return name === "buffIds"
      ? { source: new Numbers(this.#messages.flatMap((unit) => unit.buffIds)), offsets }
      : { source: new Messages(this.#messages.flatMap((unit) => unit[name] as Message[])), offsets };
  }
}
withColumns(Units, unitColumns);

export interface Unit extends RowOf<typeof unitColumns> {}

/** A row of a table of units, with plain values; 0 where it has none. It is of its frame: later ones do not change it. */
export class Unit {
  /** @internal */
  constructor(
    /** The table. */
    readonly units: Units,
    /** Its row there. */
    readonly row: number,
  ) {}

  /** Whether the game sent the field, as `Units.present`. */
  present(column: string): boolean {
    return this.units.present(column)[this.row] === 1;
  }

  /** The names of its values and the values, for a person to read. */
  toObject(): RowOf<typeof unitColumns> {
    return Object.fromEntries(Object.keys(unitColumns).map((name) => [name, this[name as keyof typeof unitColumns]])) as unknown as RowOf<typeof unitColumns>;
  }
}
for (const [name, { width }] of Object.entries(UNIT_FIELDS)) {
  Object.defineProperty(Unit.prototype, name, {
    get(this: Unit) {
      const vector = this.units.column(name);
      if (width === 3) {
        return vector.subarray(this.row * 3, this.row * 3 + 3);
      }
      return name.startsWith("is") ? vector[this.row] === 1 : vector[this.row];
    },
  });
}
