/** Parses messages. Invalid input always throws MalformedMessageError. */

import { type DescMessage, fromBinary, fromJson, type JsonValue, type MessageShape } from "@bufbuild/protobuf";
import { base64Decode, BinaryReader, WireType } from "@bufbuild/protobuf/wire";
import { MalformedMessageError } from "../errors.js";

/** Parses a serialized message. Throws MalformedMessageError. */
export function parse<M extends DescMessage>(schema: M, bytes: Uint8Array): MessageShape<M> {
  return parseUntrusted(`invalid ${schema.name}`, () => fromBinary(schema, bytes, { readUnknownFields: false }));
}

/** Converts an object in protobuf's JSON form to a message. Throws MalformedMessageError. */
export function fromObject<M extends DescMessage>(schema: M, json: unknown): MessageShape<M> {
  return parseUntrusted(`invalid ${schema.name} in JSON`, () => fromJson(schema, json as JsonValue, { ignoreUnknownFields: true }));
}

/** Parses JSON text that must contain an object. Throws MalformedMessageError. */
export function parseObject(text: string | Uint8Array): Record<string, unknown> {
  return requireObject("message", parseUntrusted("invalid JSON", () => JSON.parse(typeof text === "string" ? text : utf8.decode(text))));
}

/** Returns a JSON value that must be an object. `what`: its name for the error. Throws MalformedMessageError. */
export function requireObject(what: string, value: unknown): Record<string, unknown> {
  if (typeof value !== "object" || value === null || Array.isArray(value)) {
    const type = value === null ? "null" : Array.isArray(value) ? "array" : typeof value;
    throw new MalformedMessageError(`invalid ${what} in JSON: expected an object, not ${type}`);
  }
  return value as Record<string, unknown>;
}

/** The value of a field before its type is known: bytes or a number. */
export type FieldValue = Uint8Array | bigint | number;

/**
 * Yields the number and the value of each field of a serialized message, in order. Nested messages are not parsed. Bytes
 * are views of the message. Throws MalformedMessageError.
 */
export function* rawFieldsOf(bytes: Uint8Array): Generator<[number, FieldValue]> {
  const reader = new BinaryReader(bytes);
  while (reader.pos < reader.len) {
    yield parseUntrusted("invalid message", (): [number, FieldValue] => {
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
          throw new RangeError(`field ${number} is a group, and groups are not supported`);
      }
    });
  }
}

/** Returns the bytes of a field. Throws MalformedMessageError if the value is a number. */
export function requireBytes(value: FieldValue): Uint8Array {
  if (!(value instanceof Uint8Array)) {
    throw new MalformedMessageError(`invalid message: expected bytes, not the number ${value}`);
  }
  return value;
}

/** Decodes base64 from JSON. Throws MalformedMessageError. */
export function bytesOfBase64(value: unknown): Uint8Array {
  return parseUntrusted("invalid base64 in JSON", () => base64Decode(value as string));
}

/** Calls a function that parses untrusted bytes. Its errors become MalformedMessageErrors that begin with `problem`. */
export function parseUntrusted<T>(problem: string, parse: () => T): T {
  try {
    return parse();
  } catch (error) {
    if (error instanceof MalformedMessageError) {
      throw error;
    }
    throw new MalformedMessageError(`${problem}: ${error instanceof Error ? error.message : error}`, { cause: error });
  }
}

const utf8 = new TextDecoder("utf-8", { fatal: true });
