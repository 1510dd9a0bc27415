/** Separates the envelope of a frame from its content. Throws only MalformedMessageError. */

import { BinaryReader } from "@bufbuild/protobuf/wire";
import { type Block, BlockSchema, type Frame as Envelope, FrameSchema, type PlayResponse, PlayResponseSchema } from "../generated/sc2bridge/v1/bridge_pb.js";
import { bytesOfBase64, fromObject, parse, parseObject, parseUntrusted, requireObject } from "./parsing.js";

/** A message as the WebSocket carries it: serialized bytes or JSON text. */
export type WireMessage = Uint8Array | string;

/** Serialized bytes or a JSON object. */
export type Content = Uint8Array | Record<string, unknown>;

/** The parts of a frame. Only the part that is used is parsed. */
interface Parts {
  readonly envelope: Content;
  readonly kind?: "observation" | "columns" | "zstd" | "block" | undefined;
  readonly payload?: unknown;
}

const PAYLOADS = new Map((["observation", "columns", "zstd", "block"] as const).map((kind) => [FrameSchema.field[kind].number, kind]));

// The bridge writes this field first, so that a text is recognized as a frame before it is parsed.
const FRAME_TEXT = '{"frame":';

/** Opens a PlayResponse. A frame is not parsed, and any other event is parsed completely. */
export function openEvent(message: WireMessage): FrameMessage | PlayResponse {
  if (typeof message === "string") {
    if (message.startsWith(FRAME_TEXT)) {
      return new FrameMessage(message);
    }
    const event = parseObject(message);
    return event.frame === undefined ? fromObject(PlayResponseSchema, event) : new FrameMessage(message);
  }
  const event = new BinaryReader(message);
  const frame = parseUntrusted("invalid PlayResponse", () => {
    while (event.pos < event.len) {
      const [number, type] = event.tag();
      if (number === PlayResponseSchema.field.frame.number) {
        return event.bytes();
      }
      event.skip(type, number);
    }
    return undefined;
  });
  return frame ? new FrameMessage(frame) : parse(PlayResponseSchema, message);
}

/** A received frame: a serialized Frame, or the JSON text of a PlayResponse. Each part is parsed on first use. */
export class FrameMessage {
  #parts: Parts | undefined;
  #envelope: Envelope | undefined;

  constructor(private readonly message: WireMessage) {}

  /** The size of the message in bytes, or in characters of JSON text. */
  get size(): number {
    return this.message.length;
  }

  /** The frame's fields without the payload. */
  get envelope(): Envelope {
    const { envelope } = this.#split();
    this.#envelope ??= envelope instanceof Uint8Array ? parse(FrameSchema, envelope) : fromObject(FrameSchema, envelope);
    return this.#envelope;
  }

  /** The content if it is not compressed. Undefined if the frame has another payload or none. */
  get content(): Content | undefined {
    const { kind, payload } = this.#split();
    if (kind !== "observation" && kind !== "columns") {
      return undefined;
    }
    return payload instanceof Uint8Array ? payload : requireObject("content", payload);
  }

  /** The payload if it is a single compressed content. */
  get zstd(): Uint8Array | undefined {
    const { kind, payload } = this.#split();
    return kind !== "zstd" ? undefined : payload instanceof Uint8Array ? payload : bytesOfBase64(payload);
  }

  /** The payload if it is a block of a group. */
  get block(): Block | undefined {
    const { kind, payload } = this.#split();
    return kind !== "block" ? undefined : payload instanceof Uint8Array ? parse(BlockSchema, payload) : fromObject(BlockSchema, payload);
  }

  #split(): Parts {
    this.#parts ??= typeof this.message === "string" ? splitText(this.message) : splitBytes(this.message);
    return this.#parts;
  }
}

function splitText(text: string): Parts {
  const { observation, columns, zstd, block, ...envelope } = requireObject("frame", parseObject(text).frame);
  for (const [kind, payload] of Object.entries({ columns, observation, zstd, block })) {
    if (payload !== undefined) {
      return { envelope, kind: kind as Parts["kind"], payload };
    }
  }
  return { envelope };
}

// The payload is the last field of a frame, so all bytes before the payload are the envelope.
function splitBytes(frame: Uint8Array): Parts {
  return parseUntrusted("invalid Frame", () => {
    const reader = new BinaryReader(frame);
    while (reader.pos < reader.len) {
      const start = reader.pos;
      const [number, type] = reader.tag();
      const kind = PAYLOADS.get(number);
      if (kind) {
        return { envelope: frame.subarray(0, start), kind, payload: reader.bytes() };
      }
      reader.skip(type, number);
    }
    return { envelope: frame };
  });
}
