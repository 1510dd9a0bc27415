/** A frame: one observation, as an agent receives it. */

import { create, toJson } from "@bufbuild/protobuf";
import { MalformedMessageError } from "./errors.js";
import { type PlayerCommon, PlayerCommonSchema, type ResponseObservation, ResponseObservationSchema } from "./generated/s2clientprotocol/sc2api_pb.js";
import { Content as ContentNumber, type Frame as Envelope, type Skipped } from "./generated/sc2bridge/v1/bridge_pb.js";
import type { Outcome } from "./outcomes.js";
import { decompressSingle, type GroupDecompressor } from "./protocol/compression.js";
import type { Content as Payload, FrameMessage } from "./protocol/envelope.js";
import { fromObject, parse, parseObject, requireObject } from "./protocol/parsing.js";
import { EVENTS, parsePicked, type Picks } from "./protocol/picking.js";
import { addSkipped, SkippedFrames } from "./protocol/skipped.js";
import type { Content, Encoding } from "./protocol/subscribe.js";
import { Columns } from "./units/columns.js";
import { UNIT_FIELDS } from "./units/fields.js";
import { Units } from "./units/units.js";

/** @internal The arguments of a frame's constructor. */
export interface FrameParts {
  message: Pick<FrameMessage, "envelope" | "content" | "zstd" | "block" | "size">;
  encoding: Encoding;
  /** The time when the whole message had arrived, in milliseconds of `performance.now()`. */
  receivedMs: number;
  size: number;
  seeked: boolean;
}

/** An observation with the bridge's envelope. Each part of the message is parsed on first use, and only once. */
export class Frame {
  /** The encoding of the message: `proto` or `json`. */
  readonly encoding: Encoding;
  /** The size of the message as received (compressed or not), in bytes. With the encoding `json`: in characters. */
  readonly size: number;
  /** The time when the whole message had arrived, in milliseconds of `performance.now()`. */
  readonly receivedMs: number;
  /** The time for decompressing and parsing so far, in milliseconds. Undefined if neither was needed. */
  decodeMs: number | undefined;
  /** True if the playback was moved to this frame. The frame does not follow the previous frame. */
  seeked: boolean;
  /** True if the bridge was lost and found again before this frame. The frame does not follow the previous frame. */
  reconnected = false;
  /** The outcomes of the agent's actions since its previous frame. */
  outcomes: Outcome[] = [];

  readonly #message: FrameParts["message"];
  #content: Payload | undefined;
  #skippedFrames: SkippedFrames | undefined;
  #skipped: Skipped | undefined;
  #jsonObject: Record<string, unknown> | undefined;
  #columns: Columns | undefined;
  #units: Units | undefined;
  #observation: ResponseObservation | undefined;
  #events: ResponseObservation | undefined;

  /** @internal */
  constructor(parts: FrameParts) {
    this.#message = parts.message;
    this.encoding = parts.encoding;
    this.size = parts.size;
    this.receivedMs = parts.receivedMs;
    this.seeked = parts.seeked;
  }

  /** @internal The approximate memory of the frame, in bytes. */
  get memoryBytes(): number {
    return this.#content instanceof Uint8Array ? this.#content.length : this.#message.size;
  }

  /** @internal Throws MalformedMessageError. */
  get envelope(): Envelope {
    return this.#message.envelope;
  }

  /** @internal Decompresses a block. Every block is needed to decompress the next one. Throws MalformedMessageError. */
  decompressBlock(groups: GroupDecompressor): void {
    const { block } = this.#message;
    this.#content = block && this.#timeDecoding(() => groups.decompress(block));
  }

  /** @internal Takes over the events, outcomes and flags of an older frame that was not read. Throws MalformedMessageError. */
  replace(older: Frame): void {
    this.#skippedFrames = older.#skippedFrames ?? new SkippedFrames();
    older.#skippedFrames = undefined;
    this.#skippedFrames.add(older);
    this.outcomes = [...older.outcomes, ...this.outcomes];
    this.reconnected = older.reconnected;
    this.seeked ||= older.seeked;
  }

  /** The content that was subscribed to: `observation` or `columns`. */
  get content(): Content {
    return this.envelope.content === ContentNumber.COLUMNS ? "columns" : "observation";
  }

  /**
   * The events of the frames that the policy `latest` skipped before this frame. Undefined if none were skipped. Throws
   * MalformedMessageError.
   */
  get skipped(): Skipped | undefined {
    if (this.#skippedFrames) {
      this.#skipped = this.#skippedFrames.summarize();
      this.#skippedFrames = undefined;
      addSkipped(this.#skipped!, this.envelope.skipped);
    }
    return this.#skipped ?? this.envelope.skipped;
  }

  /** The id of the match. It is unique while the bridge runs. */
  get matchId(): string {
    return this.envelope.matchId;
  }

  /** The id of the player whose view this is. 0 for an observer of all. */
  get perspective(): number {
    return this.envelope.perspective ?? 0;
  }

  /** The number of the step. The first observation of a match has step 0. */
  get step(): number {
    return Number(this.envelope.step);
  }

  /** The game loop: the game's unit of time, 22.4 in a second at speed "faster". */
  get gameLoop(): number {
    return this.envelope.gameLoop;
  }

  /** The time when the bridge requested the observation, in nanoseconds of the bridge's monotonic clock. */
  get requestedNs(): bigint {
    return this.envelope.requestedNs;
  }

  /** The time when the bridge had received the observation, in nanoseconds of the same clock. */
  get observedNs(): bigint {
    return this.envelope.observedNs;
  }

  /**
   * The content as bytes. With the encoding `proto`: the serialized ResponseObservation (the game's own bytes) or Columns.
   * With `json`: the JSON text in UTF-8 if it was compressed, else undefined. The property `json` always has the content.
   */
  get raw(): Uint8Array | undefined {
    const content = this.#payload();
    return content instanceof Uint8Array ? content : undefined;
  }

  /**
   * The units as a table of typed arrays, with both contents. With `columns` the arrays are views of the message. With
   * `observation` the units are parsed, and nothing else of the message. Throws MalformedMessageError.
   */
  get units(): Units {
    this.#units ??=
      this.content === "columns"
        ? Units.fromOpenColumns(this.#openColumns())
        : this.encoding === "json"
          ? Units.fromObservation(this.observation)
          : this.#timeDecoding(() => Units.fromSerialized(this.#payload() as Uint8Array));
    return this.#units;
  }

  /**
   * The observation as a message. With the content `columns` this message has no units: `units` has them. Throws
   * MalformedMessageError.
   */
  get observation(): ResponseObservation {
    this.#observation ??= this.#timeDecoding(() => {
      const content = this.#withoutColumns();
      return content instanceof Uint8Array ? parse(ResponseObservationSchema, content) : fromObject(ResponseObservationSchema, content);
    });
    return this.#observation;
  }

  /**
   * What happened in the step: only `chat`, `actions`, `actionErrors`, `alerts`, the dead units and the player's upgrades of
   * `observation`. Many times faster than `observation`. Throws MalformedMessageError.
   */
  get events(): ResponseObservation {
    this.#events ??=
      this.encoding === "json" ? this.#timeDecoding(() => eventsOfObject(this.#withoutColumns() as Record<string, unknown>)) : this.pick(EVENTS);
    return this.#events;
  }

  /** @internal Parses some fields of a serialized observation. Throws MalformedMessageError. */
  protected pick(picks: Picks): ResponseObservation {
    return this.#timeDecoding(() => parsePicked(this.#withoutColumns() as Uint8Array, picks));
  }

  /** The player's minerals, vespene, supply and more. Throws MalformedMessageError. */
  get common(): PlayerCommon {
    if (this.encoding === "json" && !this.#observation) { // Converts only this part, because converting all is slow.
      const observation = requireObject("observation", this.json.observation ?? {});
      return fromObject(PlayerCommonSchema, observation.playerCommon ?? {});
    }
    return this.observation.observation?.playerCommon ?? create(PlayerCommonSchema);
  }

  /**
   * `observation` in protobuf's JSON form: lowerCamelCase names, 64-bit numbers and bytes (base64) as text. With the encoding
   * `json` this is the received object. Otherwise it is converted from the message. Throws MalformedMessageError.
   */
  get json(): Record<string, unknown> {
    if (this.encoding !== "json") {
      this.#jsonObject ??= toJson(ResponseObservationSchema, this.observation) as Record<string, unknown>;
      return this.#jsonObject;
    }
    return this.#withoutColumns() as Record<string, unknown>;
  }

  /** The observation, without the units if the content is columns. */
  #withoutColumns(): Payload {
    return this.content === "columns" ? this.#openColumns().rest : this.encoding === "json" ? this.#payloadObject() : this.#payload();
  }

  #openColumns(): Columns {
    this.#columns ??= this.#timeDecoding(() => {
      if (this.encoding === "json") {
        return Columns.openJson(this.#payloadObject(), UNIT_FIELDS);
      }
      return Columns.open(this.#payload() as Uint8Array, UNIT_FIELDS);
    });
    return this.#columns;
  }

  /** The content as a JSON object. */
  #payloadObject(): Record<string, unknown> {
    const content = this.#payload();
    this.#jsonObject ??= content instanceof Uint8Array ? parseObject(content) : content;
    return this.#jsonObject;
  }

  /** The content: serialized bytes, compressed JSON text in UTF-8, or a JSON object. */
  #payload(): Payload {
    if (!this.#content) {
      const { content, zstd, block } = this.#message;
      if (block) {
        throw new MalformedMessageError(`step ${this.step}: received a block of a group, which was not subscribed to`);
      }
      this.#content = content ?? (zstd ? this.#timeDecoding(() => decompressSingle(zstd)) : new Uint8Array(0));
    }
    return this.#content;
  }

  /** Calls a function and adds its time to `decodeMs`. Errors get the number of the step. */
  #timeDecoding<T>(decode: () => T): T {
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

/** The events of an observation in JSON. Only they are converted. */
function eventsOfObject({ chat = [], actions = [], actionErrors = [], observation = {} }: Record<string, unknown>): ResponseObservation {
  const { alerts = [], rawData = {} } = requireObject("observation", observation);
  const { event = {}, player = {} } = requireObject("rawData", rawData);
  const { upgradeIds = [] } = requireObject("player", player);
  return fromObject(ResponseObservationSchema, { chat, actions, actionErrors, observation: { alerts, rawData: { event, player: { upgradeIds } } } });
}
