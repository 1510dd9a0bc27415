/** Checks that this package and a bridge are compatible. The message `hello`, the first on each connection, has the versions. */

import { BridgeError, bridgeError, StatusCode } from "../errors.js";
import type { PlayResponse } from "../generated/sc2bridge/v1/bridge_pb.js";
import type { WireMessage } from "./envelope.js";
import { encode } from "./messages.js";
import type { Encoding } from "./subscribe.js";

/** The version of package.json. */
export const VERSION = "0.1.0";
/** This package's protocol version, which is also the oldest bridge protocol that it supports. */
const PROTOCOL = 1;
const CLIENT = `sc2bridge-js ${VERSION}`;
export const HELLO = { protocolVersion: PROTOCOL, client: CLIENT };

/** The request id of the first message on each connection. All other requests have larger ids. */
export const HELLO_ID = 1;

export function helloRequest(encoding: Encoding): WireMessage {
  return encode({ case: "hello", value: HELLO }, encoding, HELLO_ID);
}

/** Returns whether an event is the answer to `hello`. Throws BridgeError if the bridge is not compatible. */
export function isHelloAnswer({ requestId, event }: PlayResponse): boolean {
  if (requestId === HELLO_ID && event.case === "error") {
    throw bridgeError(event.value.code, event.value.message);
  }
  if (event.case === "hello" && event.value.protocolVersion < PROTOCOL) {
    throw tooOldError(`bridge ${event.value.bridgeVersion} speaks protocol ${event.value.protocolVersion}`);
  }
  return requestId === HELLO_ID;
}

/** The error for a bridge that is too old. `bridge`: a short description of the bridge. */
export function tooOldError(bridge: string): BridgeError {
  return new BridgeError(StatusCode.FAILED_PRECONDITION, `${bridge}, and ${CLIENT} needs protocol ${PROTOCOL}: update the bridge`);
}
