/** Starts the page, which shows the match of the bridge that serves it. A token is after `#` in the address: browsers do not send that. */

import { render } from "preact";
import { App } from "./app";
import { askForStatus } from "./bridge-status";
import { takeKeys } from "./keys";
import { drawn, json, state } from "./probe";
import { watch } from "./watching";
import "./style.css";

const address = new URL("v1", window.location.href);
address.protocol = address.protocol === "https:" ? "wss:" : "ws:";
address.hash = "";
address.search = "";
const token = new URLSearchParams(window.location.hash.slice(1)).get("token") ?? undefined;

Object.defineProperty(window, "sc2bridge", { value: Object.freeze({ state, json, drawn }) });
render(<App />, document.body);
takeKeys();
watch(address.href, token);
void askForStatus();
// If the user changes the token, the page starts again.
window.addEventListener("hashchange", () => window.location.reload());
