/** The part of a worker that compares two recordings: it answers with the frames at a game loop, or finds the first differences. */

import { toBinary } from "@bufbuild/protobuf";
import { MatchDescriptionSchema } from "sc2bridge/v1/bridge";
import { describePlayable, openPlayable } from "../recording/opening";
import { findDifferences } from "./finder";
import { commonPerspectives, contrast } from "./matches";
import type { FromComparer, Pair, SideFacts, ToComparer } from "./messages";
import { Side } from "./side";

type Post = (message: FromComparer, transferred?: Transferable[]) => void;

let sides: Pair<Side> | undefined;

export async function compare(message: ToComparer, post: Post): Promise<void> {
  if (message.kind === "compare") {
    const recordings = [await openPlayable(message.sources[0]), await openPlayable(message.sources[1])] as const;
    if (message.task === "find") {
      await findDifferences(recordings, post);
    } else {
      sides = [new Side(recordings[0]), new Side(recordings[1])];
      post(await paired(sides));
    }
  } else if (sides) {
    const { loop, perspective } = message;
    const [first, second] = [await sides[0].at(loop, chosen(sides, 0, perspective)), await sides[1].at(loop, chosen(sides, 1, perspective))];
    const previous = Math.max(first.previous ?? -Infinity, second.previous ?? -Infinity);
    const next = Math.min(first.next ?? Infinity, second.next ?? Infinity);
    const known = (loop: number) => (Number.isFinite(loop) ? loop : undefined);
    const buffers = [first, second].flatMap(({ frames }) => frames?.map(({ data }) => data.buffer) ?? []);
    post({ kind: "shown loop", loop, sides: [first, second], previous: known(previous), next: known(next) }, buffers as ArrayBuffer[]);
  }
}

/** The perspectives of a side to show: the chosen ones if the side has them, else one that both have. */
function chosen(sides: Pair<Side>, side: 0 | 1, perspective: number | "all" | "first"): readonly number[] {
  const { recording } = sides[side];
  if (perspective === "all") {
    return recording.perspectives;
  }
  const common = commonPerspectives([sides[0].recording, sides[1].recording])[0] ?? recording.perspective().perspective;
  return [perspective !== "first" && recording.perspectives.includes(perspective) ? perspective : common];
}

async function paired(sides: Pair<Side>): Promise<FromComparer> {
  const [first, second] = [sides[0].recording, sides[1].recording];
  const facts: SideFacts[] = [];
  let stepSize = Infinity;
  for (const [at, side] of sides.entries()) {
    const { first, last } = await side.range(chosen(sides, at as 0 | 1, "first")[0]!);
    facts.push({ name: side.recording.name, firstLoop: first.loop, lastLoop: last.loop });
    stepSize = Math.min(stepSize, (last.loop - first.loop) / Math.max(1, last.index - first.index));
  }
  const both = facts as unknown as Pair<SideFacts>;
  return {
    kind: "paired",
    sides: both,
    description: toBinary(MatchDescriptionSchema, (await describePlayable(second)).description),
    blobs: [first.blob, second.blob],
    stepSize: Math.max(1, stepSize),
    ...contrast([first, second], both),
  };
}
