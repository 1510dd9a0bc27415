/** Controls the playback of a recording. */

import type { MessageInitShape } from "@bufbuild/protobuf";
import type { ControlRequestSchema, PlaybackState } from "../generated/sc2bridge/v1/bridge_pb.js";
import { wholeNumber } from "../protocol/subscribe.js";

type Command = NonNullable<MessageInitShape<typeof ControlRequestSchema>["command"]>;

/**
 * Pauses, moves and sets the rate of a playback, for all its subscribers. Each method returns the new state. If the match
 * is not a playback, each method throws BridgeError (FAILED_PRECONDITION). Frames that the bridge has already sent still
 * arrive after the answer. The first frame after a move has `seeked` set.
 */
export abstract class Playback {
  /** Pauses the playback. The `step` of the answer is the step of the last frame that is sent. */
  pause(options: { matchId?: string } = {}): Promise<PlaybackState> {
    return this.control(options.matchId, { case: "pause", value: true });
  }

  /** Continues the playback. */
  resume(options: { matchId?: string } = {}): Promise<PlaybackState> {
    return this.control(options.matchId, { case: "pause", value: false });
  }

  /** Moves by a number of steps, and pauses. A negative number moves back. Throws RangeError for 0. */
  async step(steps = 1, options: { matchId?: string } = {}): Promise<PlaybackState> {
    if (!Number.isInteger(steps) || steps === 0 || Math.abs(steps) >= 2 ** 31) {
      throw new RangeError(`step ${steps}: choose a positive number of steps to move on, a negative number to move back`);
    }
    return this.control(options.matchId, { case: "step", value: steps });
  }

  /**
   * Moves to a game loop or a step. If that was not recorded, moves to the next recorded frame. Throws RangeError unless
   * exactly one of both is given.
   */
  async seek(to: { loop: number; matchId?: string } | { step: number; matchId?: string }): Promise<PlaybackState> {
    const { loop, step, matchId } = to as { loop?: number; step?: number; matchId?: string };
    if ((loop === undefined) === (step === undefined)) {
      throw new RangeError(`seek({ loop: ${loop}, step: ${step} }): give either loop or step`);
    }
    return loop !== undefined
      ? this.control(matchId, { case: "seekLoop", value: wholeNumber("loop", loop, 2 ** 32) })
      : this.control(matchId, { case: "seekStep", value: BigInt(wholeNumber("step", step!, 2 ** 53)) });
  }

  /** Sets the rate: steps a second, or `max`. Throws RangeError for other text and for numbers that are not above 0. */
  async setRate(rate: number | "max", options: { matchId?: string } = {}): Promise<PlaybackState> {
    if (rate !== "max" && !(rate > 0 && rate < Infinity)) {
      throw new RangeError(`rate ${rate}: choose max or steps a second, above 0`);
    }
    return this.control(options.matchId, { case: "rate", value: rate === "max" ? 0 : rate });
  }

  /** The state of the playback. */
  playback(options: { matchId?: string } = {}): Promise<PlaybackState> {
    return this.control(options.matchId);
  }

  /** @internal */
  protected abstract control(matchId: string | undefined, command?: Command): Promise<PlaybackState>;
}
