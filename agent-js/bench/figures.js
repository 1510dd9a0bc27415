/** Formats the results of benchmarks. */

import os from "node:os";

/** Returns the machine, its load and the version of Node. */
export const machine = () => `${os.cpus()[0].model}, ${os.cpus().length} cores, load ${os.loadavg()[0].toFixed(1)}; Node ${process.versions.node}`;

/** Formats the median, with the minimum and the maximum in brackets. */
export function spread(values, digits = 0) {
  const text = (value) => value.toLocaleString("en", { minimumFractionDigits: digits, maximumFractionDigits: digits });
  return `${text(median(values))} (${text(Math.min(...values))}–${text(Math.max(...values))})`;
}

/** Returns the middle value, or the mean of the two middle values. */
export function median(values) {
  const sorted = [...values].sort((a, b) => a - b);
  return (sorted[(sorted.length - 1) >> 1] + sorted[sorted.length >> 1]) / 2;
}
