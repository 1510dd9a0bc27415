/** Takes recordings: dropped on the page, or chosen by a button. */

import { useEffect, useRef, useState } from "preact/hooks";
import { postMortem } from "../post-mortem/state";
import { link, match } from "../state";

/** @param open opens one or two recordings @param compare compares the open recording with another one */
export function DropZone({ open, compare }: { open: (first: File, second?: File) => void; compare: (second: File) => void }) {
  const input = useRef<HTMLInputElement>(null);
  /** Whether the chosen file is the second recording. */
  const isSecond = useRef(false);
  const [isOver, setOver] = useState(false);
  const isOpen = () => match.peek() !== undefined && link.peek().state === "connected";
  useEffect(() => {
    const over = (event: DragEvent) => {
      event.preventDefault();
      setOver(event.type === "dragover");
    };
    const drop = (event: DragEvent) => {
      over(event);
      const [first, second] = event.dataTransfer?.files ?? [];
      if (first) {
        isOpen() && !second ? compare(first) : open(first, second);
      }
    };
    const listeners = { dragover: over, dragleave: over, drop } as Record<string, (event: DragEvent) => void>;
    Object.entries(listeners).forEach(([name, listener]) => window.addEventListener(name, listener as EventListener));
    return () => Object.entries(listeners).forEach(([name, listener]) => window.removeEventListener(name, listener as EventListener));
  }, []);
  const choose = (asSecond: boolean) => {
    isSecond.current = asSecond;
    input.current!.click();
  };
  const isEmpty = !match.value && link.value.text === "";
  const isFailed = link.value.state === "refused";
  const isLarge = (isEmpty || isFailed) && !postMortem.value;
  const canCompare = match.value && link.value.state === "connected";
  return (
    <section aria-label="Recording" class={`drop ${isOver ? "over" : ""} ${isLarge ? "empty" : ""}`}>
      {isLarge && <p>Drop a recording (<code>.mcap</code>) here, or choose one. Two recordings are compared. They stay on this machine.</p>}
      {isOver && canCompare && <p class="drop-hint">Drop a recording to compare it with {link.value.text}</p>}
      <button onClick={() => choose(false)}>open a recording</button>
      {canCompare && <button onClick={() => choose(true)}>compare with…</button>}
      <input
        ref={input}
        type="file"
        accept=".mcap"
        multiple
        aria-label="A recording"
        hidden
        onChange={(event) => {
          const [first, second] = event.currentTarget.files ?? [];
          if (first) {
            isSecond.current ? compare(first) : open(first, second);
          }
          isSecond.current = false;
          event.currentTarget.value = "";
        }}
      />
    </section>
  );
}
