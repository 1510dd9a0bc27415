/** One observation, as an agent receives it. */

import { create, toJson } from "@bufbuild/protobuf";
import { MalformedMessageError } from "./errors.js";
import { type PlayerCommon, PlayerCommonSchema, type ResponseObservation, ResponseObservationSchema } from "./generated/s2clientprotocol/sc2api_pb.js";
import { Content as ContentNumber, type Frame as Envelope, type Skipped } from "./generated/sc2bridge/v1/bridge_pb.js";
import type { Outcome } from "./outcomes.js";
import { fromObject, object, parse, parseObject } from "./protocol/parsing.js";
import type { Content, Encoding } from "./protocol/subscribe.js";
import { Columns } from "./units/columns.js";
import { UNIT_FIELDS } from "./units/fields.js";
import { Units } from "./units/units.js";

/** @internal What a frame is made of. */
export interface FrameParts {
  envelope: Envelope;
  /** Serialized; JSON text in UTF-8, or the JSON object. */
  payload: Uint8Array | Record<string, unknown>;
  encoding: Encoding;
  size: number;
  receivedMs: number;
  decodeMs: number | undefined;
  seeked: boolean;
}

/** An observation, and the bridge's envelope. Nothing is parsed until it is asked for, and then once. */
export class Frame {
  /** `proto` or `json`. */
  readonly encoding: Encoding;
  /** `observation` or `columns`: what was subscribed to. */
  readonly content: Content;
  /** Bytes of the whole message as it came, compressed or not (over JSON: letters of its text). */
  readonly size: number;
  /** When the whole message was here, in milliseconds of `performance.now()`. */
  readonly receivedMs: number;
  /** What decompressing and parsing took, in milliseconds; undefined where neither was needed. */
  decodeMs: number | undefined;
  /** The playback of a recording was moved here: the frame does not follow the one before it. */
  seeked: boolean;
  /** The bridge was lost before this frame and found again: it does not follow the one before it. */
  reconnected = false;
  /** What frames skipped under the policy `latest` carried; undefined where none were. */
  skipped: Skipped | undefined;
  /** What became of each of the agent's actions since its last frame. */
  outcomes: Outcome[] = [];

  readonly #envelope: Envelope;
  readonly #payload: Uint8Array | Record<string, unknown>;
  #object: Record<string, unknown> | undefined;
  #columns: Columns | undefined;
  #units: Units | undefined;
  #observation: ResponseObservation | undefined;

  /** @internal */
  constructor(parts: FrameParts) {
    this.#envelope = parts.envelope;
    this.#payload = parts.payload;
    this.encoding = parts.encoding;
    this.content = parts.envelope.content === ContentNumber.COLUMNS ? "columns" : "observation";
    this.size = parts.size;
    this.receivedMs = parts.receivedMs;
    this.decodeMs = parts.decodeMs;
    this.seeked = parts.seeked;
    this.skipped = parts.envelope.skipped;
  }

  /** @internal Bytes that it holds, about. */
  get memory(): number {
    return this.#payload instanceof Uint8Array ? this.#payload.length : this.size;
  }

  /** The match, by its id; unique for the bridge's life. */
  get matchId(): string {
    return this.#envelope.matchId;
  }

  /** A player id, 0 for an observer of all. */
  get perspective(): number {
    return this.#envelope.perspective ?? 0;
  }

  /** Counts from 0 at the match's first observation. */
  get step(): number {
    return Number(this.#envelope.step);
  }

  /** The game's own clock: 22.4 loops a second at speed "faster". */
  get gameLoop(): number {
    return this.#envelope.gameLoop;
  }

  /** When the bridge requested the observation; nanoseconds of the bridge's monotonic clock. */
  get requestedNs(): bigint {
    return this.#envelope.requestedNs;
  }

  /** When the bridge held the answer; the same clock. */
  get observedNs(): bigint {
    return this.#envelope.observedNs;
  }

  /**
   * `proto`: the serialized ResponseObservation, the game's own bytes, or Columns. `json`: the content's text in UTF-8 where
   * it came compressed; else undefined, as `json` has all there is.
   */
  get raw(): Uint8Array | undefined {
    return this.#payload instanceof Uint8Array ? this.#payload : undefined;
  }

  /**
   * The units as a table of typed arrays, whichever content was subscribed to. Of `columns` they are views of the message's
   * vectors; of an observation they are read without the rest of it. Throws MalformedMessageError.
   */
  get units(): Units {
    this.#units ??=
      this.content === "columns"
        ? Units.of(this.#opened())
        : this.encoding === "json"
          ? Units.fromObservation(this.observation)
          : this.#timed(() => Units.fromSerialized(this.#payload as Uint8Array));
    return this.#units;
  }

  /**
   * The observation as a message; where columns were subscribed to without its units, which `units` has. Throws
   * MalformedMessageError.
   */
  get observation(): ResponseObservation {
    this.#observation ??= this.#timed(() => {
      const content = this.content === "columns" ? this.#opened().rest : this.encoding === "json" ? this.#json() : this.#payload;
      return content instanceof Uint8Array ? parse(ResponseObservationSchema, content) : fromObject(ResponseObservationSchema, content);
    });
    return this.#observation;
  }

  /** The player's minerals, vespene, supply and the like. Throws MalformedMessageError. */
  get common(): PlayerCommon {
    if (this.encoding === "json" && !this.#observation) { // Read alone: to read all of JSON into messages is slow.
      const observation = object("observation", this.json.observation ?? {});
      return fromObject(PlayerCommonSchema, observation.playerCommon ?? {});
    }
    return this.observation.observation?.playerCommon ?? create(PlayerCommonSchema);
  }

  /**
   * `observation` as protobuf's JSON: names in lowerCamelCase, 64-bit numbers and bytes (base64) as text. Over JSON it is what
   * came; else it is made from the message. Throws MalformedMessageError.
   */
  get json(): Record<string, unknown> {
    if (this.encoding !== "json") {
      this.#object ??= toJson(ResponseObservationSchema, this.observation) as Record<string, unknown>;
      return this.#object;
    }
    return this.content === "columns" ? (this.#opened().rest as Record<string, unknown>) : this.#json();
  }

  #opened(): Columns {
    this.#columns ??= this.#timed(() => {
      if (this.encoding === "json") {
        return Columns.openJson(this.#json(), UNIT_FIELDS);
      }
      return Columns.open(this.#payload as Uint8Array, UNIT_FIELDS);
    });
    return this.#columns;
  }

  /** The payload's JSON. */
  #json(): Record<string, unknown> {
    this.#object ??= this.#payload instanceof Uint8Array ? parseObject(this.#payload) : this.#payload;
    return this.#object;
  }

  #timed<T>(decode: () => T): T {
    const start = performance.now();
    const before = this.decodeMs ?? 0;
    try {
      const made = decode();
      this.decodeMs = before + performance.now() - start;
      return made;
    } catch (error) {
      throw error instanceof MalformedMessageError
        ? new MalformedMessageError(`step ${this.step}: ${error.message.replace(/^step \d+: /, "")}`, { cause: error })
        : error;
    }
  }
}
