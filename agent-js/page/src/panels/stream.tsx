/** The state of the stream, as measured by the bridge and by this page. */

import type { ComponentChildren } from "preact";
import { useEffect } from "preact/hooks";
import { readStatus, rowsOf, status } from "../bridge-status";
import { file, isSurveyed } from "../recording/file";
import type { FileFacts } from "../recording/messages";
import { encoding, ENCODINGS } from "../settings";
import { figures, link, match, playback, read } from "../state";
import { Fields } from "./fields";

export function StreamPanel() {
  return file.value ? <FilePanel {...file.value} /> : <BridgePanel />;
}

/** The recording that this page reads. */
function FilePanel({ name, size: bytes, frames, perspectives, gaps, damage, end }: FileFacts) {
  void read.value;
  const rows: [string, string][] = [
    ["file", `${name}, ${size(bytes)}`],
    ["match", match.value ? `${match.value.matchId}, step size ${match.value.stepSize || "the game's"}, seed ${match.value.seed}` : ""],
    ["frames", `${frames}${gaps ? `, ${gaps} gaps` : ""}`],
    ["perspectives", perspectives.map((id) => (id === 0 ? "observer" : `player ${id}`)).join(", ")],
    ["end", end || "the recording ends before the match"],
    ["damage", damage || "none was found"],
    ["curves and events", isSurveyed.value ? "of the whole recording" : "being read"],
    ["frames a second", figures.rates().frames.toFixed(1)],
    ["decoding", `${figures.decodeMs.toFixed(1)} ms`],
    ["drawing", `${figures.drawMs.toFixed(1)} ms`],
  ];
  return <div class="stream"><Fields rows={rows} /></div>;
}

function BridgePanel() {
  void read.value;
  useEffect(readStatus, []);
  const described = match.value;
  const rates = figures.rates();
  const rows: [string, string][] = [
    ["bridge", link.value.text],
    ["match", described ? `${described.matchId}, step size ${described.stepSize || "the game's"}, seed ${described.seed}` : ""],
    ["requested rate", described?.realtime ? "real time" : rate(playback.value?.rate ?? described?.rate ?? 0)],
    ["steps a second", rates.steps.toFixed(1)],
    ["subscription", `page, policy latest, ${encoding.value === "proto" ? "columns, group-zstd, protobuf" : "observation, JSON"}`],
    ["frames a second", rates.frames.toFixed(1)],
    ["received", `${size(rates.bytes)} a second, ${size(figures.bytes)} in ${figures.frames} frames`],
    ["skipped frames", String(figures.skipped)],
    ["bridge lost", `${figures.losses} times`],
    ["decoding", `${figures.decodeMs.toFixed(1)} ms`],
    ["drawing", `${figures.drawMs.toFixed(1)} ms`],
    ["from arrival to drawn", `${figures.shownMs.toFixed(1)} ms`],
  ];
  return (
    <div class="stream">
      <Bridge />
      <h2>This page</h2>
      <Fields rows={rows} />
      <label>
        encoding{" "}
        <select value={encoding.value} onChange={(event) => (encoding.value = event.currentTarget.value as (typeof ENCODINGS)[number])}>
          <option value="proto">protobuf, in columns</option>
          <option value="json">JSON, readable in the network tab</option>
        </select>
      </label>
    </div>
  );
}

function Bridge() {
  if (!status.value) {
    return null;
  }
  const { now } = status.value;
  const { steps, subscribers } = rowsOf(status.value);
  const awaited = subscribers.filter(({ holds }) => holds).map(({ name }) => name);
  return (
    <>
      <h2>The bridge</h2>
      <p>
        {steps.toFixed(1)} steps a second. {awaited.length ? `The match waits for ${awaited.join(", ")}.` : "The match does not wait for any subscriber."}
      </p>
      <Figures
        name="Subscribers"
        heads={[
          ["subscriber"],
          ["policy"],
          ["frames", "Frames a second"],
          ["bytes", "Bytes a second"],
          ["queued", "Frames in its queue"],
          ["dropped", "Frames that it did not receive"],
          ["delay", "Time from the game's answer until the subscriber has the frame"],
          ["waited", "Share of the time that the match waited for it"],
        ]}
        rows={subscribers.map((each) => [
          <>{each.name} <small>{each.transport}</small></>,
          each.policy,
          each.framesASecond.toFixed(1),
          size(each.bytesASecond),
          each.queued,
          each.dropped,
          each.delayMs === undefined ? "–" : `${each.delayMs.toFixed(1)} ms`,
          `${(each.heldShare * 100).toFixed(0)} %`,
        ])}
      />
      {now.moreSubscribers > 0 && <p class="hint">and {now.moreSubscribers} more subscribers</p>}
      {now.encodings.length > 0 && (
        <Figures
          name="Times to make payloads"
          heads={[["encoding"], ["made"], ["time", "Mean time to encode a frame"], ["size", "Mean size of a frame"]]}
          rows={now.encodings.map((each) => [
            each.encoding,
            String(each.count),
            `${(Number(each.timeNs) / 1e6 / Math.max(1, Number(each.count))).toFixed(2)} ms`,
            size(Number(each.bytes) / Math.max(1, Number(each.count))),
          ])}
        />
      )}
    </>
  );
}

/** A table. The first cell of each row is its heading. */
function Figures({ name, heads, rows }: { name: string; heads: readonly (readonly [name: string, title?: string])[]; rows: readonly (readonly ComponentChildren[])[] }) {
  return (
    <div class="wide-table" tabIndex={0} role="group" aria-label={name}>
      <table class="figures">
        <thead>
          <tr>{heads.map(([name, title]) => <th key={name} title={title}>{name}</th>)}</tr>
        </thead>
        <tbody>
          {rows.map(([head, ...cells], row) => (
            <tr key={row}>
              <th scope="row">{head}</th>
              {cells.map((cell, column) => <td key={column}>{cell}</td>)}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

function rate(steps: number): string {
  return steps ? `${steps} steps a second` : "as fast as possible";
}

function size(bytes: number): string {
  return bytes < 1024 ? `${Math.round(bytes)} B` : bytes < 1024 ** 2 ? `${(bytes / 1024).toFixed(1)} KiB` : `${(bytes / 1024 ** 2).toFixed(1)} MiB`;
}
