import type { ServerResponse } from "node:http";

/** What RunPod's other two APIs tell of an account: the one that lists endpoints and workers, and the public catalogue. */
export interface FakeAccount {
  endpoints: readonly Record<string, unknown>[];
  workers: Record<string, unknown>;
  /** Lines of a worker's log; the stream stays open after them. */
  logs: readonly Record<string, unknown>[];
  readonly publicEndpoints: readonly Record<string, unknown>[];
}

export function createFakeAccount(): FakeAccount {
  return {
    endpoints: Array.from({ length: 3 }, (_, index) => ({
      id: `ep${index}`,
      name: `endpoint ${index}`,
      type: "QUEUE",
      image: "runpod/worker:1",
      gpu: { count: 1, pools: ["ADA_24"] },
      workers: { min: 0, max: 3 },
      scaling: { type: "QUEUE_DELAY", value: 4 },
      dataCenterIds: ["EU-RO-1"],
      flashboot: true,
      createdAt: "2026-01-02T03:04:05Z",
      env: { SECRET: "not to be shown" },
      requestUrls: { run: "https://example.com/run" },
    })),
    workers: {
      workers: [
        { id: "w1", status: "UNHEALTHY" },
        { id: "w2", status: "RUNNING" },
      ],
      summary: { idle: 0, initializing: 0, running: 1, throttled: 0, total: 2, unhealthy: 1 },
      endpointVersion: 4,
    },
    logs: [
      { source: "system", line: "start container", ts: "2026-01-02T03:04:05Z" },
      { source: "container", line: "Worker ready.", ts: "2026-01-02T03:04:06Z" },
    ],
    publicEndpoints: [
      toPublic("whisper", "Whisper", { source: "audio", owner: "openai", tag: "speech", priceString: "$0.01" }),
      toPublic("flux", "Flux", { source: "image", owner: "bfl" }),
      { ...toPublic("old", "Old", { source: "image" }), isLive: false },
      { ...toPublic("bare", "Bare", {}), metadata: "no json" },
    ],
  };
}

function toPublic(aiApiId: string, displayName: string, metadata: object): Record<string, unknown> {
  return {
    id: `config-${aiApiId}`,
    aiApiId,
    modelName: `org/${aiApiId}`,
    displayName,
    description: `${displayName} does it`,
    metadata: JSON.stringify(metadata),
    isLive: true,
    createdAt: "2026-01-01T00:00:00Z",
    updatedAt: "2026-01-02T00:00:00Z",
  };
}

/** The answer to a path of the API that lists; undefined if there is none. */
export function answerRest(account: FakeAccount, path: string): unknown {
  if (path === "/rest/v2/serverless") return { endpoints: account.endpoints };
  return /^\/rest\/v2\/serverless\/[^/]+\/workers$/.test(path) ? account.workers : undefined;
}

/** As server-sent events; whoever reads hangs up. */
export function streamLogs({ logs }: FakeAccount, query: URLSearchParams, response: ServerResponse): void {
  response.writeHead(200, { "content-type": "text/event-stream" });
  const source = query.get("source");
  const tail = Number(query.get("tail") ?? 100);
  const lines = logs.filter((line) => source === null || line["source"] === source);
  for (const line of tail === 0 ? [] : lines.slice(-tail)) {
    response.write(`id: ${String(line["ts"])}\ndata: ${JSON.stringify(line)}\n\n`);
  }
  response.write('data: {"source":"container","line":"not whole');
}
