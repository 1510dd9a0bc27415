/**
 * StarCraft II observations from a bridge.
 *
 *     import { connect } from "sc2bridge";
 *
 *     const bridge = await connect("ws://127.0.0.1:8765");
 *     for await (const frame of bridge.subscribe({ policy: "latest", content: "columns" })) {
 *       console.log(frame.gameLoop, frame.units.own.length);
 *     }
 *
 * The messages are in `sc2bridge/s2clientprotocol/*` (the game's) and `sc2bridge/v1/*` (the bridge's).
 */

export { connect, type Connection, type ConnectOptions } from "./client/connection.js";
export type { Subscription } from "./client/subscription.js";
export { BridgeError, ConnectionLostError, MalformedMessageError, RequestTimeoutError, SC2BridgeError, StatusCode } from "./errors.js";
export type { Frame } from "./frame.js";
export type { Outcome } from "./outcomes.js";
export type { ActionInit } from "./protocol/session.js";
export type { Compression, Content, Encoding, Overflow, Part, Policy, SubscribeOptions } from "./protocol/subscribe.js";
export type { Address } from "./transport/address.js";
export type { Timeouts } from "./transport/channel.js";
export { type Buffs, type Lists, type Orders, type Passengers, type RallyTargets, type Unit, Units } from "./units/units.js";
export type { Vector } from "./units/table.js";
