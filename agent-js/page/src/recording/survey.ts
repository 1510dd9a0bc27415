/** Reads a whole recording in the background, and sends its curves and events: first some points, then all in order. */

import { MalformedMessageError, type RecordedFrame, type Recording, SC2BridgeError } from "sc2bridge/recording";
import { CHARTS } from "../curves";
import { ALL_PERSPECTIVES, eventsOf, type MatchEvent } from "../events";
import { clock } from "../game-clock";
import type { FromWorker, Point } from "./messages";
import { ObserverFigures } from "./observer";
import { Tech } from "./tech";

const SERIES = CHARTS.flatMap(({ series }) => series);
/** Game loops between two points of a curve (2 s). */
const POINT_LOOPS = 44;
/** The first, coarse pass reads this many chunks. */
const COARSE_CHUNKS = 12;
/** The shortest time between two messages, because the page redraws its curves after each message. */
const POST_MS = 500;
const SLOW_TIMES = 10;
const SLOW_MS = 200;
const MOST_SLOW = 100;
/** More than any match has. */
const MOST_PLAYERS = 16;
const MOST_EVENTS = 100_000;
const MOST_POINTS = 200_000;
const MOST_STEPS = 1_000_000;

type Post = (message: FromWorker) => void;

/** Reads a recording, and posts what it finds. @param most the most points of the curves */
export async function survey(recording: Recording, post: Post, most = MOST_POINTS): Promise<void> {
  const found = new Found(post, most);
  found.addEvents(await analysed(recording));
  const { data, players } = await recording.describe().catch(() => ({ data: undefined, players: [] }));
  const ids = players.map(({ playerId }) => playerId).filter((id) => !recording.perspectives.includes(id)).slice(0, MOST_PLAYERS);
  const all = recording.perspectives.map((number) => recording.perspective(number));
  const observer = () => new ObserverFigures(data, ids);
  const coarse = new Set<number>();
  const places = Math.max(0, ...all.map(({ chunkStarts }) => chunkStarts.length));
  for (let place = 0; place < places; place += Math.max(1, Math.ceil(places / COARSE_CHUNKS))) {
    for (const perspective of all) {
      const index = perspective.chunkStarts[place];
      const frame = index === undefined ? undefined : await perspective.at(index).catch(skipDamage);
      try {
        found.addPoints(frame ? points(frame, (loop, units) => observer().sampleAlone(loop, units)) : []);
        coarse.add(frame?.gameLoop ?? 0);
      } catch (error) {
        skipDamage(error);
      }
    }
    found.send();
  }
  found.send(true);
  const tracks = all.map((perspective) => ({ perspective, figures: observer(), tech: new Tech(data), last: -Infinity }));
  const steps = new SlowSteps();
  let malformed = 0;
  const skipMalformed = (error: unknown) => {
    malformed += error instanceof MalformedMessageError ? 1 : 0;
    return skipDamage(error);
  };
  // Perspectives share chunks, so their frames are read together.
  for (let place = 0; place < places; place++) {
    for (const track of tracks) {
      const { perspective, figures } = track;
      const [start, end] = [perspective.chunkStarts[place], perspective.chunkStarts[place + 1] ?? perspective.length];
      for (let index = start ?? end; index < end; index++) {
        const frame = await perspective.at(index).catch((error: unknown) => skipMalformed(error) ?? (error instanceof MalformedMessageError ? "malformed" : "damaged"));
        if (frame === "malformed") {
          continue;
        }
        if (frame === "damaged") {
          break; // No frame of this chunk can be read.
        }
        if (perspective === tracks[0]!.perspective) {
          steps.add(frame);
        }
        try {
          const { events: observation, gameLoop } = frame;
          found.addEvents(eventsOf({ observation, gameLoop, perspective: frame.perspective, skipped: undefined }));
          figures.addDeaths(observation.observation?.rawData?.event?.deadUnits ?? []);
          // The points of the coarse pass are replaced by complete ones.
          if (gameLoop >= track.last + POINT_LOOPS || coarse.has(gameLoop)) {
            track.last = gameLoop;
            found.addPoints(points(frame, (loop, units) => figures.sample(loop, units)));
            found.addEvents(track.tech.sample(frame));
          }
        } catch (error) {
          skipMalformed(error);
        }
      }
    }
    found.send();
  }
  found.addEvents(steps.slow());
  if (recording.end) {
    const { gameLoop, detail, reason } = recording.end;
    found.events.push({ loop: gameLoop, perspective: ALL_PERSPECTIVES, kind: "match end", text: detail || reason });
  }
  found.send(true, true);
  if (malformed) {
    post({ kind: "notice", message: `${malformed} observations of ${recording.name} are malformed, so the curves and events leave them out: record the match again` });
  }
  if (found.isShortened) {
    post({ kind: "notice", message: `${recording.name} has more than ${most} points of curves, more than any match: the curves are shortened` });
  }
}

/** Frames of a damaged part are left out: the playback reports it. */
function skipDamage(error: unknown): undefined {
  if (!(error instanceof SC2BridgeError)) {
    throw error;
  }
}

function points(frame: RecordedFrame, sample: ObserverFigures["sample"]): Point[] {
  const { gameLoop: loop, perspective } = frame;
  const seen = perspective === 0 ? undefined : { observation: frame.numbers };
  return seen ? [{ player: perspective, loop, values: SERIES.map(({ of }) => of(seen)) }] : sample(loop, frame.units);
}

/** Points and events that were not sent yet. */
class Found {
  points: Point[] = [];
  events: MatchEvent[] = [];
  isShortened = false;
  #sent = -Infinity;
  #eventsLeft = MOST_EVENTS;

  constructor(
    private readonly post: Post,
    private pointsLeft: number,
  ) {}

  addEvents(events: readonly MatchEvent[]): void {
    for (const event of events.slice(0, this.#eventsLeft)) {
      this.events.push(event);
      this.#eventsLeft--;
    }
  }

  addPoints(points: readonly Point[]): void {
    this.isShortened ||= points.length > this.pointsLeft;
    for (const point of points.slice(0, this.pointsLeft)) {
      this.points.push(point);
      this.pointsLeft--;
    }
  }

  send(isNow = false, isDone = false): void {
    if (isNow || performance.now() >= this.#sent + POST_MS) {
      this.post({ kind: "found", points: this.points, events: this.events, isDone });
      this.points = [];
      this.events = [];
      this.#sent = performance.now();
    }
  }
}

/** Steps that took many times longer than most, by the times of their observations. */
class SlowSteps {
  readonly #steps: { loop: number; ms: number; gameMs: number }[] = [];
  #before: bigint | undefined;

  add({ gameLoop: loop, observedNs, requestedNs }: RecordedFrame): void {
    if (this.#before !== undefined && this.#steps.length < MOST_STEPS) {
      this.#steps.push({ loop, ms: Number(observedNs - this.#before) / 1e6, gameMs: Number(observedNs - requestedNs) / 1e6 });
    }
    this.#before = observedNs;
  }

  slow(): MatchEvent[] {
    const sorted = Float64Array.from(this.#steps, ({ ms }) => ms).sort();
    const least = Math.max(SLOW_MS, SLOW_TIMES * (sorted[sorted.length >> 1] ?? 0));
    return this.#steps
      .filter(({ ms }) => ms > least)
      .sort((a, b) => b.ms - a.ms)
      .slice(0, MOST_SLOW)
      .map(({ loop, ms, gameMs }) => ({
        loop, perspective: ALL_PERSPECTIVES, kind: "slow step", text: `the step took ${(ms / 1000).toFixed(2)} s, the game's answer ${gameMs.toFixed(0)} ms of it`,
      }));
  }
}

/** Fights and expansions. */
async function analysed(recording: Recording): Promise<MatchEvent[]> {
  const analysis = await recording.analysis().catch(skipDamage);
  const at = (loop: number, kind: "fight" | "expansion", text: string): MatchEvent => ({ loop, perspective: ALL_PERSPECTIVES, kind, text });
  const fights = (analysis?.fights ?? []).map(({ first_loop, last_loop, ahead, sides }) => {
    const lost = sides.map(({ player_id, minerals, vespene }) => `player ${player_id} lost ${minerals + vespene}`).join(", ");
    return at(first_loop, "fight", `until ${clock(last_loop)}: ${lost}${ahead ? `; player ${ahead} came out ahead` : ""}`);
  });
  const bases = (analysis?.players ?? []).flatMap(({ player_id, bases }) =>
    bases.flatMap(({ name, is_expansion, seen_loop, lost_loop }) => [
      ...(is_expansion ? [at(seen_loop, "expansion", `player ${player_id}: ${name}`)] : []),
      ...(lost_loop === null ? [] : [at(lost_loop, "expansion", `player ${player_id} lost a ${name}`)]),
    ]),
  );
  return [...fights, ...bases];
}
