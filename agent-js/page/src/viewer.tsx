/** The viewer: shows a recording without a bridge. It is built into one file. */

import { render } from "preact";
import workerCode from "virtual:worker";
import { App } from "./app";
import { compareWith, stopComparing } from "./compare/comparing";
import { Caption, ComparisonLine, SecondMap } from "./compare/panel";
import { comparisonState } from "./compare/probe";
import { comparison } from "./compare/state";
import { takeKeys } from "./keys";
import { drawn, json, state } from "./probe";
import { DropZone } from "./recording/drop-zone";
import { file, isSurveyed } from "./recording/file";
import { type Playing, view } from "./recording/viewing";
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

let playing: Playing | undefined;

/** A recording, or the reason why it cannot be opened. */
type Chosen = { readonly source: Blob | string; readonly name: string } | { readonly problem: string };

/** Opens a recording, and compares it with another one. */
async function open(first: Chosen, second?: Chosen): Promise<void> {
  stopComparing();
  if ("problem" in first) {
    link.value = { state: "refused", word: "no recording", text: first.problem };
    return;
  }
  playing = undefined;
  playing = await view(first.source, first.name, makeWorker);
  if (second) {
    compare(second);
  }
}

/** Compares the open recording with another one. */
function compare(second: Chosen): void {
  if (playing && "problem" in second) {
    stopComparing();
    comparison.value = { names: [playing.name, ""], problem: second.problem };
  } else if (playing && "source" in second) {
    compareWith(playing, second.source, second.name, makeWorker);
  }
}

const chosenFile = (file: File): Chosen => ({ source: file, name: file.name });

Object.defineProperty(window, "sc2bridge", {
  value: Object.freeze({ state: () => ({ ...state(), file: file.value, postMortem: postMortem.value, isSurveyed: isSurveyed.value, comparison: comparisonState() }), json, drawn }),
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
    <App line={<ComparisonLine />} caption={<Caption side={0} />} secondMap={<SecondMap />} />
    <DropZone open={(first, second) => open(chosenFile(first), second && chosenFile(second))} compare={(second) => compare(chosenFile(second))} />
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

/** A recording on the page's server, by its address. */
function named(text: string): Chosen {
  const address = URL.parse(text, window.location.href);
  const problem = !address
    ? `${text} is no address: name a recording, such as ?file=match.mcap`
    : window.location.protocol === "file:"
      ? `a page that is opened from a file cannot read ${text}: choose the file, or drop it here`
      : address.origin !== window.location.origin
        ? `${address.origin} is another server: the viewer reads recordings of its own server, so choose a file`
        : "";
  return problem ? { problem } : { source: address!.href, name: text };
}

const query = new URLSearchParams(window.location.search);
const [first, second] = [query.get("file"), query.get("other")];
if (inside) {
  const name = inside.dataset.name ?? "match.mcap";
  const bytes = bytesOf(inside.textContent ?? "");
  inside.textContent = "";
  void open(bytes ? { source: new File([bytes], name), name } : { problem: "the recording inside this page is damaged: write the page again" });
} else if (first !== null) {
  void open(named(first), second === null ? undefined : named(second));
}
