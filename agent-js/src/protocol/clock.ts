/** The bridge's clock as seen from here: this one, moved by an offset estimated from round trips. */

import type { Clock } from "../generated/sc2bridge/v1/bridge_pb.js";

const ECHOES = 8;

/** Nanoseconds of `performance.now()`. */
export function toNs(milliseconds: number): bigint {
  return BigInt(Math.round(milliseconds * 1e6));
}

/** An echo that came back in the least time says most: the offset's error is at most half that round trip. */
export class BridgeClock {
  #offset: bigint | undefined;
  #leastRoundTrip = 0n;
  #echoesLeft = ECHOES;

  /** Whether another echo is to be asked for; counts it. */
  asks(): boolean {
    return this.#echoesLeft-- > 0;
  }

  /** Learns from an echo that arrived now. */
  answered(echo: Clock, nowNs: bigint): void {
    const roundTrip = nowNs - echo.agentNs;
    if (roundTrip >= 0n && (this.#offset === undefined || roundTrip < this.#leastRoundTrip)) {
      this.#leastRoundTrip = roundTrip;
      this.#offset = echo.bridgeNs - (echo.agentNs + roundTrip / 2n);
    }
  }

  /** A time of `performance.now()` on the bridge's clock, in nanoseconds; undefined while that is not known. */
  toBridge(milliseconds: number): bigint | undefined {
    return this.#offset === undefined ? undefined : toNs(milliseconds) + this.#offset;
  }
}
