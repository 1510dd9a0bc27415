/** Takes a recording: dropped on the page, or chosen by the button. */

import { useEffect, useRef, useState } from "preact/hooks";
import { postMortem } from "../post-mortem/state";
import { link, match } from "../state";

export function DropZone({ open }: { open: (file: File) => void }) {
  const input = useRef<HTMLInputElement>(null);
  const [isOver, setOver] = useState(false);
  useEffect(() => {
    const over = (event: DragEvent) => {
      event.preventDefault();
      setOver(event.type === "dragover");
    };
    const drop = (event: DragEvent) => {
      over(event);
      const dropped = event.dataTransfer?.files[0];
      if (dropped) {
        open(dropped);
      }
    };
    const listeners = { dragover: over, dragleave: over, drop } as Record<string, (event: DragEvent) => void>;
    Object.entries(listeners).forEach(([name, listener]) => window.addEventListener(name, listener as EventListener));
    return () => Object.entries(listeners).forEach(([name, listener]) => window.removeEventListener(name, listener as EventListener));
  }, []);
  const isEmpty = !match.value && link.value.text === "";
  const isFailed = link.value.state === "refused";
  const isLarge = (isEmpty || isFailed) && !postMortem.value;
  return (
    <section aria-label="Recording" class={`drop ${isOver ? "over" : ""} ${isLarge ? "empty" : ""}`}>
      {isLarge && <p>Drop a recording (<code>.mcap</code>) here, or choose one. It stays on this machine.</p>}
      <button onClick={() => input.current!.click()}>open a recording</button>
      <input
        ref={input}
        type="file"
        accept=".mcap"
        aria-label="A recording"
        hidden
        onChange={(event) => {
          const [chosen] = event.currentTarget.files ?? [];
          if (chosen) {
            open(chosen);
          }
          event.currentTarget.value = "";
        }}
      />
    </section>
  );
}
