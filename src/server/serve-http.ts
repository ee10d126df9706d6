import { hash, timingSafeEqual } from "node:crypto";
import type { IncomingMessage, RequestListener, ServerOptions } from "node:http";
import type { Engine } from "../engine/engine.ts";
import type { Admit, Refusal } from "../faces/admission.ts";
import type { HttpFace } from "../faces/http/face.ts";
import type { ServerFacts } from "../operations/operation.ts";

interface HttpParts {
  readonly engine: Engine;
  readonly server: ServerFacts;
  readonly token: string;
  readonly readers: number;
  readonly onFault: (error: unknown, route: string) => void;
}

export interface HttpService {
  readonly listener: RequestListener;
  readonly stop: () => Promise<void>;
}

/** A client that is slow to send its request is not waited for. */
export const patience: ServerOptions = {
  headersTimeout: 15_000,
  requestTimeout: 60_000,
  connectionsCheckingInterval: 5_000,
};

/** The REST interface; as with MCP, its code is loaded after the server has begun to listen. */
export function serveHttp({ token, readers, ...parts }: HttpParts): HttpService {
  const load = async (): Promise<HttpFace> => {
    const [{ createHttpFace }, { loadTracing }] = await Promise.all([
      import("../faces/http/face.ts"),
      import("../faces/http/tracing.ts"),
    ]);
    const tracing = await loadTracing();
    return createHttpFace({ ...parts, tracing, admit: admitByToken(token), checkHost, limits: { readers } });
  };
  let loading: Promise<HttpFace> | undefined;
  let face: HttpFace | undefined;
  const faceOf = async (): Promise<HttpFace> => (face = await (loading ??= load()));
  setImmediate(() => void faceOf().catch((error: unknown) => parts.onFault(error, "start")));
  return {
    listener: (request, response) => {
      if (face !== undefined) face.listener(request, response);
      else
        faceOf().then(
          ({ listener }) => listener(request, response),
          () => response.writeHead(503).end(),
        );
    },
    stop: async () => (await faceOf()).close(),
  };
}

/** The user of this machine, who sees all jobs: the file with the token is theirs alone. */
function admitByToken(token: string): Admit {
  const expected = digest(token);
  return async ({ token: given }) => {
    if (given !== undefined && timingSafeEqual(digest(given), expected)) return { actor: { by: "http" } };
    return {
      refusal: {
        status: 401,
        message: "Send the token from the file `token` in Longhaul's folder: Authorization: Bearer …",
      },
    };
  };
}

/** Digests have one length, so comparing them tells nothing about the token's. */
function digest(text: string): Buffer {
  return hash("sha256", text, "buffer");
}

function checkHost({ headers }: IncomingMessage): Refusal | undefined {
  const name = (headers.host ?? "").replace(/:\d+$/, "");
  const isLocal = name === "127.0.0.1" || name === "localhost" || name === "[::1]";
  if (isLocal && headers.origin === undefined) return undefined;
  return { status: 403, message: "This address serves programs on this machine only." };
}
