import assert from "node:assert/strict";
import { after, test } from "node:test";
import { closeBrowser, skip } from "./browser.js";
import { watchNewer } from "./newer.js";

after(closeBrowser);

test("the page shows versions of the game that it does not know", { skip, timeout: 180_000 }, (t) => watchNewer(t, 4, assert));
