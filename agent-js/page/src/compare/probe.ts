/** The state of a comparison, for tests and the browser's console. */

import { viewOf } from "../map/map";
import { comparedLoop } from "../state";
import { compared, comparison, second } from "./state";

export function comparisonState() {
  const now = comparison.value;
  const view = viewOf(second);
  const [frame] = view?.frames ?? [];
  return now && {
    names: now.names,
    problem: now.problem,
    notes: now.paired?.notes,
    loop: comparedLoop.value,
    frame: frame && { gameLoop: frame.gameLoop, perspective: frame.perspective },
    units: view?.drawn.length ?? 0,
    camera: view && { x: view.camera.x, y: view.camera.y, scale: view.camera.scale },
    found: compared.value,
  };
}
