import type { IncomingMessage } from "node:http";
import type { Engine } from "../../engine/engine.ts";
import type { OperationContext, ServerFacts } from "../../operations/operation.ts";
import { operationsFor } from "../../operations/registry.ts";
import { safetyHeaders, toJsonAnswer, untilGone, type HttpAnswer } from "../door/answer.ts";
import type { Entrance, Exchange, Target } from "../door/door.ts";
import { HttpError } from "../door/http-error.ts";
import { createPages } from "./system-routes.ts";
import type { Metrics } from "./metrics/metrics.ts";
import type { Tracing } from "./metrics/tracing.ts";
import { createPathReader } from "./path.ts";
import { createFieldReader } from "./read-request.ts";
import type { Fields, OperationRoute, PageRoute, Route } from "./route.ts";
import { createRoutes } from "./routes.ts";
import { sendPageLines } from "./streams/crawl-ndjson.ts";
import { openLiveChanges } from "./streams/live-changes.ts";
import { openLiveEvents } from "./streams/live-events.ts";
import { openLiveOutput } from "./streams/live-output.ts";
import { LiveStreams } from "./streams/live-streams.ts";
import { sendArtifact } from "./streams/raw-artifact.ts";
import { sendRawOutput } from "./streams/raw-output.ts";

export interface HttpFaceParts {
  readonly engine: Engine;
  readonly server: ServerFacts;
  readonly metrics: Metrics;
  readonly tracing?: Tracing;
  readonly limits?: Partial<HttpLimits>;
}

export interface HttpLimits {
  readonly bodyBytes: number;
  /** Event streams that may be open at once. */
  readonly readers: number;
  /** A reader that takes nothing for so long is dropped. */
  readonly drainMs: number;
  /** A silent event stream gives a sign of life so often. */
  readonly keepAliveMs: number;
}

export interface HttpFace extends Entrance {
  readonly find: (request: IncomingMessage, path: string) => Target;
  /** Ends the event streams; from now on the server is not ready. */
  readonly close: () => void;
}

const defaultLimits: HttpLimits = { bodyBytes: 4_000_000, readers: 2_000, drainMs: 30_000, keepAliveMs: 15_000 };

/** Answers a request at a route, with the fields of its path. */
type Answer = (exchange: Exchange, pathFields: Fields) => Promise<HttpAnswer | undefined>;

/** The operations as a REST interface: every request is translated by its route, and by nothing else. */
export function createHttpFace(parts: HttpFaceParts): HttpFace {
  const limits = { ...defaultLimits, ...parts.limits };
  const streams = new LiveStreams({ maxReaders: limits.readers, drainMs: limits.drainMs });
  const routes = createRoutes(operationsFor(parts.engine.kinds));
  const pages = createPages({ ...parts, routes, streams });
  const answerTo = (route: Route): Answer =>
    "page" in route ? answerPage(route, pages.show) : answerOperation(route, { ...parts, limits, streams });
  const places = routes.map((route) => ({
    method: route.method,
    route: route.path,
    scope: "page" in route ? (route.scope ?? ("anybody" as const)) : route.operation.scope,
    read: createPathReader(route.path),
    answer: answerTo(route),
  }));
  const find = (request: IncomingMessage, path: string): Target => {
    const method = request.method === "HEAD" ? "GET" : request.method;
    for (const place of places) {
      const pathFields = place.method === method ? place.read(path) : undefined;
      if (pathFields === undefined) continue;
      const { route, scope, answer } = place;
      return { route, scope, answer: (exchange) => answer(exchange, pathFields) };
    }
    return refuseUnknown(request, path, places);
  };
  return {
    name: "http",
    errorForm: "problem",
    find: parts.tracing === undefined ? find : traceTargets(find, parts.tracing),
    close: () => {
      pages.close();
      streams.close();
    },
  };
}

/** Has a span around all that is done with a request. */
function traceTargets(find: HttpFace["find"], tracing: Tracing): HttpFace["find"] {
  return (request, path) => {
    const target = find(request, path);
    const { method = "", headers } = request;
    const trace: Target["trace"] = (serve) =>
      tracing.request(`${method} ${target.route}`, headers, async (note) => {
        const status = await serve();
        note({ "http.request.method": method, "http.route": target.route, "http.response.status_code": status });
      });
    return { ...target, trace };
  };
}

type OperationParts = HttpFaceParts & { readonly limits: HttpLimits; readonly streams: LiveStreams };

function answerOperation(route: OperationRoute, parts: OperationParts): Answer {
  const { engine, server, tracing } = parts;
  const { operation } = route;
  const readFields = createFieldReader(route, parts.limits.bodyBytes);
  const hasOtherForm =
    route.isFile === true || route.live !== undefined || route.isRaw === true || route.hasLines === true;
  const call = (context: OperationContext, input: unknown): Promise<unknown> =>
    tracing === undefined
      ? operation.call(context, input)
      : tracing.operation(operation.name, async (note) => {
          const { id } = input as Fields;
          if (typeof id === "string") note({ "longhaul.job.id": id });
          return operation.call(context, input);
        });
  return async (exchange, pathFields) => {
    const { request, response, actor } = exchange;
    const context: OperationContext = { engine, actor, server };
    const reading = readFields(request, pathFields);
    const fields = reading instanceof Promise ? await reading : reading;
    if (hasOtherForm && (await sendOtherForm(route, parts, context, fields, exchange))) return undefined;
    const input = route.toInput === undefined ? fields : route.toInput(fields, request.headers);
    const signal = route.isSlow === true ? untilGone(response) : undefined;
    const output = await call(signal === undefined ? context : { ...context, signal }, input);
    const { status, headers, body } = route.reply?.(output, fields) ?? { body: output };
    return toJsonAnswer(body, status, headers);
  };
}

const openLive = { events: openLiveEvents, output: openLiveOutput, changes: openLiveChanges };

/** Answers as an event stream, as lines or as plain text, where the route has that form and the request asks for it. */
async function sendOtherForm(
  route: OperationRoute,
  { streams, limits }: OperationParts,
  context: OperationContext,
  fields: Fields,
  { request, response }: Exchange,
): Promise<boolean> {
  const { accept = "", range, "last-event-id": lastEventId } = request.headers;
  if (route.isFile === true) {
    await sendArtifact(context, fields, { response, drainMs: limits.drainMs });
    return true;
  }
  if (request.method !== "GET" || (accept === "" && range === undefined)) return false;
  if (route.live !== undefined && accept.includes("text/event-stream")) {
    const source = await openLive[route.live](context, fields, lastEventId?.toString(), limits.keepAliveMs);
    // Tells a browser not to come back.
    if (source === undefined) response.writeHead(204, safetyHeaders).end();
    else streams.start(response, source, context.actor);
    return true;
  }
  if (route.hasLines === true && accept.includes("application/x-ndjson")) {
    await sendPageLines(context, fields, { response, drainMs: limits.drainMs });
    return true;
  }
  if (route.isRaw !== true || accept.includes("application/json")) return false;
  if (!accept.includes("text/plain") && range === undefined) return false;
  await sendRawOutput(context, fields, { request, response, drainMs: limits.drainMs });
  return true;
}

function answerPage(route: PageRoute, show: ReturnType<typeof createPages>["show"]): Answer {
  return async ({ actor }) => {
    const { status = 200, body, headers } = await show(route.page, actor);
    return { status, body, headers: { ...safetyHeaders, ...headers, "content-type": route.type } };
  };
}

interface Place {
  readonly method: string;
  readonly read: (path: string) => Fields | undefined;
}

/** An address that is not there, or not with this method. Whoever is not let in anyway is not told what there is. */
function refuseUnknown({ method = "" }: IncomingMessage, path: string, places: readonly Place[]): Target {
  const methods = places
    .filter(({ read }) => read(path) !== undefined)
    .flatMap((place) => (place.method === "GET" ? ["GET", "HEAD"] : [place.method]));
  const allow = [...new Set(methods), "OPTIONS"].join(", ");
  const answer = async (): Promise<HttpAnswer> => {
    if (methods.length === 0) {
      throw new HttpError(404, "not_found", `There is no ${path} here: /openapi.json lists what there is.`);
    }
    if (method === "OPTIONS") return { status: 204, body: null, headers: { ...safetyHeaders, allow } };
    throw new HttpError(405, "method_not_allowed", `${method} does nothing here; ${allow} do.`, { allow });
  };
  return { route: "none", scope: methods.length === 0 ? "read" : "anybody", answer };
}
