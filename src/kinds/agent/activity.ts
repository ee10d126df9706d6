import type { JobContext } from "../../job/kind.ts";
import type { Json } from "../../job/json.ts";
import type { Redactor } from "../../text/redact.ts";
import { countText } from "../../text/count-text.ts";
import { totalTokens } from "./model/token-usage.ts";
import type { Conversation } from "./conversation.ts";

/** What happens in a run, as others may see it: text on stdout, one JSON line per event on the stream `activity`. */
export interface Activity {
  /** A piece of what the model writes. */
  readonly text: (piece: string) => void;
  /** Something of a reply has come, whether it is shown or not. */
  readonly piece: () => void;
  /** What came of the reply under way. */
  readonly live: () => LiveReply;
  /** Hands on what is held back of the text, and ends its line. */
  readonly endText: () => void;
  /** One line of JSON, with how many bytes of text were written before it. */
  readonly event: (type: string, facts: Record<string, Json>) => void;
  /** Where the run stands: `step 4 · grep src · 12k tokens · $0.03`. */
  readonly progress: (doing: string, conversation: Conversation) => void;
  /** What the run has come to: `anthropic/claude-opus-5-5 · 4 steps · 12k tokens · $0.03`. */
  readonly end: (model: string, conversation: Conversation) => void;
}

interface LiveReply {
  /** Since the last step was told. */
  readonly pieces: number;
  /** When the newest pieces came, newest last. */
  readonly piecesAt: readonly number[];
}

const longestFact = 2_000;
const maxPiecesAt = 5;

export function createActivity(context: JobContext, redactor: Redactor): Activity {
  const stdout = context.output("stdout");
  const events = context.output("activity");
  let held = "";
  let isInLine = false;
  let writtenBytes = 0;
  let live: LiveReply = { pieces: 0, piecesAt: [] };
  const write = (text: string): void => {
    if (text === "") return;
    const bytes = Buffer.from(redactor.known(text));
    stdout.write(bytes);
    writtenBytes += bytes.length;
    isInLine = !text.endsWith("\n");
  };
  return {
    text: (piece) => {
      // A secret that comes in pieces is seen when it is whole.
      held += piece;
      const end = held.length - redactor.unfinished(held);
      write(held.slice(0, end));
      held = held.slice(end);
    },
    piece: () => {
      const piecesAt = [...live.piecesAt, context.now()].slice(-maxPiecesAt);
      live = { pieces: live.pieces + 1, piecesAt };
    },
    live: () => live,
    endText: () => {
      write(held);
      held = "";
      if (isInLine) write("\n");
    },
    event: (type, facts) => {
      const shown = Object.entries(facts).map(([key, value]) => [
        key,
        typeof value === "string" ? brief(value) : value,
      ]);
      const line = {
        at: new Date(context.now()).toISOString(),
        type,
        after: writtenBytes,
        ...(type === "step" ? { pieces: live.pieces } : {}),
        ...(Object.fromEntries(shown) as object),
      };
      events.write(`${JSON.stringify(line)}\n`);
      if (type === "step") live = { ...live, pieces: 0 };
    },
    progress: (doing, conversation) => {
      const parts = [`step ${conversation.steps + 1}`, brief(doing).slice(0, 60), ...spent(conversation)];
      const { items } = conversation.todos;
      const done = items.filter(({ status }) => status === "completed").length;
      const counts = items.length === 0 ? {} : { counts: { done, total: items.length } };
      context.progress({ message: parts.filter((part) => part !== "").join(" · "), ...counts });
    },
    end: (model, conversation) => {
      const { steps } = conversation;
      context.progress({
        message: [model, countText(steps, "step"), ...spent(conversation)].join(" · "),
      });
    },
  };

  function brief(text: string): string {
    const line = redactor.text(text).replaceAll(/\s+/g, " ").trim();
    return line.length > longestFact ? `${line.slice(0, longestFact)}…` : line;
  }
}

function spent({ usage, costUsd }: Conversation): string[] {
  const tokens = totalTokens(usage);
  if (tokens === 0) return [];
  const count = tokens < 1_000 ? String(tokens) : `${Math.round(tokens / 1_000)}k`;
  return [`${count} tokens`, ...(costUsd === null || costUsd === 0 ? [] : [`$${costUsd.toFixed(2)}`])];
}
