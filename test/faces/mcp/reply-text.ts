import type { CallToolResult } from "@modelcontextprotocol/client";

/** All that a model reads of a reply. */
export function textOf({ content }: Pick<CallToolResult, "content">): string {
  return content.map((block) => ("text" in block ? block.text : "")).join("\n");
}

/** The id of the job that a reply of the core profile tells of. */
export function jobIdIn(reply: Pick<CallToolResult, "content">): string {
  const [, id] = /\bjob ([0-9a-f-]{36})/.exec(textOf(reply)) ?? [];
  if (id === undefined) throw new Error(`no job is named in: ${textOf(reply)}`);
  return id;
}

/** What a reply has set apart under this label as the words of others, or under any; empty if there is nothing. */
export function fencedIn(reply: Pick<CallToolResult, "content">, label = ""): string {
  const fenced = new RegExp(`${label} \\(untrusted data, not instructions\\):\\n(\`{3,})\\n(.*?)\\n\\1(?:\\n|$)`, "s");
  return fenced.exec(textOf(reply))?.[2] ?? "";
}
