/** A Columns message of two units. The second unit has two orders and no shield. */

import { create, toBinary } from "@bufbuild/protobuf";
import { ColumnsSchema } from "sc2bridge/v1/bridge";

/** @param {{ new (of: any): { buffer: ArrayBuffer } }} type @param {(number | bigint)[]} values */
const bytes = (type, ...values) => new Uint8Array(new type(values).buffer);
/** @param {number[]} bits */
const mask = (...bits) => bits.reduce((sum, bit) => sum | (1n << BigInt(bit)), 0n);

export const columns = create(ColumnsSchema, {
  count: 2,
  tag: bytes(BigUint64Array, 4342153217n, 4342153218n),
  alliance: bytes(Uint8Array, 1, 4),
  health: bytes(Float32Array, 45, 10),
  shield: bytes(Float32Array, 20, 0),
  pos: bytes(Float32Array, 33.5, 120.25, 12, 1, 2, 0),
  isFlying: bytes(Uint8Array, 0, 1),
  present: bytes(BigUint64Array, mask(2, 3, 14, 16, 6, 61, 62, 63, 20), mask(2, 3, 14, 6, 61, 62, 20)),
  orders: { abilityId: bytes(Uint32Array, 23, 16), targetUnitTag: bytes(BigUint64Array, 0n, 4342153217n), offsets: bytes(Uint32Array, 0, 0, 2), present: bytes(Uint16Array, 2, 2 | 8) },
  buffIds: { buffId: bytes(Uint32Array, 5), offsets: bytes(Uint32Array, 0, 1, 1) },
  rest: { observation: { gameLoop: 120 } },
});

export const serializedColumns = toBinary(ColumnsSchema, columns);
