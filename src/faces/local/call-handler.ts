import type { IncomingMessage, ServerResponse } from "node:http";
import { LonghaulError } from "../../job/error.ts";
import { messageOf } from "../../job/failure.ts";
import type { Actor } from "../../engine/access.ts";
import type { Operation, OperationContext } from "../../operations/operation.ts";
import { statusByCode } from "../status-by-code.ts";
import { versionHeader } from "./client.ts";

const mostBodyBytes = 4_000_000;

interface CallHandlerParts {
  readonly operations: readonly Operation[];
  readonly context: Omit<OperationContext, "signal" | "actor">;
  readonly onFault: (error: unknown, operation: string) => void;
}

/** Answers `POST /call/<operation>` with the operation's output, or with one error that the caller can act on. */
export function createCallHandler(
  parts: CallHandlerParts,
): (request: IncomingMessage, response: ServerResponse, actor: Actor) => void {
  const byName = new Map(parts.operations.map((operation) => [operation.name, operation]));
  return (request, response, actor) => {
    const gone = new AbortController();
    response.on("close", () => gone.abort());
    const name = request.method === "POST" ? /^\/call\/(\w+)$/.exec(request.url ?? "")?.[1] : undefined;
    const operation = name === undefined ? undefined : byName.get(name);
    const answering =
      operation === undefined
        ? Promise.reject(new LonghaulError("not_found", `There is no operation "${name ?? request.url ?? ""}".`))
        : readBody(request).then((input) => operation.call({ ...parts.context, actor, signal: gone.signal }, input));
    answering.then(
      (output) => answer(response, 200, output, parts.context.server.version),
      (error: unknown) => {
        const { status, body } = toFault(error);
        if (status === 500) parts.onFault(error, name ?? "");
        answer(response, status, body, parts.context.server.version);
      },
    );
  };
}

export function toFault(error: unknown): { status: number; body: { error: { code: string; message: string } } } {
  if (error instanceof LonghaulError) {
    return { status: statusByCode[error.code], body: { error: { code: error.code, message: error.message } } };
  }
  return {
    status: 500,
    body: { error: { code: "internal", message: `Something went wrong inside: ${messageOf(error)}` } },
  };
}

async function readBody(request: IncomingMessage): Promise<unknown> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    bytes += chunk.length;
    if (bytes > mostBodyBytes) throw new LonghaulError("too_large", `The call has more than ${mostBodyBytes} bytes.`);
    chunks.push(chunk);
  }
  if (bytes === 0) return {};
  try {
    return JSON.parse(Buffer.concat(chunks).toString());
  } catch (error) {
    throw new LonghaulError("invalid_input", `The call is not JSON: ${messageOf(error)}.`, { cause: error });
  }
}

function answer(response: ServerResponse, status: number, body: unknown, version: string): void {
  if (response.destroyed) return;
  response.writeHead(status, { "content-type": "application/json", [versionHeader]: version });
  response.end(JSON.stringify(body));
}
