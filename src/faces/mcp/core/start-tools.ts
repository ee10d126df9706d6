import { z } from "zod";
import type { JobView } from "../../../operations/job-view.ts";
import type { Operation, OperationContext } from "../../../operations/operation.ts";
import { runAgent } from "../../../operations/run-agent.ts";
import { crawlSite } from "../../../operations/crawl-verbs.ts";
import { runEndpoint } from "../../../operations/endpoint-verbs.ts";
import { runCommand } from "../../../operations/run-command.ts";
import { analyzePage } from "../../../operations/analyze-page.ts";
import type { JobTool, Presenter } from "../job-tool.ts";
import { describeJob } from "../../../operations/job-verbs.ts";
import { presentPage } from "./page-digest.ts";
import { pickFields } from "./pick-fields.ts";
import { jobReplySchema, presentJob, replyTo, toResult } from "./reply.ts";

const waitSeconds = z.number().min(0).max(45).default(10).describe("Seconds to wait.");

/** The fields that a model is shown; the others of the operation are for programs. Made once: a server is built for every request. */
const commandInput = pickFields(
  runCommand,
  ...["command", "argv", "cwd", "env", "stdin", "pty", "ready", "name", "timeout_ms", "attempts"],
).extend({ wait_s: waitSeconds });

const agentInput = pickFields(
  runAgent,
  ...["task", "context", "files", "read_only", "model", "cwd", "max_cost_usd"],
).extend({ output_schema: z.looseObject({}).optional(), wait_s: waitSeconds });
const pageInput = pickFields(analyzePage, "url", "features", "respect_robots", "name")
  .required({ url: true })
  .extend({ wait_s: waitSeconds });
const crawlInput = pickFields(crawlSite, ...["urls", "max_pages", "include", "schema", "render"]).extend({
  wait_s: waitSeconds,
});

type ServerFacts = OperationContext["server"];

const endpointInput = pickFields(runEndpoint, ...["endpoint", "input", "name", "timeout_ms"]).extend({
  wait_s: waitSeconds,
});

const longestNames = 100;

/** The tools that start jobs, one per kind; that for endpoints only where there are any. */
export function createStartTools(server: ServerFacts): JobTool[] {
  const { endpoints } = server;
  return [
    toStartTool(runCommand, server, {
      kind: "shell",
      description:
        "Run a shell command, build, test or dev server in the background. A short one is answered with its output; a long one goes on whatever happens to this session, and is answered with a job_id.",
      input: commandInput,
    }),
    toStartTool(runAgent, server, {
      kind: "agent",
      description: "Run an AI agent as a background job: a model works on a task with files, commands and the web.",
      input: agentInput,
    }),
    toStartTool(analyzePage, server, {
      kind: "page",
      description:
        "Analyse a web page in a real browser: layout, fonts, colours, motion, accessibility, speed, broken links, phone view. Answers with scores and findings; screenshots and a report stay with the job.",
      input: pageInput,
      isHarmless: true,
      present: presentPage,
    }),
    toStartTool(crawlSite, server, {
      kind: "crawl",
      description: "Crawl a website as a background job: Markdown and data of its pages; job_output reads them.",
      input: crawlInput,
      isHarmless: true,
    }),
    ...(endpoints?.isUsable === true
      ? [
          toStartTool(runEndpoint, server, {
            kind: "endpoint",
            description: `Run a job on a serverless endpoint (${nameEndpoints(endpoints)}) in the background. A quick one is answered with its output, a long one with a job_id.`,
            input: endpointInput,
          }),
        ]
      : []),
  ];
}

function nameEndpoints(endpoints: NonNullable<ServerFacts["endpoints"]>): string {
  const names = endpoints.list().map(({ name }) => name);
  const all = [...(endpoints.takesAnyId ? ["any RunPod id"] : []), ...names].join(", ");
  return all.length > longestNames ? `${all.slice(0, longestNames)}…` : all;
}

interface StartFace {
  readonly kind: string;
  readonly description: string;
  readonly input: z.ZodType;
  /** It changes nothing anywhere. */
  readonly isHarmless?: boolean;
  readonly present?: Presenter;
}

function toStartTool(operation: Operation, server: ServerFacts, face: StartFace): JobTool {
  return {
    name: operation.name,
    description: face.description,
    kind: face.kind,
    input: face.input,
    output: jobReplySchema,
    annotations: {
      readOnlyHint: false,
      destructiveHint: face.isHarmless !== true,
      idempotentHint: false,
      openWorldHint: true,
    },
    taskSupport: "optional",
    start: async (args, { engine, actor }) => {
      const { wait_s: _wait, ...started } = args as { wait_s: number };
      const view = (await operation.call({ engine, actor, server }, started)) as JobView;
      return engine.get(view.id, actor);
    },
    waitMs: (args) => (args as { wait_s: number }).wait_s * 1_000,
    present: face.present ?? presentJob,
    presentOpen: async (job, access) => toResult(await replyTo(await describeJob(job, { ...access, server }), access)),
  };
}
