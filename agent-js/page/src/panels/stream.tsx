/** How the stream does: for the bridge, and for this page. */

import type { ComponentChildren } from "preact";
import { useEffect } from "preact/hooks";
import { readStatus, rowsOf, status } from "../bridge-status";
import { encoding, ENCODINGS } from "../settings";
import { figures, link, match, playback, read } from "../state";

export function StreamPanel() {
  void read.value;
  useEffect(readStatus, []);
  const described = match.value;
  const rates = figures.rates();
  const rows: [string, string][] = [
    ["bridge", link.value.text],
    ["match", described ? `${described.matchId}, step size ${described.stepSize || "the game's"}, seed ${described.seed}` : ""],
    ["pace asked for", described?.realtime ? "real time" : rate(playback.value?.rate ?? described?.rate ?? 0)],
    ["steps a second", rates.steps.toFixed(1)],
    ["subscription", `page, policy latest, ${encoding.value === "proto" ? "columns, group-zstd, protobuf" : "observation, JSON"}`],
    ["frames a second", rates.frames.toFixed(1)],
    ["received", `${size(rates.bytes)} a second, ${size(figures.bytes)} in ${figures.frames} frames`],
    ["skipped frames", String(figures.skipped)],
    ["bridge lost", `${figures.losses} times`],
    ["decoding", `${figures.decodeMs.toFixed(1)} ms`],
    ["drawing", `${figures.drawMs.toFixed(1)} ms`],
    ["from arrival to picture", `${figures.shownMs.toFixed(1)} ms`],
  ];
  return (
    <div class="stream">
      <Bridge />
      <h2>This page</h2>
      <table class="fields">
        <tbody>
          {rows.map(([name, value]) => (
            <tr key={name}>
              <th scope="row">{name}</th>
              <td>{value}</td>
            </tr>
          ))}
        </tbody>
      </table>
      <label>
        carried as{" "}
        <select value={encoding.value} onChange={(event) => (encoding.value = event.currentTarget.value as (typeof ENCODINGS)[number])}>
          <option value="proto">protobuf, in columns</option>
          <option value="json">JSON, to be read in the network tab</option>
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
        {steps.toFixed(1)} steps a second. {awaited.length ? `The match waits for ${awaited.join(", ")}.` : "The match waits for nobody."}
      </p>
      <Figures
        heads={[
          ["subscriber"],
          ["policy"],
          ["frames", "Frames a second"],
          ["bytes", "Bytes a second"],
          ["queued", "Frames that wait for it"],
          ["dropped", "Frames that it never got"],
          ["delay", "From the game's answer to its having it"],
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
      {now.moreSubscribers > 0 && <p class="hint">and {now.moreSubscribers} more</p>}
      {now.encodings.length > 0 && (
        <Figures
          heads={[["encoding"], ["made"], ["time", "To make one"], ["size", "Of one"]]}
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

/** Each row's first cell says what it is of. */
function Figures({ heads, rows }: { heads: readonly (readonly [name: string, title?: string])[]; rows: readonly (readonly ComponentChildren[])[] }) {
  return (
    <div class="wide-table">
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
  return steps ? `${steps} steps a second` : "as fast as it goes";
}

function size(bytes: number): string {
  return bytes < 1024 ? `${Math.round(bytes)} B` : bytes < 1024 ** 2 ? `${(bytes / 1024).toFixed(1)} KiB` : `${(bytes / 1024 ** 2).toFixed(1)} MiB`;
}
