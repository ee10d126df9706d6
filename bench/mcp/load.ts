import { Agent, request } from "node:http";

const inFlight = 16;
const total = 3_000;
const warmUp = 500;

export interface Call {
  readonly url: string;
  readonly method: string;
  readonly name: string;
  readonly params: Record<string, unknown>;
  readonly token?: string;
}

/** Answers per second to one request sent over and over, on connections that stay open. */
export async function measureLoad(call: Call): Promise<number> {
  const agent = new Agent({ keepAlive: true, maxSockets: inFlight });
  const send = createSender(call, agent);
  await sendMany(send, warmUp);
  const startedAt = performance.now();
  await sendMany(send, total);
  const seconds = (performance.now() - startedAt) / 1_000;
  agent.destroy();
  return total / seconds;
}

async function sendMany(send: () => Promise<void>, count: number): Promise<void> {
  let left = count;
  const worker = async (): Promise<void> => {
    while (left-- > 0) await send();
  };
  await Promise.all(Array.from({ length: inFlight }, worker));
}

function createSender({ url, method, name, params, token }: Call, agent: Agent): () => Promise<void> {
  const meta = {
    "io.modelcontextprotocol/protocolVersion": "2026-07-28",
    "io.modelcontextprotocol/clientInfo": { name: "bench", version: "0.0.0" },
    "io.modelcontextprotocol/clientCapabilities": { extensions: { "io.modelcontextprotocol/tasks": {} } },
  };
  const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method, params: { ...params, _meta: meta } });
  const headers = {
    "content-type": "application/json",
    "content-length": Buffer.byteLength(body),
    accept: "application/json, text/event-stream",
    "mcp-protocol-version": "2026-07-28",
    "mcp-method": method,
    "mcp-name": name,
    authorization: token === undefined ? undefined : `Bearer ${token}`,
  };
  return () =>
    new Promise((resolve, reject) => {
      const sending = request(url, { method: "POST", agent, headers }, (response) => {
        const chunks: Buffer[] = [];
        response.on("data", (chunk: Buffer) => chunks.push(chunk));
        response.on("end", () => {
          const text = Buffer.concat(chunks).toString();
          if (response.statusCode === 200 && text.includes('"result"')) resolve();
          else reject(new Error(`${method} was answered with ${response.statusCode}: ${text.slice(0, 300)}`));
        });
      });
      sending.on("error", reject);
      sending.end(body);
    });
}
