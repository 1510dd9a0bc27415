/** The units of an observation, as a table of typed arrays and as single units: `frame.units`. */

import type { Message } from "@bufbuild/protobuf";
import type { ResponseObservation } from "../generated/s2clientprotocol/sc2api_pb.js";
import { Alliance, type Unit as UnitMessage } from "../generated/s2clientprotocol/raw_pb.js";
import { Columns, type ListName } from "./columns.js";
import {
  BUFF_FIELDS, buffColumns, ORDER_FIELDS, orderColumns, PASSENGER_FIELDS, passengerColumns, RALLY_TARGET_FIELDS, rallyTargetColumns, UNIT_FIELDS, unitColumns,
} from "./fields.js";
import { Scan, scanUnits } from "./scan.js";
import { type ColumnsOf, defineColumns, type Fields, MessagesSource, NumbersSource, type RowOf, RowsSource, type Source, Table, type VectorType } from "./table.js";

/** A list that each unit has, such as its orders. The items of all units are in one table, in the order of the units. */
export class Lists extends Table {
  /** @internal */
  constructor(
    source: Source,
    fields: Fields,
    /** The row of each unit's first item. One more entry than units: the last entry is the number of all items. */
    readonly offsets: Uint32Array,
  ) {
    super(source, fields);
  }

  /** The rows of the items of one unit, given by its row: from `first` to before `end`. Throws RangeError. */
  range(row: number): [first: number, end: number] {
    if (!(row >= 0 && row < this.offsets.length - 1)) {
      throw new RangeError(`row ${row} of ${this.offsets.length - 1}: rows count from 0`);
    }
    return [this.offsets[row]!, this.offsets[row + 1]!];
  }

  /** @internal The lists of some units, given by their rows. */
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
    return { source: new RowsSource(this, items), offsets };
  }
}

/** The orders of units: for each unit its current order, then its queued orders. */
export type Orders = Lists & ColumnsOf<typeof orderColumns>;
/** Units inside other units. They have no row in the table of units. */
export type Passengers = Lists & ColumnsOf<typeof passengerColumns>;
/** The temporary effects on units. */
export type Buffs = Lists & ColumnsOf<typeof buffColumns>;
/** The positions or units that new units go to. */
export type RallyTargets = Lists & ColumnsOf<typeof rallyTargetColumns>;

function listsClass<C extends Record<string, VectorType>>(columns: C): new (...of: ConstructorParameters<typeof Lists>) => Lists & ColumnsOf<C> {
  const extended = class extends Lists {};
  defineColumns(extended, columns);
  return extended as unknown as new (...of: ConstructorParameters<typeof Lists>) => Lists & ColumnsOf<C>;
}

const LISTS = {
  orders: { listsType: listsClass(orderColumns), fields: ORDER_FIELDS },
  passengers: { listsType: listsClass(passengerColumns), fields: PASSENGER_FIELDS },
  buffIds: { listsType: listsClass(buffColumns), fields: BUFF_FIELDS },
  rallyTargets: { listsType: listsClass(rallyTargetColumns), fields: RALLY_TARGET_FIELDS },
};

export interface Units extends ColumnsOf<typeof unitColumns> {}

/**
 * Units, one per row, in the game's order. `units.health[3]` is the health of the unit in row 3. With `content: "columns"`
 * each column is a view of the message, and units are not parsed. With a plain observation the units are read on first use.
 * Both have the same values.
 */
export class Units extends Table {
  readonly #lists = new Map<ListName, Lists>();
  readonly #columns: Columns | undefined;
  readonly #messages: readonly UnitMessage[];

  private constructor(source: Source, columns?: Columns, messages: readonly UnitMessage[] = []) {
    super(source, UNIT_FIELDS);
    this.#columns = columns;
    this.#messages = messages;
  }

  /** Makes a table from a message. The table keeps the message. */
  static fromObservation(observation: ResponseObservation): Units {
    const units = observation.observation?.rawData?.units ?? [];
    return new Units(new MessagesSource(units), undefined, units);
  }

  /**
   * Makes a table from a serialized ResponseObservation. Only the units are parsed. Throws MalformedMessageError.
   *
   * @param before the table of the last frame, which makes this faster: units whose bytes are the same are copied
   */
  static fromSerialized(observation: Uint8Array, before?: Units): Units {
    return new Units(scanUnits(observation, UNIT_FIELDS, before?.source instanceof Scan ? before.source : undefined));
  }

  /** Makes a table from a serialized Columns. Throws MalformedMessageError. */
  static fromColumns(message: Uint8Array): Units {
    return Units.fromOpenColumns(Columns.open(message, UNIT_FIELDS));
  }

  /** @internal */
  static fromOpenColumns(columns: Columns): Units {
    return new Units(columns.units, columns);
  }

  /** The units of the player who is watched. */
  get own(): Units {
    return this.select((row) => this.alliance[row] === Alliance.Self);
  }

  /** The units of that player's allies. */
  get allies(): Units {
    return this.select((row) => this.alliance[row] === Alliance.Ally);
  }

  /** Mineral fields, geysers, critters and other neutral units. */
  get neutral(): Units {
    return this.select((row) => this.alliance[row] === Alliance.Neutral);
  }

  /** The units of that player's enemies. */
  get enemies(): Units {
    return this.select((row) => this.alliance[row] === Alliance.Enemy);
  }

  /** Units without orders. The game shows orders of own units only. */
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

  /** The units for whose rows a function returns true, as a smaller table. */
  select(isWanted: (row: number) => boolean): Units {
    const rows: number[] = [];
    for (let row = 0; row < this.length; row++) {
      if (isWanted(row)) {
        rows.push(row);
      }
    }
    return new Units(new RowsSource(this, rows));
  }

  /** The unit in a row. A negative row counts from the end: −1 is the last row. Throws RangeError. */
  at(row: number): Unit {
    if (!(row >= -this.length && row < this.length)) {
      throw new RangeError(`row ${row} of ${this.length}: rows count from 0`);
    }
    return new Unit(this, row < 0 ? row + this.length : row);
  }

  /** Yields the units, one at a time. */
  *[Symbol.iterator](): Generator<Unit> {
    for (let row = 0; row < this.length; row++) {
      yield new Unit(this, row);
    }
  }

  /** The orders of own units. The game hides the orders of other units. */
  get orders(): Orders {
    return this.#list("orders") as Orders;
  }

  /** The units inside transports, bunkers and similar units. */
  get passengers(): Passengers {
    return this.#list("passengers") as Passengers;
  }

  /** The buffs of units: the field `buff_ids` of the game's message. */
  get buffs(): Buffs {
    return this.#list("buffIds") as Buffs;
  }

  /** The rally points of buildings that produce units. */
  get rallyTargets(): RallyTargets {
    return this.#list("rallyTargets") as RallyTargets;
  }

  #list(name: ListName): Lists {
    let list = this.#lists.get(name);
    if (!list) {
      const { listsType, fields } = LISTS[name];
      const { source, offsets } = this.#itemsOf(name, fields);
      list = new listsType(source, fields, offsets);
      this.#lists.set(name, list);
    }
    return list;
  }

  #itemsOf(name: ListName, fields: Fields): { source: Source; offsets: Uint32Array } {
    if (this.source instanceof RowsSource) {
      return (this.source.table as Units).#list(name).select(this.source.rows);
    }
    const columns = this.source instanceof Scan ? this.source : this.#columns;
    if (columns) {
      const { items, offsets } = columns.list(name, fields);
      return { source: items, offsets };
    }
    const offsets = new Uint32Array(this.length + 1);
    this.#messages.forEach((unit, row) => (offsets[row + 1] = offsets[row]! + unit[name].length));
    return name === "buffIds"
      ? { source: new NumbersSource(this.#messages.flatMap((unit) => unit.buffIds)), offsets }
      : { source: new MessagesSource(this.#messages.flatMap((unit) => unit[name] as Message[])), offsets };
  }
}
defineColumns(Units, unitColumns);

export interface Unit extends RowOf<typeof unitColumns> {}

/** A row of a table of units, with plain values. A missing value is 0. Later frames do not change the unit. */
export class Unit {
  /** @internal */
  constructor(
    /** The table that contains this unit. */
    readonly units: Units,
    /** The row of this unit in the table. */
    readonly row: number,
  ) {}

  /** Whether this unit has a value in a column, as `Units.present`. */
  present(column: string): boolean {
    return this.units.present(column)[this.row] === 1;
  }

  /** The values of this unit by the names of their columns, for a person to read. */
  toObject(): RowOf<typeof unitColumns> {
    return Object.fromEntries(Object.keys(unitColumns).map((name) => [name, this[name as keyof typeof unitColumns]])) as unknown as RowOf<typeof unitColumns>;
  }
}
for (const [name, { width }] of Object.entries(UNIT_FIELDS)) {
  const point = function (this: Unit) {
    return this.units.column(name).subarray(this.row * 3, this.row * 3 + 3);
  };
  const flag = function (this: Unit) {
    return this.units.column(name)[this.row] === 1;
  };
  const value = function (this: Unit) {
    return this.units.column(name)[this.row];
  };
  Object.defineProperty(Unit.prototype, name, { get: width === 3 ? point : name.startsWith("is") ? flag : value });
}
