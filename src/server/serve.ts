import { randomBytes } from "node:crypto";
import { chmodSync, existsSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer, type RequestListener, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { homedir } from "node:os";
import { dirname } from "node:path";
import { toRetention, type LoadedConfig } from "../config/config.ts";
import { readWebhookSecret } from "../config/webhook-secret.ts";
import type { Engine } from "../engine/engine.ts";
import type { WebhookOptions } from "../engine/webhooks/webhook-settings.ts";
import { revisitReaders } from "../faces/access/revisit.ts";
import { createCallHandler } from "../faces/local/call-handler.ts";
import { defined } from "../job/defined.ts";
import { LonghaulError } from "../job/error.ts";
import { createCrawlKind } from "../kinds/crawl/crawl.ts";
import type { EndpointDirectory } from "../kinds/endpoint/directory.ts";
import { createEndpointKind } from "../kinds/endpoint/endpoint.ts";
import { createPageKind } from "../kinds/page/page.ts";
import { Launcher } from "../kinds/shell/launcher.ts";
import { inheritEnv } from "../kinds/shell/policy.ts";
import { createShellKind, type ShellSettings } from "../kinds/shell/shell.ts";
import type { Agents } from "../operations/agents.ts";
import { operations } from "../operations/operations.ts";
import { makeFolder } from "../store/make-folder.ts";
import { createRedactor, secretValues, type Redactor } from "../text/redact.ts";
import { openAccess } from "./access.ts";
import { createWebAccess } from "./agent-web.ts";
import { openCrawlSettings } from "./crawl-settings.ts";
import { guard } from "./guard.ts";
import { createLog, type Log } from "./log-file.ts";
import { openAgentKind } from "./open-agent-kind.ts";
import { openEndpoints } from "./open-endpoints.ts";
import { openEngine } from "./open-engine.ts";
import { openWeb } from "./open-web.ts";
import { patience, serveHttp, type HttpService } from "./serve-http.ts";
import { serveMcp, type McpService } from "./serve-mcp.ts";
import { readVersion } from "./version.ts";

export interface RunningServer {
  readonly url: string;
  readonly socket: string;
  readonly version: string;
  /** Running commands go on; the next server adopts them. */
  readonly stop: () => Promise<void>;
}

/** The port that is tried first when none is configured; if it is taken, any free one does. */
const usualPort = 7467;

/** Whoever can open the local socket: its file is for this machine's user alone. */
const localUser = { by: "local (cli)" };

/** The composition root: builds the kinds, the engine and the faces, and listens. */
export async function serve(config: LoadedConfig, options: { isBackground: boolean }): Promise<RunningServer> {
  const { paths } = config;
  const version = readVersion();
  makePrivateFolder(paths.home);
  makePrivateFolder(dirname(paths.socket));
  const redactor = createRedactor([...config.redact, ...config.endpoints.secrets, ...secretValues(config.env)]);
  const log = createLog({ redact: redactor.text, ...(options.isBackground ? { file: paths.log } : {}) });
  const { engine, endpoints, agents, hasBrowser, close } = await openEngineWithKinds(config, { redactor, log });
  const listening: Server[] = [];
  let mcp: McpService | undefined;
  let http: HttpService | undefined;
  try {
    const server = {
      version,
      startedAt: Date.now(),
      home: paths.home,
      url: undefined as string | undefined,
      endpoints,
      agents,
      hasBrowser,
    };
    const handler = createCallHandler({
      operations,
      context: { engine, server },
      onFault: (error, operation) => log("error", "an operation failed", { operation, error }),
    });
    const gatekeeper = await openAccess(config, engine, readToken(paths.token));
    mcp = await serveMcp({
      engine,
      server,
      sockets: paths.mcpSockets,
      backgroundJob: config.backgroundJob,
      gatekeeper,
      onFault: (error) => log("warn", "an MCP request failed", { error }),
    });
    http = serveHttp({
      engine,
      server,
      gatekeeper,
      readers: config.server.most_stream_readers,
      onFault: (error, route) => log("error", "an HTTP request failed", { route, error }),
    });
    const calls = guard(gatekeeper, "http", handler);
    const loopback = await listenOnLoopback(config, mcp.route(routeCalls(calls, http)), log);
    listening.push(loopback);
    revisitReaders(loopback, gatekeeper);
    server.url = toUrl(loopback);
    listening.push(await listenLocally(paths.socket, (request, response) => handler(request, response, localUser)));
    writeFileSync(paths.server, JSON.stringify({ pid: process.pid, version, url: server.url }), { mode: 0o600 });
    log("info", "server started", { pid: process.pid, version, url: server.url, home: paths.home });
    const stop = async (): Promise<void> => {
      await http?.stop();
      await mcp?.stop();
      await Promise.all(listening.map(closeServer));
      // Before the engine lets go of the folder: from then on these may be the next server's.
      rmSync(paths.socket, { force: true });
      rmSync(paths.server, { force: true });
      await close();
      log("info", "server stopped", { pid: process.pid });
    };
    return { url: server.url, socket: paths.socket, version, stop };
  } catch (error) {
    await http?.stop();
    await mcp?.stop();
    await Promise.all(listening.map(closeServer));
    await close();
    throw error;
  }
}

/** The engine with all the kinds that a configuration gives it. */
export async function openEngineWithKinds(
  config: LoadedConfig,
  { redactor, log }: { redactor: Redactor; log: Log },
): Promise<{
  engine: Engine;
  agents: Agents;
  endpoints: EndpointDirectory;
  hasBrowser: () => boolean;
  close: () => Promise<void>;
}> {
  const launcher = new Launcher(inheritEnv(config.shell.inherit_env, config.env));
  const shell = toShellSettings(config, { launcher, redactor });
  makePrivateFolder(dirname(config.paths.browser));
  const web = openWeb(config);
  const crawl = openCrawlSettings(config, web);
  const agent = openAgentKind(config, { policy: shell.policy, redactor, web: createWebAccess(crawl.settings) });
  const endpoints = await openEndpoints(config);
  const engine = await openEngine({
    home: config.paths.home,
    kinds: [
      createShellKind(shell),
      agent.kind,
      createPageKind({ ...web, concurrency: config.browser.max_pages }),
      createCrawlKind({ ...crawl.settings, ...defined({ askModel: agent.readData }) }),
      createEndpointKind({ directory: endpoints, redactor }),
    ],
    outputCapBytes: config.shell.output_cap_mb * 1_000_000,
    retention: toRetention(config),
    webhooks: toWebhookOptions(config),
    netAllow: config.net.allow,
    ...defined({ pruneMs: config.backgroundJob.cleanupIntervalMs }),
    log: ({ level, message, ...facts }) => log(level, message, facts),
  });
  const close = async (): Promise<void> => {
    await engine.stop();
    await Promise.all([agent.close(), web.close(), crawl.close(), launcher.close(), endpoints.close()]);
  };
  const hasBrowser = (): boolean => web.browser.executable !== undefined;
  return { engine, agents: agent.agents, endpoints, hasBrowser, close };
}

function toWebhookOptions(config: LoadedConfig): WebhookOptions {
  const { allow, default_url: defaultUrl } = config.webhooks;
  return { allow, secret: () => readWebhookSecret(config), ...defined({ defaultUrl }) };
}

function toShellSettings(config: LoadedConfig, parts: Pick<ShellSettings, "launcher" | "redactor">): ShellSettings {
  const { shell } = config;
  return {
    ...parts,
    shell: shell.shell,
    concurrency: shell.concurrency,
    termGraceMs: shell.term_grace_ms,
    policy: {
      allow: shell.allow.map((text) => new RegExp(text)),
      deny: shell.deny.map((text) => new RegExp(text)),
      roots: shell.roots,
      defaultCwd: shell.roots[0] ?? homedir(),
    },
  };
}

export function makePrivateFolder(path: string): void {
  try {
    makeFolder(path);
    chmodSync(path, 0o700);
  } catch (error) {
    throw new LonghaulError(
      "storage_failed",
      `${path} cannot be used: ${error instanceof Error ? error.message : String(error)}. Set LONGHAUL_HOME to a folder that you can write to.`,
      { cause: error },
    );
  }
}

function readToken(path: string): string {
  if (!existsSync(path)) writeFileSync(path, randomBytes(24).toString("base64url"), { mode: 0o600 });
  return readFileSync(path, "utf8").trim();
}

/** `POST /call/…` is for the programs of this package; everything else is the REST interface's. */
function routeCalls(calls: RequestListener, { listener }: HttpService): RequestListener {
  return (request, response) =>
    request.url?.startsWith("/call/") === true ? calls(request, response) : listener(request, response);
}

/** Whoever owns the database is the server, so a socket that is there was left by one that died. */
async function listenLocally(path: string, handler: RequestListener): Promise<Server> {
  rmSync(path, { force: true });
  const server = createServer(handler);
  await listen(server, { path });
  chmodSync(path, 0o600);
  return server;
}

async function listenOnLoopback(config: LoadedConfig, handler: RequestListener, log: Log): Promise<Server> {
  const { host, port } = config.server;
  const server = createServer(patience, handler);
  try {
    await listen(server, { host, port: port ?? usualPort });
  } catch (error) {
    if (port !== undefined) {
      throw new LonghaulError(
        "conflict",
        `Port ${port} on ${host} cannot be listened on: ${String(error)}. Choose another with LONGHAUL_PORT or --port.`,
        { cause: error },
      );
    }
    log("info", `port ${usualPort} is taken; using a free one`);
    await listen(server, { host, port: 0 });
  }
  return server;
}

function listen(server: Server, where: { path: string } | { host: string; port: number }): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once("error", reject);
    server.listen(where, () => {
      server.off("error", reject);
      resolve();
    });
  });
}

/** Waiting calls and open streams are ended too: a client of a stopping server must not wait for ever. */
async function closeServer(server: Server): Promise<void> {
  const closed = new Promise((resolve) => server.close(resolve));
  server.closeAllConnections();
  await closed;
}

function toUrl(server: Server): string {
  const { address, port } = server.address() as AddressInfo;
  return `http://${address.includes(":") ? `[${address}]` : address}:${port}`;
}
