import type { RequestListener } from "node:http";
import type { Readable, Writable } from "node:stream";
import type { z } from "zod";
import type { AnyMcpServer } from "../faces/durable/wire.ts";
import { checkNames, createFrontBuilder } from "../faces/durable/build-front.ts";
import { createOpenPresenter } from "../faces/durable/companions.ts";
import { defineDurableTool, type DurableDefinition, type DurableTool } from "../faces/durable/durable-tool.ts";
import { InnerServer } from "../faces/durable/inner-server.ts";
import { createMcpEndpoint, type McpEndpoint } from "../faces/mcp/endpoint.ts";
import { guardMcp, toRequestListener, type McpHttpOptions } from "../faces/mcp/protocol/http.ts";
import { serveStreams } from "../faces/mcp/protocol/stdio.ts";
import { LonghaulError } from "../job/error.ts";
import type { Json } from "../job/json.ts";
import type { Kind, KindOf } from "../job/kind.ts";
import { openSharedEngine, type SharedEngine, type SharedOptions } from "./share/open-shared-engine.ts";
import { readVersion } from "./version.ts";
import { watchLists } from "../faces/durable/watch-lists.ts";

export interface DurableOptions extends Omit<SharedOptions, "kinds" | "program"> {
  /** Kinds besides those of the tools: for child jobs, and for what the program starts itself. */
  readonly kinds?: readonly Kind[];
  /** False: no `job_get`, `job_wait` and so on for clients without tasks. */
  readonly companions?: boolean;
  /** Before the names of these tools, such as "reports_". */
  readonly prefix?: string;
}

export interface Durable {
  /** Adds a tool whose calls outlive this process; returns its kind, of which the program may start jobs itself. */
  readonly tool: <
    Input extends z.ZodType,
    Output extends z.ZodType = z.ZodType,
    State extends z.ZodType = z.ZodType<Json>,
  >(
    name: string,
    tool: DurableTool<Input, Output, State>,
  ) => KindOf<z.input<Input>, z.output<Output>>;
  /** Opens the home and continues what was interrupted: what is wrong shows here. Serving does it too. */
  readonly start: () => Promise<SharedEngine>;
  /** Serves the client on standard input and output; resolves when it has left and everything is closed. */
  readonly serveStdio: (streams?: { readonly input: Readable; readonly output: Writable }) => Promise<void>;
  /** Serves clients over HTTP, those on this machine unless told otherwise. */
  readonly http: (options?: Partial<McpHttpOptions>) => DurableHttp;
  /** Jobs go on with the next process. */
  readonly stop: () => Promise<void>;
}

export interface DurableHttp {
  /** For Hono, Next and whatever else speaks in web requests. */
  readonly fetch: (request: Request) => Promise<Response>;
  /** For `node:http` and Express, whose parsed `body` is taken. */
  readonly listener: RequestListener;
}

/** Gives an MCP server, of either SDK, tools whose calls outlive its process: as tasks, and for clients without tasks as jobs. */
export function durable(mcp: AnyMcpServer, options: DurableOptions): Durable {
  const definitions: DurableDefinition[] = [];
  let starting: Promise<Running> | undefined;
  const start = (): Promise<Running> => (starting ??= open(mcp, options, definitions));
  const tool: Durable["tool"] = (name, given) => {
    if (starting !== undefined) {
      throw new LonghaulError("conflict", `The tool "${name}" comes too late: add all tools before the server starts.`);
    }
    const definition = defineDurableTool(name, given, (job, access) => presentOpen(job, access));
    definitions.push(definition);
    return definition.kind;
  };
  const presentOpen = createOpenPresenter(options.prefix ?? "", facts(options));
  const stop = async (): Promise<void> => {
    const running = await starting?.catch(() => undefined);
    await running?.stop();
  };
  return {
    tool,
    start: async () => (await start()).engine,
    serveStdio: async (streams = { input: process.stdin, output: process.stdout }) => {
      const { endpoint } = await start();
      const connection = serveStreams(endpoint, streams);
      const leave = (): void => void connection.close();
      for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, leave);
      await connection.closed;
      for (const signal of ["SIGINT", "SIGTERM"] as const) process.off(signal, leave);
      await stop();
    },
    http: ({ authenticate = () => anybody, ...rules } = {}) => {
      const fetch = async (request: Request): Promise<Response> =>
        guardMcp((await start()).endpoint, { authenticate, ...rules })(request);
      return { fetch, listener: toRequestListener(fetch) };
    },
    stop,
  };
}

interface Running {
  readonly engine: SharedEngine;
  readonly endpoint: McpEndpoint;
  readonly stop: () => Promise<void>;
}

/** Whoever may come in: they share what they see, and an id is what tells one from another. */
const anybody = { actor: {}, isIdentified: false };

async function open(
  mcp: AnyMcpServer,
  given: DurableOptions,
  definitions: readonly DurableDefinition[],
): Promise<Running> {
  const { companions = true, prefix = "", kinds = [], ...options } = given;
  const inner = new InnerServer(mcp);
  await inner.connect();
  const lists = watchLists(inner);
  const parts = {
    inner,
    definitions,
    server: facts(given),
    prefix: companions ? prefix : undefined,
    onBuilt: lists.add,
  };
  await checkNames(parts);
  const engine = await openSharedEngine({
    ...options,
    kinds: [...definitions.map(({ kind }) => kind), ...kinds],
    program: inner.words.serverInfo.name,
  });
  const endpoint = createMcpEndpoint({ engine, build: createFrontBuilder(parts) });
  lists.notify(endpoint);
  return {
    engine,
    endpoint,
    stop: async () => {
      await endpoint.close();
      await engine.stop();
      await inner.close();
    },
  };
}

function facts({ home }: DurableOptions): { version: string; startedAt: number; home: string; url: undefined } {
  return { version: readVersion(), startedAt: Date.now(), home, url: undefined };
}
