import assert from "node:assert/strict";
import { after, test } from "node:test";
import { closeBrowser, skip } from "./browser.js";
import { watchVersions } from "./patch_day.js";

after(closeBrowser);

test("the page shows versions of the game that it does not know", { skip, timeout: 180_000 }, (t) => watchVersions(t, 4, assert));
