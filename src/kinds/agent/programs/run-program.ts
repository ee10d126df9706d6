import { JobFailure, messageOf } from "../../../job/failure.ts";
import { parseInput } from "../../../job/issue.ts";
import type { JobContext } from "../../../job/kind.ts";
import type { Json } from "../../../job/json.ts";
import { createActivity } from "../activity.ts";
import { startConversation } from "../conversation.ts";
import type { AgentInput, AgentResult } from "../input.ts";
import { addUsage } from "../model/token-usage.ts";
import { buildPrompt } from "../prompt.ts";
import type { RunParts } from "../settings.ts";
import type { ConfinedFiles } from "../tools/confined-files.ts";
import { toValidator } from "../tools/ending-tools.ts";
import type { Program, ProgramNews } from "./program.ts";

/** Lets an installed program do the work, as a command of its own: adopted after a restart, ended with this job. */
export async function runProgram(program: Program, parts: RunParts): Promise<AgentResult> {
  const { input, context, files, settings } = parts;
  const activity = createActivity(context, settings.redactor);
  const request = { model: input.models[0], readOnly: input.readOnly, maxSteps: input.maxSteps };
  const child = await context.spawn({
    kind: "shell",
    key: "program",
    input: {
      argv: [program.command, ...program.args(request)],
      cwd: files.root,
      stdin: await readPrompt(input, files, context),
    },
  });
  // Counts in the same words as a run of our own, so that all of its status looks the same.
  const tally = { ...startConversation("", ""), costUsd: null as number | null };
  let answer: string | undefined;
  let problem: string | undefined;
  const take = (news: ProgramNews): void => {
    if (news.text !== undefined) {
      activity.text(news.text);
      activity.endText();
      tally.lastText = news.text;
    }
    if (news.tool !== undefined) {
      tally.toolCalls += 1;
      activity.event("tool_start", { tool: news.tool.name, arguments: news.tool.brief });
    }
    if (news.tokens !== undefined) {
      tally.usage = addUsage(tally.usage, { ...news.tokens, reasoning: 0 });
      tally.steps += 1;
    }
    if (news.costUsd !== undefined) tally.costUsd = (tally.costUsd ?? 0) + news.costUsd;
    answer = news.answer ?? answer;
    problem = news.error ?? problem;
    activity.progress(news.tool === undefined ? program.command : `${news.tool.name} ${news.tool.brief}`, tally);
  };
  const reader = createReader(program, take);
  let from = 0;
  const end = await context.childEnd(child, async () => {
    for (;;) {
      const { bytes, next } = await context.childOutput(child, "stdout", from);
      if (bytes.length === 0) return;
      from = next;
      reader.push(bytes);
    }
  });
  reader.end();
  await settings.redactor.learn();
  if (end.status !== "succeeded" || problem !== undefined || answer === undefined) {
    const { bytes } = await context.childOutput(child, "stderr", -2_000);
    const said = problem ?? (Buffer.from(bytes).toString().trim() || (end.failure?.message ?? "It said nothing."));
    const message = `${program.command} did not finish the task: ${settings.redactor.text(said)}`;
    throw new JobFailure("program_failed", message, { details: { child } });
  }
  return {
    output: settings.redactor.known(answer),
    ...(input.outputSchema === undefined ? {} : { data: settings.redactor.json(readData(answer, input.outputSchema)) }),
    model: `${input.backend}${input.models[0] === undefined ? "" : `/${input.models[0]}`}`,
    steps: tally.steps,
    tool_calls: tally.toolCalls,
    tokens: tally.usage,
    ...(tally.costUsd === null ? {} : { cost_usd: tally.costUsd }),
  };
}

function readData(answer: string, schema: Record<string, Json>): Json {
  try {
    // Models like to put JSON into a fence.
    const text = answer.replace(/^\s*```(?:json)?\n|\n```\s*$/g, "");
    return parseInput(toValidator(schema), JSON.parse(text), "The result") as Json;
  } catch (error) {
    throw new JobFailure("no_result", `The answer does not fit the schema: ${messageOf(error)}`, { cause: error });
  }
}

/** Made once: files may have changed when the run is taken up again, and the command must stay the same. */
async function readPrompt(input: AgentInput, files: ConfinedFiles, { checkpoint }: JobContext): Promise<string> {
  const stored = await checkpoint.load();
  if (typeof stored === "string") return stored;
  const schema =
    input.outputSchema === undefined
      ? ""
      : `\n\nAnswer with nothing but JSON of this schema:\n${JSON.stringify(input.outputSchema)}`;
  const prompt = (await buildPrompt(input, files)) + schema;
  await checkpoint.save(prompt);
  return prompt;
}

interface Reader {
  readonly push: (bytes: Uint8Array) => void;
  readonly end: () => void;
}

const longestLine = 4_000_000;

/** What is no JSON, or JSON of another shape, is passed over: programs print other things too. */
function createReader(program: Program, take: (news: ProgramNews) => void): Reader {
  const decoder = new TextDecoder();
  let rest = "";
  const read = (text: string): void => {
    const start = text.indexOf("{");
    if (start < 0) return;
    let news: ProgramNews = {};
    try {
      news = program.read(JSON.parse(text.slice(start)) as Json);
    } catch {
      return;
    }
    take(news);
  };
  return {
    push: (bytes) => {
      const text = rest + decoder.decode(bytes, { stream: true });
      const lines = program.format === "lines" ? text.split("\n") : [text];
      rest = (lines.pop() ?? "").slice(0, longestLine);
      lines.forEach(read);
    },
    end: () => read(rest),
  };
}
