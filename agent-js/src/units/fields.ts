/** The columns of the table of units and of the lists that units have, and the fields of messages that they are. */

import { PassengerUnitSchema, RallyTargetSchema, UnitOrderSchema, UnitSchema } from "../generated/s2clientprotocol/raw_pb.js";
import { BuffColumnsSchema } from "../generated/sc2bridge/v1/bridge_pb.js";
import { fieldsOf } from "./table.js";

const life = {
  /** Points. */
  health: Float32Array,
  /** Points. */
  healthMax: Float32Array,
  /** Points. */
  shield: Float32Array,
  /** Points. */
  shieldMax: Float32Array,
  /** Points. */
  energy: Float32Array,
  /** Points. */
  energyMax: Float32Array,
};

export const unitColumns = {
  /** Stays the unit's own for the match. */
  tag: BigUint64Array,
  /** UnitTypeData.unit_id. */
  unitType: Uint32Array,
  /** 1 own, 2 ally, 3 neutral, 4 enemy (Alliance of raw.proto). */
  alliance: Uint8Array,
  /** A player id; 16 is neutral. */
  owner: Int32Array,
  /** 1 visible, 2 snapshot, 3 hidden, 4 placeholder (DisplayType). */
  displayType: Uint8Array,
  /** CloakState. */
  cloak: Uint8Array,
  /** Rows of x, y, z in cells: the unit's middle. */
  pos: Float32Array,
  /** Radians, counter-clockwise, 0 to the right. */
  facing: Float32Array,
  /** Cells. */
  radius: Float32Array,
  /** 0 to 1. */
  buildProgress: Float32Array,
  ...life,
  /** Game loops until the next shot. */
  weaponCooldown: Float32Array,
  /** Cells. */
  detectRange: Float32Array,
  /** Cells. */
  radarRange: Float32Array,
  /** Whether the player has it selected: 1 or 0, as in all that begin with `is`. */
  isSelected: Uint8Array,
  /** Whether the player's camera shows it. */
  isOnScreen: Uint8Array,
  /** Whether only a sensor tower sees it. */
  isBlip: Uint8Array,
  /** Whether a pylon powers it. */
  isPowered: Uint8Array,
  /** Whether a building makes or researches something. */
  isActive: Uint8Array,
  /** Whether it is in the air. */
  isFlying: Uint8Array,
  /** Whether it is burrowed. */
  isBurrowed: Uint8Array,
  /** Whether it is a hallucination, as far as the player knows. */
  isHallucination: Uint8Array,
  /** 0 to 3. */
  attackUpgradeLevel: Int32Array,
  /** 0 to 3. */
  armorUpgradeLevel: Int32Array,
  /** 0 to 3. */
  shieldUpgradeLevel: Int32Array,
  /** Minerals that are left. */
  mineralContents: Int32Array,
  /** Vespene that is left. */
  vespeneContents: Int32Array,
  /** A marine takes 1, a tank 4. */
  cargoSpaceTaken: Int32Array,
  /** How much it can carry. */
  cargoSpaceMax: Int32Array,
  /** Workers on this town hall or geyser; more than `idealHarvesters` gain little. */
  assignedHarvesters: Int32Array,
  /** Workers that it has work for. */
  idealHarvesters: Int32Array,
  /** The reactor or tech lab on it. */
  addOnTag: BigUint64Array,
  /** Whom it fights. */
  engagedTargetTag: BigUint64Array,
  /** Game loops. */
  buffDurationRemain: Int32Array,
  /** Game loops. */
  buffDurationMax: Int32Array,
};

export const orderColumns = {
  /** AbilityData.ability_id. */
  abilityId: Uint32Array,
  /** Rows of x, y, z in cells. Whether an order has one says `present`. */
  targetWorldSpacePos: Float32Array,
  /** The unit that it is aimed at, where it is one. */
  targetUnitTag: BigUint64Array,
  /** 0 to 1. */
  progress: Float32Array,
};

export const passengerColumns = {
  /** The unit's own for the match. */
  tag: BigUint64Array,
  /** UnitTypeData.unit_id. */
  unitType: Uint32Array,
  ...life,
};

export const buffColumns = {
  /** BuffData.buff_id. */
  buffId: Uint32Array,
};

export const rallyTargetColumns = {
  /** Rows of x, y, z in cells. */
  point: Float32Array,
  /** The unit to follow, where it is one. */
  tag: BigUint64Array,
};

export const UNIT_FIELDS = fieldsOf(UnitSchema, unitColumns);
export const ORDER_FIELDS = fieldsOf(UnitOrderSchema, orderColumns);
export const PASSENGER_FIELDS = fieldsOf(PassengerUnitSchema, passengerColumns);
export const BUFF_FIELDS = fieldsOf(BuffColumnsSchema, buffColumns);
export const RALLY_TARGET_FIELDS = fieldsOf(RallyTargetSchema, rallyTargetColumns);
