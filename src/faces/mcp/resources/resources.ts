import {
  ResourceNotFoundError,
  ResourceTemplate,
  type McpServer,
  type ReadResourceResult,
} from "@modelcontextprotocol/server";
import { z } from "zod";
import { LonghaulError } from "../../../job/error.ts";
import type { Job } from "../../../job/job.ts";
import { jobOutput } from "../../../operations/output.ts";
import { jobGet } from "../../../operations/job.ts";
import type { OperationContext } from "../../../operations/operation.ts";
import type { JobsContext } from "../connection.ts";
import { cardMeta, cardType, cardUri } from "./job-card.ts";
import { readArtifactResource } from "./artifact-resource.ts";
import { parseJobUri, type JobPart } from "./job-uri.ts";
import { watchJob, watchOutput } from "./watch.ts";

type ReadContext = Omit<OperationContext, "signal">;

const templates: readonly { part: JobPart; uri: string; description: string; mimeType?: string }[] = [
  {
    part: "status",
    uri: "job://{id}",
    description: "A job: state, progress, error, input",
    mimeType: "application/json",
  },
  {
    part: "output",
    uri: "job://{id}/output{?from,tail,grep}",
    description: "What a job has written: all, from a byte, its last lines, or matching lines",
    mimeType: "text/plain",
  },
  { part: "result", uri: "job://{id}/result", description: "What a job returned", mimeType: "application/json" },
  {
    part: "artifact",
    uri: "job://{id}/artifact/{name}",
    description: "A file that a job made: a report, a screenshot",
  },
];

/** Jobs as resources that can be read and watched. */
export function registerJobResources(mcp: McpServer, context: JobsContext, server: OperationContext["server"]): void {
  const reading = { engine: context.engine, actor: context.actor, server };
  for (const { part, uri, description, mimeType } of templates) {
    mcp.registerResource(
      `job-${part}`,
      new ResourceTemplate(uri, { list: undefined }),
      { description, mimeType },
      ({ href }) => read(href, reading),
    );
  }
  // The SDK matches a template's query only if all of it is given.
  mcp.server.setRequestHandler("resources/read", ({ params }) => read(params.uri, reading));
  mcp.server.registerCapabilities({ resources: { subscribe: true, listChanged: false } });
  if (context.era === "legacy") serveSubscriptions(mcp, context);
}

async function read(uri: string, context: ReadContext): Promise<ReadResourceResult> {
  if (uri === cardUri && context.server.readCard !== undefined) {
    return { contents: [{ uri, mimeType: cardType, text: await context.server.readCard(), _meta: cardMeta }] };
  }
  const { id, part, name } = parseJobUri(uri) ?? {};
  if (id === undefined || part === undefined) throw new ResourceNotFoundError(uri);
  const mimeType = part === "output" ? "text/plain" : "application/json";
  try {
    if (name !== undefined) return { contents: [await readArtifactResource(uri, { id, name }, context)] };
    const job = await context.engine.get(id, context.actor);
    return { contents: [{ uri, mimeType, text: await readPart(job, part, uri, context) }] };
  } catch (error) {
    if (!(error instanceof LonghaulError)) throw error;
    throw new ResourceNotFoundError(uri, error.message);
  }
}

async function readPart(job: Job, part: JobPart, uri: string, context: ReadContext): Promise<string> {
  if (part === "result") return JSON.stringify(await context.engine.result(job.id, context.actor));
  if (part === "status") return JSON.stringify(await jobGet.call(context, { id: job.id }));
  const query = toOutputQuery(new URL(uri).searchParams);
  const { text, note } = await jobOutput.call(context, { id: job.id, ...query });
  return note === undefined ? text : `${text}[${note}]\n`;
}

function toOutputQuery(params: URLSearchParams): Record<string, string | number> {
  const query: Record<string, string | number> = {};
  for (const name of ["from", "tail"]) if (params.has(name)) query[name] = Number(params.get(name));
  const grep = params.get("grep");
  return grep === null ? query : { ...query, grep };
}

const subscription = z.looseObject({ uri: z.string() });

/** `resources/subscribe` of the revisions before 2026-07-28; the newer one listens instead. */
function serveSubscriptions(mcp: McpServer, context: JobsContext): void {
  const watched = new Map<string, AbortController>();
  const stop = (uri: string): void => {
    watched.get(uri)?.abort();
    watched.delete(uri);
  };
  context.signal.addEventListener("abort", () => [...watched.keys()].forEach(stop));
  const result = z.looseObject({});
  mcp.server.setRequestHandler("resources/subscribe", { params: subscription, result }, async ({ uri }) => {
    const { id, part } = parseJobUri(uri) ?? {};
    if (id === undefined) throw new ResourceNotFoundError(uri);
    const job = await context.engine.get(id, context.actor).catch(() => undefined);
    if (job === undefined) throw new ResourceNotFoundError(uri);
    stop(uri);
    const ended = new AbortController();
    watched.set(uri, ended);
    const watch = part === "output" ? watchOutput : watchJob;
    let isFirst = true;
    void watch(id, context, ended.signal, async () => {
      if (!isFirst) await mcp.server.sendResourceUpdated({ uri }).catch(() => undefined);
      isFirst = false;
    });
    return {};
  });
  mcp.server.setRequestHandler("resources/unsubscribe", { params: subscription, result }, async ({ uri }) => {
    stop(uri);
    return {};
  });
}
