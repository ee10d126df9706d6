import type { JobContext } from "../../job/kind.ts";
import { wellFormed } from "../../text/well-formed.ts";
import type { AgentInput } from "./contract.ts";
import type { AgentTool, ChangeClass } from "./tools/agent-tool.ts";

/** What the person has said yes to for the rest of the job; part of the checkpoint. */
export type Approvals = ChangeClass[];

const longestPreview = 6_000;

const askedBy: Readonly<Record<NonNullable<AgentInput["ask"]>, readonly ChangeClass[]>> = {
  writes: ["writes"],
  commands: ["commands"],
  all: ["writes", "commands", "other"],
};

const wishes: Readonly<Record<ChangeClass, string>> = {
  writes: "change a file",
  commands: "run a command",
  other: "use a tool that changes something",
};

interface ApprovalParts {
  readonly ask: AgentInput["ask"];
  readonly approvals: Approvals;
  readonly job: JobContext;
  readonly key: string;
  readonly conceal: (text: string) => string;
}

/** Asks the person before something is changed, where they want to be asked; says why it may not be done, if so. */
export async function approve(
  tool: AgentTool,
  input: unknown,
  { ask, approvals, job, key, conceal }: ApprovalParts,
): Promise<string | undefined> {
  const { changes } = tool;
  if (ask === undefined || changes === undefined || !askedBy[ask].includes(changes)) return undefined;
  if (approvals.includes(changes)) return undefined;
  const preview = conceal(tool.preview(input));
  const shown = preview.length > longestPreview ? `${wellFormed(preview.slice(0, longestPreview))}\n[cut]` : preview;
  const answer = await job.ask(
    {
      message: `The agent wants to ${wishes[changes]} (${tool.name}):\n${shown}`,
      form: {
        type: "object",
        properties: {
          answer: { type: "string", enum: ["yes", "always", "no"], description: "always: for the rest of this job" },
          reason: { type: "string", description: "What the agent should do instead" },
        },
        required: ["answer"],
      },
    },
    `approve ${key}`,
  );
  const said = answer.action === "accept" ? answer.content : { answer: "no" };
  if (said["answer"] === "always") approvals.push(changes);
  if (said["answer"] === "yes" || said["answer"] === "always") return undefined;
  const reason = typeof said["reason"] === "string" && said["reason"] !== "" ? `: ${said["reason"]}` : ".";
  return `It was not done, because the person said no${reason}`;
}
