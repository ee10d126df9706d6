import type { IncomingMessage, RequestListener, ServerResponse } from "node:http";
import { getRequestListener, type HttpBindings } from "@hono/node-server";
import { RESPONSE_ALREADY_SENT } from "@hono/node-server/utils/response";
import { Hono, type Context } from "hono";
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

type HonoContext = Context<{ Bindings: HttpBindings }>;
type Answer = (context: HonoContext) => Promise<Response>;

/** The operations as a REST interface: every request is translated by its route, and by nothing else. */
export function createHttpFace(parts: HttpFaceParts): HttpFace {
  const limits = { ...defaultLimits, ...parts.limits };
  const streams = new LiveStreams({ mostReaders: limits.readers, drainMs: limits.drainMs });
  const metrics = createMetrics(parts.engine);
  const pages = createPages({ ...parts, metrics, streams });
  const app = new Hono<{ Bindings: HttpBindings }>();
  const answerTo = (route: Route): Answer =>
    "page" in route ? answerPage(route, parts, pages.show) : answerOperation(route, { ...parts, limits, streams });
  const settle = createSettler(parts, metrics.countRequest);
  for (const route of routes) {
    app.on(route.method, route.path.replace(/\{(\w+)\}/g, ":$1"), settle(route.path, answerTo(route)));
  }
  app.notFound(settle("none", refuseUnknown));
  const listen = getRequestListener(app.fetch, {
    // What is not even a request: a host or a path that no URL can have.
    errorHandler: (error) => toResponse(toProblem(new HttpError(400, "invalid_input", String(error)), "/")),
  });
  const runpod = createRunpodFace({ ...parts, countRequest: metrics.countRequest });
  return {
    listener: (request, response) =>
      request.url?.startsWith("/v2/") === true ? runpod(request, response) : void listen(request, response),
    close: () => {
      pages.close();
      streams.close();
      metrics.close();
    },
  };
}

/** Turns what an answer throws into problem details, counts it, and traces it where somebody listens. */
function createSettler(
  { gatekeeper, onFault, tracing }: HttpFaceParts,
  countRequest: (method: string, route: string, status: number) => void,
): (route: string, answer: Answer) => Answer {
  return (route, answer) => {
    const settled: Answer = async (context) => {
      const { incoming, outgoing } = context.env;
      let response: Response;
      try {
        const misled = gatekeeper.turnAway(incoming);
        if (misled !== undefined) throw toHttpError(misled);
        response = await answer(context);
      } catch (error) {
        const problem = toProblem(error, context.req.path);
        if (problem.status === 500) onFault(error, route);
        if (outgoing.headersSent) outgoing.destroy();
        response = outgoing.headersSent ? RESPONSE_ALREADY_SENT : toResponse(problem);
      }
      countRequest(context.req.method, route, outgoing.headersSent ? outgoing.statusCode : response.status);
      return response;
    };
    if (tracing === undefined) return settled;
    return (context) => {
      const { method } = context.req;
      return tracing.request(`${method} ${route}`, context.env.incoming.headers, async (note) => {
        const response = await settled(context);
        note({ "http.request.method": method, "http.route": route, "http.response.status_code": response.status });
        return response;
      });
    };
  };
}

type OperationParts = HttpFaceParts & { readonly limits: HttpLimits; readonly streams: LiveStreams };

function answerOperation(route: OperationRoute, parts: OperationParts): Answer {
  const { engine, server, tracing } = parts;
  const { operation } = route;
  const readFields = createFieldReader(route, parts.limits.bodyBytes);
  const hasOtherForm = route.live !== undefined || route.isRaw === true;
  const call = (context: OperationContext, input: unknown): Promise<unknown> =>
    tracing === undefined
      ? operation.call(context, input)
      : tracing.operation(operation.name, async (note) => {
          const { id } = input as Fields;
          if (typeof id === "string") note({ "longhaul.job.id": id });
          return operation.call(context, input);
        });
  return async ({ req, env: { incoming, outgoing } }) => {
    const actor = await admitRequest(parts, incoming);
    demand(actor, operation.scope);
    const context: OperationContext = { engine, actor, server };
    const reading = readFields(incoming, req.param());
    const fields = reading instanceof Promise ? await reading : reading;
    if (hasOtherForm && (await sendOtherForm(route, parts, context, { fields, incoming, outgoing }))) {
      return RESPONSE_ALREADY_SENT;
    }
    const input = route.toInput === undefined ? fields : route.toInput(fields, incoming.headers);
    const signal = route.isSlow === true ? untilGone(outgoing) : undefined;
    const output = await call(signal === undefined ? context : { ...context, signal }, input);
    const { status = 200, headers, body } = route.reply?.(output as never, fields) ?? { body: output };
    return toResponse({
      status,
      body: JSON.stringify(body),
      headers: headers === undefined ? jsonHeaders : { ...jsonHeaders, ...headers },
    });
  };
}

interface Exchange {
  readonly fields: Fields;
  readonly incoming: IncomingMessage;
  readonly outgoing: ServerResponse;
}

/** Answers as an event stream or as plain text, where the route has that form and the request asks for it. */
async function sendOtherForm(
  route: OperationRoute,
  { streams, limits }: OperationParts,
  context: OperationContext,
  { fields, incoming, outgoing }: Exchange,
): Promise<boolean> {
  const { accept = "", range, "last-event-id": lastEventId } = incoming.headers;
  if (incoming.method !== "GET" || (accept === "" && range === undefined)) return false;
  if (route.live !== undefined && accept.includes("text/event-stream")) {
    const open = route.live === "events" ? openLiveEvents : openLiveOutput;
    const source = await open(context, fields, lastEventId?.toString(), limits.keepAliveMs);
    // Tells a browser not to come back.
    if (source === undefined) outgoing.writeHead(204, safetyHeaders).end();
    else streams.start(outgoing, source);
    return true;
  }
  if (route.isRaw !== true || accept.includes("application/json")) return false;
  if (!accept.includes("text/plain") && range === undefined) return false;
  await sendRawOutput(context, fields, { request: incoming, response: outgoing, drainMs: limits.drainMs });
  return true;
}

function answerPage(route: PageRoute, parts: HttpFaceParts, show: ReturnType<typeof createPages>["show"]): Answer {
  return async ({ env: { incoming } }) => {
    const actor = route.scope === undefined ? {} : await admitRequest(parts, incoming);
    if (route.scope !== undefined) demand(actor, route.scope);
    const { status = 200, body, headers } = await show(route.page, actor);
    return toResponse({ status, body, headers: { ...safetyHeaders, ...headers, "content-type": route.type } });
  };
}

async function admitRequest({ gatekeeper }: HttpFaceParts, request: IncomingMessage): Promise<Actor> {
  const admission = await gatekeeper.admit(request, "http");
  if ("refusal" in admission) throw toHttpError(admission.refusal);
  return admission.actor;
}

/** An address that is not there, or not with this method. */
const refuseUnknown: Answer = async ({ req }) => {
  const methods = routes
    .filter(({ path }) => new RegExp(`^${path.replace(/\{\w+\}/g, "[^/]+")}$`).test(req.path))
    .flatMap(({ method }) => (method === "GET" ? ["GET", "HEAD"] : [method]));
  if (methods.length === 0) {
    throw new HttpError(404, "not_found", `There is no ${req.path} here: /openapi.json lists what there is.`);
  }
  const allow = [...new Set(methods), "OPTIONS"].join(", ");
  if (req.method === "OPTIONS") return toResponse({ status: 204, body: null, headers: { ...safetyHeaders, allow } });
  throw new HttpError(405, "method_not_allowed", `${req.method} does nothing here; ${allow} do.`, { allow });
};

function untilGone(response: ServerResponse): AbortSignal {
  const gone = new AbortController();
  response.once("close", () => gone.abort());
  return gone.signal;
}

interface Answered {
  readonly status: number;
  readonly body: string | null;
  readonly headers: Readonly<Record<string, string>>;
}

function toResponse({ status, body, headers }: Answered): Response {
  return new Response(body, { status, headers });
}
