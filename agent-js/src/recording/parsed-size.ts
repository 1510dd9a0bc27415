/** Limits the memory of a parsed message. An empty message inside another takes two bytes in a file, and some hundred bytes in memory. */

import type { DescMessage, MessageShape } from "@bufbuild/protobuf";
import { MalformedMessageError } from "../errors.js";
import { parse, rawFieldsOf } from "../protocol/parsing.js";
import { LIMITS } from "./records.js";

const OBJECT_BYTES = 64;
const LIST_BYTES = 40;
const VALUE_BYTES = 16;
const DEEPEST = 100; // As in protobuf's own parsers.
const mostOfByte = new Map<DescMessage, number>();

/** Parses a message of a recording. Throws MalformedMessageError, also if it would take too much memory. */
export function parseChecked<M extends DescMessage>(schema: M, bytes: Uint8Array, what: string): MessageShape<M> {
  checkParsedSize(schema, bytes, what);
  return parse(schema, bytes);
}

/** Throws MalformedMessageError if a message would take more than the limit once parsed. */
export function checkParsedSize(schema: DescMessage, bytes: Uint8Array, what: string): void {
  if (bytes.length * mostOf(schema) > LIMITS.parsed && sizeOf(schema, bytes, LIMITS.parsed, 0) > LIMITS.parsed) {
    throw new MalformedMessageError(`${what} would take more than ${LIMITS.parsed} bytes of memory, more than any real message: record the match again`);
  }
}

/** The most memory per byte in the file: half an empty message of any kind inside. */
function mostOf(schema: DescMessage): number {
  let most = mostOfByte.get(schema);
  if (most === undefined) {
    const kinds = new Set([schema]);
    kinds.forEach(({ fields }) => fields.forEach(({ message }) => message && kinds.add(message)));
    most = Math.max(VALUE_BYTES, ...[...kinds].map((kind) => emptySize(kind) / 2));
    mostOfByte.set(schema, most);
  }
  return most;
}

function emptySize({ fields }: DescMessage): number {
  return OBJECT_BYTES + LIST_BYTES * fields.filter(({ fieldKind }) => fieldKind === "list").length;
}

/** The estimated memory. Stops above `limit`. */
function sizeOf(schema: DescMessage, bytes: Uint8Array, limit: number, depth: number): number {
  if (depth > DEEPEST) {
    return Infinity;
  }
  let size = emptySize(schema);
  const fields = new Map(schema.fields.map((field) => [field.number, field]));
  for (const [number, value] of rawFieldsOf(bytes)) {
    const field = fields.get(number);
    if (!field) {
      continue; // Unknown fields are not kept.
    }
    if (!(value instanceof Uint8Array)) {
      size += VALUE_BYTES;
    } else if (field.message) {
      size += sizeOf(field.message, value, limit - size, depth + 1);
    } else {
      size += OBJECT_BYTES + (field.fieldKind === "list" ? VALUE_BYTES : 2) * value.length;
    }
    if (size > limit) {
      return size;
    }
  }
  return size;
}
