/** Copies some fields of a serialized ResponseObservation. Other fields are skipped and not parsed. */

import { BinaryWriter, WireType } from "@bufbuild/protobuf/wire";
import { ObservationRawSchema } from "../generated/s2clientprotocol/raw_pb.js";
import { ObservationSchema, type ResponseObservation, ResponseObservationSchema } from "../generated/s2clientprotocol/sc2api_pb.js";
import { parse } from "./parsing.js";
import { WireReader } from "./wire-reader.js";

const WHOLE = ResponseObservationSchema.field;
const OBSERVATION = ObservationSchema.field;
const RAW = ObservationRawSchema.field;

/** For ResponseObservation, its Observation and its ObservationRaw: whether a field, by its number, is copied. */
export type Picks = readonly ((field: number) => boolean)[];

const among = (...fields: readonly { readonly number: number }[]) => {
  const numbers = new Set(fields.map(({ number }) => number));
  return (field: number) => numbers.has(field);
};
/** What happened in the step. */
export const EVENTS: Picks = [
  among(WHOLE.chat, WHOLE.actions, WHOLE.actionErrors, WHOLE.observation), among(OBSERVATION.alerts, OBSERVATION.rawData), among(RAW.event, RAW.player),
];
/** The player's resources and score. */
export const NUMBERS: Picks = [among(WHOLE.observation), among(OBSERVATION.playerCommon, OBSERVATION.score)];
/** The player's upgrades, its camera and the like. */
export const PLAYER: Picks = [among(WHOLE.observation), among(OBSERVATION.rawData), among(RAW.player)];
/** Everything except the units. */
export const REST: Picks = [() => true, () => true, (field) => field !== RAW.units.number];

/** Parses some fields of a serialized ResponseObservation. Throws MalformedMessageError. */
export function parsePicked(observation: Uint8Array, picks: Picks): ResponseObservation {
  return parse(ResponseObservationSchema, picked(observation, [WHOLE.observation.number, OBSERVATION.rawData.number], picks));
}

/** Copies some fields of a message, and of the message inside it at a path of field numbers. */
function picked(message: Uint8Array, [inside, ...path]: readonly number[], [keeps, ...others]: Picks): Uint8Array {
  const reader = new WireReader(message, "observation");
  const writer = new BinaryWriter();
  while (reader.position < message.length) {
    const start = reader.position;
    reader.readTag();
    const { number, type } = reader;
    if (type === WireType.LengthDelimited && number === inside && keeps!(number)) {
      const end = reader.readEnd();
      const part = picked(message.subarray(reader.position, end), path, others);
      if (part.length) {
        writer.tag(number, type).bytes(part);
      }
      reader.position = end;
      continue;
    }
    reader.skip();
    if (keeps!(number)) {
      writer.raw(message.subarray(start, reader.position));
    }
  }
  return writer.finish();
}
