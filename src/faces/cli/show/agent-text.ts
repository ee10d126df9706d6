import type { Json } from "../../../job/json.ts";
import type { Note } from "../follow/interleaved-notes.ts";
import { escapeControls } from "../../../text/controls.ts";
import { tryParseJson } from "../../../text/parse-json.ts";
import { countText } from "../../../text/count-text.ts";

type Event = Readonly<Record<string, Json>>;

/** One event of an agent on one line, for whoever looks on; undefined for what nobody needs to see. */
export function activityNote(line: string, id: string): Note | undefined {
  const event = (tryParseJson(line) ?? {}) as Event;
  const shown = activityText(event, id);
  return shown === undefined ? undefined : { text: escapeControls(shown), after: Number(event["after"] ?? 0) };
}

function activityText(event: Event, id: string): string | undefined {
  const [tool, words, error] = [text(event["tool"]), text(event["arguments"]), text(event["error"])];
  switch (text(event["type"])) {
    case "tool_start":
      if (tool === "ask_user") return `? ${words}   Answer it: longhaul answer ${id} --text TEXT`;
      return `→ ${tool} ${words}`.trimEnd();
    case "tool_done":
      return event["ok"] === true ? undefined : `  ✗ ${text(event["result"])}`;
    case "retry":
      return `… ${error}`;
    case "compacted":
      return "… the conversation was made shorter";
    default:
      return undefined;
  }
}

interface AgentTotals {
  readonly model?: string;
  readonly steps?: number;
  readonly tokens?: number;
  readonly cost_usd?: number;
}

/** What a run used up: `anthropic/claude-opus-5-5 · 12 steps · 81k tokens · $0.42`. */
export function totalsText({ model, steps, tokens, cost_usd: cost }: AgentTotals): string {
  return [
    model ?? "",
    steps === undefined ? "" : countText(steps, "step"),
    tokens === undefined ? "" : tokens < 1_000 ? countText(tokens, "token") : `${Math.round(tokens / 1_000)}k tokens`,
    cost === undefined ? "" : `$${cost.toFixed(cost < 0.1 ? 4 : 2)}`,
  ]
    .filter((part) => part !== "")
    .join(" · ");
}

function text(value: Json | undefined): string {
  return typeof value === "string" ? value : "";
}
