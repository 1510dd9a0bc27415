/** Reads a Columns message (bridge.proto). Its vectors become typed arrays without parsing single units. */

import type { DescMessage } from "@bufbuild/protobuf";
import { MalformedMessageError } from "../errors.js";
import {
  BuffColumnsSchema,
  ColumnsSchema,
  OrderColumnsSchema,
  PassengerColumnsSchema,
  RallyTargetColumnsSchema,
} from "../generated/sc2bridge/v1/bridge_pb.js";
import { bytesOfBase64, rawFieldsOf, requireBytes, requireObject } from "../protocol/parsing.js";
import { asVector, type Field, type Fields, type Source, type Vector } from "./table.js";

const COUNT = ColumnsSchema.field.count.number;
const PRESENT = ColumnsSchema.field.present.number;
const REST = ColumnsSchema.field.rest.number;
const OFFSETS = OrderColumnsSchema.field.offsets.number;
const ITEM_PRESENT = OrderColumnsSchema.field.present.number;

// The bit of the x of a point in `present`, for units and for items of lists. The bits of y and z follow.
const UNIT_X = 61;
const ITEM_X = 13;

const LISTS = {
  orders: OrderColumnsSchema,
  passengers: PassengerColumnsSchema,
  buffIds: BuffColumnsSchema,
  rallyTargets: RallyTargetColumnsSchema,
};

/** The name of a field of units that is a list. */
export type ListName = keyof typeof LISTS;

/** The bytes of a message's vectors, by the numbers of their fields. */
type VectorBytes = Map<number, Uint8Array>;

/** An observation as columns. All methods throw MalformedMessageError if the message is invalid. */
export class Columns {
  /** The vectors of the units. */
  readonly units: Vectors;
  readonly #lists: (name: ListName) => VectorBytes | undefined;

  private constructor(
    vectors: VectorBytes,
    count: number,
    /** The observation without its units: serialized bytes or the JSON object. */
    readonly rest: Uint8Array | Record<string, unknown>,
    fields: Fields,
    lists: (name: ListName) => VectorBytes | undefined,
  ) {
    const present = vectors.get(PRESENT) ?? EMPTY;
    if (present.length !== count * 8) {
      throw new MalformedMessageError(`${count} units need ${count * 8} bytes of \`present\`, not ${present.length}`);
    }
    checkLengths(vectors, count, fields, "units");
    this.units = new Vectors(vectors, count, asVector(BigUint64Array, present), UNIT_X);
    this.#lists = lists;
  }

  /** Opens a serialized Columns. */
  static open(message: Uint8Array, fields: Fields): Columns {
    const vectors: VectorBytes = new Map();
    let count = 0;
    for (const [number, value] of rawFieldsOf(message)) {
      if (number === COUNT) {
        count = Number(value);
      } else if (value instanceof Uint8Array) {
        vectors.set(number, value);
      }
    }
    const rest = vectors.get(REST) ?? EMPTY;
    return new Columns(vectors, count, rest, fields, (name) => {
      const list = vectors.get(ColumnsSchema.field[name].number);
      return list && new Map([...rawFieldsOf(list)].map(([number, value]) => [number, requireBytes(value)]));
    });
  }

  /** Opens a Columns in protobuf's JSON form. */
  static openJson(message: Record<string, unknown>, fields: Fields): Columns {
    const count = message.count ?? 0;
    if (typeof count !== "number" || !Number.isInteger(count) || count < 0) {
      throw new MalformedMessageError(`invalid Columns in JSON: count: expected a number from 0, not ${JSON.stringify(count)}`);
    }
    const rest = requireObject("Columns.rest", message.rest ?? {});
    return new Columns(vectorsFromJson(message, ColumnsSchema), count, rest, fields, (name) =>
      message[name] === undefined ? undefined : vectorsFromJson(requireObject(name, message[name]), LISTS[name]),
    );
  }

  /** The lists of all units, joined. The items of unit `row` are those from `offsets[row]` to before `offsets[row + 1]`. */
  list(name: ListName, fields: Fields): { items: Source; offsets: Uint32Array } {
    const { count } = this.units;
    const vectors = this.#lists(name);
    if (!vectors) {
      return { items: new Vectors(new Map(), 0, undefined, ITEM_X), offsets: new Uint32Array(count + 1) };
    }
    const bytes = vectors.get(OFFSETS) ?? EMPTY;
    if (bytes.length !== (count + 1) * 4) {
      throw new MalformedMessageError(`${count} units need ${(count + 1) * 4} bytes of offsets for ${name}, not ${bytes.length}`);
    }
    const offsets = asVector(Uint32Array, bytes);
    if (offsets[0] !== 0 || offsets.some((offset, at) => at > 0 && offset < offsets[at - 1]!)) {
      throw new MalformedMessageError(`invalid columns: the offsets for ${name} must begin at 0 and not decrease`);
    }
    const items = offsets[count]!;
    checkLengths(vectors, items, fields, name);
    if (name === "buffIds") {
      if (items > 0 && !vectors.has(BuffColumnsSchema.field.buffId.number)) {
        throw new MalformedMessageError(`${items} ${name} need ${items * 4} bytes of buff_id, not 0`);
      }
      return { items: new Vectors(vectors, items, undefined, ITEM_X), offsets };
    }
    const present = vectors.get(ITEM_PRESENT) ?? EMPTY;
    if (present.length !== items * 2) {
      throw new MalformedMessageError(`${items} ${name} need ${items * 2} bytes of present, not ${present.length}`);
    }
    return { items: new Vectors(vectors, items, asVector(Uint16Array, present), ITEM_X), offsets };
  }
}

/** The vectors of units or of items, as the source of a table. */
export class Vectors implements Source {
  constructor(
    private readonly vectors: VectorBytes,
    readonly count: number,
    private readonly presentMasks: BigUint64Array | Uint16Array | undefined,
    private readonly xBit: number,
  ) {}

  vector(field: Field): Vector {
    const found = this.vectors.get(field.number);
    return found ? asVector(field.type, found) : new field.type(this.count * field.width);
  }

  present(field: Field, part: number): Uint8Array {
    const { presentMasks } = this;
    if (!presentMasks) {
      return new Uint8Array(this.count).fill(1); // A list of plain numbers has no missing values.
    }
    const bit = part < 0 ? field.number : this.xBit + part;
    if (presentMasks instanceof Uint16Array) {
      return Uint8Array.from(presentMasks, (mask) => (mask >> bit) & 1);
    }
    // Reads each mask as two halves of 32 bits, because numbers are many times faster than bigints.
    const halves = new Uint32Array(presentMasks.buffer, presentMasks.byteOffset, presentMasks.length * 2);
    const present = new Uint8Array(this.count);
    for (let row = 0; row < this.count; row++) {
      present[row] = (halves[row * 2 + (bit >> 5)]! >>> (bit & 31)) & 1;
    }
    return present;
  }
}

const EMPTY = new Uint8Array(0);

function checkLengths(vectors: VectorBytes, rows: number, fields: Fields, what: string): void {
  for (const [name, field] of Object.entries(fields)) {
    const bytes = vectors.get(field.number)?.length;
    if (bytes !== undefined && bytes !== rows * field.width * field.type.BYTES_PER_ELEMENT) {
      throw new MalformedMessageError(`${rows} ${what} need ${rows * field.width * field.type.BYTES_PER_ELEMENT} bytes of ${name}, not ${bytes}`);
    }
  }
}

function vectorsFromJson(message: Record<string, unknown>, kind: DescMessage): VectorBytes {
  const vectors: VectorBytes = new Map();
  for (const field of kind.fields) {
    const value = message[field.jsonName];
    if (field.fieldKind === "scalar" && typeof value === "string") {
      vectors.set(field.number, bytesOfBase64(value));
    }
  }
  return vectors;
}
