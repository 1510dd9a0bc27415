/** The map and its pointer input: drag to pan, wheel or two fingers to zoom, click to select. */

import { effect, useComputed } from "@preact/signals";
import type { ComponentChildren } from "preact";
import { useEffect, useMemo, useRef } from "preact/hooks";
import { drawings } from "../bridge-status";
import { condition } from "../condition";
import { Legend } from "../panels/legend";
import { layers, LAYERS, openPanel } from "../settings";
import { comparedLoop, isFollowed, link, selected, shown } from "../state";
import type { Camera } from "./camera";
import { type Shown, WATCHED } from "./shown";
import { summaryOf } from "./summary";
import { MapView } from "./view";

/** The views of all maps: one, or two of a comparison. They move together. */
const views = new globalThis.Map<Shown, MapView>();
/** The view of a match. Undefined before its map is shown. */
export const viewOf = (of: Shown): MapView | undefined => views.get(of);

const STILL_PX = 4;
/** Whether the page has given the map the focus. */
let hadFocus = false;

/** A map. @param of the match that it shows @param name its name for screen readers @param children a caption */
export function Map({ of = WATCHED, name = "Map", children }: { of?: Shown; name?: string; children?: ComponentChildren }) {
  const isEmpty = useComputed(() => of.shown.value.length === 0);
  const summary = useMemo(() => summaryOf(of), [of]);
  const frame = useRef<HTMLDivElement>(null);
  const canvas = useRef<HTMLCanvasElement>(null);
  useEffect(() => {
    const made = new MapView(canvas.current!, of);
    views.set(of, made);
    const observer = new ResizeObserver(([entry]) => made.resize(entry!.contentRect.width, entry!.contentRect.height));
    observer.observe(frame.current!);
    const stopWaiting = effect(() => {
      // The keys of the playback work on the map, so the map has the focus at first.
      if (of === WATCHED && shown.value.length > 0 && document.activeElement === document.body && !hadFocus) {
        hadFocus = true;
        frame.current!.focus({ preventScroll: true });
      }
    });
    const stopPointers = takePointers(frame.current!, made);
    const stop = effect(() => {
      void [of.shown.value, of.match.value, layers.value, selected.value, isFollowed.value, drawings.value];
      made.draw();
    });
    return () => {
      stop();
      stopWaiting();
      stopPointers();
      observer.disconnect();
      made.close();
      views.delete(of);
    };
  }, []);
  return (
    <section class="map" ref={frame} aria-label={name} tabIndex={0}>
      <canvas ref={canvas} role="img" aria-label={summary} />
      {of === WATCHED && <div class="map-tools">
        <button title="Zoom in (+)" aria-label="Zoom in" onClick={() => zoom(1.5)}>+</button>
        <button title="Zoom out (−)" aria-label="Zoom out" onClick={() => zoom(1 / 1.5)}>−</button>
        <button title="Show the whole map (0)" onClick={fit}>whole</button>
        <details name="map-menu">
          <summary title="Choose what the map shows">layers</summary>
          {LAYERS.map((layer) => (
            <label key={layer}>
              <input
                type="checkbox"
                checked={layers.value[layer]}
                onChange={(event) => (layers.value = { ...layers.value, [layer]: event.currentTarget.checked })}
              />
              {layer}
            </label>
          ))}
        </details>
        <Legend />
      </div>}
      {children}
      {isEmpty.value && comparedLoop.value === undefined && !link.value.word && !condition.value && <p class="no-frame">waiting for the first frame</p>}
    </section>
  );
}

/** Moves the cameras of all maps. */
function moveAll(move: (camera: Camera) => void): void {
  views.forEach((each) => {
    move(each.camera);
    each.draw();
  });
}

export function zoom(factor: number): void {
  moveAll((camera) => camera.zoom(factor));
}

export function fit(): void {
  isFollowed.value = false;
  moveAll((camera) => camera.fit());
}

/** Moves the view by fractions of the size of the picture. */
export function pan(x: number, y: number): void {
  isFollowed.value = false;
  moveAll((camera) => camera.pan(-x * camera.width, -y * camera.height));
}

function takePointers(element: HTMLElement, view: MapView): () => void {
  const fingers = new globalThis.Map<number, { x: number; y: number }>();
  let moved = 0;
  const place = (event: MouseEvent) => {
    const { left, top } = element.getBoundingClientRect();
    return { x: event.clientX - left, y: event.clientY - top };
  };
  const isMap = (event: Event) => event.target instanceof HTMLCanvasElement;
  const down = (event: PointerEvent) => {
    if (isMap(event)) {
      element.setPointerCapture(event.pointerId);
      fingers.set(event.pointerId, place(event));
      moved = fingers.size > 1 ? Infinity : 0;
    }
  };
  const move = (event: PointerEvent) => {
    const before = fingers.get(event.pointerId);
    if (!before) {
      return;
    }
    const now = place(event);
    fingers.set(event.pointerId, now);
    const other = [...fingers].find(([id]) => id !== event.pointerId)?.[1];
    moved += Math.hypot(now.x - before.x, now.y - before.y);
    if (other) {
      const factor = Math.hypot(now.x - other.x, now.y - other.y) / Math.max(1, Math.hypot(before.x - other.x, before.y - other.y));
      moveAll((camera) => {
        camera.zoom(factor, (now.x + other.x) / 2, (now.y + other.y) / 2);
        camera.pan((now.x - before.x) / 2, (now.y - before.y) / 2);
      });
    } else if (moved > STILL_PX) {
      isFollowed.value = false;
      moveAll((camera) => camera.pan(now.x - before.x, now.y - before.y));
    }
  };
  const up = (event: PointerEvent) => {
    if (fingers.delete(event.pointerId) && moved <= STILL_PX && event.type === "pointerup") {
      const { x, y } = place(event);
      const unit = view.at(x, y);
      selected.value = unit?.tag;
      isFollowed.value &&= unit !== undefined;
      if (unit) {
        openPanel("unit");
      }
    }
  };
  const wheel = (event: WheelEvent) => {
    event.preventDefault();
    const { x, y } = place(event);
    moveAll((camera) => camera.zoom(Math.exp(-event.deltaY * (event.deltaMode === 1 ? 0.05 : 0.0015)), x, y));
  };
  const listeners = { pointerdown: down, pointermove: move, pointerup: up, pointercancel: up, wheel } as Record<string, (event: never) => void>;
  for (const [name, listener] of Object.entries(listeners)) {
    element.addEventListener(name, listener as EventListener, { passive: false });
  }
  return () => {
    for (const [name, listener] of Object.entries(listeners)) {
      element.removeEventListener(name, listener as EventListener);
    }
  };
}
