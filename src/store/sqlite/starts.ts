import { freeStarts, startWindow } from "../rules/claims.ts";
import type { KindLimits } from "../kind-limits.ts";
import type { ClaimRequest } from "../store.ts";

/** The limits of kinds, as the one engine that has the file open says them, and the starts that count against their rates. */
export class Starts {
  readonly #limits = new Map<string, KindLimits>();
  /** Never changed but replaced, so that what was noted can be undone. */
  #times: ReadonlyMap<string, readonly number[]> = new Map();

  limit(kind: string, limits: KindLimits): void {
    this.#limits.set(kind, limits);
  }

  limitsOf(kind: string): KindLimits {
    return this.#limits.get(kind) ?? {};
  }

  /** How many more jobs of the kind may start. */
  free(kind: string, request: StartTime): number {
    return freeStarts(this.limitsOf(kind), this.#recent(kind, toTime(request)).length);
  }

  note(kind: string, request: StartTime, count: number): void {
    if (count === 0 || this.limitsOf(kind).rate === undefined) return;
    const at = toTime(request);
    const recent = this.#recent(kind, at);
    this.#times = new Map(this.#times).set(kind, [...recent, ...Array.from({ length: count }, () => at)]);
  }

  /** When another job of the kind may start, if none may now. */
  nextAt(kind: string, request: StartTime): number | undefined {
    const at = toTime(request);
    const { rate } = this.limitsOf(kind);
    const [oldest] = this.#recent(kind, at);
    if (rate === undefined || oldest === undefined || this.free(kind, request) > 0) return undefined;
    return request.now + Math.ceil(oldest + rate.perMs - at);
  }

  /** Returns how to forget what is noted from here on. */
  savepoint(): () => void {
    const before = this.#times;
    return () => (this.#times = before);
  }

  #recent(kind: string, at: number): readonly number[] {
    const window = startWindow(this.limitsOf(kind), at);
    return (this.#times.get(kind) ?? []).filter((time) => time > window.after && time < window.before);
  }
}

type StartTime = Pick<ClaimRequest, "now" | "monotonic">;

function toTime({ now, monotonic = now }: StartTime): number {
  return monotonic;
}
