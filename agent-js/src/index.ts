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
 * `Commands` has the commands of a player, `Match` the game's constants by name, and `UnitEvents` finds unit events.
 * `sc2bridge/ids` has the ids without a match, and `sc2bridge/recording` reads recordings. The game's messages are in
 * `sc2bridge/s2clientprotocol/*`, and the bridge's messages in `sc2bridge/v1/*`.
 */

export { connect, type Connection, type ConnectOptions } from "./client/connection.js";
export type { Subscription } from "./client/subscription.js";
export { BridgeError, ClosedError, ConnectionLostError, MalformedMessageError, RequestTimeoutError, SC2BridgeError, StatusCode } from "./errors.js";
export type { Frame } from "./frame.js";
export * as actions from "./game/actions.js";
export { type Ability, Commands } from "./game/commands.js";
export { type Changes, UnitEvents } from "./game/events.js";
export { Match } from "./game/match.js";
export type { LastSeen } from "./game/memory.js";
export type { AbilityName, BuffName, EffectName, Names, UnitTypeName, UpgradeName } from "./game/names.js";
export type { PointLike, Target, UnitLike, UnitsLike } from "./game/places.js";
export type { Outcome } from "./outcomes.js";
export type { ActionInit } from "./protocol/session.js";
export type { Compression, Content, Encoding, Overflow, Part, Policy, SubscribeOptions } from "./protocol/subscribe.js";
export type { Address } from "./transport/address.js";
export type { Timeouts } from "./transport/channel.js";
export { type Buffs, type Lists, type Orders, type Passengers, type RallyTargets, type Unit, Units } from "./units/units.js";
export type { Vector } from "./units/table.js";
