import { z } from "zod";
import type { JobId } from "../../../job/id.ts";
import type { JobContext } from "../../../job/kind.ts";
import { defineTool, type AgentTool } from "./agent-tool.ts";
import { sayStatus } from "../../../job/status-words.ts";

const shownBytes = 12_000;
const defaultSeconds = 600;

/** A job of its own, under the same rules as any command; after a restart the same call finds the same job. */
export const runCommandTool: AgentTool = defineTool({
  name: "run_command",
  description: `Run a shell command in the working folder and wait for its end. It is ended after timeout_seconds (${defaultSeconds} unless given).`,
  input: z.object({
    command: z.string().min(1).max(100_000),
    timeout_seconds: z.number().min(1).max(86_400).default(defaultSeconds),
  }),
  isChange: true,
  brief: ({ command }) => command,
  run: async ({ command, timeout_seconds: seconds }, { job, files, key }) => {
    const id = await job.spawn({
      kind: "shell",
      // The command's own input has ended, so that nothing waits for somebody to type.
      input: { command, cwd: files.root, stdin: "" },
      key,
      limits: { runMs: Math.round(seconds * 1_000) },
    });
    const { status, failure } = await job.childEnd(id);
    const [stdout, stderr] = await Promise.all([readTail(job, id, "stdout"), readTail(job, id, "stderr")]);
    const outcome = status === "succeeded" ? "exit code 0" : (failure?.message ?? `The command ${sayStatus(status)}.`);
    const parts = [stdout, stderr === "" ? "" : `[stderr]\n${stderr}`, `[${outcome}]`];
    return parts.filter((part) => part !== "").join("\n");
  },
});

/** The end of what it wrote: that is where the errors are. */
async function readTail(job: JobContext, id: JobId, stream: string): Promise<string> {
  const { bytes, size } = await job.childOutput(id, stream, -shownBytes);
  const text = Buffer.from(bytes).toString("utf8").trimEnd();
  return size > shownBytes ? `[the first ${size - shownBytes} of ${size} bytes are left out]\n${text}` : text;
}
