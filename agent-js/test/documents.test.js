import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { test } from "node:test";
import { fileURLToPath } from "node:url";

const ROOT = new URL("../../", import.meta.url);
const PAGES = ["agent-js/README.md", "README.md", ...["docs/guide/", "docs/tutorials/"].flatMap((folder) => readdirSync(new URL(folder, ROOT)).map((name) => folder + name))];
const COMPILER = fileURLToPath(new URL("../node_modules/typescript/bin/tsc", import.meta.url));
/** A name that the text around an example explains. */
const GIVEN = "declare const file: Blob;\n";
/** Packages of others, which this package does not install. */
const OTHERS = /Cannot find module '(?!sc2bridge)/;

test("each example in JavaScript of the documents compiles", (t) => {
  const build = fileURLToPath(new URL("../build/", import.meta.url));
  mkdirSync(build, { recursive: true });
  const folder = mkdtempSync(`${build}documents-`); // Inside the package, so that its name is found.
  t.after(() => rmSync(folder, { recursive: true }));
  let count = 0;
  for (const page of PAGES.filter((each) => each.endsWith(".md"))) {
    const text = readFileSync(new URL(page, ROOT), "utf8");
    for (const [, code = ""] of text.matchAll(/^ *```(?:js|ts)\n(.*?)^ *```/gms)) {
      writeFileSync(`${folder}/${page.replaceAll("/", "-")}-${++count}.ts`, /\bfile\)/.test(code) ? GIVEN + code : code);
    }
  }
  assert.ok(count >= 4, `${count} examples`);
  const compilerOptions = { rootDir: "../..", noImplicitAny: false };
  writeFileSync(`${folder}/tsconfig.json`, JSON.stringify({ extends: "../../test/tsconfig.json", compilerOptions, include: ["."] }));
  const { status, stdout, stderr, error } = spawnSync(process.execPath, [COMPILER, "-p", folder, "--pretty", "false"], { encoding: "utf8" });
  assert.deepEqual([error, stderr, status], [undefined, "", stdout ? 1 : 0]); // 1: the compiler has reported errors.
  assert.deepEqual(stdout.split("\n").filter((line) => line && !OTHERS.test(line)), []);
});
