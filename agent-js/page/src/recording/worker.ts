/** A worker that reads a recording: it plays it, or surveys all of it. */

import { toBinary } from "@bufbuild/protobuf";
import { openRecording, type Recording, SC2BridgeError } from "sc2bridge/recording";
import { Result } from "sc2bridge/s2clientprotocol/sc2api";
import { MatchDescriptionSchema } from "sc2bridge/v1/bridge";
import type { FileFacts, FromWorker, ToWorker } from "./messages";
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
  } else {
    const recording = await openRecording(message.source, { reusesMemory: true });
    await (message.task === "play" ? play(recording) : survey(recording, post));
  }
}

async function play(recording: Recording): Promise<void> {
  const { end, gaps, name, size, perspectives } = recording;
  if (!perspectives.length) {
    throw recording.damage ?? new SC2BridgeError(`${name} has no frames: record the match again`);
  }
  const perspective = recording.perspective();
  let damage = recording.damage?.message ?? "";
  // The frames can be shown without a damaged attachment.
  const description = await recording.describe().catch((error: unknown) => {
    damage ||= String((error as Error).message);
    return recording.start;
  });
  const results = end?.results.map(({ playerId, result }) => `player ${playerId}: ${Result[result]?.toLowerCase() ?? result}`) ?? [];
  const facts: FileFacts = {
    name, size, perspectives, frames: perspective.length, gaps: gaps.length, damage,
    end: end ? [end.detail || end.reason, ...results].join(", ") : "",
  };
  const leader = perspective.perspective;
  const known = { ...description, recording: name, perspectives: [leader, ...perspectives.filter((each) => each !== leader)] };
  player = new Player(recording, post);
  post({ kind: "opened", description: toBinary(MatchDescriptionSchema, known), facts, blob: recording.blob });
  await player.run();
}
