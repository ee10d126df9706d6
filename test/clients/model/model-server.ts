import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { json } from "node:stream/consumers";
import { anthropic } from "./anthropic.ts";
import { google } from "./google.ts";
import { openaiChat } from "./openai-chat.ts";
import { openaiResponses } from "./openai-responses.ts";
import type { ScriptedModel } from "./scripted-model.ts";
import { fields } from "./wire.ts";

const wires = [anthropic, openaiResponses, openaiChat, google];

export interface ModelServer {
  readonly url: string;
  /** Paths that nobody here knows: a client that asks more than we answer is seen. */
  readonly unknown: ReadonlySet<string>;
  readonly close: () => void;
}

/** Serves scripted models on loopback: the client's own, and under `/agent` the one that jobs of Longhaul ask. */
export async function serveModels(client: ScriptedModel, agent: ScriptedModel): Promise<ModelServer> {
  const unknown = new Set<string>();
  const server = createServer((request, response) => {
    const path = new URL(request.url ?? "/", "http://localhost").pathname;
    void answer(path.startsWith("/agent/") ? agent : client, path, request, response).then(
      (isKnown) => isKnown || unknown.add(`${request.method} ${path}`),
      (error: unknown) => {
        console.error(error);
        response.destroy();
      },
    );
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  const close = (): void => {
    server.close();
    server.closeAllConnections();
  };
  return { url: `http://127.0.0.1:${port}`, unknown, close };
}

async function answer(
  model: ScriptedModel,
  path: string,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<boolean> {
  const wire = request.method === "POST" ? wires.find(({ matches }) => matches(path)) : undefined;
  if (wire === undefined) {
    response.writeHead(path.endsWith("/models") ? 200 : 404, { "content-type": "application/json" });
    response.end(JSON.stringify({ data: [], models: [] }));
    return path.endsWith("/models") || request.method === "HEAD";
  }
  const body: unknown = await json(request);
  const reply = await model.answer(wire.read(body));
  const id = randomBytes(8).toString("hex");
  const isStreamed = fields(body)["stream"] === true || path.endsWith(":streamGenerateContent");
  if (!isStreamed) {
    response.writeHead(200, { "content-type": "application/json" });
    response.end(JSON.stringify(wire.whole(reply, id)));
    return true;
  }
  response.writeHead(200, { "content-type": "text/event-stream", "cache-control": "no-cache" });
  for (const { name, data } of wire.stream(reply, id)) {
    response.write(`${name === undefined ? "" : `event: ${name}\n`}data: ${JSON.stringify(data)}\n\n`);
  }
  response.end(wire === openaiChat ? "data: [DONE]\n\n" : "");
  return true;
}
