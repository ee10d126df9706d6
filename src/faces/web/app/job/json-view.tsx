import type { JSX } from "preact";
import { visible, webAddress } from "../core/format.ts";

/** Longer texts and lists are shown in part, until somebody opens them. */
const maxItems = 100;

/** JSON to look into: what has parts can be opened. */
export function JsonView({ value, name, depth = 0 }: { value: unknown; name?: string; depth?: number }): JSX.Element {
  const label = name === undefined ? null : <b>{visible(name)}: </b>;
  if (typeof value !== "object" || value === null) {
    return (
      <div class="json">
        {label}
        <JsonLeaf value={value} />
      </div>
    );
  }
  const entries = Object.entries(value);
  const brief = Array.isArray(value) ? `[${entries.length}]` : `{${entries.length}}`;
  return (
    <details class="json" open={depth < 2 && entries.length <= 40}>
      <summary>
        {label}
        <span class="muted">{brief}</span>
      </summary>
      {entries.slice(0, maxItems).map(([key, item]) => (
        <JsonView key={key} name={key} value={item} depth={depth + 1} />
      ))}
      {entries.length > maxItems && <p class="muted">and {entries.length - maxItems} more</p>}
    </details>
  );
}

function JsonLeaf({ value }: { readonly value: unknown }): JSX.Element {
  if (typeof value !== "string")
    return <code class={value === null ? "muted" : "literal"}>{JSON.stringify(value)}</code>;
  const text = visible(value);
  if (webAddress(value) !== undefined) {
    return (
      <a href={value} target="_blank" rel="noreferrer">
        {text}
      </a>
    );
  }
  return value.includes("\n") ? <pre>{text}</pre> : <span class="text">{text}</span>;
}
