/** Takes the envelope off a frame, whose content is not parsed with it. Throws MalformedMessageError and nothing else. */

import { BinaryReader } from "@bufbuild/protobuf/wire";
import { type Event, EventSchema, type Frame as Envelope, FrameSchema } from "../generated/sc2bridge/v1/bridge_pb.js";
import { fromObject, object, parse, parseObject, readable } from "./parsing.js";

/** A message as it travels: serialized, or JSON text. */
export type Wire = Uint8Array | string;

/** What stands around an observation, and the observation or columns: serialized, or the JSON object; else in `envelope`. */
export interface OpenedFrame {
  envelope: Envelope;
  content?: { kind: "observation" | "columns"; value: Uint8Array | Record<string, unknown> };
}

/** Opens an Event: a frame's envelope and content, else the parsed event. */
export function openEvent(message: Wire): OpenedFrame | Event {
  return typeof message === "string" ? openText(message) : openBytes(message);
}

function openText(text: string): OpenedFrame | Event {
  const event = parseObject(text);
  if (event.frame === undefined) {
    return fromObject(EventSchema, event);
  }
  const { observation, columns, ...head } = object("frame", event.frame);
  const envelope = fromObject(FrameSchema, head);
  if (columns !== undefined) {
    return { envelope, content: { kind: "columns", value: object("columns", columns) } };
  }
  if (observation !== undefined) {
    return { envelope, content: { kind: "observation", value: object("observation", observation) } };
  }
  return { envelope };
}

function openBytes(bytes: Uint8Array): OpenedFrame | Event {
  const event = new BinaryReader(bytes);
  const frame = readable("event", () => {
    while (event.pos < event.len) {
      const [number, type] = event.tag();
      if (number === EventSchema.field.frame.number) {
        return event.bytes();
      }
      event.skip(type, number);
    }
    return undefined;
  });
  return frame ? openFrame(frame) : parse(EventSchema, bytes);
}

// A frame is written with its content last, so that what precedes it is the envelope.
function openFrame(frame: Uint8Array): OpenedFrame {
  return readable("frame", () => {
    const reader = new BinaryReader(frame);
    while (reader.pos < reader.len) {
      const start = reader.pos;
      const [number, type] = reader.tag();
      if (number === FrameSchema.field.observation.number || number === FrameSchema.field.columns.number) {
        const kind = number === FrameSchema.field.columns.number ? "columns" : "observation";
        return { envelope: parse(FrameSchema, frame.subarray(0, start)), content: { kind, value: reader.bytes() } };
      }
      reader.skip(type, number);
    }
    return { envelope: parse(FrameSchema, frame) };
  });
}
