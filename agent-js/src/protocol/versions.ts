/** Whether this package and a bridge fit: each connection begins with hello, before its first other message. */

import { BridgeError, bridgeError, StatusCode } from "../errors.js";
import type { PlayResponse } from "../generated/sc2bridge/v1/bridge_pb.js";
import type { Wire } from "./envelope.js";
import { encode } from "./messages.js";
import type { Encoding } from "./subscribe.js";

/** The version of package.json. */
export const VERSION = "0.1.0";
/** The protocol version that this package speaks, which is also the oldest one of a bridge that it works with. */
const PROTOCOL = 1;
const CLIENT = `sc2bridge-js ${VERSION}`;
export const HELLO = { protocolVersion: PROTOCOL, client: CLIENT };

/** The request id of a connection's first message. Every other request has a larger one. */
export const HELLO_ID = 1;

export function hello(encoding: Encoding): Wire {
  return encode({ case: "hello", value: HELLO }, encoding, HELLO_ID);
}

/** Whether an event answers a connection's first message. Throws BridgeError if the bridge and this package do not fit. */
export function isHello({ requestId, event }: PlayResponse): boolean {
  if (requestId === HELLO_ID && event.case === "error") {
    throw bridgeError(event.value.code, event.value.message);
  }
  if (event.case === "hello" && event.value.protocolVersion < PROTOCOL) {
    throw tooOld(`bridge ${event.value.bridgeVersion} speaks protocol ${event.value.protocolVersion}`);
  }
  return requestId === HELLO_ID;
}

/** The error for a bridge that is described in a few words. */
export function tooOld(bridge: string): BridgeError {
  return new BridgeError(StatusCode.FAILED_PRECONDITION, `${bridge}, and ${CLIENT} needs protocol ${PROTOCOL}: update the bridge`);
}
