/** A chart over game loops. Each line has its own dash pattern. The lines of all players except the first have diamonds. */

import { useEffect, useRef } from "preact/hooks";
import uPlot from "uplot";
import "uplot/dist/uPlot.min.css";
import { clock } from "../match";
import { seek } from "../playback";
import { shade } from "../settings";
import { playback } from "../state";
import { LineSample } from "./mark";

/** The lines of one player: ascending game loops, and the values of each series at these loops. */
export interface Lines {
  readonly loops: readonly number[];
  readonly values: readonly (readonly (number | null)[])[];
}

interface PlotProps {
  title: string;
  /** The names of the series, and the values to show after them. */
  series: readonly { readonly name: string; readonly latest?: string }[];
  /** The lines of each player. */
  lines: () => readonly Lines[];
  /** Changes if the lines change. The number of players must stay the same. */
  version: number;
  players: number;
  isLogarithmic?: boolean;
  draw?: (plot: uPlot) => void;
}

const HEIGHT = 128;
const DASHES: readonly number[][] = [[], [7, 3], [2, 3]];
const COLOURS = { light: ["#1f6fc4", "#1c7a48", "#946200"], dark: ["#4c9be8", "#43c98a", "#d9a23b"] };
const colours = () => COLOURS[shade.value === "dark" ? "dark" : "light"];

export function Plot(given: PlotProps) {
  const { title, series, lines, version } = given;
  const place = useRef<HTMLDivElement>(null);
  const plot = useRef<uPlot | null>(null);
  useEffect(() => {
    const made = (plot.current = new uPlot(options(given, place.current!), dataOf(lines(), series.length), place.current!));
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
  useEffect(() => plot.current?.setData(dataOf(lines(), series.length)), [version]);
  return (
    <figure>
      <figcaption>
        {title}
        {series.map(({ name, latest }, index) => (
          <span key={name}>
            <LineSample colour={colours()[index]!} dash={DASHES[index]!} />
            {name} {latest}
          </span>
        ))}
      </figcaption>
      <div ref={place} />
    </figure>
  );
}

/** Explains the diamonds, if there are several players. */
export function PlayersHint({ ids }: { ids: readonly number[] }) {
  return ids.length > 1 ? <p class="hint">{ids.map((id) => `player ${id}`).join(" / ")}: only the lines of the first have no diamonds.</p> : null;
}

function dataOf(lines: readonly Lines[], series: number): uPlot.AlignedData {
  const tables = lines.map(({ loops, values }) => [loops, ...values] as unknown as uPlot.AlignedData);
  return tables.length > 1 ? uPlot.join(tables) : (tables[0] ?? ([[], ...Array.from({ length: series }, () => [])] as uPlot.AlignedData));
}

function options({ series, players, isLogarithmic = false, draw }: PlotProps, place: HTMLElement): uPlot.Options {
  const style = getComputedStyle(place);
  const ink = style.getPropertyValue("--soft");
  const grid = { stroke: style.getPropertyValue("--line"), width: 1 };
  return {
    width: place.clientWidth || 300,
    height: HEIGHT,
    legend: { show: false },
    cursor: { sync: { key: "match" }, y: false, drag: { x: false, y: false } },
    padding: [8, 8, 0, 0],
    scales: { x: { time: false }, ...(isLogarithmic ? { y: { distr: 3 as const } } : {}) },
    axes: [
      { stroke: ink, grid, ticks: { show: false }, size: 24, values: (_, loops) => loops.map(clock), font: "11px system-ui" },
      { stroke: ink, grid, ticks: { show: false }, size: 42, font: "11px system-ui", ...(isLogarithmic ? { splits: decades } : {}) },
    ],
    series: [
      {},
      ...Array.from({ length: Math.max(1, players) }, (_, player) =>
        series.map(({ name }, index) => ({
          label: name,
          stroke: colours()[index]!,
          width: 1.5,
          points: { show: false },
          dash: DASHES[index]!,
          ...(player ? { paths: withDiamonds, fill: colours()[index]! } : {}),
        })),
      ).flat(),
    ],
    hooks: draw ? { draw: [draw] } : {},
  };
}

/** The powers of ten of a logarithmic axis. */
const decades: uPlot.Axis.Splits = (_plot, _axis, least, most) => {
  const [first, last] = [Math.ceil(Math.log10(least)), Math.floor(Math.log10(most))];
  return Array.from({ length: Math.max(0, last - first + 1) }, (_, index) => 10 ** (first + index));
};

const linear = uPlot.paths.linear!();
const APART_PX = 40;
const DIAMOND_PX = 3.5;

/** A line with filled diamonds, which are about `APART_PX` apart. */
const withDiamonds: uPlot.Series.PathBuilder = (plot, series, first, last) => {
  const built = linear(plot, series, first, last);
  const diamonds = new Path2D();
  const ratio = uPlot.pxRatio;
  const half = DIAMOND_PX * ratio;
  let before = -Infinity;
  for (let at = first; at <= last; at++) {
    const value = plot.data[series]![at];
    const x = plot.valToPos(plot.data[0][at]!, "x", true);
    if (value !== null && value !== undefined && x - before >= APART_PX * ratio) {
      const y = plot.valToPos(value, "y", true);
      before = x;
      diamonds.moveTo(x - half, y);
      [[x, y - half], [x + half, y], [x, y + half]].forEach(([px, py]) => diamonds.lineTo(px!, py!));
      diamonds.closePath();
    }
  }
  return { ...built!, fill: diamonds };
};
