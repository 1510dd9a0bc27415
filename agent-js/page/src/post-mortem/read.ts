/** Reads the post-mortem that a bridge writes into a page: JSON of version 1. Each field may be missing. */

/** A post-mortem that is not valid. The message names the field. */
export class InvalidPostMortemError extends Error {}

const MOST_CHARACTERS = 16_000_000;
const LONGEST_TEXT = 4_000;
const LARGEST = Number.MAX_SAFE_INTEGER;

/** Reads a value that is not null. `at`: the name of its field, for errors. `cuts` collects a line for each list that is too long. */
type Reader<T> = (value: unknown, at: string, cuts: string[]) => T;
type Fields<S> = { readonly [K in keyof S]?: S[K] extends Reader<infer T> ? T : never };

function invalid(value: unknown, at: string, expected: string): never {
  const shown = JSON.stringify(value) ?? String(value);
  throw new InvalidPostMortemError(`${at || "the post-mortem"} is ${shown.length > 40 ? `${shown.slice(0, 40)}…` : shown}, expected ${expected}`);
}

const text: Reader<string> = (value, at) => {
  if (typeof value !== "string") {
    return invalid(value, at, "text");
  }
  return value.length > LONGEST_TEXT ? `${value.slice(0, LONGEST_TEXT)}…` : value;
};

/** Text or a number, as text. */
const label: Reader<string> = (value, at, cuts) => (typeof value === "number" ? String(value) : text(value, at, cuts));

const flag: Reader<boolean> = (value, at) => (typeof value === "boolean" ? value : invalid(value, at, "true or false"));

const amount: Reader<number> = (value, at) =>
  typeof value === "number" && value >= 0 && value <= LARGEST ? value : invalid(value, at, "a number that is not negative");

const whole: Reader<number> = (value, at, cuts) => (Number.isInteger(value) ? amount(value, at, cuts) : invalid(value, at, "a whole number"));

/** A list. Above `most` items, only the first are kept, or only the last if `isNewest`. */
function list<T>(item: Reader<T>, most: number, isNewest = false): Reader<readonly T[]> {
  return (value, at, cuts) => {
    if (!Array.isArray(value)) {
      return invalid(value, at, "a list");
    }
    const start = isNewest ? Math.max(0, value.length - most) : 0;
    if (value.length > most) {
      cuts.push(`${at}: the ${isNewest ? "last" : "first"} ${most} of ${value.length}`);
    }
    return value.slice(start, start + most).map((each, index) => item(each, `${at}[${start + index}]`, cuts));
  };
}

function object<S extends Record<string, Reader<unknown>>>(fields: S): Reader<Fields<S>> {
  return (value, at, cuts) => {
    if (typeof value !== "object" || value === null || Array.isArray(value)) {
      return invalid(value, at, "an object");
    }
    const found: Record<string, unknown> = {};
    for (const [name, reader] of Object.entries(fields)) {
      const part: unknown = Object.hasOwn(value, name) ? (value as Record<string, unknown>)[name] : undefined;
      if (part !== undefined && part !== null) {
        found[name] = reader(part, at ? `${at}.${name}` : name, cuts);
      }
    }
    return found as Fields<S>;
  };
}

const lines = list(object({ from: text, lines: list(text, 1_000, true) }), 64);
const player = object({ id: whole, name: text, race: text, kind: text, result: text });
/** Times are in microseconds. */
const step = object({ game_loop: whole, perspective: whole, agent_us: amount, bridge_us: amount, game_us: amount });

const content = object({
  version: whole,
  cause: object({ kind: text, who: text, text, advice: text, game_loop: whole }),
  match: object({
    id: text,
    map: text,
    simulated: flag,
    game_version: text,
    seed: label,
    rate: label,
    step_size: whole,
    players: list(player, 16),
    ended: text,
    aborted: flag,
  }),
  recording: object({ first_game_loop: whole, last_game_loop: whole }),
  recording_missing: text,
  steps: list(step, 50_000, true),
  slowest: list(object({ game_loop: whole, who: text, us: amount }), 100),
  logs: lines,
  tracebacks: lines,
  versions: object({ sc2bridge: text, dotnet: text, python: text, os: text }),
  machine: object({ cores: whole, memory_bytes: whole, cpu: text }),
  written: text,
});

export type PostMortem = ReturnType<typeof content>;
type Step = ReturnType<typeof step>;
export type Texts = NonNullable<PostMortem["logs"]>;

/** Reads the JSON text. `cuts` has a line for each list that is too long. Throws InvalidPostMortemError. */
export function readPostMortem(json: string): { content: PostMortem; cuts: readonly string[] } {
  if (json.length > MOST_CHARACTERS) {
    throw new InvalidPostMortemError(`the post-mortem has ${json.length} characters, but at most ${MOST_CHARACTERS} are allowed`);
  }
  let parsed: unknown;
  try {
    parsed = JSON.parse(json);
  } catch (error) {
    throw new InvalidPostMortemError(`it is not JSON: ${(error as Error).message}`);
  }
  const cuts: string[] = [];
  const { version } = object({ version: whole })(parsed, "", cuts);
  if (version !== undefined && version !== 1) {
    throw new InvalidPostMortemError(`it has version ${version}, but this viewer reads version 1: use the viewer of that version`);
  }
  return { content: content(parsed, "", cuts), cuts };
}

/** The times of each perspective in milliseconds, by ascending game loop: of the agent, the bridge and the game. Null if unknown. */
export function timesOf(steps: readonly Step[]): { perspective: number; loops: number[]; values: (number | null)[][] }[] {
  const perspectives = new Map<number, Map<number, Step>>();
  for (const each of steps) {
    const { perspective = 0, game_loop: loop } = each;
    if (loop !== undefined) {
      perspectives.set(perspective, (perspectives.get(perspective) ?? new Map<number, Step>()).set(loop, each));
    }
  }
  // The chart is logarithmic, so it has no zero.
  const ms = (us: number | undefined) => (us === undefined ? null : Math.max(0.001, us / 1000));
  return [...perspectives].sort(([one], [other]) => one - other).map(([perspective, byLoop]) => {
    const sorted = [...byLoop].sort(([one], [other]) => one - other);
    return {
      perspective,
      loops: sorted.map(([loop]) => loop),
      values: [sorted.map(([, { agent_us }]) => ms(agent_us)), sorted.map(([, { bridge_us }]) => ms(bridge_us)), sorted.map(([, { game_us }]) => ms(game_us))],
    };
  });
}
