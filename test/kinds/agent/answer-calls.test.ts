import { mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { JobContext } from "../../../src/index.ts";
import { createActivity } from "../../../src/kinds/agent/activity.ts";
import { answerCalls } from "../../../src/kinds/agent/answer-calls.ts";
import { startConversation, type Conversation } from "../../../src/kinds/agent/conversation.ts";
import { ConfinedFiles } from "../../../src/kinds/agent/tools/confined-files.ts";
import { writeTools } from "../../../src/kinds/agent/tools/write-tools.ts";
import { createPatternPool } from "../../../src/text/pattern-pool.ts";
import { createRedactor } from "../../../src/text/redact.ts";

let root = "";
beforeEach(() => {
  root = realpathSync(mkdtempSync(join(tmpdir(), "longhaul-calls-")));
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

/** What a resumed attempt finds: a call that has no answer, which was under way or not. */
async function resume(name: string, input: unknown, isUnderWay: boolean): Promise<{ answer: string; saved: string[] }> {
  const saved: string[] = [];
  const quiet = { write: () => undefined };
  const context = {
    signal: new AbortController().signal,
    now: () => 0,
    output: () => quiet,
    progress: () => undefined,
    checkpoint: { load: async () => undefined, save: async (value: unknown) => void saved.push(JSON.stringify(value)) },
  } as unknown as JobContext;
  const conversation: Conversation = startConversation("", { background: "", goal: "" });
  conversation.pending = { calls: [{ id: "c1", name, input }], answers: [], isUnderWay };
  await answerCalls(conversation, {
    context,
    activity: createActivity(context, createRedactor([])),
    tools: writeTools,
    files: new ConfinedFiles(root, []),
    patterns: createPatternPool(),
    redactor: { known: (text) => text, learn: async () => undefined },
    ask: undefined,
    isDone: () => false,
  });
  const last = conversation.messages.at(-1);
  const [part] = Array.isArray(last?.content) ? last.content : [];
  return { answer: part?.type === "tool-result" ? String((part.output as { value: unknown }).value) : "", saved };
}

describe("a write that was under way when the server died", () => {
  const write = { filePath: "a", content: "new" };
  const unknown = "Interrupted: it is not known whether it was done. Look before you do it again.";

  it("counts as done if the file says so", async () => {
    writeFileSync(join(root, "a"), "new");
    expect((await resume("write_file", write, true)).answer).toBe("Wrote 3 characters to a.");
  });

  it("is not done again unseen if it does not", async () => {
    writeFileSync(join(root, "a"), "old");
    expect((await resume("write_file", write, true)).answer).toBe(unknown);
    expect(readFileSync(join(root, "a"), "utf8")).toBe("old");
    const patch = "*** Begin Patch\n*** Delete File: a\n*** End Patch";
    expect((await resume("apply_patch", { input: patch }, true)).answer).toBe(unknown);
    expect(readFileSync(join(root, "a"), "utf8")).toBe("old");
  });

  it("is marked before it begins; one that had not begun is simply done", async () => {
    const { answer, saved } = await resume("write_file", write, false);
    expect(answer).toBe("Wrote 3 characters to a.");
    expect(saved.map((text) => text.includes('"isUnderWay":true'))).toEqual([true, false]);
    expect(readFileSync(join(root, "a"), "utf8")).toBe("new");
  });
});
