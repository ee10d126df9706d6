import type { Actor } from "../../engine/access.ts";
import type { Engine } from "../../engine/engine.ts";
import { messageOf } from "../../job/failure.ts";
import type { ServerFacts } from "../../operations/operation.ts";
import { renderDocs, docsPolicy } from "./docs-page.ts";
import type { LiveStreams } from "./streams/live-streams.ts";
import type { Metrics } from "./metrics/metrics.ts";
import { createOpenApi } from "./openapi.ts";
import { HttpError } from "../door/http-error.ts";
import type { PageName, Route } from "./route.ts";

interface Page {
  readonly status?: number;
  readonly body: string;
  readonly headers?: Readonly<Record<string, string>>;
}

interface PageParts {
  readonly engine: Engine;
  readonly server: ServerFacts;
  readonly routes: readonly Route[];
  readonly metrics: Metrics;
  readonly streams: LiveStreams;
}

/** How long an answer about the disk stays true: whoever asks without a token must not make it write all the time. */
const probeMs = 1_000;

/** What the server tells about itself. */
export function createPages({ engine, server, routes, metrics, streams }: PageParts): {
  readonly show: (page: PageName, actor: Actor) => Promise<Page>;
  readonly close: () => void;
} {
  let isStopping = false;
  let probe: { readonly at: number; readonly done: Promise<void> } | undefined;
  let documents: { readonly openapi: string; readonly docs: string } | undefined;
  const describe = (): { readonly openapi: string; readonly docs: string } => {
    const openApi = createOpenApi(routes, server.version);
    return { openapi: JSON.stringify(openApi), docs: renderDocs(openApi) };
  };
  const checkReadiness = async (): Promise<void> => {
    if (isStopping || server.isDraining?.() === true) {
      throw new HttpError(503, "stopped", "The server is stopping.", { "retry-after": "1" });
    }
    if (probe === undefined || performance.now() - probe.at > probeMs) {
      probe = { at: performance.now(), done: engine.probe() };
    }
    try {
      await probe.done;
    } catch (error) {
      throw new HttpError(503, "storage_failed", messageOf(error), { "retry-after": "5" });
    }
  };
  const pages: Record<PageName, (actor: Actor) => Promise<Page>> = {
    health: async () => ({ body: '{"status":"alive"}' }),
    readiness: async () => {
      await checkReadiness();
      return { body: '{"status":"ready"}' };
    },
    metrics: async (actor) => ({ body: await metrics.expose(actor, streams.size) }),
    openapi: async () => ({ body: (documents ??= describe()).openapi }),
    docs: async () => ({ body: (documents ??= describe()).docs, headers: { "content-security-policy": docsPolicy } }),
  };
  return {
    close: () => {
      isStopping = true;
    },
    show: (page, actor) => pages[page](actor),
  };
}
