/** Compares the played recording with another one. Workers read both: one shows them, the other finds their first differences. */

import { fromBinary } from "@bufbuild/protobuf";
import { effect, untracked } from "@preact/signals";
import { MatchDescriptionSchema } from "sc2bridge/v1/bridge";
import { fit } from "../map/map";
import type { FromWorker } from "../recording/messages";
import { framesOf, type Playing, showFrames } from "../recording/viewing";
import { perspective } from "../settings";
import { setSource, source } from "../source";
import { comparedLoop, playback, read, show } from "../state";
import type { FromComparer, Pair, ToComparer } from "./messages";
import { PairPlayback } from "./playback";
import { compared, comparison, type Paired, problems, searchProblem, second } from "./state";

let stop = () => {};

/** Ends the comparison. The first recording stays open. */
export function stopComparing(): void {
  stop();
  stop = () => {};
  comparison.value = undefined;
}

/** Compares the played recording with another one, instead of the one before. */
export function compareWith(playing: Playing, recording: Blob | string, name: string, makeWorker: () => Worker): void {
  stopComparing();
  const names: Pair<string> = playing.name === name ? [`${name} (1)`, `${name} (2)`] : [playing.name, name];
  comparison.value = { names };
  const workers = [makeWorker()];
  const [shower] = workers as [Worker];
  let pair: PairPlayback | undefined;
  let stopEffects = () => {};
  let isStopped = false;
  stop = () => {
    isStopped = true;
    workers.forEach((worker) => worker.terminate());
    stopEffects();
    second.match.value = compared.value = comparedLoop.value = undefined;
    second.shown.value = second.read.value = [];
    problems.value = ["", ""];
    searchProblem.value = "";
    pair?.close();
    if (pair) {
      playing.playFrom(pair.loop);
    }
  };
  const fail = (problem: string) => {
    stopComparing();
    comparison.value = { names, problem };
  };
  const begin = async (paired: Paired) => {
    const wasPlaying = playback.value?.paused === false;
    const paused = source;
    const start = await paused.pause();
    if (isStopped) {
      if (wasPlaying && source === paused) {
        void paused.resume();
      }
      return;
    }
    const own = (pair = new PairPlayback(paired, start, (loop) => post(shower, { kind: "show loop", loop, perspective: perspective.peek() })));
    second.match.value = fromBinary(MatchDescriptionSchema, paired.description);
    setSource(own);
    playback.value = await (wasPlaying ? own.resume() : own.playback());
    comparison.value = { names, paired };
    fit();
    const stops = [
      effect(() => {
        void perspective.value;
        untracked(() => own.refresh());
      }),
      effect(() => {
        void read.value;
        second.read.value = second.shown.peek();
      }),
    ];
    stopEffects = () => stops.forEach((each) => each());
    if (!paired.incomparable) {
      const sources: Pair<Blob | string> = [paired.blobs[0] ?? playing.recording, paired.blobs[1] ?? recording];
      const finder = makeWorker();
      workers.push(finder);
      listen(finder, (message) => message.kind === "compared" && (compared.value = message), (problem) => (searchProblem.value = problem));
      post(finder, { kind: "compare", sources, task: "find" });
    }
  };
  listen(shower, (message) => {
    if (message.kind === "paired") {
      void begin(message);
    } else if (message.kind === "shown loop") {
      const isMoved = message.loop < (comparedLoop.value ?? 0);
      comparedLoop.value = message.loop;
      showSides(message, isMoved);
      pair?.answer(message);
    }
  }, fail);
  post(shower, { kind: "compare", sources: [playing.recording, recording], task: "show" });
}

function showSides({ sides: [one, two] }: Extract<FromComparer, { kind: "shown loop" }>, isMoved: boolean): void {
  let { problem } = two;
  try {
    second.shown.value = two.frames ? framesOf(two.frames, isMoved) : second.shown.value;
  } catch (error) {
    problem = (error as Error).message;
    second.shown.value = [];
  }
  problems.value = [one.problem, problem];
  if (one.frames) {
    showFrames(one.frames, isMoved);
  } else {
    show();
  }
}

function listen(worker: Worker, receive: (message: FromWorker) => void, fail: (problem: string) => void): void {
  worker.onmessage = ({ data }: MessageEvent<FromWorker>) => (data.kind === "failed" ? fail(data.message) : receive(data));
  worker.onerror = (event) => fail(event.message || "the page's worker has ended");
}

function post(worker: Worker, message: ToComparer): void {
  worker.postMessage(message);
}
