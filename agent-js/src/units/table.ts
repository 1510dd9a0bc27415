/**
 * Tables whose columns are typed arrays: what `units` and the lists that units have are made of. A table takes its columns
 * from a source when they are first asked for: the vectors of a Columns message, messages, or the rows of another table.
 */

import type { DescMessage, Message } from "@bufbuild/protobuf";

/** A column's array. */
export type Vector = Uint8Array | Uint16Array | Uint32Array | Int32Array | Float32Array | BigUint64Array;

/** What makes one. */
export type VectorType<V extends Vector = Vector> = {
  new (length: number): V;
  new (buffer: ArrayBufferLike, byteOffset: number, length: number): V;
  readonly BYTES_PER_ELEMENT: number;
};

/** The arrays of columns that are given with their types. */
export type ColumnsOf<C> = { readonly [K in keyof C]: C[K] extends VectorType<infer V> ? V : never };

/** The values of one row of them. */
export type RowOf<C> = {
  readonly [K in keyof C]: K extends "pos" | "point" | "targetWorldSpacePos"
    ? Float32Array
    : K extends `is${string}`
      ? boolean
      : C[K] extends VectorType<infer V>
        ? V[number]
        : never;
};

/** A column: a field of a message of the game's. */
export interface Field {
  readonly name: string;
  readonly number: number;
  readonly type: VectorType;
  /** Values in a row: 3 for a point. */
  readonly width: number;
  /** The group of fields of which a message has one, where it is in one. */
  readonly oneof: string | undefined;
  /** Of an enum the numbers that it has: another counts as none. */
  readonly known: ReadonlySet<number> | undefined;
}

/** Columns by their names. */
export type Fields = Readonly<Record<string, Field>>;

/** The columns of a message, by the types of their values. */
export function fieldsOf(schema: DescMessage, columns: Readonly<Record<string, VectorType>>): Fields {
  return Object.fromEntries(
    Object.entries(columns).map(([name, type]) => {
      const field = schema.field[name]!;
      const known = field.enum && new Set(field.enum.values.map(({ number }) => number));
      return [name, { name, type, number: field.number, width: field.message ? 3 : 1, oneof: field.oneof?.localName, known }];
    }),
  );
}

/** Where a table's columns come from. */
export interface Source {
  readonly count: number;
  /** A column; 0 where a row lacks the field. */
  vector(field: Field): Vector;
  /** Which rows have the field, 1 or 0; with a part from 0 to 2, that part of a point. */
  present(field: Field, part: number): Uint8Array;
}

const PARTS = ["x", "y", "z"];

/** Rows and named columns. A column is a typed array, 0 where a row does not have it: read it, and do not write to it. */
export class Table {
  readonly #made = new Map<string, Vector>();

  /** @internal */
  constructor(
    /** @internal */
    readonly source: Source,
    /** The columns. */
    readonly fields: Fields,
  ) {}

  /** Rows. */
  get length(): number {
    return this.source.count;
  }

  /** A column by its name. Throws RangeError for one that there is not. */
  column(name: string): Vector {
    let vector = this.#made.get(name);
    if (!vector) {
      vector = this.source.vector(this.#field(name));
      this.#made.set(name, vector);
    }
    return vector;
  }

  /**
   * Which rows have a value there, 1 or 0; elsewhere the column holds 0. `x`, `y` and `z` are the parts of a point.
   * Throws RangeError for a column that there is not.
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

/** Gives a kind of tables a property for each of its columns. */
export function withColumns(kind: { prototype: Table }, columns: object): void {
  for (const name of Object.keys(columns)) {
    Object.defineProperty(kind.prototype, name, {
      get(this: Table) {
        return this.column(name);
      },
    });
  }
}

/** Some rows of another table, as a source. */
export class Rows implements Source {
  constructor(
    readonly table: Table,
    readonly rows: ArrayLike<number>,
  ) {}

  get count(): number {
    return this.rows.length;
  }

  vector(field: Field): Vector {
    return this.#taken(this.table.column(field.name), field);
  }

  present(field: Field, part: number): Uint8Array {
    return this.#taken(this.table.source.present(field, part), { type: Uint8Array, width: 1 }) as Uint8Array;
  }

  #taken(from: Vector, { type, width }: Pick<Field, "type" | "width">): Vector {
    const vector = new type(this.count * width);
    for (let row = 0; row < this.count; row++) {
      for (let part = 0; part < width; part++) {
        vector[row * width + part] = from[this.rows[row]! * width + part]!;
      }
    }
    return vector;
  }
}

/** Messages, one a row, as a source: each column takes a loop over them. */
export class Messages implements Source {
  constructor(private readonly messages: readonly Message[]) {}

  get count(): number {
    return this.messages.length;
  }

  vector(field: Field): Vector {
    const vector = new field.type(this.count * field.width);
    this.#each(field, (value, row) => {
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
    this.#each(field, (value, row) => {
      present[row] = part < 0 || Object.hasOwn(value as object, PARTS[part]!) ? 1 : 0;
    });
    return present;
  }

  // A proto2 message has a field of its own only where it is set; else the default is its prototype's.
  #each(field: Field, take: (value: unknown, row: number) => void): void {
    const { name, oneof } = field;
    this.messages.forEach((each, row) => {
      const message = each as unknown as Record<string, unknown>;
      const set = oneof === undefined ? undefined : (message[oneof] as { case?: string; value?: unknown });
      const value = set ? (set.case === name ? set.value : undefined) : Object.hasOwn(message, name) ? message[name] : undefined;
      if (value !== undefined) {
        take(value, row);
      }
    });
  }
}

/** Numbers, one a row, as a source. */
export class Numbers implements Source {
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

/** Bytes as an array: a view where they are aligned, else a copy. The bytes are little-endian, as every browser's are. */
export function vectorOf<V extends Vector>(type: VectorType<V>, bytes: Uint8Array): V {
  const size = type.BYTES_PER_ELEMENT;
  const from = bytes.byteOffset % size === 0 ? bytes : bytes.slice();
  return new type(from.buffer, from.byteOffset, from.length / size);
}
