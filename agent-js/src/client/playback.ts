/** What can be done with a match that is played from a recording, beside watching it. */

import type { MessageInitShape } from "@bufbuild/protobuf";
import type { ControlRequestSchema, PlaybackState } from "../generated/sc2bridge/v1/bridge_pb.js";
import { whole } from "../protocol/subscribe.js";

type Command = NonNullable<MessageInitShape<typeof ControlRequestSchema>["command"]>;

/**
 * Pauses, moves and paces a playback, for all its subscribers; each call returns its new state. In a match that is not played
 * from a recording each throws BridgeError (FAILED_PRECONDITION). A request counts before what it asks for was received:
 * frames that are on their way come first, and the first frame after a move has `seeked` set.
 */
export abstract class Playback {
  /** Holds it: nothing comes after the answer's `step`. */
  pause(options: { matchId?: string } = {}): Promise<PlaybackState> {
    return this.control(options.matchId, { case: "pause", value: true });
  }

  /** Lets it go on. */
  resume(options: { matchId?: string } = {}): Promise<PlaybackState> {
    return this.control(options.matchId, { case: "pause", value: false });
  }

  /** Goes on by so many steps and pauses there; a negative number goes back. Throws RangeError for 0. */
  async step(steps = 1, options: { matchId?: string } = {}): Promise<PlaybackState> {
    if (!Number.isInteger(steps) || steps === 0 || Math.abs(steps) >= 2 ** 31) {
      throw new RangeError(`step ${steps}: choose how many to go on, or back where it is negative`);
    }
    return this.control(options.matchId, { case: "step", value: steps });
  }

  /** Moves it to a game loop, or to a step, or to the next that there is. Throws RangeError but for one of them. */
  async seek(to: { loop: number; matchId?: string } | { step: number; matchId?: string }): Promise<PlaybackState> {
    const { loop, step, matchId } = to as { loop?: number; step?: number; matchId?: string };
    if ((loop === undefined) === (step === undefined)) {
      throw new RangeError("seek: name a loop or a step");
    }
    return loop !== undefined
      ? this.control(matchId, { case: "seekLoop", value: whole("loop", loop, 2 ** 32) })
      : this.control(matchId, { case: "seekStep", value: BigInt(whole("step", step!, 2 ** 53)) });
  }

  /** Steps a second, or `max`. Throws RangeError for another word, and for what is no number above 0. */
  async setRate(rate: number | "max", options: { matchId?: string } = {}): Promise<PlaybackState> {
    if (rate !== "max" && !(rate > 0 && rate < Infinity)) {
      throw new RangeError(`rate ${rate}: choose max or steps a second, above 0`);
    }
    return this.control(options.matchId, { case: "rate", value: rate === "max" ? 0 : rate });
  }

  /** The playback's state. */
  playback(options: { matchId?: string } = {}): Promise<PlaybackState> {
    return this.control(options.matchId);
  }

  /** @internal */
  protected abstract control(matchId: string | undefined, command?: Command): Promise<PlaybackState>;
}
