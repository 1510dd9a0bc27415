/** A frame of a recording, with its parts that are fast to read. */

import { create } from "@bufbuild/protobuf";
import { Frame } from "../frame.js";
import { ObservationSchema, type ResponseObservation, ResponseObservationSchema } from "../generated/s2clientprotocol/sc2api_pb.js";
import { FrameSchema } from "../generated/sc2bridge/v1/bridge_pb.js";
import { rawFieldsOf, requireBytes } from "../protocol/parsing.js";
import { NUMBERS, PLAYER, REST } from "../protocol/picking.js";
import { checkParsedSize } from "./parsed-size.js";

/** The parts of a recorded frame. They can be posted to and from a worker. */
export interface RecordedParts {
  readonly matchId: string;
  readonly perspective: number;
  readonly step: number;
  /** Nanoseconds since 1970. */
  readonly requestedNs: bigint;
  readonly observedNs: bigint;
  /** The serialized ResponseObservation, as the game sent it. */
  readonly data: Uint8Array;
}

/**
 * A frame of a recording. `requestedNs` and `observedNs` are nanoseconds since 1970. It keeps its chunk in memory (about 8 MiB).
 * `numbers`, `upgrades` and `rest` are parsed at each use.
 */
export class RecordedFrame extends Frame {
  /** Throws MalformedMessageError. */
  constructor(readonly parts: RecordedParts) {
    const { data, step, matchId, perspective, requestedNs, observedNs } = parts;
    checkParsedSize(ResponseObservationSchema, data, `the observation of step ${step}`);
    const envelope = create(FrameSchema, { matchId, perspective, requestedNs, observedNs, step: BigInt(step), gameLoop: gameLoopOf(data) });
    const message = { envelope, content: data, zstd: undefined, block: undefined, size: data.length };
    super({ message, encoding: "proto", size: data.length, receivedMs: performance.now(), seeked: false });
  }

  /** The observation's `playerCommon` and `score` only. Throws MalformedMessageError. */
  get numbers(): ResponseObservation {
    return this.pick(NUMBERS);
  }

  /** The ids of the player's upgrades (UpgradeData.upgrade_id); an observer of all has none. Throws MalformedMessageError. */
  get upgrades(): readonly number[] {
    return this.pick(PLAYER).observation?.rawData?.player?.upgradeIds ?? [];
  }

  /** The observation without its units, which `units` has. Throws MalformedMessageError. */
  get rest(): ResponseObservation {
    return this.pick(REST);
  }
}

/** The game loop of a serialized ResponseObservation. Throws MalformedMessageError. */
function gameLoopOf(observation: Uint8Array): number {
  let loop = 0;
  for (const [number, value] of rawFieldsOf(observation)) {
    if (number === ResponseObservationSchema.field.observation.number) {
      for (const [inside, each] of rawFieldsOf(requireBytes(value))) {
        loop = inside === ObservationSchema.field.gameLoop.number ? Number(each) >>> 0 : loop;
      }
    }
  }
  return loop;
}
