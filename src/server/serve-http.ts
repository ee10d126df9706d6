import type { RequestListener, ServerOptions } from "node:http";
import type { Engine } from "../engine/engine.ts";
import type { Gatekeeper } from "../faces/access/gatekeeper.ts";
import type { HttpFace } from "../faces/http/face.ts";
import type { ServerFacts } from "../operations/operation.ts";

interface HttpParts {
  readonly engine: Engine;
  readonly server: ServerFacts;
  readonly gatekeeper: Gatekeeper;
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
export function serveHttp({ readers, ...parts }: HttpParts): HttpService {
  const load = async (): Promise<HttpFace> => {
    const [{ createHttpFace }, { loadTracing }] = await Promise.all([
      import("../faces/http/face.ts"),
      import("../faces/http/tracing.ts"),
    ]);
    const tracing = await loadTracing();
    return createHttpFace({ ...parts, tracing, limits: { readers } });
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
