/** Functions that return the page's state, for tests and the browser's console: `sc2bridge.state()`, `.json()`, `.drawn()`. */

import { drawings } from "./bridge-status";
import { frameJson } from "./json";
import { viewOf } from "./map/map";
import { WATCHED } from "./map/shown";
import { ended, events, curves, figures, isFollowed, isHeld, link, match, playback, selected } from "./state";

/** The frame that the map shows, as the JSON panel shows it. */
export function json() {
  const [frame] = viewOf(WATCHED)?.frames ?? [];
  return frame && frameJson(frame);
}

/** The step and the time of the frame that the map shows. Cheap to call. */
export function drawn() {
  const [frame] = viewOf(WATCHED)?.frames ?? [];
  return frame && { step: frame.step, observedNs: Number(frame.observedNs) };
}

/** The state of the page: the shown frame, the units in pixels, the playback, events and measurements. */
export function state() {
  const view = viewOf(WATCHED);
  const frames = view?.frames ?? [];
  return {
    link: link.value.state,
    matchId: match.value?.matchId,
    ended: ended.value,
    frame: frames[0] && { step: frames[0].step, gameLoop: frames[0].gameLoop, perspective: frames[0].perspective },
    perspectives: frames.map(({ perspective }) => perspective),
    units: (view?.drawn ?? []).map(({ unit, x, y, radius, colour, side }) => ({
      tag: String(unit.tag),
      unitType: unit.unitType,
      owner: unit.owner,
      pos: [...unit.pos],
      x,
      y,
      radius,
      colour,
      side,
    })),
    camera: view && { x: view.camera.x, y: view.camera.y, scale: view.camera.scale, width: view.camera.width, height: view.camera.height },
    drawings: drawings.value.length,
    selected: selected.value === undefined ? undefined : String(selected.value),
    isFollowed: isFollowed.value,
    isHeld: isHeld.value,
    playback: playback.value && { paused: playback.value.paused, step: Number(playback.value.step), gameLoop: playback.value.gameLoop, rate: playback.value.rate },
    events: events.list.map((event) => ({ ...event })),
    curves: curves.perspectives.map((perspective) => ({ perspective, points: curves.of(perspective, 0).loops.length })),
    frames: figures.frames,
    bytes: figures.bytes,
    decodeMs: figures.decodeMs,
    drawMs: figures.drawMs,
    shownMs: figures.shownMs,
  };
}
