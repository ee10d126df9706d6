import type { JSX } from "preact";
import type { Kind } from "../core/me.ts";

export function Slots({ kind }: { readonly kind: Kind }): JSX.Element {
  const used = (kind.jobs["running"] ?? 0) + (kind.jobs["waiting"] ?? 0);
  return (
    <span class="slots">
      <span class="bar" role="img" aria-label={`${used} of ${kind.concurrency} slots`}>
        <i style={{ inlineSize: `${Math.min(100, (100 * used) / kind.concurrency)}%` }} />
      </span>
      <span class="muted">
        {used}/{kind.concurrency}
        {kind.paused ? " · paused" : ""}
      </span>
    </span>
  );
}
