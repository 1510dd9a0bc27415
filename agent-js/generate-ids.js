/**
 * Writes src/generated/ids: the constants of the simulated game's tables, with the same names as in a match. Each constant is an
 * export of its own, so that a bundle has only the constants that it uses.
 */

import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { buildSync } from "esbuild";

const FACTS = new URL("../bridge-csharp/src/Sc2Bridge.Simulator/Facts/", import.meta.url);
const OUT = new URL("src/generated/ids/", import.meta.url);

/** The rows of tables, each as an object with the cells by the names of their columns. @param {string[]} tables */
function rowsOf(...tables) {
  return tables.flatMap((table) => {
    const lines = readFileSync(new URL(table, FACTS), "utf8").split("\n").filter((line) => line && !line.startsWith("#"));
    const [head, ...rows] = lines.map((line) => line.replace("\r", "").split("\t"));
    return rows.map((cells) => {
      const row = Object.fromEntries(head.map((name, at) => [name, cells[at] ?? ""]));
      return { ...row, id: Number(row.id), available: row.available !== "no" };
    });
  });
}

const [{ text }] = buildSync({ entryPoints: [fileURLToPath(new URL("src/game/names.ts", import.meta.url))], bundle: true, format: "esm", write: false }).outputFiles;
const { abilityNames, unitTypeNames, upgradeNames, buffNames, effectNames } = await import(`data:text/javascript,${encodeURIComponent(text)}`);

const abilities = rowsOf("abilities.tsv").map((row) => ({
  abilityId: row.id, available: row.available, linkName: row.link, buttonName: row.button, friendlyName: row.friendly, remapsToAbilityId: Number(row.remaps_to),
}));
const KINDS = {
  "unit-types": ["UnitTypeId", "UnitTypeData.unit_id", unitTypeNames(rowsOf("units.tsv", "Named/units.tsv").map((row) => ({ ...row, unitId: row.id })))],
  abilities: ["AbilityId", "AbilityData.ability_id", abilityNames(abilities)],
  upgrades: ["UpgradeId", "UpgradeData.upgrade_id", upgradeNames(rowsOf("upgrades.tsv", "Named/upgrades.tsv").map((row) => ({ ...row, upgradeId: row.id })))],
  buffs: ["BuffId", "BuffData.buff_id", buffNames(rowsOf("buffs.tsv").map((row) => ({ ...row, buffId: row.id })))],
  effects: ["EffectId", "EffectData.effect_id", effectNames(rowsOf("effects.tsv").map((row) => ({ ...row, effectId: row.id, friendlyName: row.friendly })))],
};

mkdirSync(OUT, { recursive: true });
let index = "/** The game's ids by name: `UnitTypeId.MARINE`. The numbers are StarCraft II 5.0's. `Match` has the numbers of the running game. */\n\n";
for (const [file, [name, field, table]] of Object.entries(KINDS)) {
  const lines = [...table].sort(([, a], [, b]) => a - b).flatMap(([first, id]) => {
    const names = table.names(id).filter((each) => each === first || !each.endsWith(`_${id}`)); // Only a constant without another name gets a name with its id.
    return names.map((each) => `export const ${/^\d/.test(each) ? "_" : ""}${each} = ${id};\n`);
  });
  writeFileSync(new URL(`${file}.ts`, OUT), `/** ${field} by name. */\n\n${lines.join("")}`);
  index += `/** ${field} by name. */\nexport * as ${name} from "./${file}.js";\n`;
}
writeFileSync(new URL("index.ts", OUT), index);
