/** Converts local times to times of the bridge's clock. The offset between both clocks is estimated from round trips. */

import type { Clock } from "../generated/sc2bridge/v1/bridge_pb.js";

/** The number of clock echoes that one connection requests. */
const MAX_ECHOES = 8;

/** Converts a time or a duration in milliseconds to nanoseconds. */
export function toNs(milliseconds: number): bigint {
  return BigInt(Math.round(milliseconds * 1e6));
}

/** The echo with the shortest round trip sets the offset. The error of the offset is at most half of that round trip. */
export class BridgeClock {
  #offsetNs: bigint | undefined;
  #shortestRoundTripNs = 0n;
  #echoesLeft = MAX_ECHOES;

  /** Returns true if another echo may be requested, and counts it as requested. */
  tryCountEcho(): boolean {
    return this.#echoesLeft-- > 0;
  }

  /** Updates the offset from an echo. `nowNs`: the arrival time of the echo, by the local clock. */
  addEcho(echo: Clock, nowNs: bigint): void {
    const roundTripNs = nowNs - echo.agentNs;
    if (roundTripNs >= 0n && (this.#offsetNs === undefined || roundTripNs < this.#shortestRoundTripNs)) {
      this.#shortestRoundTripNs = roundTripNs;
      this.#offsetNs = echo.bridgeNs - (echo.agentNs + roundTripNs / 2n);
    }
  }

  /** Converts a time of `performance.now()` to nanoseconds of the bridge's clock. Undefined before the first echo. */
  toBridge(milliseconds: number): bigint | undefined {
    return this.#offsetNs === undefined ? undefined : toNs(milliseconds) + this.#offsetNs;
  }
}
