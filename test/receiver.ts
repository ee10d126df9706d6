import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { Webhook } from "standardwebhooks";

export interface Received {
  readonly id: string;
  readonly path: string;
  readonly headers: Record<string, string>;
  readonly text: string;
  readonly body: { readonly type: string; readonly timestamp: string; readonly data: Record<string, unknown> };
}

type Answer = (received: Received, response: ServerResponse) => void;

/** A web server that takes webhooks and answers as the test says. */
export class Receiver {
  readonly received: Received[] = [];
  /** Answers 204 unless the test says otherwise. */
  answer: Answer = (_received, response) => response.writeHead(204).end();
  #server: Server | undefined;
  #port = 0;

  get origin(): string {
    return `http://127.0.0.1:${this.#port}`;
  }

  get url(): string {
    return `${this.origin}/hook`;
  }

  get ids(): string[] {
    return this.received.map(({ id }) => id);
  }

  get types(): string[] {
    return this.received.map(({ body }) => body.type);
  }

  /** On the port that it had before, if it was up already. */
  async start(): Promise<this> {
    const server = createServer(
      { keepAliveTimeout: 75_000 },
      (request, response) => void this.#take(request, response),
    );
    await new Promise<void>((resolve) => {
      server.listen(this.#port, "127.0.0.1", resolve);
    });
    this.#port = (server.address() as AddressInfo).port;
    this.#server = server;
    return this;
  }

  async stop(): Promise<void> {
    const server = this.#server;
    this.#server = undefined;
    if (server === undefined) return;
    const closed = new Promise((resolve) => {
      server.close(resolve);
    });
    server.closeAllConnections();
    await closed;
  }

  async #take(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const chunks: Buffer[] = [];
    for await (const chunk of request as AsyncIterable<Buffer>) chunks.push(chunk);
    const text = Buffer.concat(chunks).toString();
    const headers = request.headers as Record<string, string>;
    const received: Received = {
      id: headers["webhook-id"] ?? "",
      path: request.url ?? "",
      headers,
      text,
      body: JSON.parse(text) as Received["body"],
    };
    this.received.push(received);
    this.answer(received, response);
  }
}

/** Throws unless the signature is that of the secret. */
export function verify(secret: string, { text, headers }: Received): unknown {
  return new Webhook(secret).verify(text, headers);
}
