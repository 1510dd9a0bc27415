/** The controls: a recording's playback, for all its watchers. For a live match they control only this page's view. */

import { useEffect, useRef, useState } from "preact/hooks";
import type { PlaybackState } from "sc2bridge/v1/bridge";
import { Icon } from "./icon";
import { pixelRatio } from "./map/camera";
import { drawMarks, LANES } from "./marks";
import { clock, LOOPS_A_SECOND } from "./match";
import { shade } from "./settings";
import { refreshPlayback, source } from "./source";
import { comparedLoop, events, isHeld, match, newest, notice, playback, read, show, shown, shownLoop } from "./state";

const LEAP = 10 * LOOPS_A_SECOND;
/** The size of a mark on the seek bar, and the height of a lane of marks. */
const MARK_PX = 8;
const LANE_PX = 9;
const RATES = [1, 5.6, 11.2, 22.4, 44.8, 89.6, 179.2, 358.4];

/** Requests a change. If the bridge refuses it, a line shows the reason. */
async function control(ask: () => Promise<PlaybackState>): Promise<void> {
  try {
    playback.value = await ask();
    notice.value = "";
  } catch (error) {
    notice.value = (error as Error).message;
    await refreshPlayback();
  }
}

const isPlayback = () => playback.value !== undefined;

/** Pauses or resumes the playback, or the view of a live match. */
export function toggle(): void {
  if (isPlayback()) {
    void control(() => (playback.value!.paused ? source.resume() : source.pause()));
  } else if (isHeld.value) {
    goLive();
  } else if (newest.size) {
    isHeld.value = true;
  }
}

export function goLive(): void {
  isHeld.value = false;
  show();
}

export function step(steps: number): void {
  if (isPlayback()) {
    void control(() => source.step(steps));
  }
}

/** Moves the playback to a game loop, limited to the recorded range. */
export function seek(loop: number): void {
  const state = playback.value;
  if (state) {
    const to = Math.round(Math.min(state.lastGameLoop, Math.max(state.firstGameLoop, loop)));
    void control(() => source.seek({ loop: to }));
  }
}

export function leap(times: number): void {
  seek((comparedLoop.value ?? shown.value[0]?.gameLoop ?? 0) + times * LEAP);
}

export function seekEnd(isLast: boolean): void {
  seek(isLast ? Infinity : 0);
}

/** Chooses the next faster or slower rate. */
export function faster(direction: 1 | -1): void {
  const now = playback.value?.rate || Infinity;
  const next = direction > 0 ? RATES.find((rate) => rate > now) : RATES.findLast((rate) => rate < now);
  if (isPlayback() && (next || direction > 0)) {
    void control(() => source.setRate(next ?? "max"));
  }
}

export function PlaybackBar() {
  const state = playback.value;
  const loop = shownLoop.value;
  if (!match.value) {
    return null;
  }
  if (!state) {
    return (
      <footer aria-label="Playback">
        <button title="Hold the view; the match goes on (space)" aria-pressed={isHeld.value} onClick={toggle}>{isHeld.value ? "go live" : "hold"}</button>
        <span class="hint">{isHeld.value ? "the view is held, the match goes on" : "live"}</span>
      </footer>
    );
  }
  return (
    <footer aria-label="Playback">
      <button title="To the start (home)" aria-label="To the start" onClick={() => seekEnd(false)}><Icon d="M3 3h2v10H3zM13 3v10L6 8z" /></button>
      <button title="A step back (left)" aria-label="A step back" onClick={() => step(-1)}><Icon d="M11 3v10L4 8zM12 3h1v10h-1z" /></button>
      <button class="main" title="Play, pause (space)" aria-label={state.paused ? "Play" : "Pause"} onClick={toggle}><Icon d={state.paused ? "M4 2v12l9-6z" : "M4 3h3v10H4zM9 3h3v10H9z"} /></button>
      <button title="A step on (right)" aria-label="A step on" onClick={() => step(1)}><Icon d="M5 3v10l7-5zM3 3h1v10H3z" /></button>
      <button title="To the end (end)" aria-label="To the end" onClick={() => seekEnd(true)}><Icon d="M11 3h2v10h-2zM3 3v10l7-5z" /></button>
      <SeekBar state={state} loop={loop ?? state.gameLoop} />
      <span class="clock">{clock(loop ?? 0)} / {clock(state.lastGameLoop)}</span>
      <label>
        <span class="wide">steps a second </span>
        <select
          aria-label="Steps a second"
          title="Steps a second (up, down)"
          value={String(state.rate)}
          onChange={(event) => {
            const rate = Number(event.currentTarget.value);
            void control(() => source.setRate(rate === 0 ? "max" : rate));
          }}
        >
          {[...new Set([...RATES, ...(state.rate ? [state.rate] : [])])].sort((a, b) => a - b).map((rate) => (
            <option key={rate} value={rate}>{rate}</option>
          ))}
          <option value="0">max</option>
        </select>
      </label>
      {notice.value && <span class="notice" role="alert">{notice.value}</span>}
    </footer>
  );
}

function SeekBar({ state, loop }: { state: PlaybackState; loop: number }) {
  const ticks = useRef<HTMLCanvasElement>(null);
  // During a drag the bar follows the pointer and not the playback.
  const [wanted, setWanted] = useState<number | undefined>();
  void read.value;
  const { version } = events;
  useEffect(() => {
    const canvas = ticks.current!;
    const { firstGameLoop, lastGameLoop } = state;
    const ratio = pixelRatio();
    canvas.width = canvas.clientWidth * ratio;
    canvas.height = LANES * LANE_PX * ratio;
    const context = canvas.getContext("2d")!;
    const span = canvas.clientWidth - 16;
    drawMarks(context, events.list, {
      x: (loop) => (((loop - firstGameLoop) / Math.max(1, lastGameLoop - firstGameLoop)) * span + 8) * ratio,
      top: 0,
      size: MARK_PX * ratio,
      apart: LANE_PX * ratio,
    });
  }, [version, state.firstGameLoop, state.lastGameLoop, shade.value]);
  return (
    <span class="seek">
      <canvas ref={ticks} role="img" aria-label={`Marks of ${events.list.length} events: the panel of events lists them`} />
      <input
        type="range"
        aria-label="Game loop"
        title="Game loop (G and a number)"
        min={state.firstGameLoop}
        max={state.lastGameLoop}
        value={wanted ?? loop}
        aria-valuetext={`${clock(wanted ?? loop)}, game loop ${wanted ?? loop}`}
        onInput={(event) => setWanted(Number(event.currentTarget.value))}
        onChange={(event) => {
          seek(Number(event.currentTarget.value));
          setWanted(undefined);
        }}
      />
    </span>
  );
}
