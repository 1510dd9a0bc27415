/** Why a match failed: the cause, the times of the last steps, and the last lines of logs. All texts are plain text. */

import type { ComponentChildren } from "preact";
import { useMemo } from "preact/hooks";
import { CONDITION_ICONS } from "../banner";
import { Icon } from "../icon";
import { clock } from "../match";
import { Fields } from "../panels/fields";
import { PlayersHint, Plot } from "../panels/plot";
import { seek } from "../playback";
import { shade } from "../settings";
import { playback } from "../state";
import { type PostMortem, type Texts as TextList, timesOf } from "./read";
import { hasRecording, postMortem } from "./state";

export function PostMortemPanel() {
  const { content, cuts = [], error } = postMortem.value ?? {};
  if (!content) {
    return <p class="cause" role="alert"><Icon d={CONDITION_ICONS.warning} size={20} /> {error}</p>;
  }
  const { steps = [], slowest = [], logs = [], tracebacks = [], written } = content;
  return (
    <div class="post-mortem">
      <Cause {...content} />
      <NoRecording {...content} />
      <Facts title="Match" rows={matchRows(content)} />
      <Times steps={steps} />
      {slowest.length > 0 && (
        <>
          <h2>Slowest</h2>
          <ol class="slowest">
            {slowest.map(({ game_loop: loop, who = "", us }, index) => (
              <li key={index}>
                <Seek loop={loop} /> {who} {us === undefined ? "" : <strong>{duration(us)}</strong>}
              </li>
            ))}
          </ol>
        </>
      )}
      <Texts title="Tracebacks" texts={tracebacks} />
      <Texts title="Last log lines" texts={logs} />
      <Facts title="Versions and machine" rows={machineRows(content)} />
      {written && <p class="hint">Written {written}.</p>}
      {cuts.map((cut) => <p key={cut} class="hint">Shortened: {cut}.</p>)}
    </div>
  );
}

function Cause({ cause = {} }: PostMortem) {
  const { text = "The cause is unknown.", who, advice, game_loop: loop, kind } = cause;
  return (
    <section class="cause" aria-label="Cause">
      <h2><span><Icon d={CONDITION_ICONS.warning} size={20} /> {text}</span></h2>
      {advice && <p><strong>What to do:</strong> {advice}</p>}
      <Rows rows={[["who", who], ["kind", kind?.replaceAll("_", " ")], ["game loop", loop !== undefined && <Seek loop={loop} />]]} />
    </section>
  );
}

function NoRecording({ recording_missing: why, recording }: PostMortem) {
  if (hasRecording.value) {
    const { first_game_loop: first, last_game_loop: last } = recording ?? {};
    return first === undefined || last === undefined ? null : <p class="hint">The page has the recording of game loops {first} to {last}.</p>;
  }
  return <p class="hint">The page has no recording{why ? `: ${why}` : ""}.</p>;
}

/** A game loop: a button that seeks there if the page has a recording. */
function Seek({ loop }: { loop: number | undefined }) {
  if (loop === undefined) {
    return null;
  }
  const name = `${clock(loop)} loop ${loop}`;
  return playback.value ? <button title={`Seek to game loop ${loop}`} onClick={() => seek(loop)}>{name}</button> : <span>{name}</span>;
}

function Times({ steps }: { steps: NonNullable<PostMortem["steps"]> }) {
  const times = useMemo(() => timesOf(steps), [steps]);
  if (!times.length) {
    return null;
  }
  return (
    <div class="curves">
      <h2>Time of each step</h2>
      <Plot
        key={shade.value}
        title="Milliseconds, logarithmic"
        series={["agent", "bridge", "game"].map((name) => ({ name }))}
        lines={() => times}
        players={times.length}
        version={0}
        isLogarithmic
      />
      <PlayersHint ids={times.map(({ perspective }) => perspective)} />
    </div>
  );
}

function Texts({ title, texts }: { title: string; texts: TextList }) {
  return texts.length === 0 ? null : (
    <>
      <h2>{title}</h2>
      {texts.map(({ from = "", lines = [] }, index) => (
        <figure key={index}>
          <figcaption>{from}</figcaption>
          <pre tabIndex={0} role="group" aria-label={`${title}: ${from}`}>{lines.join("\n")}</pre>
        </figure>
      ))}
    </>
  );
}

type Row = readonly [name: string, value: ComponentChildren];

function Facts({ title, rows }: { title: string; rows: readonly Row[] }) {
  return rows.some(([, value]) => isKnown(value)) ? <><h2>{title}</h2><Rows rows={rows} /></> : null;
}

function Rows({ rows }: { rows: readonly Row[] }) {
  return <Fields rows={rows.filter(([, value]) => isKnown(value))} />;
}

const isKnown = (value: ComponentChildren) => value !== undefined && value !== false && value !== "";

function matchRows({ match = {} }: PostMortem): Row[] {
  const players = match.players?.map(({ id, name, race, kind, result }) =>
    [id === undefined ? "" : `${id}:`, name, race, kind && `(${kind})`, result].filter(Boolean).join(" "));
  return [
    ["map", match.map],
    ["players", players?.join("; ")],
    ["ended", [match.ended, match.aborted && "aborted"].filter(Boolean).join(", ")],
    ["game", [match.simulated ? "simulated" : "", match.game_version].filter(Boolean).join(", version ")],
    ["steps", [match.step_size !== undefined && `step size ${match.step_size}`, match.rate && `rate ${match.rate}`].filter(Boolean).join(", ")],
    ["seed", match.seed],
    ["match", match.id],
  ];
}

function machineRows({ versions = {}, machine = {} }: PostMortem): Row[] {
  return [
    ["sc2bridge", versions.sc2bridge],
    [".NET", versions.dotnet],
    ["Python", versions.python],
    ["system", versions.os],
    ["processor", [machine.cpu, machine.cores !== undefined && `${machine.cores} cores`].filter(Boolean).join(", ")],
    ["memory", machine.memory_bytes !== undefined && `${(machine.memory_bytes / 1024 ** 3).toFixed(1)} GiB`],
  ];
}

function duration(us: number): string {
  return us < 1000 ? `${us.toFixed(0)} µs` : us < 1e6 ? `${(us / 1000).toFixed(1)} ms` : `${(us / 1e6).toFixed(1)} s`;
}
