/**
 * The public names of the package: none of a release may disappear. `node agent-js/test/frozen.test.js --write` adds the
 * new names to frozen-names.json. Run it before each release.
 */

import assert from "node:assert/strict";
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { test } from "node:test";

const FROZEN = new URL("frozen-names.json", import.meta.url);
const { exports } = JSON.parse(readFileSync(new URL("../package.json", import.meta.url), "utf8"));

/** The text of all declarations. The game's own ids follow the game, so they are not promised. */
const DIST = new URL("../dist/", import.meta.url);
const declarations = readdirSync(DIST, { recursive: true, encoding: "utf8" }).filter((file) => file.endsWith(".d.ts") && !file.startsWith("generated"))
  .map((file) => readFileSync(new URL(file.replaceAll("\\", "/"), DIST), "utf8")).join("\n");

/** @typedef {Record<string, Record<string, string[]>>} PublicNames */

/** For each path of the package: the exported names, with the members of classes, interfaces and modules. */
async function presentNames() {
  /** @type {PublicNames} */
  const names = {};
  for (const [path, target] of Object.entries(exports)) {
    if (!path.includes("*")) {
      const url = new URL(`../${target.default ?? target}`, import.meta.url);
      const values = await import(url.href);
      const all = [...new Set([...Object.keys(values), ...typesOf(url)])].sort();
      names[path] = Object.fromEntries(all.map((name) => [name, path === "./ids" ? [] : membersOf(name, values[name])]));
    }
  }
  return names;
}

/**
 * The names of a module's declarations, such as `A, B` of `export { type A, C as B } from "./c.js"`.
 *
 * @param {URL} url
 * @returns {string[]}
 */
function typesOf(url) {
  const text = readFileSync(new URL(url.href.replace(/\.js$/, ".d.ts")), "utf8");
  const lists = [...text.matchAll(/export (?:type )?\{([^}]*)\}/g)].flatMap(([, list]) => list.split(","));
  const single = [...text.matchAll(/export (?:declare )?(?:class|function|const|interface|type|\* as) (\w+)/g)].map(([, name]) => name);
  return [...lists.map((entry) => entry.trim().split(/\s+/).at(-1) ?? ""), ...single.map(String)].filter(Boolean);
}

/** @param {string} name @param {any} value @returns {string[]} */
function membersOf(name, value) {
  if (value?.[Symbol.toStringTag] === "Module") {
    return Object.keys(value).sort();
  }
  const body = new RegExp(`(?:interface|class) ${name}\\b[^{]*\\{\\n(.*?)^\\}`, "ms").exec(declarations)?.[1] ?? "";
  const members = [...body.matchAll(/^    (?:static |readonly |get )*(\w+)[?(<:]/gm)].map(([, member]) => String(member));
  return [...new Set(members)].filter((member) => member !== "constructor").sort();
}

/** @param {PublicNames} frozen @param {PublicNames} present */
function missing(frozen, present) {
  return Object.entries(frozen).flatMap(([path, names]) => Object.entries(names).flatMap(([name, members]) =>
    !present[path]?.[name] ? [`${path} ${name}`] : members.filter((member) => !present[path]?.[name]?.includes(member))
      .map((member) => `${path} ${name}.${member}`)));
}

const frozen = JSON.parse(readFileSync(FROZEN, "utf8"), (_, value) => (typeof value === "string" ? value.split(" ").filter(Boolean) : value));

if (process.argv.includes("--write")) {
  const now = await presentNames();
  assert.deepEqual(missing(frozen, now), [], "a release promised these names");
  writeFileSync(FROZEN, `${JSON.stringify(now, (_, value) => (Array.isArray(value) ? value.join(" ") : value), 1)}\n`);
} else {
  test("no public name of a release is missing", async () => {
    assert.deepEqual(missing(frozen, await presentNames()), []);
  });

  test("a removed name and a removed method are found", () => {
    const present = { ".": { Match: ["of"], connect: [] } };
    assert.deepEqual(missing({ ".": { Match: ["of", "race"], UnitEvents: [] } }, present), [". Match.race", ". UnitEvents"]);
  });
}
