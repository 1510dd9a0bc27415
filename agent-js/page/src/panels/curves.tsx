/** The match's figures as curves, with its events at the foot of each. */

import { useEffect, useRef } from "preact/hooks";
import uPlot from "uplot";
import "uplot/dist/uPlot.min.css";
import { CHARTS } from "../curves";
import { clock, LOOPS_A_SECOND } from "../match";
import { KIND_COLOURS, seek } from "../playback";
import { shade } from "../settings";
import { curves, events, playback, read } from "../state";

const COLOURS = ["#4c9be8", "#43c98a", "#d9a23b"];
const HEIGHT = 128;
const GAP = 10 * LOOPS_A_SECOND;

export function CurvesPanel() {
  void read.value;
  return (
    <div class="curves">
      {CHARTS.map((_, number) => (
        <Chart key={`${number} ${curves.perspectives} ${shade.value}`} number={number} version={curves.version} />
      ))}
      {read.value[0]?.perspective === 0 && <p class="hint">An observer of all has no bank and no score: choose a player's perspective.</p>}
      <p class="hint">{playback.value ? "A click moves the playback there. " : ""}Curves hold what this page has seen of the match.</p>
    </div>
  );
}

function Chart({ number, version }: { number: number; version: number }) {
  const place = useRef<HTMLDivElement>(null);
  const plot = useRef<uPlot | null>(null);
  const { title, series } = CHARTS[number]!;
  useEffect(() => {
    const made = (plot.current = new uPlot(options(number, place.current!), dataOf(number), place.current!));
    const click = () => {
      const loop = made.posToVal(made.cursor.left ?? -1, "x");
      if (playback.value && (made.cursor.left ?? -1) >= 0) {
        seek(loop);
      }
    };
    made.over.addEventListener("click", click);
    const observer = new ResizeObserver(([entry]) => made.setSize({ width: entry!.contentRect.width, height: HEIGHT }));
    observer.observe(place.current!);
    return () => {
      observer.disconnect();
      made.destroy();
    };
  }, []);
  useEffect(() => plot.current?.setData(dataOf(number)), [version]);
  return (
    <figure>
      <figcaption>
        {title}
        {series.map(({ name }, index) => (
          <span key={name}>
            <i style={{ background: COLOURS[index] }} />
            {name} {latest(number, index)}
          </span>
        ))}
      </figcaption>
      <div ref={place} />
    </figure>
  );
}

/** The last of the first perspective's. */
function latest(chart: number, series: number): number | string {
  const [first] = read.value;
  if (!first) {
    return "";
  }
  return Math.round(CHARTS[chart]!.series[series]!.of(first));
}

function dataOf(chart: number): uPlot.AlignedData {
  const lines = curves.perspectives.map((perspective) => withGaps(curves.of(perspective, chart)));
  if (lines.length === 1) {
    return [lines[0]!.loops, ...lines[0]!.values] as unknown as uPlot.AlignedData;
  }
  return lines.length
    ? uPlot.join(lines.map(({ loops, values }) => [loops, ...values] as unknown as uPlot.AlignedData))
    : [[], ...CHARTS[chart]!.series.map(() => [])];
}

/** Nothing is drawn across what the page has not seen: more than ten seconds of the game without a frame. */
function withGaps({ loops, values }: { loops: readonly number[]; values: readonly (readonly number[])[] }) {
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

function options(number: number, place: HTMLElement): uPlot.Options {
  const style = getComputedStyle(place);
  const ink = style.getPropertyValue("--soft");
  const grid = { stroke: style.getPropertyValue("--line"), width: 1 };
  const many = Math.max(1, curves.perspectives.length);
  const { series } = CHARTS[number]!;
  return {
    width: place.clientWidth || 300,
    height: HEIGHT,
    legend: { show: false },
    cursor: { sync: { key: "match" }, y: false, drag: { x: false, y: false } },
    padding: [8, 8, 0, 0],
    scales: { x: { time: false } },
    axes: [
      { stroke: ink, grid, ticks: { show: false }, size: 24, values: (_, loops) => loops.map(clock), font: "11px system-ui" },
      { stroke: ink, grid, ticks: { show: false }, size: 42, font: "11px system-ui" },
    ],
    series: [
      {},
      ...Array.from({ length: many }, (_, perspective) =>
        series.map(({ name }, index) => ({
          label: name,
          stroke: COLOURS[index]!,
          width: 1.5,
          points: { show: false },
          ...(perspective ? { dash: [4, 3] } : {}),
        })),
      ).flat(),
    ],
    hooks: { draw: [drawEvents] },
  };
}

function drawEvents(plot: uPlot): void {
  const { left, top, width, height } = plot.bbox;
  for (const event of events.list) {
    const x = plot.valToPos(event.loop, "x", true);
    if (x >= left && x <= left + width) {
      plot.ctx.fillStyle = KIND_COLOURS[event.kind];
      plot.ctx.fillRect(x, top + height - 5, 1.5, 5);
    }
  }
}
