import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach } from "vitest";
import type { Actor } from "../../../src/engine/access.ts";
import type { Admit } from "../../../src/faces/door/admission.ts";
import { Door } from "../../../src/faces/door/door.ts";
import { createGatekeeper } from "../../../src/faces/door/gatekeeper.ts";
import { patience } from "../../../src/faces/door/listen.ts";
import { createHttpFace, type HttpFace, type HttpFaceParts } from "../../../src/faces/http/face.ts";
import { createMetrics, type Metrics } from "../../../src/faces/http/metrics/metrics.ts";
import { openEngine, type Engine, type Kind } from "../../../src/index.ts";
import { Puppet } from "../../engine/puppet.ts";

/** Who each token stands for. */
const actors: Readonly<Record<string, Actor>> = {
  root: { by: "root (http)" },
  ada: { owner: "ada", by: "ada (http)" },
  bob: { owner: "bob", by: "bob (http)" },
  reader: { scope: "read" },
  runner: { scope: "run", kinds: ["other"] },
};

const admit: Admit = async ({ token }) => {
  if (token === "tired") return { refusal: { status: 429, message: "Too many requests.", retryAfterSeconds: 7 } };
  if (token === "broken") throw new Error("a bug");
  const actor = Object.hasOwn(actors, token ?? "") ? actors[token ?? ""] : undefined;
  return actor === undefined ? { refusal: { status: 401, message: "Send a token." } } : { actor };
};

export interface Answer {
  readonly status: number;
  readonly headers: Headers;
  readonly body: Record<string, unknown> & { jobs: Record<string, unknown>[] };
}

interface Ask {
  readonly token?: string | null;
  readonly method?: string;
  readonly body?: unknown;
  readonly headers?: Record<string, string>;
}

/** The face on a server of its own, with a puppet to play jobs. */
export class HttpWorld {
  readonly home: string;
  readonly engine: Engine;
  readonly puppet: Puppet;
  readonly face: HttpFace;
  readonly metrics: Metrics;
  readonly door: Door;
  readonly server: Server;
  readonly faults: unknown[];

  constructor(
    parts: Pick<HttpWorld, "home" | "engine" | "puppet" | "face" | "metrics" | "door" | "server" | "faults">,
  ) {
    this.home = parts.home;
    this.engine = parts.engine;
    this.puppet = parts.puppet;
    this.face = parts.face;
    this.metrics = parts.metrics;
    this.door = parts.door;
    this.server = parts.server;
    this.faults = parts.faults;
  }

  get port(): number {
    return (this.server.address() as AddressInfo).port;
  }

  fetch(path: string, { token = "root", method, body, headers = {} }: Ask = {}): Promise<Response> {
    const isText = typeof body === "string";
    return fetch(`http://127.0.0.1:${this.port}${path}`, {
      method: method ?? (body === undefined ? "GET" : "POST"),
      headers: {
        ...(token === null ? {} : { authorization: `Bearer ${token}` }),
        ...(body === undefined ? {} : { "content-type": "application/json" }),
        ...headers,
      },
      body: body === undefined ? undefined : isText ? body : JSON.stringify(body),
    });
  }

  async ask(path: string, options: Ask = {}): Promise<Answer> {
    const response = await this.fetch(path, options);
    const text = await response.text();
    return {
      status: response.status,
      headers: response.headers,
      body: (text === "" ? {} : JSON.parse(text)) as Answer["body"],
    };
  }

  /** The id of a new job. */
  async submit(fields: object = {}, token = "root"): Promise<string> {
    const { body } = await this.ask("/v1/jobs", { token, body: { kind: "puppet", ...fields } });
    return body["id"] as string;
  }
}

export function useHttpWorld(options: Partial<HttpFaceParts> & { kinds?: readonly Kind[] } = {}): () => HttpWorld {
  let world: HttpWorld | undefined;
  beforeEach(async () => {
    const home = await mkdtemp(join(tmpdir(), "longhaul-http-"));
    const puppet = new Puppet();
    const { kinds = [], ...parts } = options;
    const engine = await openEngine({ home, kinds: [puppet.kind, ...kinds], outputCapBytes: 20_000_000 });
    const faults: unknown[] = [];
    const metrics = createMetrics(engine);
    const facts = { version: "1.2.3", startedAt: 0, home, url: undefined };
    const face = createHttpFace({ engine, server: facts, metrics, ...parts });
    const door = new Door({
      gatekeeper: createGatekeeper({ admit }),
      entrances: [face],
      onFault: (error) => faults.push(error),
      onAnswered: metrics.countRequest,
    });
    const server = createServer(patience, door.listener);
    await new Promise<void>((listening) => {
      server.listen(0, "127.0.0.1", listening);
    });
    world = new HttpWorld({ home, engine, puppet, face, metrics, door, server, faults });
  });
  afterEach(async () => {
    const { home = "", engine, server, face, metrics, door } = world ?? {};
    face?.close();
    metrics?.close();
    door?.close();
    server?.closeAllConnections();
    await new Promise((closed) => server?.close(closed));
    await engine?.stop();
    await rm(home, { recursive: true, force: true });
    world = undefined;
  });
  return () => {
    if (world === undefined) throw new Error("there is no world outside of a test");
    return world;
  };
}
