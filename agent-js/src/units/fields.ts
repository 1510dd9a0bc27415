/** The columns of the table of units and of the units' lists, with the fields of messages that they contain. */

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
  /** Identifies the unit for the whole match. */
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
  /** The centre of the unit, in cells: x, y and z for each row. */
  pos: Float32Array,
  /** The direction in radians, counter-clockwise. 0 is to the right. */
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
  /** Whether the player has selected the unit. Like all columns that begin with `is`: 1 for true, 0 for false. */
  isSelected: Uint8Array,
  /** Whether the player's camera shows the unit. */
  isOnScreen: Uint8Array,
  /** Whether only a sensor tower sees the unit. */
  isBlip: Uint8Array,
  /** Whether a pylon powers the building. */
  isPowered: Uint8Array,
  /** Whether the building produces or researches something. */
  isActive: Uint8Array,
  /** Whether the unit is in the air. */
  isFlying: Uint8Array,
  /** Whether the unit is burrowed. */
  isBurrowed: Uint8Array,
  /** Whether the unit is a hallucination, as far as the player knows. */
  isHallucination: Uint8Array,
  /** 0 to 3. */
  attackUpgradeLevel: Int32Array,
  /** 0 to 3. */
  armorUpgradeLevel: Int32Array,
  /** 0 to 3. */
  shieldUpgradeLevel: Int32Array,
  /** The remaining minerals of a mineral field. */
  mineralContents: Int32Array,
  /** The remaining vespene of a geyser. */
  vespeneContents: Int32Array,
  /** The cargo space that all passengers take: a marine takes 1, a tank 4. */
  cargoSpaceTaken: Int32Array,
  /** The cargo space of the unit. */
  cargoSpaceMax: Int32Array,
  /** The number of workers at this town hall or gas building. Workers above `idealHarvesters` add little. */
  assignedHarvesters: Int32Array,
  /** The number of workers that this building can use fully. */
  idealHarvesters: Int32Array,
  /** The tag of the reactor or tech lab on the building. */
  addOnTag: BigUint64Array,
  /** The tag of the unit that this unit fights. */
  engagedTargetTag: BigUint64Array,
  /** The game loops until the buff ends. */
  buffDurationRemain: Int32Array,
  /** The game loops that the buff lasts in total. */
  buffDurationMax: Int32Array,
};

export const orderColumns = {
  /** AbilityData.ability_id. */
  abilityId: Uint32Array,
  /** The target position in cells: x, y and z for each row. `present` shows which orders have one. */
  targetWorldSpacePos: Float32Array,
  /** The tag of the target, if the target is a unit. */
  targetUnitTag: BigUint64Array,
  /** 0 to 1. */
  progress: Float32Array,
};

export const passengerColumns = {
  /** Identifies the unit for the whole match. */
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
  /** The target position in cells: x, y and z for each row. */
  point: Float32Array,
  /** The tag of the unit to follow, if the target is a unit. */
  tag: BigUint64Array,
};

export const UNIT_FIELDS = fieldsOf(UnitSchema, unitColumns);
export const ORDER_FIELDS = fieldsOf(UnitOrderSchema, orderColumns);
export const PASSENGER_FIELDS = fieldsOf(PassengerUnitSchema, passengerColumns);
export const BUFF_FIELDS = fieldsOf(BuffColumnsSchema, buffColumns);
export const RALLY_TARGET_FIELDS = fieldsOf(RallyTargetSchema, rallyTargetColumns);
