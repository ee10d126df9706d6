import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { onTestFinished } from "vitest";

type Answer = string | ((request: IncomingMessage, response: ServerResponse) => void);

/** A web site of hand-made pages, for one test. */
export async function startSite(pages: Record<string, Answer>): Promise<{ url: string; requests: string[] }> {
  const requests: string[] = [];
  const server = createServer((request, response) => {
    const path = (request.url ?? "/").split("?")[0] ?? "/";
    requests.push(path);
    const answer = pages[path];
    if (answer === undefined) {
      response.writeHead(404, { "content-type": "text/plain" }).end("no such page");
    } else if (typeof answer === "function") answer(request, response);
    else response.writeHead(200, { "content-type": typeOf(path) }).end(answer);
  });
  await new Promise<void>((resolve) => {
    server.listen(0, "127.0.0.1", resolve);
  });
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, requests };
}

function typeOf(path: string): string {
  if (path.endsWith(".css")) return "text/css";
  if (path.endsWith(".svg")) return "image/svg+xml";
  return path.endsWith(".js") ? "text/javascript" : "text/html; charset=utf-8";
}
