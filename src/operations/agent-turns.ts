import { z } from "zod";
import { LonghaulError } from "../job/error.ts";
import { isTerminal } from "../job/state.ts";
import { ByteLines } from "../text/byte-lines.ts";
import { parseInput } from "../job/issue.ts";
import { findJob } from "./job-reference.ts";
import { defineOperation, type OperationContext } from "./operation.ts";

const stream = "activity";
const readBytes = 256_000;
/** Of what the model wrote between two events. */
const maxText = 20_000;

const turnSchema = z.looseObject({
  at: z.string(),
  type: z.string().describe("step, tool_start, tool_done, retry and so on; what else it has follows from that."),
  text: z.string().optional().describe("What the model wrote before it."),
});

const cursorForm = /^(\d{1,15}):(\d{1,15})$/;

export const agentTurns = defineOperation({
  name: "agent_turns",
  scope: "read",
  description: "Read what an agent did, turn by turn: what it wrote, which tools it called, and what came of them.",
  input: z.strictObject({
    id: z.string().min(1).describe("Job id, the end of one, or a name."),
    attempt: z.int().min(1).optional().describe("The current attempt unless given."),
    cursor: z.string().max(40).optional().describe("`next` of the answer before."),
    limit: z.int().min(1).max(1_000).default(100),
  }),
  output: z.object({
    id: z.string(),
    turns: z.array(turnSchema),
    next: z.string().describe("The cursor of what follows."),
    is_complete: z.boolean().describe("The attempt has ended and there is nothing behind `next`."),
  }),
  run: async (context, { id, attempt: wanted, cursor = "0:0", limit }) => {
    const job = await findJob(context.engine, id, context.actor);
    if (job.kind !== "agent") {
      throw new LonghaulError("invalid_input", `Job ${job.id} is not an agent: its kind is "${job.kind}".`);
    }
    const attempt = wanted ?? job.state.attempt;
    const [, line, written] = cursorForm.exec(cursor) ?? [];
    if (line === undefined)
      throw new LonghaulError("invalid_input", `The cursor "${cursor}" is not one that was told.`);
    const place = { id: job.id, attempt, line: Number(line), written: Number(written) };
    const { turns, next, isAtEnd } = await readTurns(place, limit, context);
    const hasEnded = isTerminal(job.state) || attempt < job.state.attempt;
    return { id: job.id, turns, next, is_complete: hasEnded && isAtEnd };
  },
});

interface Place {
  readonly id: string;
  readonly attempt: number;
  /** Where the next line of activity begins. */
  readonly line: number;
  /** How much of what the model wrote was told before. */
  readonly written: number;
}

type Turn = z.output<typeof turnSchema>;

/** A line that is not whole is left for the next read. */
async function readTurns(
  { id, attempt, line, written }: Place,
  limit: number,
  { engine, actor }: OperationContext,
): Promise<{ turns: Turn[]; next: string; isAtEnd: boolean }> {
  const turns: Turn[] = [];
  const lines = new ByteLines();
  let position = line;
  let next = line;
  let told = written;
  for (;;) {
    const { bytes, size } = await engine.readOutput(id, { stream, attempt, from: position, limit: readBytes }, actor);
    if (bytes.length === 0) return { turns, next: `${next}:${told}`, isAtEnd: next >= size };
    position += bytes.length;
    for (const { text: record } of lines.push(bytes)) {
      if (turns.length >= limit) return { turns, next: `${next}:${told}`, isAtEnd: false };
      next += Buffer.byteLength(record) + 1;
      const { after = told, ...turn } = parseInput(lineSchema, JSON.parse(record), "A line of activity");
      const text = after <= told ? "" : await readText({ id, attempt, from: told, to: after }, { engine, actor });
      told = Math.max(told, after);
      turns.push({ ...turn, ...(text === "" ? {} : { text }) });
    }
  }
}

const lineSchema = turnSchema.extend({ after: z.int().min(0).optional() });

async function readText(
  { id, attempt, from, to }: { id: string; attempt: number; from: number; to: number },
  { engine, actor }: Pick<OperationContext, "engine" | "actor">,
): Promise<string> {
  const limit = Math.min(maxText, to - from);
  const { bytes } = await engine.readOutput(id, { stream: "stdout", attempt, from, limit }, actor);
  const text = new TextDecoder().decode(bytes).trim();
  return to - from > maxText ? `${text}…` : text;
}
