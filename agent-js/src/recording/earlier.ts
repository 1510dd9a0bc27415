/** Converts recordings of builds before 0.1.0. In these, a player's kind and race, and a match's end reason, are text. */

import type { DescEnum } from "@bufbuild/protobuf";
import { EndReason, EndReasonSchema, MatchDescriptionSchema, PlayerKindSchema, PlayerRaceSchema } from "../generated/sc2bridge/v1/bridge_pb.js";
import { type MatchRecord, MatchRecordSchema } from "../generated/sc2bridge/v1/recording_pb.js";
import { nestedMessages } from "../units/scan.js";

const [KIND, RACE] = [2, 3];
const FORFEIT = /^forfeited by player |left the game$|^Ladder rules: .* took /;
const utf8 = new TextDecoder();

/** Sets the enum fields, which those builds did not write. Throws MalformedMessageError. @param data the serialized record */
export function convert({ record }: MatchRecord, data: Uint8Array): void {
  if (record.case === "end" && !record.value.reason) {
    record.value.reason = reasonOf(record.value.detail, record.value.aborted);
  } else if (record.case === "start") {
    const { value } = record;
    const players = nestedMessages(data, [MatchRecordSchema.field.start.number, MatchDescriptionSchema.field.players.number]);
    players.forEach((bytes, at) => {
      const player = value.players[at]!;
      const text = (number: number) => utf8.decode(nestedMessages(bytes, [number]).at(-1));
      player.kind ||= numberOf(PlayerKindSchema, text(KIND));
      player.race ||= numberOf(PlayerRaceSchema, text(RACE));
    });
  }
}

/** The enum value of a text; 0 if the enum has no such value. */
function numberOf(kind: DescEnum, text: string): number {
  const name = text.replaceAll(" ", "_").toUpperCase();
  return kind.values.find((value) => value.name === `${kind.sharedPrefix?.toUpperCase() ?? ""}${name}`)?.number ?? 0;
}

/** The end reason for a text of those builds. The readers in C# and Python have the same rules. */
function reasonOf(detail: string, isAborted: boolean): EndReason {
  if (detail === "no agent plays any more") {
    return EndReason.NO_AGENT;
  }
  const known = numberOf(EndReasonSchema, detail);
  if (known || isAborted) {
    return known || EndReason.FAILED;
  }
  return FORFEIT.test(detail) ? EndReason.FORFEIT : detail.startsWith("Ladder rules: a match ends at ") ? EndReason.STEP_LIMIT : EndReason.UNSPECIFIED;
}
