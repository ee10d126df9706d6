/** The time between two readings of a clock that somebody may have set back in between. */
export function elapsedMs(from: number, to: number): number {
  return Math.max(0, to - from);
}
