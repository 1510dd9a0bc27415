/** An icon of 16 by 16 units, which a path describes. Fonts do not always have these symbols. */
export function Icon({ d, size = 14 }: { d: string; size?: number }) {
  return (
    <svg viewBox="0 0 16 16" width={size} height={size} aria-hidden="true">
      <path d={d} fill="currentColor" fill-rule="evenodd" />
    </svg>
  );
}
