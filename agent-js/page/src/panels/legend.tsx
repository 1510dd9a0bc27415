/** Explains the shapes of the map. */

const SHAPES: readonly (readonly [name: string, path: string, more?: { opacity?: number; isDashed?: boolean }])[] = [
  ["own unit", "M8 2a6 6 0 1 1 0 12 6 6 0 1 1 0-12z"],
  ["own building", "M4 2h8a2 2 0 0 1 2 2v8a2 2 0 0 1-2 2H4a2 2 0 0 1-2-2V4a2 2 0 0 1 2-2z"],
  ["enemy unit or building", "M8 0l8 8-8 8-8-8z"],
  ["neutral unit, geyser", "M15 8l-3.5 6h-7L1 8l3.5-6h7z"],
  ["minerals", "M1 5h14v6H1z"],
  ["remembered unit", "M8 2a6 6 0 1 1 0 12 6 6 0 1 1 0-12z", { opacity: 0.5 }],
  ["planned building", "M2 2h12v12H2z", { isDashed: true }],
];

export function Legend() {
  return (
    <details name="map-menu">
      <summary title="Explain the shapes">legend</summary>
      <ul class="legend">
        {SHAPES.map(([name, path, { opacity = 1, isDashed = false } = {}]) => (
          <li key={name}>
            <svg viewBox="-1 -1 18 18" width="14" height="14" aria-hidden="true">
              <path d={path} fill={isDashed ? "none" : "currentColor"} opacity={opacity} stroke="currentColor" stroke-dasharray={isDashed ? "3 3" : "none"} />
            </svg>
            {name}
          </li>
        ))}
      </ul>
      <p>The colour is the owner's. A line shows where a unit faces.</p>
    </details>
  );
}
