import { mkdtemp, rm } from "node:fs/promises";
import { createServer, request as sendRequest, type IncomingHttpHeaders, type RequestListener } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll } from "vitest";
import { systemClock } from "../../../src/engine/clock.ts";
import type { TokenRequest } from "../../../src/engine/tokens.ts";
import { createAdmit } from "../../../src/faces/door/admit.ts";
import { createCallEntrance } from "../../../src/faces/door/call-entrance.ts";
import { Door } from "../../../src/faces/door/door.ts";
import { createGatekeeper, type Gatekeeper } from "../../../src/faces/door/gatekeeper.ts";
import { patience } from "../../../src/faces/door/listen.ts";
import { createHttpFace } from "../../../src/faces/http/face.ts";
import { createMetrics } from "../../../src/faces/http/metrics/metrics.ts";
import { createWebFace } from "../../../src/faces/web/web-face.ts";
import { createRunpodEntrance } from "../../../src/faces/profiles/runpod/v2-entrance.ts";
import { openEngine, type Engine } from "../../../src/index.ts";
import type { LocalEndpoint } from "../../../src/job/endpoint.ts";
import { noAccounts } from "../../kinds/endpoint/world.ts";
import { EndpointDirectory } from "../../../src/kinds/endpoint/directory.ts";
import { createEndpointKind } from "../../../src/kinds/endpoint/endpoint.ts";
import { createInside } from "../../../src/kinds/shell/inside.ts";
import { operations } from "../../../src/operations/registry.ts";
import { createRedactor } from "../../../src/text/redact.ts";
import { Puppet } from "../../engine/puppet.ts";
import type { Library } from "../../../src/library/library.ts";
import { openTestLibrary } from "../../library/open.ts";
import { present } from "../../present.ts";

export const localToken = "the-token-in-the-file";

/** The network's side of a server, whose kinds "shell" and "other" do nothing by themselves. */
export interface AccessWorld {
  readonly engine: Engine;
  readonly gatekeeper: Gatekeeper;
  readonly url: string;
  readonly home: string;
  readonly library: Library;
  /** Makes a token and answers with its text. */
  readonly give: (request: TokenRequest) => Promise<string>;
  /** Starts a job whose command may act on it: answers with its token, and how to end it. */
  readonly startCommand: () => Promise<{ token: string; end: () => Promise<void> }>;
  /** Moves the clock by which tokens expire. */
  readonly passTime: (ms: number) => void;
}

export const serverFacts = { version: "1.2.3", startedAt: 0, home: "/srv/longhaul", url: undefined };

export function useAccessWorld(): () => AccessWorld {
  let world: AccessWorld | undefined;
  let close: (() => Promise<void>) | undefined;
  beforeAll(async () => {
    const home = await mkdtemp(join(tmpdir(), "longhaul-access-"));
    let aheadMs = 0;
    const clock = { ...systemClock, now: () => Date.now() + aheadMs };
    const commands = new Puppet({ name: "command" });
    const kinds = [new Puppet({ name: "shell" }).kind, new Puppet({ name: "other" }).kind, commands.kind];
    const directory = openDirectory(home);
    kinds.push(createEndpointKind({ directory, redactor: createRedactor([]) }));
    const engine = await openEngine({ home, kinds, clock, attemptSecret: "secret" });
    const library = openTestLibrary(home);
    const facts = { ...serverFacts, endpoints: directory, library };
    const admit = createAdmit({
      tokens: engine.tokens,
      sessions: engine.sessions,
      inside: engine.inside,
      localToken,
      barredKinds: ["shell"],
    });
    const gatekeeper = createGatekeeper({ admit });
    const onFault = (error: unknown): void => console.error(error);
    const context = { engine, server: facts };
    const metrics = createMetrics(engine);
    const http = createHttpFace({ ...context, metrics });
    const entrances = [
      createCallEntrance({ operations, context }),
      createRunpodEntrance(context),
      createWebFace(engine.sessions),
      http,
    ];
    const door = new Door({ gatekeeper, entrances, onFault, onAnswered: metrics.countRequest, recheckMs: 100 });
    const server = await listen(door.listener);
    world = {
      engine,
      gatekeeper,
      url: server.url,
      home,
      library,
      give: async (request) => (await engine.tokens.create(request)).text,
      startCommand: async () => {
        const { id, attempt } = await commands.start(engine, { owner: "ada" });
        attempt.context.serve({ inside: createInside(attempt.context, createRedactor([])) });
        const end = async (): Promise<void> => {
          attempt.succeed();
          await engine.wait(id);
        };
        return { token: present(attempt.context.token), end };
      },
      passTime: (ms) => {
        aheadMs += ms;
      },
    };
    close = async () => {
      http.close();
      metrics.close();
      door.close();
      await server.close();
      await engine.stop();
      await directory.close();
      await library.close();
      await rm(home, { recursive: true, force: true });
    };
  });
  afterAll(() => close?.());
  return () => present(world);
}

/** One local endpoint, "echo"; tests start no job on it that would run. */
function openDirectory(home: string): EndpointDirectory {
  const echo: LocalEndpoint = {
    type: "local",
    argv: ["cat"],
    cwd: home,
    env: {},
    mode: "per_job",
    concurrency: 1,
    timeoutMs: 60_000,
    keepMs: 60_000,
    idleTimeoutMs: undefined,
    inputSchema: undefined,
  };
  const parts = { home, named: { echo }, anyRunpod: undefined, env: {}, fetch, compileSchema: () => () => undefined };
  return new EndpointDirectory({ ...parts, accounts: noAccounts });
}

export async function listen(handler: RequestListener): Promise<{ url: string; close: () => Promise<void> }> {
  const server = createServer(patience, handler);
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const close = async (): Promise<void> => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  };
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, close };
}

export interface Answer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly body: unknown;
}

/** `fetch` does not let a test choose the Host. */
export function send(
  url: string,
  { method = "POST", headers = {}, body = {} }: { method?: string; headers?: Record<string, string>; body?: unknown },
): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const request = sendRequest(url, { method, headers: { "content-type": "application/json", ...headers } });
    request.once("error", reject);
    request.once("response", (response) => {
      let text = "";
      response.setEncoding("utf8").on("data", (chunk: string) => (text += chunk));
      response.once("end", () => {
        const { statusCode: status = 0, headers: answered } = response;
        resolve({ status, headers: answered, body: text.startsWith("{") ? JSON.parse(text) : text });
      });
    });
    request.end(method === "POST" ? JSON.stringify(body) : undefined);
  });
}

/** Calls an operation through `POST /call/<operation>`. */
export function call(
  url: string,
  operation: string,
  { token, body, headers = {} }: { token?: string; body?: unknown; headers?: Record<string, string> },
): Promise<Answer> {
  const authorization: Record<string, string> = token === undefined ? {} : { authorization: `Bearer ${token}` };
  return send(`${url}/call/${operation}`, { headers: { ...authorization, ...headers }, body });
}
