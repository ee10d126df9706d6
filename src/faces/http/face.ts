import type { IncomingMessage, RequestListener, ServerResponse } from "node:http";
import { demand, type Actor } from "../../engine/access.ts";
import type { Engine } from "../../engine/engine.ts";
import type { OperationContext, ServerFacts } from "../../operations/operation.ts";
import type { Gatekeeper } from "../access/gatekeeper.ts";
import { createRunpodFace } from "../runpod/v2-face.ts";
import { openLiveEvents } from "./live-events.ts";
import { openLiveOutput } from "./live-output.ts";
import { LiveStreams } from "./live-streams.ts";
import { createMetrics } from "./metrics.ts";
import { createPages } from "./pages.ts";
import { sendPageLines } from "./page-lines.ts";
import { createPathReader, pathOf } from "./path.ts";
import { HttpError, toHttpError, toProblem } from "./problem.ts";
import { sendRawOutput } from "./raw-output.ts";
import { createFieldReader } from "./read-request.ts";
import { jsonHeaders, safetyHeaders } from "./reply.ts";
import type { Fields, OperationRoute, PageRoute, Route } from "./route.ts";
import { routes } from "./routes.ts";
import type { Tracing } from "./tracing.ts";

export interface HttpFaceParts {
  readonly engine: Engine;
  readonly server: ServerFacts;
  readonly gatekeeper: Gatekeeper;
  readonly onFault: (error: unknown, route: string) => void;
  readonly tracing?: Tracing | undefined;
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

export interface HttpFace {
  readonly listener: RequestListener;
  /** Ends the event streams; from now on the server is not ready. */
  readonly close: () => void;
}

const defaultLimits: HttpLimits = { bodyBytes: 4_000_000, readers: 2_000, drainMs: 30_000, keepAliveMs: 15_000 };

interface Exchange {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly path: string;
  readonly pathFields: Fields;
}

interface Answered {
  readonly status: number;
  readonly body: string | null;
  readonly headers: Readonly<Record<string, string>>;
}

/** Undefined when it has written the response by itself. */
type Answer = (exchange: Exchange) => Promise<Answered | undefined>;

/** The operations as a REST interface: every request is translated by its route, and by nothing else. */
export function createHttpFace(parts: HttpFaceParts): HttpFace {
  const limits = { ...defaultLimits, ...parts.limits };
  const streams = new LiveStreams({ mostReaders: limits.readers, drainMs: limits.drainMs });
  const metrics = createMetrics(parts.engine);
  const pages = createPages({ ...parts, metrics, streams });
  const answerTo = (route: Route): Answer =>
    "page" in route ? answerPage(route, parts, pages.show) : answerOperation(route, { ...parts, limits, streams });
  const settle = createSettler(parts, metrics.countRequest);
  const places = routes.map((route) => ({
    method: route.method,
    read: createPathReader(route.path),
    serve: settle(route.path, answerTo(route)),
  }));
  const refuse = settle("none", refuseUnknown(parts, places));
  const runpod = createRunpodFace({ ...parts, countRequest: metrics.countRequest });
  return {
    listener: (request, response) => {
      if (request.url?.startsWith("/v2/") === true) return runpod(request, response);
      const path = pathOf(request);
      const method = request.method === "HEAD" ? "GET" : request.method;
      for (const place of places) {
        const pathFields = place.method === method ? place.read(path) : undefined;
        if (pathFields === undefined) continue;
        void place.serve({ request, response, path, pathFields });
        return;
      }
      void refuse({ request, response, path, pathFields: {} });
    },
    close: () => {
      pages.close();
      streams.close();
      metrics.close();
    },
  };
}

/** Sends what is answered, turns what is thrown into problem details, counts it, and traces it where somebody listens. */
function createSettler(
  { onFault, tracing }: HttpFaceParts,
  countRequest: (method: string, route: string, status: number) => void,
): (route: string, answer: Answer) => (exchange: Exchange) => Promise<void> {
  return (route, answer) => {
    const settled = async (exchange: Exchange): Promise<void> => {
      const { request, response } = exchange;
      try {
        const answered = await answer(exchange);
        if (answered !== undefined) send(response, answered);
      } catch (error) {
        const problem = toProblem(error, exchange.path);
        if (problem.status === 500) onFault(error, route);
        if (response.headersSent) response.destroy();
        else send(response, problem);
      }
      countRequest(request.method ?? "", route, response.statusCode);
    };
    if (tracing === undefined) return settled;
    return (exchange) => {
      const { method = "", headers } = exchange.request;
      return tracing.request(`${method} ${route}`, headers, async (note) => {
        await settled(exchange);
        const status = exchange.response.statusCode;
        note({ "http.request.method": method, "http.route": route, "http.response.status_code": status });
      });
    };
  };
}

function send(response: ServerResponse, { status, body, headers }: Answered): void {
  if (body === null) response.writeHead(status, headers).end();
  else response.writeHead(status, { ...headers, "content-length": Buffer.byteLength(body) }).end(body);
}

type OperationParts = HttpFaceParts & { readonly limits: HttpLimits; readonly streams: LiveStreams };

function answerOperation(route: OperationRoute, parts: OperationParts): Answer {
  const { engine, server, tracing } = parts;
  const { operation } = route;
  const readFields = createFieldReader(route, parts.limits.bodyBytes);
  const hasOtherForm = route.live !== undefined || route.isRaw === true || route.hasLines === true;
  const call = (context: OperationContext, input: unknown): Promise<unknown> =>
    tracing === undefined
      ? operation.call(context, input)
      : tracing.operation(operation.name, async (note) => {
          const { id } = input as Fields;
          if (typeof id === "string") note({ "longhaul.job.id": id });
          return operation.call(context, input);
        });
  return async (exchange) => {
    const { request, response, pathFields } = exchange;
    const actor = await admitRequest(parts, request);
    demand(actor, operation.scope);
    const context: OperationContext = { engine, actor, server };
    const reading = readFields(request, pathFields);
    const fields = reading instanceof Promise ? await reading : reading;
    if (hasOtherForm && (await sendOtherForm(route, parts, context, fields, exchange))) return undefined;
    const input = route.toInput === undefined ? fields : route.toInput(fields, request.headers);
    const signal = route.isSlow === true ? untilGone(response) : undefined;
    const output = await call(signal === undefined ? context : { ...context, signal }, input);
    const { status = 200, headers, body } = route.reply?.(output as never, fields) ?? { body: output };
    return {
      status,
      body: JSON.stringify(body),
      headers: headers === undefined ? jsonHeaders : { ...jsonHeaders, ...headers },
    };
  };
}

/** Answers as an event stream, as lines or as plain text, where the route has that form and the request asks for it. */
async function sendOtherForm(
  route: OperationRoute,
  { streams, limits }: OperationParts,
  context: OperationContext,
  fields: Fields,
  { request, response }: Exchange,
): Promise<boolean> {
  const { accept = "", range, "last-event-id": lastEventId } = request.headers;
  if (request.method !== "GET" || (accept === "" && range === undefined)) return false;
  if (route.live !== undefined && accept.includes("text/event-stream")) {
    const open = route.live === "events" ? openLiveEvents : openLiveOutput;
    const source = await open(context, fields, lastEventId?.toString(), limits.keepAliveMs);
    // Tells a browser not to come back.
    if (source === undefined) response.writeHead(204, safetyHeaders).end();
    else streams.start(response, source);
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

function answerPage(route: PageRoute, parts: HttpFaceParts, show: ReturnType<typeof createPages>["show"]): Answer {
  return async ({ request }) => {
    if (route.scope === undefined) turnAway(parts, request);
    const actor = route.scope === undefined ? {} : await admitRequest(parts, request);
    if (route.scope !== undefined) demand(actor, route.scope);
    const { status = 200, body, headers } = await show(route.page, actor);
    return { status, body, headers: { ...safetyHeaders, ...headers, "content-type": route.type } };
  };
}

async function admitRequest({ gatekeeper }: HttpFaceParts, request: IncomingMessage): Promise<Actor> {
  const admission = await gatekeeper.admit(request, "http");
  if ("refusal" in admission) throw toHttpError(admission.refusal);
  return admission.actor;
}

function turnAway({ gatekeeper }: HttpFaceParts, request: IncomingMessage): void {
  const misled = gatekeeper.turnAway(request);
  if (misled !== undefined) throw toHttpError(misled);
}

/** An address that is not there, or not with this method. */
function refuseUnknown(
  parts: HttpFaceParts,
  places: readonly { readonly method: string; readonly read: (path: string) => Fields | undefined }[],
): Answer {
  return async ({ request, path }) => {
    turnAway(parts, request);
    const methods = places
      .filter(({ read }) => read(path) !== undefined)
      .flatMap(({ method }) => (method === "GET" ? ["GET", "HEAD"] : [method]));
    if (methods.length === 0) {
      // Whoever is not let in anyway is not told what there is.
      await admitRequest(parts, request);
      throw new HttpError(404, "not_found", `There is no ${path} here: /openapi.json lists what there is.`);
    }
    const allow = [...new Set(methods), "OPTIONS"].join(", ");
    if (request.method === "OPTIONS") return { status: 204, body: null, headers: { ...safetyHeaders, allow } };
    throw new HttpError(405, "method_not_allowed", `${request.method ?? ""} does nothing here; ${allow} do.`, {
      allow,
    });
  };
}

function untilGone(response: ServerResponse): AbortSignal {
  const gone = new AbortController();
  response.once("close", () => gone.abort());
  return gone.signal;
}
