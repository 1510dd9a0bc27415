/** Charts of the match, with marks for its events at the bottom of each chart. */

import type uPlot from "uplot";
import { CHARTS } from "../curves";
import { pixelRatio } from "../map/camera";
import { drawMarks } from "../marks";
import { LOOPS_A_SECOND } from "../match";
import { file, isSurveyed } from "../recording/file";
import { shade } from "../settings";
import { curves, events, playback, read } from "../state";
import { type Lines, PlayersHint, Plot } from "./plot";

const GAP = 10 * LOOPS_A_SECOND;
const MARK_PX = 7;

export function CurvesPanel() {
  void read.value;
  return (
    <div class="curves">
      {CHARTS.map((_, number) => isUnknown(number) ? null : (
        <Plot
          key={`${number} ${curves.perspectives} ${shade.value}`}
          title={CHARTS[number]!.title}
          series={CHARTS[number]!.series.map(({ name }, index) => ({ name, latest: latest(number, index) }))}
          lines={() => curves.perspectives.map((perspective) => withGaps(curves.of(perspective, number)))}
          players={curves.perspectives.length}
          version={curves.version}
          draw={drawEvents}
        />
      ))}
      <PlayersHint ids={curves.perspectives} />
      {read.value[0]?.perspective === 0 && (
        <p class="hint">{file.value ? "An observer of all has no bank and no score: the numbers are computed from the units." : "An observer of all has no bank and no score: choose the perspective of a player."}</p>
      )}
      <p class="hint">
        {playback.value ? "Click a curve to seek to that time. " : ""}
        {!file.value ? "Curves show the frames that this page has received." : isSurveyed.value ? "" : "The page still reads the rest of the recording."}
      </p>
    </div>
  );
}

/** Whether a chart has no value at all, such as the bank for an observer. */
function isUnknown(chart: number): boolean {
  const lines = curves.perspectives.map((perspective) => curves.of(perspective, chart).values[0]!);
  return lines.length > 0 && lines.every((values) => values.every((value) => value === null));
}

/** The values of a curve at the shown game loop, one for each perspective. */
function latest(chart: number, series: number): string {
  const loop = read.value[0]?.gameLoop ?? 0;
  return curves.perspectives.map((perspective) => {
    const value = curves.at(perspective, chart, series, loop);
    return value === null ? "–" : Math.round(value);
  }).join(" / ");
}

/** Breaks a curve where the page has no frames for more than ten seconds of game time. */
function withGaps({ loops, values }: Lines): Lines {
  const ends = loops.map((_, place) => place).filter((place) => place > 0 && loops[place]! - loops[place - 1]! > GAP);
  if (!ends.length) {
    return { loops, values };
  }
  const cut = <T,>(list: readonly T[], between: (place: number) => T) => {
    const parts = list.slice() as T[];
    for (const place of ends.toReversed()) {
      parts.splice(place, 0, between(place));
    }
    return parts;
  };
  return { loops: cut(loops, (place) => loops[place - 1]! + 1), values: values.map((list) => cut<number | null>(list, () => null)) };
}

function drawEvents(plot: uPlot): void {
  const { left, top, width, height } = plot.bbox;
  const size = MARK_PX * pixelRatio();
  const x = (loop: number) => {
    const at = plot.valToPos(loop, "x", true);
    return at >= left && at <= left + width ? at : undefined;
  };
  drawMarks(plot.ctx, events.list, { x, top: top + height - 2 * size - 1, size, apart: size + 1 });
}
