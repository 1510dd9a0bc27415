/** An open recording, as `openRecording` returns it. */

import { create, type DescMessage, type MessageShape } from "@bufbuild/protobuf";
import { MalformedMessageError } from "../errors.js";
import { ResponseDataSchema, ResponseGameInfoSchema } from "../generated/s2clientprotocol/sc2api_pb.js";
import { EndReasonSchema, type MatchDescription, MatchDescriptionSchema, type MatchEnd } from "../generated/sc2bridge/v1/bridge_pb.js";
import {
  type ActionRecord, ActionRecordSchema, type Gap, type MatchRecord, MatchRecordSchema, type RequestRecord, RequestRecordSchema, type StepRecord, StepRecordSchema,
} from "../generated/sc2bridge/v1/recording_pb.js";
import { valueInWords } from "../protocol/subscribe.js";
import { type Analysis, parseAnalysis } from "./analysis.js";
import { convert } from "./earlier.js";
import { Perspective } from "./frames.js";
import { parseChecked } from "./parsed-size.js";
import { RecordingError, RecordingFile } from "./recording-file.js";
import { LIMITS } from "./records.js";
import type { RecordingSource } from "./source.js";

/**
 * Opens a recording.
 *
 *     const recording = await openRecording(file); // of an <input type="file">
 *     console.log((await recording.describe()).mapName, recording.perspective().length, "frames");
 *     console.log((await recording.perspective().atLoop(4032)).units.enemies.length, "enemies were seen");
 *
 * @param source a Blob or File, bytes, or an address. If the address's server supports ranges, only the needed parts are
 * fetched. Otherwise the whole recording is fetched, up to 512 MiB.
 * @param options `reusesMemory`: a frame is valid only until other chunks are read, so copy what you keep. A browser then
 * reads a whole recording in about half the time.
 *
 * A file that was cut off, or is still being written, can be read up to its last undamaged chunk (`recording.damage`).
 * Opening it takes longer, because every chunk is read once. Throws RecordingError if the file is not a recording,
 * SC2BridgeError if it cannot be read.
 */
export async function openRecording(source: RecordingSource, options: { reusesMemory?: boolean } = {}): Promise<Recording> {
  const file = await RecordingFile.open(source, options);
  const matches: MatchRecord[] = [];
  let size = 0;
  for await (const { data } of file.messages("/match", true)) {
    size += data.length;
    if (matches.length > LIMITS.gaps + 2 || size > LIMITS.parsed) {
      throw file.error({ kind: "foreign", at: 0, what: `it has more than ${LIMITS.gaps} gaps or ${LIMITS.parsed} bytes of gaps, unlike any match` });
    }
    matches.push(parsed(file, MatchRecordSchema, data, "a match record", (record) => convert(record, data)));
  }
  return new Recording(file, matches);
}

function parsed<M extends DescMessage>(file: RecordingFile, schema: M, data: Uint8Array, what: string, change?: (made: MessageShape<M>) => void): MessageShape<M> {
  try {
    const made = parseChecked(schema, data, what);
    change?.(made);
    return made;
  } catch (error) {
    throw error instanceof MalformedMessageError ? file.error({ kind: "damaged", at: 0, what: `${what}: ${error.message}` }) : error;
  }
}

/** A recorded match: its frames, description, end, steps, requests and actions. In memory stay the last three chunks. */
export class Recording {
  /** The match's end, undefined if the recording ends before it. `reason` is short, such as `step limit`. */
  readonly end: (Omit<MatchEnd, "reason"> & { reason: string }) | undefined;
  /** Observations that were published but are missing in the recording. */
  readonly gaps: readonly Gap[];
  readonly #start: MatchDescription;
  readonly #perspectives = new Map<number, Perspective>();

  /** @internal */
  constructor(
    private readonly file: RecordingFile,
    matches: readonly MatchRecord[],
  ) {
    const of = <K extends "start" | "gap" | "end">(kind: K) =>
      matches.flatMap(({ record }) => (record.case === kind ? [record.value as Extract<MatchRecord["record"], { case: K }>["value"]] : []));
    this.#start = of("start")[0] ?? create(MatchDescriptionSchema);
    this.gaps = of("gap");
    const end = of("end").at(-1);
    this.end = end && { ...end, reason: valueInWords(EndReasonSchema, end.reason) };
    for (const [perspective, channel] of file.index.perspectives) {
      const frames = new Perspective(file, channel, this.#start.matchId, this.#start.stepSize, perspective);
      if (frames.length) { // A match can end before the first frame of a side.
        this.#perspectives.set(perspective, frames);
      }
    }
  }

  /** The name of the file. */
  get name(): string {
    return this.file.name;
  }

  /** The whole file, if its server supports no ranges. Another `openRecording` can read it without fetching it again. */
  get blob(): Blob | undefined {
    return this.file.blob;
  }

  /** The size of the file in bytes. */
  get size(): number {
    return this.file.size;
  }

  /** The damage that ends the recording too early. A damaged chunk in the middle of a complete file is reported only when it is read. */
  get damage(): RecordingError | undefined {
    return this.file.damage;
  }

  /** The match's description as it began, without the game's data. */
  get start(): MatchDescription {
    return this.#start;
  }

  /** The recorded perspectives: player ids, or 0 for an observer of all players. */
  get perspectives(): number[] {
    return [...this.#perspectives.keys()];
  }

  /** The frames of a perspective, by default the match's first one. Throws RangeError if it was not recorded. */
  perspective(number?: number): Perspective {
    const { perspectives } = this;
    const chosen = number ?? this.#start.perspectives.find((each) => perspectives.includes(each)) ?? perspectives[0];
    const found = chosen === undefined ? undefined : this.#perspectives.get(chosen);
    if (!found) {
      throw (!perspectives.length && this.damage) || new RangeError(`perspective ${number} was not recorded: choose ${perspectives.join(", ") || "none"}`);
    }
    return found;
  }

  /**
   * The match's description with the game's data. If agents played both sides, each side had its own game program: each
   * perspective has its own `gameInfo`. Throws RecordingError if a part is damaged.
   */
  async describe(perspective?: number): Promise<MatchDescription> {
    const isOther = perspective !== undefined && perspective !== this.#start.perspectives[0];
    const own = isOther ? await this.#attached(`game_info_${perspective}`, ResponseGameInfoSchema) : undefined;
    const gameInfo = own ?? (await this.#attached("game_info", ResponseGameInfoSchema));
    const data = await this.#attached("data", ResponseDataSchema);
    return { ...this.#start, ...(gameInfo && { gameInfo }), ...(data && { data }) };
  }

  /**
   * Fights, expansions, supply blocks, idle production, unspent resources and failed actions; undefined if the recording has
   * no analysis. Throws RecordingError if it is damaged.
   */
  async analysis(): Promise<Analysis | undefined> {
    const attached = await this.file.attachment("analysis");
    try {
      return attached && parseAnalysis(attached);
    } catch (error) {
      const what = `the attachment analysis is invalid (${(error as Error).message}): \`sc2bridge inspect ${this.name} --fights\` replaces it`;
      throw error instanceof MalformedMessageError ? new RecordingError("damaged", 0, `${this.name}: ${what}`) : error;
    }
  }

  /** The step log: one record per step. Throws RecordingError after the last undamaged one if the file is damaged. */
  steps(): AsyncGenerator<StepRecord> {
    return this.#records("/step", StepRecordSchema);
  }

  /** The requests of agents to the game, and the game's answers. */
  requests(): AsyncGenerator<RequestRecord> {
    return this.#records("/request", RequestRecordSchema);
  }

  /** The actions of agents, and of bots behind the proxy. */
  actions(): AsyncGenerator<ActionRecord> {
    return this.#records("/action", ActionRecordSchema);
  }

  async *#records<M extends DescMessage>(topic: string, schema: M): AsyncGenerator<MessageShape<M>> {
    for await (const { data } of this.file.messages(topic)) {
      yield parsed(this.file, schema, data, `a message of ${topic}`);
    }
  }

  async #attached<M extends DescMessage>(name: string, schema: M): Promise<MessageShape<M> | undefined> {
    const data = await this.file.attachment(name);
    return data && parsed(this.file, schema, data, `the attachment ${name}`);
  }
}
