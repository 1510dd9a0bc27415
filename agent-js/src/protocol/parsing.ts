/** Parses messages; what cannot be read is a MalformedMessageError and nothing else. */

import { type DescMessage, fromBinary, fromJson, type JsonValue, type MessageShape } from "@bufbuild/protobuf";
import { base64Decode, BinaryReader, WireType } from "@bufbuild/protobuf/wire";
import { MalformedMessageError } from "../errors.js";

/** Parses a serialized message. Throws MalformedMessageError. */
export function parse<M extends DescMessage>(schema: M, bytes: Uint8Array): MessageShape<M> {
  return readable(schema.name, () => fromBinary(schema, bytes, { readUnknownFields: false }));
}

/** Reads a message of protobuf's JSON. Throws MalformedMessageError. */
export function fromObject<M extends DescMessage>(schema: M, json: unknown): MessageShape<M> {
  return readable(schema.name, () => fromJson(schema, json as JsonValue, { ignoreUnknownFields: true }));
}

/** An object in JSON text. Throws MalformedMessageError. */
export function parseObject(text: string | Uint8Array): Record<string, unknown> {
  return object("text", readable("JSON", () => JSON.parse(typeof text === "string" ? text : utf8.decode(text))));
}

/** A JSON value as an object. Throws MalformedMessageError. */
export function object(what: string, value: unknown): Record<string, unknown> {
  if (typeof value !== "object" || value === null || Array.isArray(value)) {
    throw new MalformedMessageError(`no ${what} in JSON: it is no object`);
  }
  return value as Record<string, unknown>;
}

/** A field of a message as it stands there. */
export type FieldValue = Uint8Array | bigint | number;

/**
 * The fields of a serialized message by their numbers, in their order; what is in them is not parsed, and bytes are views.
 * Throws MalformedMessageError.
 */
export function* fieldsOf(bytes: Uint8Array): Generator<[number, FieldValue]> {
  const reader = new BinaryReader(bytes);
  while (reader.pos < reader.len) {
    yield readable("message", (): [number, FieldValue] => {
      const [number, type] = reader.tag();
      switch (type) {
        case WireType.Varint:
          return [number, reader.uint64() as bigint];
        case WireType.LengthDelimited:
          return [number, reader.bytes()];
        case WireType.Bit32:
          return [number, reader.fixed32()];
        case WireType.Bit64:
          return [number, reader.fixed64() as bigint];
        default:
          throw new RangeError(`field ${number} is a group`);
      }
    });
  }
}

/** The bytes of a field. Throws MalformedMessageError where it is a number. */
export function bytesOf(value: FieldValue): Uint8Array {
  if (!(value instanceof Uint8Array)) {
    throw new MalformedMessageError("a number stands where bytes belong");
  }
  return value;
}

/** The bytes of base64 in JSON. Throws MalformedMessageError. */
export function bytesOfBase64(value: unknown): Uint8Array {
  return readable("base64", () => base64Decode(value as string));
}

/** What a reading of outside bytes gives. Throws MalformedMessageError in place of whatever it throws. */
export function readable<T>(what: string, read: () => T): T {
  try {
    return read();
  } catch (error) {
    if (error instanceof MalformedMessageError) {
      throw error;
    }
    throw new MalformedMessageError(`no ${what}: ${error instanceof Error ? error.message : error}`, { cause: error });
  }
}

const utf8 = new TextDecoder("utf-8", { fatal: true });
