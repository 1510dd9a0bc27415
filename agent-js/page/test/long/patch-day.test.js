import assert from "node:assert/strict";
import { after, test } from "node:test";
import { closeBrowser, skip } from "../browser.js";
import { watchVersions } from "../patch_day.js";

after(closeBrowser);

test("the page and all readers go through 1,000 versions of the game without an error", { skip, timeout: 1_400_000 }, (t) => watchVersions(t, 1000, assert));
