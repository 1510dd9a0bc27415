/** Messages to the bridge, in the connection's encoding. */

import { create, type MessageInitShape, toBinary, toJsonString } from "@bufbuild/protobuf";
import { PlayRequestSchema } from "../generated/sc2bridge/v1/bridge_pb.js";
import { toNs } from "./clock.js";
import type { Wire } from "./envelope.js";
import type { Encoding } from "./subscribe.js";

/** A message of PlayRequest. */
export type Said = NonNullable<MessageInitShape<typeof PlayRequestSchema>["message"]>;

export function encode(message: Said, encoding: Encoding, requestId = 0): Wire {
  const whole = create(PlayRequestSchema, { message, requestId });
  return encoding === "json" ? toJsonString(PlayRequestSchema, whole) : toBinary(PlayRequestSchema, whole);
}

/** A clock echo: the bridge answers it at once, so that it also shows whether the bridge is alive. */
export function question(encoding: Encoding): Wire {
  return encode({ case: "clock", value: { agentNs: toNs(performance.now()) } }, encoding);
}
