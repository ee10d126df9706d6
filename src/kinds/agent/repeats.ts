import { createHash } from "node:crypto";
import { canonicalJson } from "../../job/json.ts";
import type { ToolCall } from "./model/call-model.ts";

const remembered = 20;
const warnAt = 3;
const failAt = 6;

/** How often this call with this very answer is among the newest ones, this one included. */
export function countRepeats(recent: string[], call: ToolCall, answer: string): number {
  const digest = createHash("sha256")
    .update(canonicalJson([call.name, call.input ?? null, answer]))
    .digest("base64")
    .slice(0, 16);
  recent.push(digest);
  if (recent.length > remembered) recent.shift();
  return recent.filter((known) => known === digest).length;
}

export function repeatWarning(count: number): string {
  if (count < warnAt) return "";
  return `\n[This was the same call with the same answer for the ${count}th time. Do something else: at the ${failAt}th the task ends as failed.]`;
}

export function isLooping(count: number): boolean {
  return count >= failAt;
}
