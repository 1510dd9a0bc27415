/** The parts of the page that compare two recordings: a line with the first differences, the second map, and the captions of both maps. */

import { Icon } from "../icon";
import { Map } from "../map/map";
import { seek } from "../playback";
import { selected, shownLoop } from "../state";
import { stopComparing } from "./comparing";
import type { Difference, Pair } from "./messages";
import { compared, comparison, type Paired, problems, searchProblem, second } from "./state";
import { placeOf, textOf } from "./texts";

/** The shape of a comparison: two frames side by side. */
const ICON = "M1 3h6v10H1zm1 1v8h4V4zm7-1h6v10H9zm1 1v8h4V4z";

export function ComparisonLine() {
  const now = comparison.value;
  if (!now) {
    return null;
  }
  const { names, paired, problem } = now;
  return (
    <section class="comparison" aria-label="Comparison">
      <Icon d={ICON} size={20} />
      <button onClick={stopComparing}>{problem ? "close" : "stop comparing"}</button>
      <div>
        {problem ? (
          <p class="notice" role="alert"><strong>No comparison:</strong> {problem}{/[.!?]$/.test(problem) ? "" : "."} {names[0]} stays open.</p>
        ) : paired ? (
          <Result names={names} paired={paired} />
        ) : (
          <p role="status">Opening {names[1]}</p>
        )}
      </div>
    </section>
  );
}

function Result({ names, paired: { notes, incomparable } }: { names: Pair<string>; paired: Paired }) {
  const found = compared.value;
  const [first, ...others] = found?.differences ?? [];
  const rest = [
    ...notes,
    ...(found?.isDamaged ? ["damaged parts were not compared"] : []),
    ...(found && !found.isDone ? [`compared until ${placeOf(found.upTo)} so far`] : []),
  ];
  return (
    <>
      {searchProblem.value ? (
        <p class="notice" role="alert">The first difference cannot be found: {searchProblem.value}</p>
      ) : first ? (
        <p><strong>First difference at game loop {first.loop}:</strong> <Found difference={first} names={names} /></p>
      ) : (
        <p role="status">{incomparable ? `${names[0]} and ${names[1]}: ${incomparable}` : outcome(found?.isDone ?? false, found?.loops ?? 0)}</p>
      )}
      {others.map((each) => (
        <p key={each.kind}>First difference in {each.kind} at game loop {each.loop}: <Found difference={each} names={names} /></p>
      ))}
      {rest.length > 0 && <p class="hint">{rest.join("; ")}</p>}
    </>
  );
}

function outcome(isDone: boolean, loops: number): string {
  return !isDone ? "Looking for the first difference" : loops ? `No difference in ${loops} game loops` : "The recordings have no game loop in common";
}

function Found({ difference, names }: { difference: Difference; names: Pair<string> }) {
  const { loop, kind } = difference;
  const go = () => {
    seek(loop);
    if (kind === "state" && difference.unit) {
      selected.value = difference.unit.tag;
    }
  };
  return <>{textOf(difference, names)} <button title={`Seek to ${placeOf(loop)}`} onClick={go}>go to loop {loop}</button></>;
}

/** The second recording's map. */
export function SecondMap() {
  const now = comparison.value;
  return now?.paired ? <Map of={second} name={`Map of ${now.names[1]}`}><Caption side={1} /></Map> : null;
}

/** The name of a recording, and whether it has frames at the shown game loop. */
export function Caption({ side }: { side: 0 | 1 }) {
  const now = comparison.value;
  if (!now?.paired) {
    return null;
  }
  const { firstLoop, lastLoop } = now.paired.sides[side];
  const loop = shownLoop.value ?? 0;
  const problem = problems.value[side];
  const state = problem ? problem : loop < firstLoop ? `begins at game loop ${firstLoop}` : loop > lastLoop ? `ended at game loop ${lastLoop}` : "";
  return <p class="map-caption"><strong>{now.names[side]}</strong>{state && `: ${state}`}</p>;
}
