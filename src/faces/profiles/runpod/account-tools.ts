import { z } from "zod";
import { defined } from "../../../job/defined.ts";
import { isRecord } from "../../../job/is-record.ts";
import type { Json } from "../../../job/json.ts";
import * as platform from "../../../operations/endpoint-platform.ts";
import type { PublicEndpointFacts } from "../../../operations/endpoints.ts";
import { tryParseJson } from "../../../text/parse-json.ts";
import type { CallContext, Tool } from "../profile.ts";
import { pageFields, toPage } from "./paging.ts";
import type { RunpodReply } from "./runpod-operations.ts";
import { defineRunpodTool, reads } from "./runpod-tool.ts";

const defaultLogMs = 5_000;
/** What tells endpoints apart; the rest (variables, addresses) is long. */
const shownFields = [
  "id",
  "name",
  "type",
  "image",
  "gpu",
  "cpu",
  "workers",
  "scaling",
  "dataCenterIds",
  "flashboot",
  "createdAt",
];

const publicFields = z.object({
  ...pageFields,
  searchTerm: z.string().optional().describe("Words to find in names, ids, descriptions, owners and tags."),
  modality: z.string().optional().describe("Such as language, image, video or audio."),
  owner: z.string().optional().describe("Whose model it is."),
  includeOffline: z.boolean().optional().describe("Also those that are not live now."),
});

export const accountTools: readonly Tool<RunpodReply>[] = [
  defineRunpodTool({
    name: "list-endpoints",
    title: "List endpoints",
    description:
      "List the Serverless endpoints that jobs can run on: those of the RunPod account, and the local ones of this server. Shows what tells them apart (id, name, image, GPU or CPU, workers, scaling), a page at a time.",
    input: z.object(pageFields),
    annotations: reads,
    run: async (context, page) => toPage([...localEndpoints(context), ...(await remoteEndpoints(context))], page),
  }),
  defineRunpodTool({
    name: "list-endpoint-workers",
    title: "List endpoint workers",
    description:
      "List the workers of a Serverless endpoint with their status, and a summary that counts them. An UNHEALTHY worker fails over and over before it can take a job; no workers at all mean that the endpoint is scaled to zero or waits for capacity. What a worker says itself is in stream-worker-logs.",
    input: z.object({ id: z.string().describe("ID of the Serverless endpoint") }),
    annotations: reads,
    run: (context, { id }) => platform.listEndpointWorkers(context, id),
  }),
  defineRunpodTool({
    name: "stream-worker-logs",
    title: "Stream worker logs",
    description:
      "Read the log of one worker for a few seconds: lines from before, then what it writes meanwhile. Read it when a job stays IN_QUEUE though there are workers, whatever status they show. list-endpoint-workers has their ids. truncated says that there was more than 256 kB.",
    input: z.object({
      endpointId: z.string().describe("ID of the Serverless endpoint"),
      workerId: z.string().describe("ID of the worker"),
      source: z.enum(["container", "system", "both"]).optional().describe("Which log; both unless given."),
      tail: z.int().min(0).max(5_000).optional().describe("Lines from before (100 unless given); not with since."),
      since: z.string().optional().describe("An RFC 3339 time to begin at."),
      maxWaitMs: z.int().min(500).max(30_000).optional().describe(`How long to read (${defaultLogMs} unless given).`),
    }),
    annotations: reads,
    run: async (context, { endpointId, source, maxWaitMs = defaultLogMs, ...query }) => {
      const wanted = { ...query, ...(source === undefined || source === "both" ? {} : { source }), maxWaitMs };
      const { items, truncated } = await platform.readWorkerLogs(context, endpointId, wanted);
      return { items: [...items], count: items.length, truncated };
    },
  }),
  defineRunpodTool({
    name: "list-public-endpoints",
    title: "List public endpoints",
    description:
      "List RunPod's public endpoints: models that are paid for by use and need no deployment. Each has the endpointId for run-endpoint and runsync-endpoint, its modality, owner and price.",
    input: publicFields,
    annotations: reads,
    run: async (context, { limit, cursor, ...wanted }) => {
      const all = (await platform.listPublicEndpoints(context)).map((facts) => ({ facts, more: metadataOf(facts) }));
      const found = all.filter((one) => isWanted(one, wanted)).toSorted(byName);
      return toPage(found.map(toPublicView), { limit, cursor });
    },
  }),
];

async function remoteEndpoints(context: CallContext): Promise<Json[]> {
  return (await platform.listRemoteEndpoints(context)).map((endpoint) =>
    Object.fromEntries(
      shownFields.flatMap((field) => (endpoint[field] === undefined ? [] : [[field, endpoint[field]]])),
    ),
  );
}

function localEndpoints({ server }: CallContext): Json[] {
  const local = server.endpoints?.list().filter(({ type }) => type === "local") ?? [];
  return local.map(({ name, type, concurrency }) => ({ id: name, name, type, workers: { max: concurrency } }));
}

interface Described {
  readonly facts: PublicEndpointFacts;
  /** What stands in its metadata. */
  readonly more: Readonly<Record<string, Json>>;
}

function metadataOf({ metadata }: PublicEndpointFacts): Record<string, Json> {
  const read = tryParseJson(metadata ?? "");
  return isRecord(read) ? read : {};
}

function isWanted(
  { facts, more }: Described,
  { searchTerm = "", modality, owner, includeOffline = false }: Omit<z.output<typeof publicFields>, "limit" | "cursor">,
): boolean {
  const { displayName, modelName, aiApiId, description } = facts;
  const texts = [displayName, modelName, aiApiId, description, more["owner"], more["tag"], more["source"]];
  return (
    (includeOffline || facts.isLive === true) &&
    (modality === undefined || lower(more["source"]) === modality.toLowerCase()) &&
    (owner === undefined || lower(more["owner"]) === owner.toLowerCase()) &&
    texts.some((text) => lower(text).includes(searchTerm.toLowerCase()))
  );
}

function byName({ facts: one }: Described, { facts: other }: Described): number {
  return (one.displayName ?? "").localeCompare(other.displayName ?? "");
}

function toPublicView({ facts, more }: Described): Json {
  const { aiApiId, displayName, modelName, description, isLive, createdAt, updatedAt } = facts;
  const about = { modality: more["source"], tag: more["tag"], owner: more["owner"], pricing: more["priceString"] };
  const baseUrl = `https://api.runpod.ai/v2/${aiApiId}`;
  return defined({
    endpointId: aiApiId,
    displayName,
    modelName,
    description,
    ...about,
    isLive,
    baseUrl,
    createdAt,
    updatedAt,
  });
}

function lower(value: Json | undefined): string {
  return typeof value === "string" ? value.toLowerCase() : "";
}
