/** Game time at the speed "faster". */

/** Game loops per second at speed "faster". */
export const LOOPS_A_SECOND = 22.4;

/** Formats game loops as minutes and seconds at speed "faster", like the game's clock. */
export function clock(loops: number): string {
  const seconds = Math.floor(loops / LOOPS_A_SECOND);
  return `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, "0")}`;
}

/** Converts game loops to seconds at speed "faster". */
export function seconds(loops: number): number {
  return loops / LOOPS_A_SECOND;
}
