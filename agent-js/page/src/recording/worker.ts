/** A worker that reads a recording: it plays it, or surveys all of it. It also compares two recordings. */

import { toBinary } from "@bufbuild/protobuf";
import type { Recording } from "sc2bridge/recording";
import { Result } from "sc2bridge/s2clientprotocol/sc2api";
import { MatchDescriptionSchema } from "sc2bridge/v1/bridge";
import { compare } from "../compare/worker";
import type { FileFacts, FromWorker, ToWorker } from "./messages";
import { describePlayable, openPlayable } from "./opening";
import { Player } from "./player";
import { survey } from "./survey";

const post = (message: FromWorker, transferred: Transferable[] = []) => self.postMessage(message, { transfer: transferred });
let player: Player | undefined;

self.addEventListener("message", ({ data }: MessageEvent<ToWorker>) => {
  handle(data).catch((error: unknown) => post({ kind: "failed", message: error instanceof Error ? error.message : String(error) }));
});

async function handle(message: ToWorker): Promise<void> {
  if (message.kind === "command") {
    const { id, command } = message;
    post({ kind: "answer", id, state: await player!.command(command) });
  } else if (message.kind === "watch") {
    player?.watch(message.perspective);
  } else if (message.kind === "shown") {
    player?.ready();
  } else if (message.kind === "compare" || message.kind === "show loop") {
    await compare(message, post);
  } else {
    const recording = await openPlayable(message.source);
    await (message.task === "play" ? play(recording) : survey(recording, post));
  }
}

async function play(recording: Recording): Promise<void> {
  const { end, gaps, name, size, perspectives } = recording;
  const { description, damage } = await describePlayable(recording);
  const results = end?.results.map(({ playerId, result }) => `player ${playerId}: ${Result[result]?.toLowerCase() ?? result}`) ?? [];
  const facts: FileFacts = {
    name, size, perspectives, frames: recording.perspective().length, gaps: gaps.length, damage,
    end: end ? [end.detail || end.reason, ...results].join(", ") : "",
  };
  player = new Player(recording, post);
  post({ kind: "opened", description: toBinary(MatchDescriptionSchema, description), facts, blob: recording.blob });
  await player.run();
}
