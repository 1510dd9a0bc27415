/** What an agent says, as the encoding carries it. */

import { create, type MessageInitShape, toBinary, toJsonString } from "@bufbuild/protobuf";
import { AgentMessageSchema } from "../generated/sc2bridge/v1/bridge_pb.js";
import type { Wire } from "./envelope.js";
import type { Encoding } from "./subscribe.js";

/** One of AgentMessage's. */
export type Said = NonNullable<MessageInitShape<typeof AgentMessageSchema>["message"]>;

export function encode(message: Said, encoding: Encoding): Wire {
  const whole = create(AgentMessageSchema, { message });
  return encoding === "json" ? toJsonString(AgentMessageSchema, whole) : toBinary(AgentMessageSchema, whole);
}
