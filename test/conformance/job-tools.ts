import { setTimeout as sleep } from "node:timers/promises";
import { acceptedContent, inputRequired } from "@modelcontextprotocol/server";
import { z } from "zod";
import { defineKind, JobFailure, type Kind, type Question } from "../../src/index.ts";
import { type JobServer } from "../../src/mcp.ts";

/** The suite answers each question with a field of its own choice. */
const fields = { name: { type: "string" }, confirm: { type: "boolean" } } as const;
const name: Question = { message: "What is your name?", form: { type: "object", properties: fields } };
const friend: Question = { message: "What is your friend's name?", form: { type: "object", properties: fields } };
const confirm = (message: string): Question => ({
  message,
  form: { type: "object", properties: { confirm: { type: "boolean" } }, required: ["confirm"] },
});
const nothing = z.object({});

/** What the suite's scenarios for tasks start. */
export const kinds: readonly Kind[] = [
  defineKind({
    name: "slow_compute",
    input: z.object({ seconds: z.number(), label: z.string().optional() }),
    onInterrupt: "restart",
    run: async ({ seconds, label }, { signal }) => {
      await sleep(seconds * 1_000, undefined, { signal });
      return { text: `computed ${label ?? "something"} for ${seconds}s`, seconds };
    },
  }),
  defineKind({
    name: "failing_job",
    input: nothing,
    onInterrupt: "restart",
    run: async (_input, { signal }) => {
      await sleep(1_000, undefined, { signal });
      throw new JobFailure("broken", "The job failed, as it was made to.");
    },
  }),
  defineKind({
    name: "protocol_error_job",
    input: nothing,
    onInterrupt: "restart",
    run: async (_input, { signal }) => {
      await sleep(300, undefined, { signal });
      throw new JobFailure("protocol_error", "The call itself went wrong.", { details: { rpc_code: -32_603 } });
    },
  }),
  defineKind({
    name: "confirm_delete",
    input: z.object({ filename: z.string() }),
    onInterrupt: "restart",
    run: async ({ filename }, { ask }) => {
      const answer = await ask(confirm(`Delete ${filename}?`), "confirm");
      const isSure = answer.action === "accept" && answer.content["confirm"] === true;
      return { text: isSure ? `deleted ${filename}` : `kept ${filename}` };
    },
  }),
  defineKind({
    name: "multi_input",
    input: nothing,
    onInterrupt: "restart",
    run: async (_input, { ask }) => {
      const answers = await Promise.all([ask(name, "name"), ask(friend, "friend")]);
      return { text: `got ${answers.map((answer) => JSON.stringify(answer)).join(" and ")}` };
    },
  }),
  defineKind({
    name: "greet_later",
    input: z.object({ name: z.string() }),
    onInterrupt: "restart",
    run: async ({ name: who }, { signal }) => {
      await sleep(200, undefined, { signal });
      return { text: `Hello, ${who}!` };
    },
  }),
];

const toResult = (result: unknown): { content: { type: "text"; text: string }[] } => ({
  content: [{ type: "text", text: (result as { text: string }).text }],
});

export function registerJobTools(jobs: JobServer): void {
  jobs.registerTool({
    name: "slow_compute",
    description: "Compute for some seconds",
    kind: "slow_compute",
    inputSchema: z.object({ seconds: z.number(), label: z.string().optional() }),
    toResult,
  });
  jobs.registerTool({
    name: "failing_job",
    description: "Fail after a second",
    kind: "failing_job",
    inputSchema: nothing,
    taskSupport: "required",
  });
  jobs.registerTool({
    name: "protocol_error_job",
    description: "End in an error of the protocol",
    kind: "protocol_error_job",
    inputSchema: nothing,
  });
  jobs.registerTool({
    name: "confirm_delete",
    description: "Delete a file after it was confirmed",
    kind: "confirm_delete",
    inputSchema: z.object({ filename: z.string() }),
    toResult,
  });
  jobs.registerTool({
    name: "multi_input",
    description: "Ask two things at once",
    kind: "multi_input",
    inputSchema: nothing,
    toResult,
  });
  jobs.registerTool({
    name: "test_tool_with_task",
    description: "Ask for a name, then greet in a task",
    kind: "greet_later",
    inputSchema: nothing,
    taskSupport: "required",
    toResult,
    toInput: (_args, context) => {
      const given = acceptedContent<{ name: string }>(context.mcpReq.inputResponses, "user_name");
      if (given !== undefined) return { name: given.name };
      return inputRequired({
        inputRequests: {
          user_name: inputRequired.elicit({
            message: "What is your name?",
            requestedSchema: { type: "object", properties: { name: { type: "string" } }, required: ["name"] },
          }),
        },
      });
    },
  });
}
