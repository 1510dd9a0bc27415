/** The controls: of a recording its playback, for all who watch it; of a live match the view alone. */

import { useEffect, useRef, useState } from "preact/hooks";
import type { PlaybackState } from "sc2bridge/v1/bridge";
import { KINDS, type Kind } from "./events";
import { clock, LOOPS_A_SECOND } from "./match";
import { events, isHeld, match, newest, notice, playback, read, show, shown } from "./state";
import { bridge, refreshPlayback } from "./watching";

const LEAP = 10 * LOOPS_A_SECOND;
const RATES = [1, 5.6, 11.2, 22.4, 44.8, 89.6, 179.2, 358.4];

export const KIND_COLOURS: Record<Kind, string> = {
  alert: "#d9a23b",
  chat: "#5aa7e8",
  "action error": "#a87be0",
  deaths: "#e8604c",
  "match end": "#8b93a0",
};

/** Asks for a change; what is refused is told in a line. */
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

/** Holds and lets go: the playback, or the view of a live match. */
export function toggle(): void {
  if (isPlayback()) {
    void control(() => (playback.value!.paused ? bridge.resume() : bridge.pause()));
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
    void control(() => bridge.step(steps));
  }
}

/** Takes the playback to a game loop, within what is played. */
export function seek(loop: number): void {
  const state = playback.value;
  if (state) {
    const to = Math.round(Math.min(state.lastGameLoop, Math.max(state.firstGameLoop, loop)));
    void control(() => bridge.seek({ loop: to }));
  }
}

export function leap(times: number): void {
  seek((shown.value[0]?.gameLoop ?? 0) + times * LEAP);
}

export function seekEnd(isLast: boolean): void {
  seek(isLast ? Infinity : 0);
}

/** The next of the usual rates up or down. */
export function faster(direction: 1 | -1): void {
  const now = playback.value?.rate || Infinity;
  const next = direction > 0 ? RATES.find((rate) => rate > now) : RATES.findLast((rate) => rate < now);
  if (isPlayback() && (next || direction > 0)) {
    void control(() => bridge.setRate(next ?? "max"));
  }
}

export function PlaybackBar() {
  const state = playback.value;
  const frame = shown.value[0];
  if (!match.value) {
    return null;
  }
  if (!state) {
    return (
      <footer>
        <button title="Hold the view; the match goes on (space)" aria-pressed={isHeld.value} onClick={toggle}>{isHeld.value ? "go live" : "hold"}</button>
        <span class="hint">{isHeld.value ? "the view is held, the match goes on" : "live"}</span>
      </footer>
    );
  }
  return (
    <footer>
      <button title="To the start (home)" aria-label="To the start" onClick={() => seekEnd(false)}><Icon d="M3 3h2v10H3zM13 3v10L6 8z" /></button>
      <button title="A step back (left)" aria-label="A step back" onClick={() => step(-1)}><Icon d="M11 3v10L4 8zM12 3h1v10h-1z" /></button>
      <button class="main" title="Play, pause (space)" aria-label={state.paused ? "Play" : "Pause"} onClick={toggle}><Icon d={state.paused ? "M4 2v12l9-6z" : "M4 3h3v10H4zM9 3h3v10H9z"} /></button>
      <button title="A step on (right)" aria-label="A step on" onClick={() => step(1)}><Icon d="M5 3v10l7-5zM3 3h1v10H3z" /></button>
      <button title="To the end (end)" aria-label="To the end" onClick={() => seekEnd(true)}><Icon d="M11 3h2v10h-2zM3 3v10l7-5z" /></button>
      <SeekBar state={state} loop={frame?.gameLoop ?? state.gameLoop} />
      <span class="clock">{clock(frame?.gameLoop ?? 0)} / {clock(state.lastGameLoop)}</span>
      <label>
        <span class="wide">steps a second </span>
        <select
          aria-label="Steps a second"
          title="Steps a second (up, down)"
          value={String(state.rate)}
          onChange={(event) => {
            const rate = Number(event.currentTarget.value);
            void control(() => bridge.setRate(rate === 0 ? "max" : rate));
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

/** A picture of 16 by 16: fonts cannot be relied on to have the signs of a player. */
function Icon({ d }: { d: string }) {
  return (
    <svg viewBox="0 0 16 16" width="14" height="14" aria-hidden="true">
      <path d={d} fill="currentColor" />
    </svg>
  );
}

function SeekBar({ state, loop }: { state: PlaybackState; loop: number }) {
  const ticks = useRef<HTMLCanvasElement>(null);
  // While it is dragged the bar follows the hand and not the playback.
  const [wanted, setWanted] = useState<number | undefined>();
  void read.value;
  const { version } = events;
  useEffect(() => {
    const canvas = ticks.current!;
    const { firstGameLoop, lastGameLoop } = state;
    canvas.width = canvas.clientWidth;
    const context = canvas.getContext("2d")!;
    for (const event of events.list) {
      const x = ((event.loop - firstGameLoop) / Math.max(1, lastGameLoop - firstGameLoop)) * (canvas.width - 16) + 8;
      context.fillStyle = KIND_COLOURS[event.kind];
      context.fillRect(x, 1 + 2 * KINDS.indexOf(event.kind), 1.5, 3);
    }
  }, [version, state.firstGameLoop, state.lastGameLoop]);
  return (
    <span class="seek">
      <canvas ref={ticks} height={12} />
      <input
        type="range"
        aria-label="Game loop"
        title="Game loop (G and a number)"
        min={state.firstGameLoop}
        max={state.lastGameLoop}
        value={wanted ?? loop}
        onInput={(event) => setWanted(Number(event.currentTarget.value))}
        onChange={(event) => {
          seek(Number(event.currentTarget.value));
          setWanted(undefined);
        }}
      />
    </span>
  );
}
