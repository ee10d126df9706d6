import { z } from "zod";
import { defined } from "../../job/defined.ts";
import { LonghaulError } from "../../job/error.ts";
import { parseInput } from "../../job/issue.ts";
import type { ClientContext } from "../../operations/client-context.ts";
import type { Operation, OperationContext } from "../../operations/operation.ts";
import { clientQuery, versionHeader } from "./local-client.ts";
import { toJsonAnswer, untilGone } from "./answer.ts";
import type { Entrance, Target } from "./door.ts";
import { readBody } from "./read-body.ts";

const maxBodyBytes = 4_000_000;

interface CallParts {
  readonly operations: readonly Operation[];
  readonly context: Omit<OperationContext, "signal" | "actor">;
  /** For callers on this machine, who may say where they stand: nobody else is believed. */
  readonly readClient?: ReadClient;
}

export type ReadClient = (context: Partial<ClientContext>) => Pick<OperationContext, "actor" | "server">;

const bodyWithClient = z.strictObject({
  input: z.unknown(),
  client: z.strictObject({ cwd: z.string().optional(), env: z.record(z.string(), z.string()).optional() }),
});

/** `POST /call/<operation>`, for the programs of this package: answers with the operation's output. */
export function createCallEntrance({ operations, context, readClient }: CallParts): Entrance {
  const toTarget = (route: string, { scope, call }: Pick<Operation, "scope" | "call">): Target => ({
    route,
    scope,
    answer: async ({ request, response, actor }) => {
      response.setHeader(versionHeader, context.server.version);
      const body = await readBody(request, maxBodyBytes);
      const caller = { ...context, actor, signal: untilGone(response) };
      if (readClient === undefined || request.url?.endsWith(clientQuery) !== true) {
        return toJsonAnswer(await call(caller, body));
      }
      const { input, client } = parseInput(bodyWithClient, body, "The call");
      return toJsonAnswer(await call({ ...caller, ...readClient(defined(client)) }, input));
    },
  });
  const targets = new Map(
    operations.map((operation) => [operation.name, toTarget(`/call/${operation.name}`, operation)]),
  );
  const refuse = (name: string): Target => {
    const error = new LonghaulError("not_found", `There is no operation "${name}".`);
    return toTarget("/call", { scope: "read", call: () => Promise.reject(error) });
  };
  return {
    name: "http",
    errorForm: "problem",
    find: ({ method, url = "" }, path) => {
      if (!path.startsWith("/call/")) return undefined;
      const name = (readClient !== undefined && url.endsWith(clientQuery) ? path : url).slice("/call/".length);
      return (method === "POST" ? targets.get(name) : undefined) ?? refuse(name);
    },
  };
}
