import type { IncomingMessage, RequestListener, ServerResponse } from "node:http";
import { demand } from "../../engine/access.ts";
import type { Engine } from "../../engine/engine.ts";
import type { ServerFacts } from "../../operations/operation.ts";
import type { Gatekeeper, Visit } from "../access/gatekeeper.ts";
import { describeError, HttpError, toHttpError } from "../http/problem.ts";
import { readBody } from "../http/read-request.ts";
import { jsonHeaders } from "../http/reply.ts";
import { findJobOf, type RunpodReply } from "./runpod-verbs.ts";
import { StreamCursors } from "./stream-cursors.ts";
import { endpointVerbs, jobVerbs, type EndpointVerb, type JobVerb } from "./v2-verbs.ts";

interface RunpodFaceParts {
  readonly engine: Engine;
  readonly server: ServerFacts;
  readonly gatekeeper: Gatekeeper;
  readonly onFault: (error: unknown, route: string) => void;
  readonly countRequest: (method: string, route: string, status: number) => void;
}

/** Where a request goes; `route` is what is counted and logged of it. */
type Place = { readonly route: string; readonly endpoint: string; readonly query: URLSearchParams } & (
  | { readonly verb: EndpointVerb }
  | { readonly jobVerb: JobVerb; readonly id: string }
);

/** RunPod's HTTP API over endpoint jobs, so that its clients run theirs here: `/v2/{endpoint}/run` and so on. */
export function createRunpodFace(parts: RunpodFaceParts): RequestListener {
  const cursors = new StreamCursors();
  const serve = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const place = findPlace(request.url ?? "");
    const route = place?.route ?? "none";
    let sent: { status: number; headers?: Readonly<Record<string, string>>; body: object };
    try {
      sent = { status: 200, body: await answer(parts, cursors, place, { request, response }) };
    } catch (error) {
      const { status, headers, detail } = describeError(error);
      if (status === 500) parts.onFault(error, route);
      // What was there and is no more does not differ, for RunPod, from what never was.
      sent = { status: status === 410 ? 404 : status, headers, body: { error: detail } };
    }
    parts.countRequest(request.method ?? "", route, sent.status);
    if (response.destroyed) return;
    response.writeHead(sent.status, { ...jsonHeaders, ...sent.headers });
    response.end(JSON.stringify(sent.body));
  };
  return (request, response) => void serve(request, response);
}

async function answer(
  { engine, server, gatekeeper }: RunpodFaceParts,
  cursors: StreamCursors,
  place: Place | undefined,
  { request, response }: { request: IncomingMessage; response: ServerResponse },
): Promise<RunpodReply> {
  const admission = await gatekeeper.admit(withBearer(request), "runpod");
  if ("refusal" in admission) throw toHttpError(admission.refusal);
  if (place === undefined) {
    const verbs = [...Object.keys(endpointVerbs), ...Object.keys(jobVerbs).map((verb) => `${verb}/{id}`)];
    throw new HttpError(404, "not_found", `There is no such address: /v2/{endpoint}/ takes ${verbs.join(", ")}.`);
  }
  const { method, scope } = "verb" in place ? place.verb : place.jobVerb;
  if (request.method !== method) {
    throw new HttpError(405, "method_not_allowed", `This takes ${method}, not ${request.method}.`, { allow: method });
  }
  const { actor } = admission;
  demand(actor, scope);
  const gone = new AbortController();
  response.once("close", () => gone.abort());
  const { endpoint, query } = place;
  const context = { engine, actor, server, signal: gone.signal };
  const read = (mostBytes: number): Promise<unknown> => readBody(request, mostBytes);
  const call = { context, endpoint, query, cursors, readBody: read };
  if ("verb" in place) return place.verb.answer(call);
  return place.jobVerb.answer(call, await findJobOf(context, endpoint, place.id));
}

function findPlace(url: string): Place | undefined {
  const [path = "", search = ""] = url.split("?", 2);
  const [, endpoint = "", name = "", id] = /^\/v2\/([\w-]{1,64})\/([a-z-]+)(?:\/([\w-]{1,200}))?$/.exec(path) ?? [];
  const verb = id === undefined && Object.hasOwn(endpointVerbs, name) ? endpointVerbs[name] : undefined;
  const jobVerb = id !== undefined && Object.hasOwn(jobVerbs, name) ? jobVerbs[name] : undefined;
  const query = new URLSearchParams(search);
  if (verb !== undefined) return { route: `/v2/{endpoint}/${name}`, endpoint, query, verb };
  if (jobVerb === undefined || id === undefined) return undefined;
  return { route: `/v2/{endpoint}/${name}/{id}`, endpoint, query, jobVerb, id };
}

/** RunPod takes a key without the word before it, too. */
function withBearer({ headers, socket }: IncomingMessage): Visit {
  const { authorization } = headers;
  if (authorization === undefined || !/^\S+$/.test(authorization)) return { headers, socket };
  return { headers: { ...headers, authorization: `Bearer ${authorization}` }, socket };
}
