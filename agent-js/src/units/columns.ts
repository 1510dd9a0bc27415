/** Reads a Columns message (bridge.proto): its vectors become typed arrays, with no unit parsed. */

import type { DescMessage } from "@bufbuild/protobuf";
import { MalformedMessageError } from "../errors.js";
import {
  BuffColumnsSchema,
  ColumnsSchema,
  OrderColumnsSchema,
  PassengerColumnsSchema,
  RallyTargetColumnsSchema,
} from "../generated/sc2bridge/v1/bridge_pb.js";
import { bytesOf, bytesOfBase64, fieldsOf, object } from "../protocol/parsing.js";
import { type Field, type Fields, type Source, vectorOf, type Vector } from "./table.js";

const COUNT = ColumnsSchema.field.count.number;
const PRESENT = ColumnsSchema.field.present.number;
const REST = ColumnsSchema.field.rest.number;
const OFFSETS = OrderColumnsSchema.field.offsets.number;
const ITEM_PRESENT = OrderColumnsSchema.field.present.number;

// The bit of a point's x in `present`, of a unit and of an item.
const UNIT_X = 61;
const ITEM_X = 13;

const LISTS = {
  orders: OrderColumnsSchema,
  passengers: PassengerColumnsSchema,
  buffIds: BuffColumnsSchema,
  rallyTargets: RallyTargetColumnsSchema,
};

/** A list that units have, as the message names it. */
export type ListName = keyof typeof LISTS;

/** The vectors of a message by their fields' numbers. */
type Content = Map<number, Uint8Array>;

/** An observation as columns. Throws MalformedMessageError where it is none, also from `list`. */
export class Columns {
  /** The units' vectors. */
  readonly units: Vectors;
  readonly #lists: (name: ListName) => Content | undefined;

  private constructor(
    content: Content,
    count: number,
    /** The observation without its units: serialized, or of JSON the object. */
    readonly rest: Uint8Array | Record<string, unknown>,
    fields: Fields,
    lists: (name: ListName) => Content | undefined,
  ) {
    const present = content.get(PRESENT) ?? EMPTY;
    if (present.length !== count * 8) {
      throw new MalformedMessageError(`columns of ${count} units with ${present.length} bytes of present`);
    }
    check(content, count, fields, "units");
    this.units = new Vectors(content, count, vectorOf(BigUint64Array, present), UNIT_X);
    this.#lists = lists;
  }

  /** Of a serialized Columns. */
  static open(message: Uint8Array, fields: Fields): Columns {
    const content: Content = new Map();
    let count = 0;
    for (const [number, value] of fieldsOf(message)) {
      if (number === COUNT) {
        count = Number(value);
      } else if (value instanceof Uint8Array) {
        content.set(number, value);
      }
    }
    const rest = content.get(REST) ?? EMPTY;
    return new Columns(content, count, rest, fields, (name) => {
      const list = content.get(ColumnsSchema.field[name].number);
      return list && new Map([...fieldsOf(list)].map(([number, value]) => [number, bytesOf(value)]));
    });
  }

  /** Of a Columns in protobuf's JSON. */
  static openJson(message: Record<string, unknown>, fields: Fields): Columns {
    const count = message.count ?? 0;
    if (typeof count !== "number" || !Number.isInteger(count) || count < 0) {
      throw new MalformedMessageError("no columns in JSON: their count is no number");
    }
    const rest = object("rest of columns", message.rest ?? {});
    return new Columns(fromJson(message, ColumnsSchema), count, rest, fields, (name) =>
      message[name] === undefined ? undefined : fromJson(object(name, message[name]), LISTS[name]),
    );
  }

  /** The items of the units' lists in a field, with these columns; and their offsets. */
  list(name: ListName, fields: Fields): { items: Source; offsets: Uint32Array } {
    const { count } = this.units;
    const content = this.#lists(name);
    if (!content) {
      return { items: new Vectors(new Map(), 0, undefined, ITEM_X), offsets: new Uint32Array(count + 1) };
    }
    const bytes = content.get(OFFSETS) ?? EMPTY;
    if (bytes.length !== (count + 1) * 4) {
      throw new MalformedMessageError(`columns of ${count} units with ${bytes.length} bytes of offsets for ${name}`);
    }
    const offsets = vectorOf(Uint32Array, bytes);
    if (offsets[0] !== 0 || offsets.some((offset, at) => at > 0 && offset < offsets[at - 1]!)) {
      throw new MalformedMessageError(`columns whose offsets for ${name} do not begin at 0, or go down`);
    }
    const items = offsets[count]!;
    check(content, items, fields, name);
    if (name === "buffIds") {
      if (items > 0 && !content.has(BuffColumnsSchema.field.buffId.number)) {
        throw new MalformedMessageError(`columns of ${items} ${name} without them`);
      }
      return { items: new Vectors(content, items, undefined, ITEM_X), offsets };
    }
    const present = content.get(ITEM_PRESENT) ?? EMPTY;
    if (present.length !== items * 2) {
      throw new MalformedMessageError(`columns of ${items} ${name} with ${present.length} bytes of present`);
    }
    return { items: new Vectors(content, items, vectorOf(Uint16Array, present), ITEM_X), offsets };
  }
}

/** The vectors of one message of columns, as a source of a table. */
export class Vectors implements Source {
  constructor(
    private readonly content: Content,
    readonly count: number,
    private readonly masks: BigUint64Array | Uint16Array | undefined,
    private readonly xBit: number,
  ) {}

  vector(field: Field): Vector {
    const found = this.content.get(field.number);
    return found ? vectorOf(field.type, found) : new field.type(this.count * field.width);
  }

  present(field: Field, part: number): Uint8Array {
    const { masks } = this;
    if (!masks) {
      return new Uint8Array(this.count).fill(1); // Of numbers, each is one.
    }
    const bit = part < 0 ? field.number : this.xBit + part;
    if (masks instanceof Uint16Array) {
      return Uint8Array.from(masks, (mask) => (mask >> bit) & 1);
    }
    // By halves: numbers are many times quicker than bigints.
    const halves = new Uint32Array(masks.buffer, masks.byteOffset, masks.length * 2);
    const present = new Uint8Array(this.count);
    for (let row = 0; row < this.count; row++) {
      present[row] = (halves[row * 2 + (bit >> 5)]! >>> (bit & 31)) & 1;
    }
    return present;
  }
}

const EMPTY = new Uint8Array(0);

function check(content: Content, rows: number, fields: Fields, what: string): void {
  for (const [name, field] of Object.entries(fields)) {
    const bytes = content.get(field.number)?.length;
    if (bytes !== undefined && bytes !== rows * field.width * field.type.BYTES_PER_ELEMENT) {
      throw new MalformedMessageError(`columns of ${rows} ${what} with ${bytes} bytes of ${name}`);
    }
  }
}

function fromJson(message: Record<string, unknown>, kind: DescMessage): Content {
  const content: Content = new Map();
  for (const field of kind.fields) {
    const value = message[field.jsonName];
    if (field.fieldKind === "scalar" && typeof value === "string") {
      content.set(field.number, bytesOfBase64(value));
    }
  }
  return content;
}
