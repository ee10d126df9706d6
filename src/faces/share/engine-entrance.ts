import type { ServerResponse } from "node:http";
import { z } from "zod";
import type { Engine } from "../../engine/engine.ts";
import type { WaitOptions } from "../../engine/wait.ts";
import type { Access } from "../../engine/access.ts";
import { LonghaulError } from "../../job/error.ts";
import { parseInput } from "../../job/issue.ts";
import { toJsonAnswer, untilGone } from "../door/answer.ts";
import type { Entrance, Target } from "../door/door.ts";
import { readBody } from "../door/read-body.ts";
import { bookMethods, nextEvents, plainMethods, type RemoteMethod } from "./engine-methods.ts";
import { pack, unpack, type Packed } from "./packed.ts";

/** What the owner of a home tells a process that works through it. */
export interface OwnerFacts {
  /** Rises when what the processes say to each other changes. */
  readonly protocol: number;
  readonly version: string;
  readonly pid: number;
  readonly program: string;
}

export const shareProtocol = 1;

export interface EngineEntrance {
  readonly entrance: Entrance;
  /** Hangs up on all who work through this process, so that one of them takes over at once. */
  readonly close: () => void;
}

const maxBodyBytes = 64_000_000;
const aliveMs = 10_000;

const packed = z.strictObject({ value: z.unknown().optional(), bytes: z.record(z.string(), z.string()).optional() });
const body = z.strictObject({ args: z.array(packed).max(10) });

/**
 * `POST /engine/<method>`, for the processes that share a home: the methods of the engine as they are. Only for a door that leads in
 * nobody but this machine's user, because each call says itself on whose behalf it is made.
 */
export function createEngineEntrance(engine: Engine, facts: OwnerFacts): EngineEntrance {
  const lines = new Set<ServerResponse>();
  const life: Target = {
    route: "/engine/life",
    scope: "admin",
    answer: async ({ response }) => {
      lines.add(response);
      keepTelling(engine, facts, response);
      response.once("close", () => lines.delete(response));
      return undefined;
    },
  };
  const toTarget = (method: RemoteMethod): Target => ({
    route: `/engine/${method}`,
    scope: "admin",
    answer: async ({ request, response }) => {
      const { args } = parseInput(body, await readBody(request, maxBodyBytes), "The call");
      const signal = untilGone(response);
      return toJsonAnswer(pack(await callEngine(engine, method, (args as Packed[]).map(unpack), signal)));
    },
  });
  const methods = [...Object.keys(plainMethods), ...Object.keys(bookMethods), "wait", "nextEvents"] as RemoteMethod[];
  const targets = new Map([["life", life], ...methods.map((method): [string, Target] => [method, toTarget(method)])]);
  return {
    entrance: {
      name: "engine",
      errorForm: "problem",
      find: ({ method }, path) => {
        if (!path.startsWith("/engine/")) return undefined;
        const name = path.slice("/engine/".length);
        return (method === "POST" ? targets.get(name) : undefined) ?? refuse(name);
      },
    },
    close: () => {
      for (const line of lines) line.end();
    },
  };
}

function refuse(name: string): Target {
  const error = new LonghaulError("not_found", `An engine has no method "${name}".`);
  return { route: "/engine", scope: "admin", answer: () => Promise.reject(error) };
}

/** Goes on for as long as both processes live: its end tells the other one to take over. */
function keepTelling(engine: Engine, facts: OwnerFacts, response: ServerResponse): void {
  const tell = (said: object): void => {
    response.write(`${JSON.stringify(said)}\n`);
  };
  response.writeHead(200, { "content-type": "application/x-ndjson", connection: "close" });
  tell({ owner: facts });
  const stop = engine.onFinished((finished) => tell({ finished }));
  const timer = setInterval(() => tell({}), aliveMs);
  response.once("close", () => {
    clearInterval(timer);
    stop();
  });
}

async function callEngine(
  engine: Engine,
  method: RemoteMethod,
  args: unknown[],
  signal: AbortSignal,
): Promise<unknown> {
  if (method === "wait") {
    const [ids, options] = args as [string | string[], WaitOptions & Access];
    return engine.wait(ids, { ...options, signal });
  }
  if (method === "nextEvents") {
    const [id, options] = args as [string, Access & { after: number }];
    return nextEvents(engine, id, { ...options, signal });
  }
  const [first = "", second] = method.split(".");
  const owner = (second === undefined ? engine : engine[first as "tokens"]) as unknown as Methods;
  return owner[second ?? first]?.(...args);
}

type Methods = Readonly<Record<string, (...args: unknown[]) => Promise<unknown>>>;
