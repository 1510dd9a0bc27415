/**
 * Tables for `units` and the units' lists. Each column is a typed array, and a table loads it from its source on first use.
 * A source is the vectors of a Columns message, parsed or serialized messages, or some rows of another table.
 */

import type { DescMessage, Message } from "@bufbuild/protobuf";

/** The array of a column. */
export type Vector = Uint8Array | Uint16Array | Uint32Array | Int32Array | Float32Array | BigUint64Array;

/** The constructor of the array of a column. */
export type VectorType<V extends Vector = Vector> = {
  new (length: number): V;
  new (buffer: ArrayBufferLike, byteOffset: number, length: number): V;
  readonly BYTES_PER_ELEMENT: number;
};

/** An array for each column, from an object that has the type of each array. */
export type ColumnsOf<C> = { readonly [K in keyof C]: C[K] extends VectorType<infer V> ? V : never };

/** The values of one row, from an object that has the type of each column's array. */
export type RowOf<C> = {
  readonly [K in keyof C]: K extends "pos" | "point" | "targetWorldSpacePos"
    ? Float32Array
    : K extends `is${string}`
      ? boolean
      : C[K] extends VectorType<infer V>
        ? V[number]
        : never;
};

/** A column: a field of one of the game's messages. */
export interface Field {
  readonly name: string;
  readonly number: number;
  readonly type: VectorType;
  /** Values per row: 3 for a point. */
  readonly width: number;
  /** The name of the oneof that has this field. Undefined if the field is not in a oneof. */
  readonly oneof: string | undefined;
  /** For an enum: the numbers of its values. Other numbers count as missing. */
  readonly knownNumbers: ReadonlySet<number> | undefined;
}

/** Fields by the names of their columns. */
export type Fields = Readonly<Record<string, Field>>;

/** Finds the fields of a message for columns. */
export function fieldsOf(schema: DescMessage, columns: Readonly<Record<string, VectorType>>): Fields {
  return Object.fromEntries(
    Object.entries(columns).map(([name, type]) => {
      const field = schema.field[name]!;
      const knownNumbers = field.enum && new Set(field.enum.values.map(({ number }) => number));
      return [name, { name, type, number: field.number, width: field.message ? 3 : 1, oneof: field.oneof?.localName, knownNumbers }];
    }),
  );
}

/** The source of a table's columns. */
export interface Source {
  readonly count: number;
  /** Loads a column. It has 0 in rows without the field. */
  vector(field: Field): Vector;
  /** 1 for each row that has the field, else 0. If `part` is 0, 1 or 2: 1 for each row whose point has an x, y or z. */
  present(field: Field, part: number): Uint8Array;
}

const PARTS = ["x", "y", "z"];

/** A table with named columns. Each column is a typed array, with 0 in rows without a value. Do not write to the arrays. */
export class Table {
  readonly #loaded = new Map<string, Vector>();

  /** @internal */
  constructor(
    /** @internal */
    readonly source: Source,
    /** The fields of the columns. */
    readonly fields: Fields,
  ) {}

  /** The number of rows. */
  get length(): number {
    return this.source.count;
  }

  /** Returns a column by its name. Throws RangeError for an unknown name. */
  column(name: string): Vector {
    let vector = this.#loaded.get(name);
    if (!vector) {
      vector = this.source.vector(this.#field(name));
      this.#loaded.set(name, vector);
    }
    return vector;
  }

  /**
   * Returns 1 for each row that has a value in this column, else 0. For a point, `x`, `y` and `z` are also columns here.
   * Throws RangeError for an unknown column.
   */
  present(column: string): Uint8Array {
    const point = Object.values(this.fields).find((field) => field.width === 3);
    const part = point && !(column in this.fields) ? PARTS.indexOf(column) : -1;
    return this.source.present(part < 0 ? this.#field(column) : point!, part);
  }

  #field(name: string): Field {
    const field = Object.hasOwn(this.fields, name) ? this.fields[name] : undefined;
    if (!field) {
      throw new RangeError(`column ${JSON.stringify(name)}: choose ${Object.keys(this.fields).join(", ")}`);
    }
    return field;
  }
}

/** Adds a property for each column to a class of tables. */
export function defineColumns(tableClass: { prototype: Table }, columns: object): void {
  for (const name of Object.keys(columns)) {
    Object.defineProperty(tableClass.prototype, name, {
      get(this: Table) {
        return this.column(name);
      },
    });
  }
}

/** Some rows of another table, as the source of a table. */
export class RowsSource implements Source {
  constructor(
    readonly table: Table,
    readonly rows: ArrayLike<number>,
  ) {}

  get count(): number {
    return this.rows.length;
  }

  vector(field: Field): Vector {
    return this.#copyRows(this.table.column(field.name), field);
  }

  present(field: Field, part: number): Uint8Array {
    return this.#copyRows(this.table.source.present(field, part), { type: Uint8Array, width: 1 }) as Uint8Array;
  }

  #copyRows(from: Vector, { type, width }: Pick<Field, "type" | "width">): Vector {
    const vector = new type(this.count * width);
    for (let row = 0; row < this.count; row++) {
      for (let part = 0; part < width; part++) {
        vector[row * width + part] = from[this.rows[row]! * width + part]!;
      }
    }
    return vector;
  }
}

/** Messages, one for each row, as the source of a table. Each column is loaded by a loop over all messages. */
export class MessagesSource implements Source {
  constructor(private readonly messages: readonly Message[]) {}

  get count(): number {
    return this.messages.length;
  }

  vector(field: Field): Vector {
    const vector = new field.type(this.count * field.width);
    this.#forEachValue(field, (value, row) => {
      if (field.width === 3) {
        PARTS.forEach((part, at) => (vector[row * 3 + at] = (value as Record<string, number>)[part]!));
      } else {
        vector[row] = value as number;
      }
    });
    return vector;
  }

  present(field: Field, part: number): Uint8Array {
    const present = new Uint8Array(this.count);
    this.#forEachValue(field, (value, row) => {
      present[row] = part < 0 || Object.hasOwn(value as object, PARTS[part]!) ? 1 : 0;
    });
    return present;
  }

  // A proto2 message has an own property only for a field that is set. Defaults are properties of its prototype.
  #forEachValue(field: Field, use: (value: unknown, row: number) => void): void {
    const { name, oneof } = field;
    this.messages.forEach((each, row) => {
      const message = each as unknown as Record<string, unknown>;
      const set = oneof === undefined ? undefined : (message[oneof] as { case?: string; value?: unknown });
      const value = set ? (set.case === name ? set.value : undefined) : Object.hasOwn(message, name) ? message[name] : undefined;
      if (value !== undefined) {
        use(value, row);
      }
    });
  }
}

/** Numbers, one for each row, as the source of a table. */
export class NumbersSource implements Source {
  constructor(private readonly numbers: readonly number[]) {}

  get count(): number {
    return this.numbers.length;
  }

  vector(): Vector {
    return Uint32Array.from(this.numbers);
  }

  present(): Uint8Array {
    return new Uint8Array(this.count).fill(1);
  }
}

/** Little-endian bytes as an array: a view if they are aligned, else a copy. Every browser's memory is little-endian. */
export function asVector<V extends Vector>(type: VectorType<V>, bytes: Uint8Array): V {
  const size = type.BYTES_PER_ELEMENT;
  const from = bytes.byteOffset % size === 0 ? bytes : bytes.slice();
  return new type(from.buffer, from.byteOffset, from.length / size);
}
