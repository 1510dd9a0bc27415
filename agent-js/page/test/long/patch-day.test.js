import assert from "node:assert/strict";
import { after, test } from "node:test";
import { closeBrowser, skip } from "../browser.js";
import { watchNewer } from "../newer.js";

after(closeBrowser);

test("the page and every way of reading show 1,000 versions of the game that they do not know", { skip, timeout: 1_400_000 }, (t) => watchNewer(t, 1000, assert));
