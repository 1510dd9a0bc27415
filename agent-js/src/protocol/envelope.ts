/** Takes the envelope off a frame, whose content is not parsed with it. Throws MalformedMessageError and nothing else. */

import { BinaryReader } from "@bufbuild/protobuf/wire";
import { type Frame as Envelope, FrameSchema, type PlayResponse, PlayResponseSchema } from "../generated/sc2bridge/v1/bridge_pb.js";
import { fromObject, object, parse, parseObject, readable } from "./parsing.js";

/** A message as it travels: serialized, or JSON text. */
export type Wire = Uint8Array | string;

/** A frame without its observation or columns, and those: serialized, or the JSON object. Other payloads are in `envelope`. */
export interface OpenedFrame {
  envelope: Envelope;
  content?: Uint8Array | Record<string, unknown>;
}

/** Opens a PlayResponse: a frame's envelope and content, else the parsed event. */
export function openEvent(message: Wire): OpenedFrame | PlayResponse {
  return typeof message === "string" ? openText(message) : openBytes(message);
}

function openText(text: string): OpenedFrame | PlayResponse {
  const event = parseObject(text);
  if (event.frame === undefined) {
    return fromObject(PlayResponseSchema, event);
  }
  const { observation, columns, ...head } = object("frame", event.frame);
  const envelope = fromObject(FrameSchema, head);
  const content = columns ?? observation;
  return content === undefined ? { envelope } : { envelope, content: object("content", content) };
}

function openBytes(bytes: Uint8Array): OpenedFrame | PlayResponse {
  const event = new BinaryReader(bytes);
  const frame = readable("event", () => {
    while (event.pos < event.len) {
      const [number, type] = event.tag();
      if (number === PlayResponseSchema.field.frame.number) {
        return event.bytes();
      }
      event.skip(type, number);
    }
    return undefined;
  });
  return frame ? openFrame(frame) : parse(PlayResponseSchema, bytes);
}

// A frame is written with its content last, so that what precedes it is the envelope.
function openFrame(frame: Uint8Array): OpenedFrame {
  return readable("frame", () => {
    const reader = new BinaryReader(frame);
    while (reader.pos < reader.len) {
      const start = reader.pos;
      const [number, type] = reader.tag();
      if (number === FrameSchema.field.observation.number || number === FrameSchema.field.columns.number) {
        return { envelope: parse(FrameSchema, frame.subarray(0, start)), content: reader.bytes() };
      }
      reader.skip(type, number);
    }
    return { envelope: parse(FrameSchema, frame) };
  });
}
