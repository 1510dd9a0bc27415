/** The viewer: shows a recording without a bridge. It is built into one file. */

import { render } from "preact";
import workerCode from "virtual:worker";
import { App } from "./app";
import { takeKeys } from "./keys";
import { drawn, json, state } from "./probe";
import { DropZone } from "./recording/drop-zone";
import { file, isSurveyed } from "./recording/file";
import { view } from "./recording/viewing";
import { postMortem, showPostMortem } from "./post-mortem/state";
import { openPanel } from "./settings";
import { link } from "./state";
import "./style.css";

const makeWorker = () => {
  const url = URL.createObjectURL(new Blob([workerCode], { type: "text/javascript" }));
  const worker = new Worker(url);
  URL.revokeObjectURL(url);
  return worker;
};

const open = (recording: Blob | string, name: string) => view(recording, name, makeWorker);

Object.defineProperty(window, "sc2bridge", {
  value: Object.freeze({ state: () => ({ ...state(), file: file.value, postMortem: postMortem.value, isSurveyed: isSurveyed.value }), json, drawn }),
});
// Rendering replaces what the body contains.
const inside = document.getElementById("recording");
const report = document.getElementById("post-mortem")?.textContent;
link.value = { state: "connecting", text: "", word: "no recording" };
if (report) {
  showPostMortem(report);
  openPanel("post-mortem");
}
render(
  <>
    <App />
    <DropZone open={(chosen) => open(chosen, chosen.name)} />
  </>,
  document.body,
);
takeKeys();

/** The bytes of base64 text; undefined if the text is damaged. */
function bytesOf(text: string): Uint8Array<ArrayBuffer> | undefined {
  try {
    const letters = atob(text);
    const bytes = new Uint8Array(letters.length);
    for (let at = 0; at < letters.length; at++) {
      bytes[at] = letters.charCodeAt(at);
    }
    return bytes;
  } catch {
    return undefined;
  }
}

const named = new URLSearchParams(window.location.search).get("file");
if (inside) {
  const name = inside.dataset.name ?? "match.mcap";
  const bytes = bytesOf(inside.textContent ?? "");
  inside.textContent = "";
  if (bytes) {
    open(new File([bytes], name), name);
  } else {
    link.value = { state: "refused", word: "no recording", text: "the recording inside this page is damaged: write the page again" };
  }
} else if (named !== null) {
  const address = URL.parse(named, window.location.href);
  if (!address) {
    link.value = { state: "refused", word: "no recording", text: `${named} is no address: name a recording, such as ?file=match.mcap` };
  } else if (window.location.protocol === "file:") {
    link.value = { state: "refused", word: "no recording", text: `a page that is opened from a file cannot read ${named}: choose the file, or drop it here` };
  } else if (address.origin !== window.location.origin) {
    link.value = { state: "refused", word: "no recording", text: `${address.origin} is another server: the viewer reads recordings of its own server, so choose a file` };
  } else {
    open(address.href, named);
  }
}
