/** Messages to the bridge, in the connection's encoding. */

import { create, type MessageInitShape, toBinary, toJsonString } from "@bufbuild/protobuf";
import { PlayRequestSchema } from "../generated/sc2bridge/v1/bridge_pb.js";
import { toNs } from "./clock.js";
import type { WireMessage } from "./envelope.js";
import type { Encoding } from "./subscribe.js";

/** One of the messages that a PlayRequest can contain. */
export type RequestBody = NonNullable<MessageInitShape<typeof PlayRequestSchema>["message"]>;

/** Encodes a PlayRequest. */
export function encode(message: RequestBody, encoding: Encoding, requestId = 0): WireMessage {
  const request = create(PlayRequestSchema, { message, requestId });
  return encoding === "json" ? toJsonString(PlayRequestSchema, request) : toBinary(PlayRequestSchema, request);
}

/** A request for a clock echo. The bridge answers it at once, so it also checks that the bridge is alive. */
export function clockRequest(encoding: Encoding): WireMessage {
  return encode({ case: "clock", value: { agentNs: toNs(performance.now()) } }, encoding);
}
