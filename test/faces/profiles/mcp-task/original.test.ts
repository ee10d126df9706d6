import { describe, expect, it } from "vitest";
import { isRecord } from "../../../../src/job/is-record.ts";
import type { Json } from "../../../../src/job/json.ts";
import { until } from "../../../until.ts";
import original from "./original.json" with { type: "json" };
import { useTaskClient } from "./task-client.ts";

const client = useTaskClient();

/** What is ours beside what the server that this one stands in for has. */
const additions = new Set([
  "progress",
  "check_after_seconds",
  "cwd",
  "max_steps",
  "max_tokens",
  "max_cost_usd",
  "summary",
]);

const numbers = new Set(["messageCount", "requestCount", "wait_time_seconds"]);

/** Ids, times and counts differ from run to run, and tool calls are told by ours alone. */
function normalise(value: unknown): Json {
  const text = JSON.stringify(value)
    .replaceAll(/[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f-]{21}/g, "ID")
    .replaceAll(/batch-\d+-\w+/g, "BATCH")
    .replaceAll(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, "TIME")
    .replaceAll(/[a-z_]+ at TIME/g, "EVENT at TIME");
  return JSON.parse(text, (key, inner: Json) => {
    if (numbers.has(key)) return typeof inner === "number" ? "NUMBER" : inner;
    if (key === "progress") return "TEXT";
    if (key === "toolCalls") return [];
    return key === "recentEvents" ? [...new Set(inner as string[])] : inner;
  }) as Json;
}

/** Where ours lacks something of theirs, has something unknown, or says it in other words; a message may go on in words of ours. */
function differences(ours: Json | undefined, theirs: Json, place: string): string[] {
  if (Array.isArray(theirs)) {
    if (!Array.isArray(ours) || ours.length !== theirs.length) return [`${place} has another length`];
    return theirs.flatMap((inner, index) => differences(ours[index], inner, `${place}[${index}]`));
  }
  if (isRecord(theirs)) {
    const given = isRecord(ours) ? ours : {};
    const unknown = Object.keys(given).filter((key) => !(key in theirs) && !additions.has(key));
    return [
      ...unknown.map((key) => `${place}.${key} is new`),
      ...Object.entries(theirs).flatMap(([key, inner]) => differences(given[key], inner, `${place}.${key}`)),
    ];
  }
  const isSame =
    ours === theirs ||
    (place.endsWith(".message") && JSON.stringify(ours ?? null).startsWith(JSON.stringify(theirs).slice(0, -1)));
  return isSame ? [] : [`${place} is ${JSON.stringify(ours)} instead of ${JSON.stringify(theirs)}`];
}

describe("beside the server that it stands in for, mcp-task", () => {
  it("lists the same tools with the same titles, hints and parameters, and the same prompts", async () => {
    await client().open();
    const { tools } = await client().client.listTools();
    expect(tools.map(({ name }) => name)).toEqual([...original.tools.map(({ name }) => name), "answer_task"]);
    original.tools.forEach(({ name, annotations, inputSchema }, index) => {
      const ours = tools[index];
      expect(ours?.annotations).toEqual(annotations);
      expect(ours?.title).toBe(annotations.title);
      expect(ours?.inputSchema.required ?? []).toEqual(inputSchema.required);
      const properties = JSON.parse(
        JSON.stringify(ours?.inputSchema.properties).replaceAll('"anyOf"', '"oneOf"'),
        (key, value: Json) => (key === "description" ? undefined : value),
      ) as Json;
      expect(differences(properties, inputSchema.properties as unknown as Json, name)).toEqual([]);
      expect(JSON.stringify(ours?.inputSchema)).not.toContain("9007199254740991");
    });
    const { prompts } = await client().client.listPrompts();
    const shown = prompts.map(({ name, arguments: given }) => ({
      name,
      arguments: given?.slice(0, 1).map((argument) => ({ name: argument.name, required: argument.required })),
    }));
    expect(shown).toEqual(original.prompts);
  });

  it("answers every tool in every state, and every error, as it did", async () => {
    const { models } = client();
    const calls = original.calls as unknown as Record<string, Record<string, Json>>;
    const compared = new Set<string>();
    const compare = async (
      title: string,
      name: string,
      args: Record<string, unknown>,
    ): Promise<Record<string, Json>> => {
      const { content, isError, structuredContent } = await client().call(name, args);
      const [first] = content;
      const text = first?.type === "text" ? first.text : "";
      const ours =
        structuredContent === undefined ? (isError === true ? { error: text } : { text }) : { json: structuredContent };
      expect(differences(normalise(ours), calls[title] ?? "missing", title)).toEqual([]);
      compared.add(title);
      return (structuredContent ?? {}) as Record<string, Json>;
    };
    await client().open();
    const ended = async (id: unknown): Promise<{ task_id: unknown }> => {
      await until(async () => (await client().data("check_task_status", { task_id: id }))["completedAt"] !== undefined);
      return { task_id: id };
    };

    models.script("gpt-6-sol", { text: "one two three four five" });
    const first = await compare("run_task: one model", "run_task", { task: "Count to five" });
    const states: [string, { task_id: unknown }][] = [["completed", await ended(first["task_id"])]];
    models.script("gpt-6-sol", { calls: [{ name: "give_up", input: { reason: "it cannot be done" } }] });
    states.push(["failed", await ended((await client().data("run_task", { task: "please fail now" }))["task_id"])]);

    models.script("gpt-6-sol", { text: "I think ", hangs: true });
    models.script("gpt-5", { text: "I think ", hangs: true });
    const running = { task_id: (await client().data("run_task", { task: "hang for ever" }))["task_id"] };
    await until(async () => (await client().data("check_task_status", running))["progress"] !== undefined);
    await compare("check_task_status: running", "check_task_status", running);
    await compare("get_task_result: running", "get_task_result", running);
    await compare("wait_for_task: still running", "wait_for_task", { ...running, timeout_seconds: 1 });
    await compare("cancel_task: running", "cancel_task", running);
    states.push(["cancelled", running]);
    for (const [state, task] of states) {
      for (const name of ["check_task_status", "get_task_result", "wait_for_task", "cancel_task"]) {
        await compare(`${name}: ${state}`, name, task);
      }
    }

    const two = { task: "hang two", model: ["gpt-5", "Standard"] };
    await compare("run_task: two models that may write", "run_task", two);
    const { batch_id: id, task_ids: ids } = await compare("run_task: two models", "run_task", {
      ...two,
      read_only: true,
    });
    const batch = { batch_id: id };
    await until(() => models.heard.length === 5);
    await compare("list_tasks: of a batch", "list_tasks", batch);
    await compare("wait_for_task: still running batch", "wait_for_task", { ...batch, timeout_seconds: 1 });
    const all = { ...batch, return_all: true };
    await compare("wait_for_task: still running batch, all of it", "wait_for_task", { ...all, timeout_seconds: 1 });
    const next = compare("wait_for_task: next of a batch", "wait_for_task", batch);
    await client().text("cancel_task", { task_id: (ids as string[])[0] });
    await next;
    await compare("cancel_task: batch", "cancel_task", batch);
    await compare("cancel_task: batch again", "cancel_task", batch);
    await compare("wait_for_task: ended batch, all of it", "wait_for_task", all);
    await compare("list_tasks: none", "list_tasks", { status_filter: "pending", recent_only: true });

    for (const title of Object.keys(calls).filter((known) => known.includes("{"))) {
      const at = title.indexOf(" ");
      await compare(title, title.slice(0, at), JSON.parse(title.slice(at)) as Record<string, unknown>);
    }
    expect([...compared].toSorted()).toEqual(Object.keys(calls).toSorted());
  });
});
