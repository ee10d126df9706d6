import { createServer, type RequestListener } from "node:http";
import { createServer as createTcpServer, type AddressInfo, type Server, type Socket } from "node:net";
import { afterEach } from "vitest";

const closers: (() => Promise<void>)[] = [];

afterEach(async () => {
  await Promise.all(closers.splice(0).map((close) => close()));
});

/** Closes what a test has opened, after it. */
export function closeAfterTest(close: () => Promise<void>): void {
  closers.push(close);
}

export interface Listener {
  readonly port: number;
  readonly origin: string;
  /** How many connections have come. */
  readonly connections: () => number;
}

export async function listenHttp(listener: RequestListener): Promise<Listener> {
  return listen(createServer(listener));
}

export async function listenTcp(onSocket: (socket: Socket) => void): Promise<Listener> {
  return listen(createTcpServer(onSocket));
}

/** A private service: whoever connects to it has got through. */
export async function listenPrivately(): Promise<Listener> {
  return listenTcp((socket) => socket.end("HTTP/1.1 200 OK\r\ncontent-length: 6\r\n\r\nsecret"));
}

export async function listen(server: Server): Promise<Listener> {
  let connections = 0;
  const open = new Set<Socket>();
  server.on("connection", (socket: Socket) => {
    connections += 1;
    open.add(socket);
    socket.on("error", () => undefined).once("close", () => open.delete(socket));
  });
  await new Promise<void>((resolve) => {
    server.listen(0, "127.0.0.1", resolve);
  });
  closeAfterTest(async () => {
    for (const socket of open) socket.destroy();
    await new Promise((resolve) => {
      server.close(resolve);
    });
  });
  const { port } = server.address() as AddressInfo;
  return { port, origin: `http://127.0.0.1:${port}`, connections: () => connections };
}
