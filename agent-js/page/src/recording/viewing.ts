/** Shows a recording in this page. Workers read it: one plays it, the other reads all of it for the curves and events. */

import { fromBinary } from "@bufbuild/protobuf";
import { effect, untracked } from "@preact/signals";
import { type Frame, Units } from "sc2bridge";
import { MalformedMessageError, RecordedFrame, type RecordedParts } from "sc2bridge/recording";
import type { ResponseObservation } from "sc2bridge/s2clientprotocol/sc2api";
import { MatchDescriptionSchema, type PlaybackState } from "sc2bridge/v1/bridge";
import { ALL_PERSPECTIVES, type MatchEvent } from "../events";
import { perspective } from "../settings";
import { setSource, source, type Source } from "../source";
import { curves, events, figures, forget, link, match, newest, notice, playback, show } from "../state";
import { file, isSurveyed } from "./file";
import type { Command, FromWorker, Point, ToWorker } from "./messages";

/** A frame whose observation is parsed without its units, because the page reads them from `units`. */
class ViewedFrame extends RecordedFrame {
  #rest: ResponseObservation | undefined;
  readonly #units: Units;

  /** @param last the last frame of the perspective */
  constructor(parts: RecordedParts, last: Frame | undefined) {
    super(parts);
    const start = performance.now();
    try {
      this.#units = Units.fromSerialized(parts.data, last?.units);
    } catch (error) {
      throw error instanceof MalformedMessageError ? new MalformedMessageError(`step ${parts.step}: ${error.message}`, { cause: error }) : error;
    }
    this.decodeMs = performance.now() - start;
  }

  override get units(): Units {
    return this.#units;
  }

  override get observation(): ResponseObservation {
    return (this.#rest ??= this.rest);
  }
}

/** Throws MalformedMessageError. @param last the last frame of each perspective: most units are the same, and are not read again */
export function framesOf(parts: readonly RecordedParts[], isMoved = false, last?: ReadonlyMap<number, Frame>): RecordedFrame[] {
  return parts.map((each) => {
    const frame = new ViewedFrame(each, last?.get(each.perspective));
    frame.seeked = isMoved;
    // The picture reads these parts, so a malformed part must throw here.
    const { observation, units } = frame;
    void [observation, units.orders, units.rallyTargets];
    return frame;
  });
}

/** Shows the frames of a step: one for each watched perspective. */
export function showFrames(parts: readonly RecordedParts[], isMoved: boolean): void {
  try {
    const frames = framesOf(parts, isMoved, newest);
    newest.clear();
    for (const frame of frames) {
      figures.received(frame);
      newest.set(frame.perspective, frame);
    }
    show();
  } catch (error) {
    notice.value = (error as Error).message;
  }
}

/** The most events in the page, enough for a whole match. */
const MOST_EVENTS = 20_000;

let close = () => {};

/** A recording that the page plays. */
export interface Playing {
  readonly recording: Blob | string;
  readonly name: string;
  /** Plays this recording again, after a comparison, paused at a game loop. */
  playFrom(loop: number): void;
}

/** Shows a recording instead of the current one. Resolves when it can be played, or with undefined if it cannot. */
export function view(recording: Blob | string, name: string, makeWorker: () => Worker): Promise<Playing | undefined> {
  close();
  forget();
  events.most = MOST_EVENTS;
  file.value = match.value = playback.value = undefined;
  notice.value = "";
  isSurveyed.value = false;
  link.value = { state: "connecting", text: `opening ${name}` };
  const found = new Survey();
  const player = new RemotePlayer(makeWorker(), recording, found);
  let surveyor: Worker | undefined;
  const stop = effect(() => {
    const chosen = perspective.value;
    untracked(() => {
      player.watch(chosen);
      found.filter();
    });
  });
  const fail = (message: string) => (notice.value = `the curves and events of the whole recording cannot be read: ${message}`);
  let resolve: (playing: Playing | undefined) => void = () => {};
  const promise = new Promise<Playing | undefined>((made) => (resolve = made));
  player.opened = (blob) => {
    resolve({ recording: blob ?? recording, name, playFrom: (loop) => player.playFrom(loop) });
    surveyor = makeWorker();
    surveyor.onmessage = ({ data }: MessageEvent<FromWorker>) => {
      if (data.kind === "notice") {
        addDamage(data.message);
      } else if (data.kind === "found") {
        found.add(data.points, data.events);
        isSurveyed.value = data.isDone;
      } else if (data.kind === "failed") {
        fail(data.message);
      }
    };
    surveyor.onerror = (event) => fail(event.message || "the page's worker has ended");
    post(surveyor, { kind: "open", source: blob ?? recording, task: "survey" });
  };
  player.failed = () => {
    surveyor?.terminate();
    resolve(undefined);
  };
  close = () => {
    stop();
    player.close();
    surveyor?.terminate();
  };
  return promise;
}

/** Shows the first damage until another recording is opened. */
function addDamage(line: string): void {
  if (file.value && !file.value.damage) {
    file.value = { ...file.value, damage: line };
  }
}

function post(worker: Worker, message: ToWorker): void {
  worker.postMessage(message);
}

/** The curves and events of the whole recording. The page shows the curves and events of the watched perspective. */
class Survey {
  readonly #points: Point[] = [];
  readonly #events: MatchEvent[] = [];

  add(points: readonly Point[], events: readonly MatchEvent[]): void {
    points.forEach((point) => this.#points.push(point));
    events.forEach((event) => this.#events.push(event));
    this.#show(points, events);
  }

  filter(): void {
    curves.clear();
    events.clear();
    this.#show(this.#points, this.#events);
  }

  #show(points: readonly Point[], found: readonly MatchEvent[]): void {
    const perspectives = match.peek()?.perspectives ?? [];
    const chosen = perspective.peek();
    const watched = chosen === "first" || (chosen !== "all" && !perspectives.includes(chosen)) ? perspectives[0] : chosen;
    const isWatched = (each: number) => watched === "all" || each === watched;
    for (const { player, loop, values } of points) {
      if (watched === 0 || isWatched(player)) {
        curves.set(player, loop, values);
      }
    }
    events.addAll(found.filter((event) => event.perspective === ALL_PERSPECTIVES || isWatched(event.perspective)));
    show();
  }
}

/** A worker's playback as the page's source. */
class RemotePlayer implements Source {
  opened: (blob: Blob | undefined) => void = () => {};
  failed = () => {};
  #asked = 0;
  readonly #answers = new Map<number, (state: PlaybackState) => void>();

  constructor(
    private readonly worker: Worker,
    recording: Blob | string,
    private readonly found: Survey,
  ) {
    worker.onmessage = ({ data }: MessageEvent<FromWorker>) => this.#receive(data);
    worker.onerror = (event) => this.#fail(event.message || "the page's worker cannot be started");
    setSource(this);
    post(worker, { kind: "open", source: recording, task: "play" });
  }

  pause = () => this.#ask({ kind: "pause" });
  resume = () => this.#ask({ kind: "resume" });
  playback = () => this.#ask({ kind: "playback" });
  step = (steps: number) => this.#ask({ kind: "step", steps });
  seek = ({ loop }: { loop: number }) => this.#ask({ kind: "seek", loop });
  setRate = (rate: number | "max") => this.#ask({ kind: "rate", rate: rate === "max" ? 0 : rate });

  watch(chosen: number | "all" | "first"): void {
    newest.clear();
    post(this.worker, { kind: "watch", perspective: chosen });
  }

  playFrom(loop: number): void {
    setSource(this);
    this.watch(perspective.peek());
    void this.seek({ loop }).then((state) => (playback.value = state));
  }

  close(): void {
    this.worker.terminate();
  }

  #ask(command: Command): Promise<PlaybackState> {
    const id = ++this.#asked;
    post(this.worker, { kind: "command", id, command });
    return new Promise((resolve) => this.#answers.set(id, resolve));
  }

  #receive(message: FromWorker): void {
    switch (message.kind) {
      case "opened":
        match.value = fromBinary(MatchDescriptionSchema, message.description);
        file.value = message.facts;
        link.value = { state: "connected", text: message.facts.name };
        this.found.filter();
        this.watch(perspective.peek());
        this.opened(message.blob);
        break;
      case "frames":
        if (source === this) {
          showFrames(message.frames, message.isMoved);
        }
        requestAnimationFrame(() => post(this.worker, { kind: "shown" }));
        break;
      case "state":
        if (source === this) { // Otherwise a comparison controls the page.
          playback.value = message.state as PlaybackState;
        }
        break;
      case "answer":
        this.#answers.get(message.id)?.(message.state as PlaybackState);
        this.#answers.delete(message.id);
        break;
      case "notice":
        addDamage(message.message);
        break;
      case "failed":
        this.#fail(message.message);
    }
  }

  #fail(message: string): void {
    link.value = { state: "refused", text: message, word: "not readable" };
    file.value = match.value = playback.value = undefined;
    this.failed();
    forget();
  }
}
